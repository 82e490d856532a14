/** The last question of a page to a wallet about one payment, so that a reload goes on there and asks nothing twice. */
export interface Asked {
  /** Differs for each question. */
  readonly id: string;
  readonly step: 'approve' | 'pay' | 'batch';
  /** Identifier of the wallet (EIP-6963 `rdns`), or `injected`. */
  readonly wallet: string;
  readonly account: string;
  /** Transactions that the account had sent before the wallet was asked, as a decimal string. */
  readonly sentBefore: string;
  /** `open` until the wallet answers; `unsure` after an error that does not tell whether it has sent. */
  readonly answer: 'open' | 'unsure' | 'sent';
  /** Hash of the transaction, or id of a batch of calls (EIP-5792); null where the wallet gave none. */
  readonly hash: string | null;
}

/** Keeps one note per payment in the browser. Where the browser forbids storage, the note ends with the page. */
export interface Memory {
  load(): Asked | null;
  save(asked: Asked): void;
  /** Changes a note, unless another one has taken its place. */
  update(asked: Asked): void;
  /** Forgets a note, unless another one has taken its place; without one, any note. */
  clear(asked?: Asked): void;
}

const isAsked = (value: unknown): value is Asked => {
  const { id, step, wallet, account, sentBefore, answer, hash } = (value ?? {}) as Record<string, unknown>;
  return (
    [id, wallet, account].every((text) => typeof text === 'string') &&
    ['approve', 'pay', 'batch'].includes(step as string) &&
    ['open', 'unsure', 'sent'].includes(answer as string) &&
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
  const load = (): Asked | null => {
    try {
      const value: unknown = JSON.parse(tryStorage((storage) => storage.getItem(key), here) ?? 'null');
      return isAsked(value) ? value : null;
    } catch {
      return null;
    }
  };
  const save = (asked: Asked): void => {
    here = JSON.stringify(asked);
    tryStorage((storage) => storage.setItem(key, here!), undefined);
  };
  return {
    load,
    save,
    update: (asked) => {
      if (load()?.id === asked.id) save(asked);
    },
    clear: (asked) => {
      if (asked !== undefined && load()?.id !== asked.id) return;
      here = null;
      tryStorage((storage) => storage.removeItem(key), undefined);
    },
  };
};
