import { html, nothing, type TemplateResult } from 'lit';
import { formatUnits, shorten } from './amounts.ts';
import type { Payer } from '../pay/payer.ts';
import type { WidgetPaymentState } from '../service/types.ts';
import { walletLinks, type Wallet } from '../wallet/wallets.ts';
import { amountOf, isBusy, say, sentenceOf, type Words } from './wording.ts';

/** All that the page shows of a payment, and the actions of its buttons. */
export interface PaymentView {
  readonly words: Words;
  readonly state: WidgetPaymentState;
  readonly payer: Payer;
  readonly wallets: readonly Wallet[];
  /** False until the browser's wallets had time to announce themselves. */
  readonly areAllFound: boolean;
  readonly isConnected: boolean;
  /** Time left to pay, in the page's words; null after it. */
  readonly timeLeft: string | null;
  /** End of a former choice; null where nobody knows it. */
  readonly formerUntil: string | null;
  /** True after a question to the wallet has waited long. */
  readonly isSlow: boolean;
  /** Address of the hosted page, with its fragment. */
  readonly link: string | null;
  readonly qr: TemplateResult | null;
  readonly isCopied: boolean;
  readonly copy: () => void;
  readonly showQr: () => void;
  /** Chooses anew in an order; null where that is not possible. */
  readonly chooseAgain: (() => void) | null;
}

type Part = TemplateResult | typeof nothing;

/** An address: short until somebody wants to read the whole of it. Always from left to right. */
const addressView = (words: Words, address: string): TemplateResult => html`
  <details class="address">
    <summary title=${say(words, 'show_address')}><bdi dir="ltr">${shorten(address)}</bdi></summary>
    <bdi dir="ltr">${address}</bdi>
  </details>
`;

export const link = (url: string | null, text: string, kind: string): Part =>
  url === null
    ? nothing
    : html`<a class="link ${kind}" part="button" href=${url} rel="noreferrer noopener" target="_top">${text}</a>`;

/** Explorers know transactions by this path (EIP-3091). */
const transactionLink = ({ words, state }: PaymentView, hash: string | null): Part => {
  const { explorer_url: explorer } = state.network;
  if (explorer === null || hash === null) return nothing;
  const url = `${explorer.replace(/\/$/, '')}/tx/${hash}`;
  return html`<a class="link plain" href=${url} rel="noreferrer noopener" target="_blank"
    >${say(words, 'see_transaction')}</a
  >`;
};

export const merchantView = ({ name, logo_url: logo }: WidgetPaymentState['merchant']): TemplateResult => html`
  <h1 class="merchant" part="merchant">
    ${logo === null ? nothing : html`<img src=${logo} alt="" referrerpolicy="no-referrer" />`}
    <bdi>${name}</bdi>
  </h1>
`;

/** The merchant and the amount. */
const headView = (words: Words, state: WidgetPaymentState): TemplateResult => {
  const { merchant, network } = state;
  return html`
    ${merchantView(merchant)}
    <p class="muted">${say(words, 'to_pay')}</p>
    <p class="amount" part="amount"><bdi>${amountOf(words, state)}</bdi></p>
    <p class="muted"><bdi>${say(words, 'on_network', { network: network.name })}</bdi></p>
  `;
};

const itemsView = ({ words, state }: PaymentView): Part => {
  const { items, decimals, currency, external_id: order } = state;
  if (items.length === 0) return nothing;
  return html`
    <details part="items">
      <summary>${say(words, 'items')}</summary>
      <ul class="items">
        ${items.map(
          ({ name, amount }) =>
            html`<li><bdi>${name}</bdi> <bdi>${formatUnits(amount, decimals, words.format)} ${currency}</bdi></li>`,
        )}
      </ul>
      <p class="muted"><bdi>${say(words, 'order', { order })}</bdi></p>
    </details>
  `;
};

const factsView = ({ words, state, timeLeft, payer }: PaymentView): TemplateResult => {
  const isOpen = state.status === 'pending' || state.status === 'awaiting_payment';
  const account = state.payer ?? payer.account;
  const accountKey = state.payer === null ? 'wallet_connected' : 'paid_by';
  return html`
    <dl>
      <dt>${say(words, 'recipient')}</dt>
      <dd>${addressView(words, state.payment_address)}</dd>
      ${
        account === null
          ? nothing
          : html`<dt>${say(words, accountKey)}</dt>
              <dd>${addressView(words, account)}</dd>`
      }
      ${
        isOpen && timeLeft !== null
          ? html`<dt>${say(words, 'time_left')}</dt>
              <dd><span role="timer" aria-live="off">${timeLeft}</span></dd>`
          : nothing
      }
    </dl>
  `;
};

const walletsView = (view: PaymentView): TemplateResult => {
  const { words, wallets, areAllFound, payer, link: page } = view;
  const isPhone = matchMedia('(pointer: coarse)').matches;
  return html`
    <div role="group" aria-label=${say(words, 'wallet_choose')}>
      <ul class="stack">
        ${wallets.map(
          (wallet) => html`
            <li>
              <button type="button" part="wallet" @click=${() => void payer.connect(wallet)}>
                ${wallet.icon === null ? nothing : html`<img src=${wallet.icon} alt="" />`}
                <bdi>${wallet.name ?? say(words, 'wallet_injected')}</bdi>
              </button>
            </li>
          `,
        )}
      </ul>
    </div>
    ${
      wallets.length === 0 && areAllFound
        ? html`<p><strong>${say(words, 'wallet_none')}</strong> ${say(words, 'wallet_none_help')}</p>`
        : nothing
    }
    ${
      page !== null && isPhone && areAllFound && wallets.length === 0
        ? html`<ul class="stack">
            ${walletLinks(page).map(
              ({ name, url }) =>
                html`<li>
                  <a class="link" href=${url} rel="noreferrer">${say(words, 'wallet_open_in', { wallet: name })}</a>
                </li>`,
            )}
          </ul>`
        : nothing
    }
    ${page === null ? nothing : phoneView(view)}
  `;
};

const phoneView = ({ words, qr, isCopied, copy, showQr }: PaymentView): TemplateResult => html`
  <details @toggle=${showQr}>
    <summary>${say(words, 'phone')}</summary>
    <p class="muted">${say(words, 'phone_help')}</p>
    ${qr ?? nothing}
    <button type="button" @click=${copy}>${say(words, isCopied ? 'copied' : 'copy_link')}</button>
  </details>
`;

const payButton = ({ state, payer }: PaymentView, text: string): TemplateResult => html`
  <button type="button" class="main" part="button" ?disabled=${!state.payable} @click=${() => void payer.pay()}>
    <bdi>${text}</bdi>
  </button>
`;

/** Lets the buyer forget the earlier question to the wallet. */
const payAgain = ({ words, payer }: PaymentView): TemplateResult => html`
  <p>${say(words, 'sent_again_warning')}</p>
  <button type="button" @click=${() => payer.forget()}>${say(words, 'pay_again_button')}</button>
`;

/** Tries again where the wallet failed: to connect, or to pay. */
const againButton = (view: PaymentView): TemplateResult => {
  const { words, payer } = view;
  const { wallet, account } = payer;
  if (account !== null) return payButton(view, say(words, 'again_button'));
  return html`<button type="button" class="main" part="button" @click=${() => void payer.connect(wallet!)}>
    ${say(words, 'again_button')}
  </button>`;
};

const otherWallet = ({ words, payer }: PaymentView): TemplateResult => html`
  <button type="button" class="plain" @click=${() => payer.leave()}>${say(words, 'wallet_other')}</button>
`;

const balanceView = ({ words, state, payer }: PaymentView): Part => {
  const { funds } = payer;
  if (funds === null) return nothing;
  const units = funds.tokens ?? funds.coins;
  const amount = `${formatUnits(units, state.decimals, words.format)} ${state.currency}`;
  return html`<p class="muted"><bdi>${say(words, 'wallet_balance', { amount })}</bdi></p>`;
};

/** The actions that the buyer has now. */
const actionsView = (view: PaymentView): Part => {
  const { words, state, payer, isSlow } = view;
  const { phase } = payer;
  switch (phase.name) {
    case 'no_wallet':
      return state.payable ? walletsView(view) : nothing;
    case 'ready':
      return html`${balanceView(view)}${payButton(view, say(words, 'pay_button', { amount: amountOf(words, state) }))}
      ${otherWallet(view)}`;
    case 'asking':
      return isSlow
        ? html`<p>${say(words, 'ask_slow')}</p>
            ${otherWallet(view)}`
        : nothing;
    case 'sent':
      return html`${transactionLink(view, phase.hash)} ${phase.isLate ? payAgain(view) : nothing}`;
    case 'trouble':
      return html`${phase.trouble === 'maybe_asked' ? payAgain(view) : againButton(view)} ${otherWallet(view)}`;
    default:
      return nothing;
  }
};

const endView = (view: PaymentView): Part => {
  const { words, state, payer } = view;
  const { status, success_url: success, cancel_url: cancel } = state;
  if (status === 'completed') return link(success ?? cancel, say(words, 'back_to_shop'), 'main');
  if (status === 'processing') return link(success, say(words, 'back_to_shop'), '');
  if (status === 'expired' || status === 'canceled' || status === 'failed') {
    return link(cancel ?? success, say(words, 'back_to_shop'), 'main');
  }
  return payer.phase.name === 'sent' ? nothing : link(cancel, say(words, 'cancel_order'), 'plain');
};

const toneOf = ({ state, payer }: PaymentView): Screen['tone'] => {
  if (state.status === 'completed') return 'good';
  const isOver = ['expired', 'canceled', 'failed', 'canceling'].includes(state.status);
  return isOver || (state.status === 'awaiting_payment' && payer.phase.name === 'trouble') ? 'bad' : '';
};

/**
 * The content of a card. The sentence stands in an element of its own that stays, so that a screen reader hears each change of it
 * once, and nothing else.
 */
export interface Screen {
  readonly above: Part;
  readonly sentence: string;
  readonly tone: '' | 'good' | 'bad';
  /** True where the page waits for something. */
  readonly waits: boolean;
  readonly below: Part;
}

/** The blocks that the payment has and needs. Not in the sentence: a fast network would make a screen reader talk without end. */
const confirmationsView = ({ words, state }: PaymentView): Part => {
  if (state.status !== 'processing') return nothing;
  const { needed, seen } = state.confirmations;
  return html`<p class="muted">${say(words, 'confirmations', { seen, needed })}</p>
    <progress max=${needed} value=${seen} aria-hidden="true"></progress>`;
};

/** The whole card of a payment. */
export const paymentScreen = (view: PaymentView): Screen => {
  const { words, state, payer, isConnected, formerUntil, timeLeft, chooseAgain } = view;
  const isOpen = state.status === 'pending' || state.status === 'awaiting_payment';
  const mayChoose = chooseAgain !== null && isOpen && ['no_wallet', 'ready', 'trouble'].includes(payer.phase.name);
  return {
    above: html`${headView(words, state)} ${factsView(view)} ${itemsView(view)}`,
    sentence: sentenceOf({ words, state, phase: payer.phase, until: formerUntil, isOver: timeLeft === null }),
    tone: toneOf(view),
    waits: (isOpen && (isBusy(payer.phase) || !state.payable)) || state.status === 'processing',
    below: html`
      ${confirmationsView(view)} ${isOpen ? actionsView(view) : transactionLink(view, state.transaction_hash)}
      ${
        mayChoose
          ? html`<button type="button" class="plain" @click=${chooseAgain}>${say(words, 'choose_again')}</button>`
          : nothing
      }
      ${endView(view)}
      <p class="muted" role="status">${isConnected ? '' : say(words, 'reconnecting')}</p>
      ${isOpen ? html`<p class="muted" part="footer">${say(words, 'warning')}</p>` : nothing}
    `,
  };
};
