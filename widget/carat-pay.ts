import { html, LitElement, nothing, svg, type PropertyValues, type TemplateResult } from 'lit';
import { accentColors } from './view/colors.ts';
import { createOrder, orderScreen, type Order } from './view/order.ts';
import { loadScript } from './view/files.ts';
import type { qrPath as drawPath } from './view/qr.ts';
import { createService } from './service/service.ts';
import { createSession, type Session } from './pay/session.ts';
import { styles } from './view/styles.ts';
import {
  chooseFormat,
  chooseLanguage,
  englishTexts,
  isRightToLeft,
  loadTexts,
  type Language,
  type Texts,
} from './view/texts.ts';
import { paymentScreen, type Screen } from './view/views.ts';
import { say, type Words } from './view/wording.ts';

/** The api that serves this script: `/widget/v1/carat-pay.js` is two folders below it. */
const ownApi = new URL('../..', import.meta.url).href.replace(/\/$/, '');

/** Digest of the script, which the build defines. */
declare const QR_DIGEST: string;
/** Empty modules around a QR code that scanners need. */
const QUIET = 4;

/** Milliseconds after which a question to the wallet counts as slow. */
const SLOW_MS = 20_000;
const [DARK_SURFACE, LIGHT_SURFACE] = ['#171a21', '#ffffff'];

const twoDigits = (value: number, format: string): string =>
  new Intl.NumberFormat(format, { minimumIntegerDigits: 2, useGrouping: false }).format(value);

/** A duration as hours, minutes and seconds. */
const clock = (milliseconds: number, format: string): string => {
  const seconds = Math.floor(milliseconds / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return (parts[0] === 0 ? parts.slice(1) : parts).map((part) => twoDigits(part!, format)).join(':');
};

/**
 * `<carat-pay payment="ID" token="wt_…">` or `<carat-pay checkout="ID" token="ct_…">`: a buyer pays one payment, or
 * chooses how to pay an order and pays it. Attributes: `locale` (BCP 47), `theme="light"`, and `api` (the api's URL, if
 * the script comes from elsewhere). Fires `carat-status` with `{ id, status }` at each change of a payment's status.
 */
export class CaratPay extends LitElement {
  static override readonly styles = styles;
  static override readonly properties = {
    payment: {},
    checkout: {},
    token: {},
    locale: {},
    api: {},
    theme: { reflect: true },
  };

  declare payment: string | null;
  declare checkout: string | null;
  declare token: string | null;
  declare locale: string | null;
  declare api: string | null;
  declare theme: string | null;

  #order: Order | null = null;
  #session: Session | null = null;
  #sessionId: string | null = null;
  #status: string | null = null;
  #language: Language = 'en';
  #wanted: Language = 'en';
  #texts: Texts = englishTexts;
  #qr: TemplateResult | null = null;
  #isCopied = false;
  #ticks: ReturnType<typeof setInterval> | undefined;
  readonly #dark = matchMedia('(prefers-color-scheme: dark)');
  readonly #redraw = (): void => this.requestUpdate();

  override connectedCallback(): void {
    super.connectedCallback();
    this.#dark.addEventListener('change', this.#redraw);
    this.#ticks = setInterval(() => document.hidden || this.requestUpdate(), 1_000);
    if (this.hasUpdated) this.#start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#dark.removeEventListener('change', this.#redraw);
    clearInterval(this.#ticks);
    this.#stop();
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (['payment', 'checkout', 'token', 'api'].some((name) => changed.has(name))) this.#start();
    this.#followOrder();
    this.#chooseTexts();
    this.#focused = this.shadowRoot?.activeElement ?? null;
  }

  protected override updated(): void {
    this.#paint();
    this.#keepFocus();
    // The hosted page takes its name and its language from the card.
    this.dispatchEvent(new Event('carat-draw'));
    const { state } = this.#session ?? { state: null };
    if (state === null || state.status === this.#status) return;
    this.#status = state.status;
    const detail = { id: state.id, status: state.status };
    this.dispatchEvent(new CustomEvent('carat-status', { detail, bubbles: true, composed: true }));
    // The order learns from its payment's end.
    this.#order?.refresh();
  }

  protected override render(): TemplateResult {
    const { above, sentence, tone, waits, below } = this.#screen();
    return html`<section
      class="card"
      part="card"
      tabindex="-1"
      aria-label=${this.merchant ?? nothing}
      lang=${this.#language}
      dir=${isRightToLeft(this.#language) ? 'rtl' : 'ltr'}
    >
      ${above}
      <p class="status ${tone}" part="status" role="status" aria-live="polite" aria-atomic="true">
        ${waits ? html`<span class="spin" aria-hidden="true"></span>` : nothing}${sentence}
      </p>
      ${below}
    </section>`;
  }

  /** The language in which the card is shown. */
  get language(): Language {
    return this.#language;
  }

  /** The name of the merchant; null until the api has told it. */
  get merchant(): string | null {
    return (this.#session?.state ?? this.#order?.checkout)?.merchant.name ?? null;
  }

  #stop(): void {
    this.#session?.end();
    this.#order?.end();
    [this.#session, this.#sessionId, this.#order, this.#status] = [null, null, null, null];
    [this.#qr, this.#isCopied] = [null, false];
  }

  #start(): void {
    this.#stop();
    const { payment, checkout, token } = this;
    if (token === null || token === undefined) return;
    if (checkout) this.#order = createOrder(createService(this.#base, 'checkouts', checkout, token), this.#redraw);
    else if (payment) this.#open(payment, token);
  }

  get #base(): string {
    return (this.api ?? ownApi).replace(/\/$/, '');
  }

  #open(id: string, token: string): void {
    this.#session?.end();
    [this.#sessionId, this.#status] = [id, null];
    this.#session = createSession(id, createService(this.#base, 'payments', id, token), this.#redraw);
  }

  /** Follows the payment that is chosen now. */
  #followOrder(): void {
    const chosen = this.#order?.checkout?.payment ?? null;
    if (chosen !== null && chosen.id !== this.#sessionId) this.#open(chosen.id, chosen.access_token);
  }

  get #wishes(): (string | null | undefined)[] {
    const own = this.#session?.state?.locale ?? this.#order?.checkout?.locale;
    return [this.locale, own, ...navigator.languages];
  }

  /** Loads the language of the buyer. Until it comes, and where it does not, the card is in English. */
  #chooseTexts(): void {
    const language = chooseLanguage(this.#wishes);
    if (language === this.#wanted) return;
    this.#wanted = language;
    loadTexts(language).then(
      (texts) => {
        if (language !== this.#wanted) return;
        [this.#language, this.#texts] = [language, texts];
        this.requestUpdate();
      },
      () => {},
    );
  }

  get #words(): Words {
    return { texts: this.#texts, format: chooseFormat(this.#language, this.#wishes) };
  }

  #screen(): Screen {
    const words = this.#words;
    const [session, order] = [this.#session, this.#order];
    const bare = { above: nothing, below: nothing } as const;
    if ((order ?? session)?.isRefused ?? true) {
      return { ...bare, sentence: say(words, 'refused'), tone: 'bad', waits: false };
    }
    if (order !== null && order.checkout !== null && (order.isChoosing || order.checkout.payment === null)) {
      return orderScreen(words, order);
    }
    if (session === null || session.state === null) {
      return { ...bare, sentence: say(words, 'loading'), tone: '', waits: true };
    }
    return this.#paymentCard(words, session);
  }

  #paymentCard(words: Words, session: Session): Screen {
    const { state, payer, wallets, areAllFound, isConnected } = session;
    const left = session.timeLeft();
    const { checkout } = this.#order ?? { checkout: null };
    const until = checkout?.former_open_until ?? null;
    const time = new Intl.DateTimeFormat(words.format, { timeStyle: 'short' });
    return paymentScreen({
      words,
      state: state!,
      payer,
      wallets,
      areAllFound,
      isConnected,
      timeLeft: left === 0 ? null : clock(left, words.format),
      formerUntil: until === null ? null : time.format(new Date(until)),
      isSlow: session.phaseAge() > SLOW_MS,
      link: this.#link,
      qr: this.#qr,
      isCopied: this.#isCopied,
      copy: () => void this.#copy(),
      // The link can be copied where the code does not come.
      showQr: () => void this.#showQr().catch(() => {}),
      chooseAgain: checkout?.choices_left && checkout.options.length > 1 ? () => this.#order?.chooseAgain() : null,
    });
  }

  /** The hosted page of the payment or order, which a wallet app can open. */
  get #link(): string | null {
    const id = this.checkout ?? this.payment;
    return id === null || this.token === null ? null : `${this.#base}/pay/${id}#${this.token}`;
  }

  async #showQr(): Promise<void> {
    const link = this.#link;
    if (this.#qr !== null || link === null) return;
    const { qrPath } = await loadScript<{ qrPath: typeof drawPath }>({ name: 'qr.js', digest: QR_DIGEST });
    const { path, size } = qrPath(link);
    const box = `${-QUIET} ${-QUIET} ${size + 2 * QUIET} ${size + 2 * QUIET}`;
    const label = say(this.#words, 'qr_label');
    this.#qr = svg`<svg class="qr" role="img" aria-label=${label} viewBox=${box}><path fill="#000" d=${path} /></svg>`;
    this.requestUpdate();
  }

  async #copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.#link ?? '');
      this.#isCopied = true;
    } catch {
      // A frame may lack the permission; the code can still be scanned.
      this.#isCopied = false;
    }
    this.requestUpdate();
  }

  /** A merchant's accent, corrected where it could not be read. The embedding page's own colours win. */
  #paint(): void {
    const { style } = this.renderRoot.querySelector<HTMLElement>('.card')!;
    const accent = (this.#session?.state ?? this.#order?.checkout)?.merchant.accent_color ?? null;
    const own = getComputedStyle(this);
    const isDark = this.#dark.matches && this.theme !== 'light';
    const surface = own.getPropertyValue('--carat-surface').trim() || (isDark ? DARK_SURFACE : LIGHT_SURFACE);
    const isOurs = accent !== null && own.getPropertyValue('--carat-accent') === '';
    const colors = isOurs ? accentColors(accent, surface!) : null;
    style.setProperty('--_accent', colors?.accent ?? '');
    style.setProperty('--_on-accent', colors?.onAccent ?? '');
  }

  /** The part that has the focus before the card is drawn. */
  #focused: Element | null = null;

  /** Where the focused button has gone, the focus goes to the next one, so that a keyboard does not start over. */
  #keepFocus(): void {
    if (this.#focused?.isConnected !== false) return;
    const next = this.renderRoot.querySelector<HTMLElement>('button.main:not([disabled]), a.main');
    (next ?? this.renderRoot.querySelector<HTMLElement>('.card'))?.focus({ preventScroll: true });
  }
}

if (customElements.get('carat-pay') === undefined) customElements.define('carat-pay', CaratPay);
