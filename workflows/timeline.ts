import { isTerminal, waitingStatuses, type PaymentStatus } from '../domain/payment.ts';
import { searchWords } from '../domain/payment-label.ts';
import type { PaymentChange, PaymentTransition, PaymentWait } from '../domain/ports/outbox.ts';

/** One transition of a payment, with its block. */
export interface TimelineEntry {
  readonly event_type: string;
  readonly status: PaymentStatus;
  readonly status_detail: string | null;
  readonly at: string;
  readonly transaction_hash: string | null;
  readonly block_number: number | null;
  readonly block_hash: string | null;
}

/** The transitions of each payment in order, by its id. */
export type Timelines = Record<string, TimelineEntry[]>;

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

type Changes = ReadonlyMap<number, PaymentTransition>;

const ordered = (changes: Changes): PaymentTransition[] =>
  [...changes.values()].sort((a, b) => a.sequence - b.sequence);

const last = (changes: Changes): PaymentTransition | undefined => ordered(changes).at(-1);

const hasEnded = (changes: Changes): boolean => {
  const newest = last(changes);
  return newest !== undefined && isTerminal(newest.status);
};

/** Why a payment waits: the newer of its last transition, which carries a reason too, and its last waiting state. */
const reasonOf = (changes: Changes, wait: PaymentWait | undefined): string[] => {
  const newest = last(changes);
  if (newest === undefined || !(waitingStatuses as readonly PaymentStatus[]).includes(newest.status)) return [];
  const reason = wait !== undefined && wait.at >= newest.at ? wait.status_detail : newest.status_detail;
  return reason ? [reason] : [];
};

const newestHashes = (changes: readonly Changes[]): string[] =>
  changes
    .flatMap((ofPayment) => [...ofPayment.values()])
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .flatMap(({ transaction_hash: hash }) => hash ?? []);

/** Collects the changes of some payments. The newest transition has the highest sequence. */
export const createTimeline = (paymentIds: readonly string[]) => {
  const known = new Map(paymentIds.map((id) => [id, new Map<number, PaymentTransition>()]));
  /** The last waiting state of each payment. */
  const waits = new Map<string, PaymentWait>();

  const idsWhere = (test: (changes: Changes) => boolean): string[] =>
    [...known].filter(([, changes]) => test(changes)).map(([id]) => id);

  const describe = ([id, changes]: [string, Changes]): string => {
    const waiting = reasonOf(changes, waits.get(id)).map((reason) => `- waits: **${reason}**`);
    return [`Payment ${id}`, ...ordered(changes).map(toEntry).map(describeEntry), ...waiting].join('\n');
  };

  return {
    /** Adds changes in any order. Known changes, and changes of other payments, are skipped. */
    add: (changes: readonly PaymentChange[]): void => {
      for (const change of changes) {
        const { payment_id: id, sequence } = change;
        const ofPayment = known.get(id);
        if (ofPayment === undefined) continue;
        if (sequence !== null) ofPayment.set(sequence, ofPayment.get(sequence) ?? change);
        else if (change.at >= (waits.get(id)?.at ?? '')) waits.set(id, change);
      }
    },
    /** The known transitions of a payment, in order. */
    transitions: (paymentId: string): PaymentTransition[] => ordered(known.get(paymentId) ?? new Map()),
    /** The payments that have not ended. */
    open: (): string[] => idsWhere((changes) => !hasEnded(changes)),
    /** The payments that have ended, and of which an earlier transition is unknown. */
    gaps: (): string[] => idsWhere((changes) => hasEnded(changes) && last(changes)?.sequence !== changes.size),
    /** The statuses of the payments and their waiting reasons as words, each once. */
    statuses: (): string =>
      searchWords(
        [...known].flatMap(([id, changes]) => [
          last(changes)?.status ?? 'unknown',
          ...reasonOf(changes, waits.get(id)),
        ]),
      ),
    /** The transactions of the payments as words, the newest first. */
    hashes: (): string => searchWords(newestHashes([...known.values()])),
    /** For operators: the transitions and their times, as Markdown. */
    describe: (): string => [...known].map(describe).join('\n\n'),
    result: (): Timelines => Object.fromEntries([...known].map(([id, changes]) => [id, ordered(changes).map(toEntry)])),
  };
};

/** The known changes of some payments. */
export type Timeline = ReturnType<typeof createTimeline>;
