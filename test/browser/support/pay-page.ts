import type { Frame, Locator, Page } from 'playwright-core';

/** What a buyer reads and does on a page, by roles and names only. */
export interface PayPage {
  /** Waits until the page says this. */
  says(text: string | RegExp, ms?: number): Promise<void>;
  /** The button of this name. */
  button(name: string | RegExp): Locator;
  press(name: string | RegExp): Promise<void>;
  /** Chooses a wallet and waits until the page is ready to pay. */
  connect(wallet?: string): Promise<void>;
  /** Presses the button that pays. */
  pay(): Promise<void>;
  /** Waits until the page says that the payment is there. */
  paid(): Promise<void>;
}

/** Sentences of the page, in English. */
export const sentences = {
  choose: 'Choose your wallet to pay.',
  ready: 'You can pay now.',
  paid: 'Paid. Thank you!',
  rejected: 'You rejected the request in your wallet. Nothing was paid.',
  sent: 'Your wallet has sent the payment.',
  processing: 'Your payment is on the network.',
} as const;

const PATIENCE_MS = 30_000;

/** @param place the page, or a frame in it */
export const payPage = (place: Page | Frame): PayPage => {
  const says = async (text: string | RegExp, ms = PATIENCE_MS): Promise<void> => {
    try {
      await place.getByRole('status').filter({ hasText: text }).waitFor({ timeout: ms });
    } catch (error) {
      const said = (await place.getByRole('status').allInnerTexts()).join(' | ');
      throw new Error(`the page does not say "${String(text)}" but "${said}"`, { cause: error });
    }
  };
  const button = (name: string | RegExp): Locator =>
    place.getByRole('button', { name, exact: typeof name === 'string' });
  const press = (name: string | RegExp): Promise<void> => button(name).click({ timeout: PATIENCE_MS });
  return {
    says,
    button,
    press,
    connect: async (wallet = 'Test Wallet') => {
      await press(wallet);
      await says(sentences.ready);
    },
    pay: () => press(/^Pay [\d.,]+ [A-Z]+$/),
    paid: () => says(sentences.paid),
  };
};
