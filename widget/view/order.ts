import { html, nothing } from 'lit';
import { formatUnits } from './amounts.ts';
import { ServiceError, type Service } from '../service/service.ts';
import type { TextKey } from './texts.ts';
import type { WidgetCheckout } from '../service/types.ts';
import { link, merchantView, type Screen } from './views.ts';
import { say, type Words } from './wording.ts';

/** An order whose buyer chooses how to pay. */
export interface Order {
  /** Null until the api has answered. */
  readonly checkout: WidgetCheckout | null;
  readonly isRefused: boolean;
  /** The reason why the last choice was not accepted; null without one. */
  readonly trouble: TextKey | null;
  /** True while the buyer chooses anew although something is chosen. */
  readonly isChoosing: boolean;
  readonly isBusy: boolean;
  choose(option: number): Promise<void>;
  /** Shows the options again. */
  chooseAgain(): void;
  /** Reads the order again now. */
  refresh(): void;
  end(): void;
}

/** Milliseconds between two looks at an order. Each change of its payment, which is followed live, brings a look as well. */
const LOOK_MS = 5_000;
const LOOK_CHOSEN_MS = 30_000;

const troubles: Readonly<Record<string, TextKey>> = {
  too_many_choices: 'choose_none_left',
  choice_being_paid: 'choose_busy',
  option_unavailable: 'choose_unavailable',
};

const isOver = ({ status }: WidgetCheckout): boolean => status !== 'open' && status !== 'chosen';

/** @param changed called after every change */
export const createOrder = (service: Service, changed: () => void): Order => {
  let checkout: WidgetCheckout | null = null;
  let [isRefused, isChoosing, isBusy, hasEnded] = [false, false, false, false];
  let trouble: TextKey | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the choices: an answer to an older question would bring a former choice back. */
  let choices = 0;

  const take = (next: WidgetCheckout): void => {
    checkout = next;
    if (isOver(next)) isChoosing = false;
    changed();
  };
  const look = async (): Promise<void> => {
    clearTimeout(timer);
    const asked = choices;
    try {
      const next = await service.checkout();
      if (asked === choices) take(next);
    } catch (error) {
      if (error instanceof ServiceError && (error.status === 401 || error.status === 404)) {
        isRefused = true;
        return changed();
      }
    }
    if (hasEnded || (checkout !== null && isOver(checkout))) return;
    clearTimeout(timer);
    timer = setTimeout(() => void look(), (checkout?.payment ? LOOK_CHOSEN_MS : LOOK_MS) * (0.75 + Math.random() / 2));
  };
  void look();

  return {
    get checkout() {
      return checkout;
    },
    get isRefused() {
      return isRefused;
    },
    get trouble() {
      return trouble;
    },
    get isChoosing() {
      return isChoosing;
    },
    get isBusy() {
      return isBusy;
    },
    choose: async (option) => {
      if (isBusy) return;
      [isBusy, trouble] = [true, null];
      choices += 1;
      changed();
      try {
        const next = await service.choose(option);
        choices += 1;
        isChoosing = false;
        take(next);
      } catch (error) {
        trouble = (error instanceof ServiceError ? troubles[error.code] : undefined) ?? 'choose_failed';
        void look();
      }
      isBusy = false;
      changed();
    },
    chooseAgain: () => {
      [isChoosing, trouble] = [true, null];
      changed();
    },
    refresh: () => void look(),
    end: () => {
      hasEnded = true;
      clearTimeout(timer);
    },
  };
};

/** The options of an order, one button each. */
export const orderScreen = (words: Words, order: Order): Screen => {
  const { options, merchant, items, success_url: success, cancel_url: cancel, status } = order.checkout!;
  const isEnded = isOver(order.checkout!);
  const back = (status === 'completed' ? success : cancel) ?? success ?? cancel;
  const choices = options.map(({ amount, decimals, currency, network }, option) => {
    const text = `${formatUnits(amount, decimals, words.format)} ${currency}`;
    return html`<li>
      <button type="button" part="button" @click=${() => void order.choose(option)}>
        <bdi>${say(words, 'choose_option', { amount: text, network: network.name })}</bdi>
      </button>
    </li>`;
  });
  return {
    above: html`
      ${merchantView(merchant)}
      <ul class="items" part="items">
        ${items.map(({ name }) => html`<li><bdi>${name}</bdi></li>`)}
      </ul>
    `,
    sentence: say(words, isEnded ? `status_${status as 'completed'}` : (order.trouble ?? 'choose_title')),
    tone: status === 'completed' ? 'good' : isEnded || order.trouble !== null ? 'bad' : '',
    waits: order.isBusy,
    below: html`
      ${
        isEnded
          ? nothing
          : html`<ul class="stack">
              ${choices}
            </ul>`
      }
      ${link(back, say(words, isEnded ? 'back_to_shop' : 'cancel_order'), isEnded ? 'main' : 'plain')}
    `,
  };
};
