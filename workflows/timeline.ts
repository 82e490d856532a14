import { isTerminal, type PaymentStatus } from '../domain/payment.ts';
import type { PaymentTransition } from '../domain/ports/outbox.ts';

/** One entry of the result: what became of a payment, and in which block. */
export interface TimelineEntry {
  readonly event_type: string;
  readonly status: PaymentStatus;
  readonly status_detail: string | null;
  readonly at: string;
  readonly transaction_hash: string | null;
  readonly block_number: number | null;
  readonly block_hash: string | null;
}

/** The story of each payment, by its id, in order. */
export type Timelines = Record<string, TimelineEntry[]>;

/** What is known of some payments, as it comes in. */
export interface Timeline {
  /** Takes changes in any order; one that is known, or of a payment that is not followed, changes nothing. */
  add(changes: readonly PaymentTransition[]): void;
  /** The payments that can still change. */
  open(): string[];
  /** Payments that have ended although an earlier change of theirs is not known. */
  gaps(): string[];
  /** What the payments ended as, each status once, as words. */
  statuses(): string;
  /** For an operator: what happened when, as Markdown. */
  describe(): string;
  result(): Timelines;
}

const toEntry = (change: PaymentTransition): TimelineEntry => ({
  event_type: change.event_type,
  status: change.status,
  status_detail: change.status_detail ?? null,
  at: change.at,
  transaction_hash: change.transaction_hash ?? null,
  block_number: change.block_number ?? null,
  block_hash: change.block_hash ?? null,
});

const describeEntry = (entry: TimelineEntry): string => {
  const detail = entry.status_detail === null ? '' : ` (${entry.status_detail})`;
  const transaction = entry.transaction_hash === null ? '' : `, transaction \`${entry.transaction_hash}\``;
  const block = entry.block_number === null ? '' : `, block ${entry.block_number} \`${entry.block_hash}\``;
  return `- ${entry.at} ${entry.event_type}: **${entry.status}**${detail}${transaction}${block}`;
};

/** Collects what is known of some payments. The newest change is the one with the highest sequence. */
export const createTimeline = (paymentIds: readonly string[]): Timeline => {
  const known = new Map(paymentIds.map((id) => [id, new Map<number, PaymentTransition>()]));

  const ordered = (changes: ReadonlyMap<number, PaymentTransition>): PaymentTransition[] =>
    [...changes.values()].sort((a, b) => a.sequence - b.sequence);

  const last = (changes: ReadonlyMap<number, PaymentTransition>): PaymentTransition | undefined =>
    ordered(changes).at(-1);

  const hasEnded = (changes: ReadonlyMap<number, PaymentTransition>): boolean => {
    const newest = last(changes);
    return newest !== undefined && isTerminal(newest.status);
  };

  const idsWhere = (test: (changes: ReadonlyMap<number, PaymentTransition>) => boolean): string[] =>
    [...known].filter(([, changes]) => test(changes)).map(([id]) => id);

  return {
    add: (changes) => {
      for (const change of changes) {
        const ofPayment = known.get(change.payment_id);
        if (ofPayment !== undefined && !ofPayment.has(change.sequence)) ofPayment.set(change.sequence, change);
      }
    },
    open: () => idsWhere((changes) => !hasEnded(changes)),
    gaps: () => idsWhere((changes) => hasEnded(changes) && last(changes)?.sequence !== changes.size),
    statuses: () => [...new Set([...known.values()].map((changes) => last(changes)?.status ?? 'unknown'))].join(' '),
    describe: () =>
      [...known]
        .map(([id, changes]) => [`Payment ${id}`, ...ordered(changes).map(toEntry).map(describeEntry)].join('\n'))
        .join('\n\n'),
    result: () => Object.fromEntries([...known].map(([id, changes]) => [id, ordered(changes).map(toEntry)])),
  };
};
