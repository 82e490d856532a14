import { createPayer, type Payer } from './payer.ts';
import type { Service } from '../service/service.ts';
import type { WidgetPaymentState } from '../service/types.ts';
import { findWallets, type Wallet } from '../wallet/wallets.ts';

/** One payment on one page: its state by the api, the browser's wallets, and the buyer's way through. */
export interface Session {
  /** Null until the api has answered. */
  readonly state: WidgetPaymentState | null;
  /** False while the page does not hear of changes. */
  readonly isConnected: boolean;
  /** True where the api knows no such payment and token. */
  readonly isRefused: boolean;
  readonly wallets: readonly Wallet[];
  readonly areAllFound: boolean;
  readonly payer: Payer;
  /** Milliseconds until the payment expires by the api's clock; 0 afterwards. */
  timeLeft(): number;
  /** Milliseconds since the phase of the payer has changed. */
  phaseAge(): number;
  end(): void;
}

/** Statuses after which nothing of a payment changes on a page. */
const finalStatuses: ReadonlySet<string> = new Set(['completed', 'expired', 'canceled', 'failed']);

/** @param changed called after every change */
export const createSession = (paymentId: string, service: Service, changed: () => void): Session => {
  let state: WidgetPaymentState | null = null;
  let isConnected = true;
  let isRefused = false;
  let wallets: readonly Wallet[] = [];
  let areAllFound = false;
  /** Milliseconds by which the api's clock is ahead of this device's. */
  let clockLead = 0;
  let phase: unknown = null;
  let phaseSince = performance.now();

  const timeLeft = (): number =>
    state === null ? 0 : Math.max(0, Date.parse(state.expires_at) - Date.now() - clockLead);
  /** The state, without a payment whose time is over; the api says so only when the network has gone past it. */
  const current = (): WidgetPaymentState | null =>
    state === null ? null : { ...state, payable: state.payable && timeLeft() > 0 };

  const payer = createPayer({
    paymentId,
    service,
    state: () => current()!,
    changed: () => {
      if (payer.phase !== phase) [phase, phaseSince] = [payer.phase, performance.now()];
      changed();
    },
  });

  const resume = (): void => {
    if (state !== null && wallets.length > 0) void payer.resume(wallets);
  };
  const stopFinding = findWallets((found, isComplete) => {
    [wallets, areAllFound] = [found, isComplete];
    resume();
    changed();
  });
  const unfollow = service.follow({
    state: (next) => {
      const isFirst = state === null;
      state = next;
      clockLead = Date.parse(next.server_time) - Date.now();
      if (finalStatuses.has(next.status)) {
        payer.settle();
        unfollow();
      }
      if (isFirst) resume();
      changed();
    },
    connected: (value) => {
      if (isConnected === value) return;
      isConnected = value;
      changed();
    },
    refused: () => {
      isRefused = true;
      changed();
    },
  });

  return {
    get state() {
      return current();
    },
    get isConnected() {
      return isConnected;
    },
    get isRefused() {
      return isRefused;
    },
    get wallets() {
      return wallets;
    },
    get areAllFound() {
      return areAllFound;
    },
    payer,
    timeLeft,
    phaseAge: () => performance.now() - phaseSince,
    end: () => {
      unfollow();
      stopFinding();
      payer.end();
    },
  };
};
