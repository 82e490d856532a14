import { attemptPayment } from './attempt.ts';
import { fateOf } from './fate.ts';
import { createMemory } from './memory.ts';
import { isSame, LATE_MS } from './network.ts';
import { asking, stop, Stop, toStop, type Phase } from './phases.ts';
import { ask } from '../wallet/provider.ts';
import { createReads, toAccounts } from '../wallet/reads.ts';
import type { Service } from '../service/service.ts';
import type { WidgetPaymentState } from '../service/types.ts';
import type { Wallet } from '../wallet/wallets.ts';
import { batchOutcome } from '../wallet/ways.ts';

/** Funds of an account: wei, and base units of the payment's token, null for a payment in coins. */
export interface Funds {
  readonly coins: bigint;
  readonly tokens: bigint | null;
}

/** A buyer's wallet and one payment. */
export interface Payer {
  readonly phase: Phase;
  readonly wallet: Wallet | null;
  readonly account: string | null;
  /** Null until the wallet is on the payment's network. */
  readonly funds: Funds | null;
  connect(wallet: Wallet): Promise<void>;
  /** Goes on after a reload with the wallet that was asked, without a question to its owner. */
  resume(wallets: readonly Wallet[]): Promise<void>;
  pay(): Promise<void>;
  /** Lets the buyer choose a wallet again. Remembers the question to this one. */
  leave(): void;
  /** Forgets the question to the wallet. */
  forget(): void;
  /** Ends all waiting, and forgets the question to the wallet: the payment has ended. */
  settle(): void;
  /** Ends all waiting. */
  end(): void;
}

interface PayerDeps {
  readonly paymentId: string;
  readonly service: Service;
  /** The state that the page shows now. */
  readonly state: () => WidgetPaymentState;
  readonly changed: () => void;
}

/** Bounds of the pause between two looks at the network, in milliseconds. */
const [MIN_LOOK_MS, MAX_LOOK_MS] = [1_000, 15_000];

/**
 * Runs work while no other tab of this browser pays the same payment.
 * @param gone rejects when the buyer leaves the work, whose wallet may never answer
 */
const exclusively = async (paymentId: string, gone: Promise<never>, work: () => Promise<void>): Promise<void> => {
  if (!('locks' in navigator)) return work();
  await navigator.locks.request(`carat-pay:${paymentId}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) throw stop('other_tab');
    await Promise.race([work(), gone]);
  });
};

/** Guides one wallet through one payment. */
export const createPayer = ({ paymentId, service, state, changed }: PayerDeps): Payer => {
  const memory = createMemory(paymentId);
  let phase: Phase = { name: 'no_wallet' };
  let wallet: Wallet | null = null;
  let account: string | null = null;
  let funds: Funds | null = null;
  /** Grows whenever something replaces the work in progress. The late answers of an earlier turn change nothing. */
  let turn = 0;
  let abandon = (): void => {};
  let stopListening = (): void => {};
  const failedWays = new Set<'batch' | 'permit'>();

  const enter = (next: Phase): void => {
    phase = next;
    changed();
  };

  /** Replaces the work in progress. */
  const replace = (): number => {
    abandon();
    return (turn += 1);
  };

  /** Begins work that throws once something has replaced it. */
  const begin = () => {
    const mine = replace();
    const gone = new Promise<never>((_, reject) => {
      abandon = () => reject(new Stop(phase));
    });
    // Not every work waits for it.
    gone.catch(() => {});
    const check = (): void => {
      if (mine !== turn) throw new Stop(phase);
    };
    return {
      gone,
      isCurrent: (): boolean => mine === turn,
      enter: (next: Phase): void => {
        check();
        enter(next);
      },
      nextLook: async (): Promise<void> => {
        const pause = Math.min(Math.max(state().network.block_time_ms, MIN_LOOK_MS), MAX_LOOK_MS);
        await new Promise((resolve) => setTimeout(resolve, pause));
        check();
      },
    };
  };

  /** Reads the account's funds where the wallet is on the payment's network. */
  const showFunds = async (): Promise<void> => {
    const mine = turn;
    const [reads, owner, { token_address: token, network_id: wanted }] = [
      createReads(wallet!.provider),
      account!,
      state(),
    ];
    const load = async (): Promise<Funds | null> => {
      if ((await reads.chainId()) !== wanted) return null;
      const tokens = token === null ? null : await reads.tokens(token, owner);
      return { coins: await reads.coins(owner), tokens };
    };
    const loaded = await load().catch(() => null);
    if (mine !== turn) return;
    funds = loaded;
    changed();
  };

  const becomeReady = (): void => {
    replace();
    enter({ name: 'ready' });
    void showFunds();
  };

  const leave = (): void => {
    replace();
    stopListening();
    failedWays.clear();
    [wallet, account, funds] = [null, null, null];
    enter({ name: 'no_wallet' });
  };

  const listen = ({ provider }: Wallet): void => {
    const onAccounts = (value: unknown): void => {
      const [first] = toAccounts(value);
      // Once the payment is sent, another account changes nothing.
      if (phase.name === 'sent' || isSame(first ?? null, account)) return;
      if (first === undefined) return leave();
      account = first;
      funds = null;
      becomeReady();
    };
    const onChain = (): void => void (phase.name === 'ready' && showFunds());
    provider.on?.('accountsChanged', onAccounts);
    provider.on?.('chainChanged', onChain);
    stopListening = () => {
      provider.removeListener?.('accountsChanged', onAccounts);
      provider.removeListener?.('chainChanged', onChain);
      stopListening = () => {};
    };
  };

  /** Looks at the network until the payment's state says more. Nothing here says that it is paid. */
  const follow = (hash: string | null): void => {
    const { isCurrent, nextLook, enter: show } = begin();
    enter({ name: 'sent', hash, isLate: false });
    const { provider } = wallet!;
    const asked = memory.load();
    const look = (): Promise<string | null> => {
      if (asked?.step === 'batch') return batchOutcome(provider, asked.hash!);
      return hash === null ? Promise.resolve(null) : createReads(provider).outcome(hash);
    };
    const since = Date.now();
    const watch = async (): Promise<void> => {
      while (isCurrent()) {
        await nextLook();
        const outcome = await look().catch(() => null);
        if (outcome === 'failed') {
          memory.clear();
          show({ name: 'trouble', trouble: 'payment_failed' });
          return;
        }
        if (outcome !== 'mined' && Date.now() - since > LATE_MS) show({ name: 'sent', hash, isLate: true });
      }
    };
    watch().catch(() => {});
  };

  /**
   * True when a wallet was asked for the payment before, and may have sent it or may still ask. Questions to any wallet and account
   * count.
   */
  const goOn = async (): Promise<boolean> => {
    const asked = memory.load();
    if (asked === null || asked.step === 'approve') return false;
    const mine = turn;
    const fate = await fateOf(asked, wallet!, state().network_id);
    if (mine !== turn) return true;
    if (fate === 'sent') follow(asked.step === 'batch' ? null : asked.hash);
    if (fate === 'unknown') {
      replace();
      enter({ name: 'trouble', trouble: 'maybe_asked' });
    }
    if (fate === 'not_sent') memory.clear(asked);
    return fate !== 'not_sent';
  };

  const use = async (chosen: Wallet, owner: string): Promise<void> => {
    stopListening();
    [wallet, account, funds] = [chosen, owner, null];
    listen(chosen);
    if (!(await goOn())) becomeReady();
  };

  return {
    get phase() {
      return phase;
    },
    get wallet() {
      return wallet;
    },
    get account() {
      return account;
    },
    get funds() {
      return funds;
    },

    connect: async (chosen) => {
      const { isCurrent } = begin();
      wallet = chosen;
      enter(asking('connect', 1, 1));
      try {
        const [first] = toAccounts(await ask(chosen.provider, 'eth_requestAccounts'));
        if (!isCurrent()) return;
        if (first === undefined) throw stop('no_account');
        await use(chosen, first);
      } catch (error) {
        if (isCurrent()) enter(toStop(error).phase);
      }
    },

    resume: async (wallets) => {
      const asked = memory.load();
      const known = wallets.find(({ id }) => id === asked?.wallet);
      if (asked === null || known === undefined || phase.name !== 'no_wallet') return;
      const accounts = await createReads(known.provider)
        .accounts()
        .catch(() => []);
      const isFree = phase.name === 'no_wallet' && wallet === null;
      if (isFree && accounts.some((entry) => isSame(entry, asked.account))) await use(known, asked.account);
    },

    pay: async () => {
      if (wallet === null || account === null || (phase.name !== 'ready' && phase.name !== 'trouble')) return;
      const { isCurrent, gone, enter: show, nextLook } = begin();
      const attempt = { wallet, account, service, memory, state, failedWays, enter: show, nextLook };
      enter({ name: 'checking' });
      try {
        await exclusively(paymentId, gone, async () => {
          if (await goOn()) return;
          const hash = await attemptPayment(attempt);
          if (isCurrent()) follow(hash);
        });
      } catch (error) {
        if (isCurrent()) enter(toStop(error).phase);
      }
    },

    leave,
    forget: () => {
      memory.clear();
      becomeReady();
    },
    settle: () => {
      replace();
      memory.clear();
    },
    end: () => {
      replace();
      stopListening();
    },
  };
};
