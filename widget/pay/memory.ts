/** What a page has asked of a wallet for one payment, so that a reload goes on there and nothing is asked twice. */
export interface Asked {
  readonly step: 'approve' | 'pay' | 'batch';
  /** Identifier of the wallet (EIP-6963 `rdns`), or `injected`. */
  readonly wallet: string;
  readonly account: string;
  /** Transactions that the account had sent before the wallet was asked, as a decimal string. */
  readonly sentBefore: string;
  /** Hash that the wallet answered with, or id of a batch of calls (EIP-5792). Null until then. */
  readonly hash: string | null;
}

/** Keeps one note per payment in the browser. Where the browser forbids storage, the note ends with the page. */
export interface Memory {
  load(): Asked | null;
  save(asked: Asked): void;
  clear(): void;
}

const isAsked = (value: unknown): value is Asked => {
  const { step, wallet, account, sentBefore, hash } = (value ?? {}) as Record<string, unknown>;
  return (
    ['approve', 'pay', 'batch'].includes(step as string) &&
    typeof wallet === 'string' &&
    typeof account === 'string' &&
    /^\d+$/.test(String(sentBefore)) &&
    (hash === null || typeof hash === 'string')
  );
};

/** @param paymentId id of the payment */
export const createMemory = (paymentId: string): Memory => {
  const key = `carat-pay:${paymentId}`;
  let here: string | null = null;
  const tryStorage = <T>(use: (storage: Storage) => T, otherwise: T): T => {
    try {
      return use(localStorage);
    } catch {
      return otherwise;
    }
  };
  return {
    load: () => {
      const text = tryStorage((storage) => storage.getItem(key), here) ?? here;
      try {
        const value: unknown = JSON.parse(text ?? 'null');
        return isAsked(value) ? value : null;
      } catch {
        return null;
      }
    },
    save: (asked) => {
      here = JSON.stringify(asked);
      tryStorage((storage) => storage.setItem(key, here!), undefined);
    },
    clear: () => {
      here = null;
      tryStorage((storage) => storage.removeItem(key), undefined);
    },
  };
};
