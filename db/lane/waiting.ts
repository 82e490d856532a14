import type { Knex } from 'knex';
import type { WaitingDetail } from '../../domain/payment.ts';
import { mayReplace, PART, waitingStatus, wakeDiamonds } from '../intents/waiting.ts';

/** Selects slots, and says whether they wait for a reason. */
interface Shown {
  /** SQL condition over `tx_slots s` and `signer_accounts a`. */
  readonly which: string;
  readonly bindings: Record<string, unknown>;
  readonly reason: WaitingDetail;
  readonly holds: boolean;
}

/** Runs one part in a transaction. */
export type Part = <Result>(work: (trx: Knex.Transaction) => Promise<Result>) => Promise<Result>;

const ofSlots = (which: string): string =>
  `tx_slots s JOIN signer_accounts a ON a.id = s.account_id JOIN tx_intents i ON i.slot_id = s.id AND i.state = 'assigned'
   WHERE s.state <> 'confirmed' AND ${which}`;

/** The reason that is written, or null, and SQL of the condition on the one that stood there. */
const change = (shown: string, { reason, holds }: Shown) =>
  holds
    ? { to: reason, changes: mayReplace(shown, ':reason::text') }
    : { to: null, changes: `${shown} = :reason::text` };

/** Writes or clears the reason on payments, in the order of their ids. */
const showOnPayments = async (trx: Knex.Transaction, shown: Shown): Promise<number> => {
  const { which, bindings, reason } = shown;
  const { to, changes } = change('o.status_detail', shown);
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `UPDATE payments p SET status_detail = :to, updated_at = clock_timestamp() FROM (
       SELECT o.id FROM payments o WHERE ${changes} AND (o.id, o.status) IN (
         SELECT i.payment_id, ${waitingStatus('i')} FROM ${ofSlots(which)})
       ORDER BY o.id LIMIT ${PART} FOR NO KEY UPDATE OF o) waiting
     WHERE p.id = waiting.id RETURNING p.id`,
    { ...bindings, reason, to } as Record<string, Knex.Value>,
  );
  return rows.length;
};

/** Writes or clears the reason on calls of deployments, and wakes their workflows. */
const showOnCalls = async (trx: Knex.Transaction, shown: Shown): Promise<void> => {
  const { which, bindings, reason } = shown;
  const { to, changes } = change('i.waiting', shown);
  const { rows } = await trx.raw<{ rows: { step_id: string }[] }>(
    `UPDATE tx_intents SET waiting = :to WHERE id IN (SELECT i.id FROM ${ofSlots(which)} AND i.step_id IS NOT NULL
       AND ${changes}) RETURNING step_id`,
    { ...bindings, reason, to } as Record<string, Knex.Value>,
  );
  await wakeDiamonds(
    trx,
    rows.map(({ step_id }) => step_id),
  );
};

/** Writes or clears the waiting reason of intents in slots, part by part. */
export const showOfSent = async (part: Part, shown: Shown): Promise<void> => {
  const writePart = (): Promise<number> =>
    part(async (trx) => {
      const count = await showOnPayments(trx, shown);
      if (count < PART) await showOnCalls(trx, shown);
      return count;
    });
  while ((await writePart()) === PART);
};

/** Shows a reason on everything in these slots of an account, and clears it from the account's other slots. */
export const showOnSlots = async (
  accountId: string,
  reason: WaitingDetail,
  slotIds: readonly string[],
  part: Part,
): Promise<void> => {
  const bindings = { account_id: accountId, slot_ids: slotIds };
  const own = 's.account_id = :account_id';
  if (slotIds.length > 0) {
    await showOfSent(part, { which: `${own} AND s.id = ANY(:slot_ids)`, bindings, reason, holds: true });
  }
  await showOfSent(part, { which: `${own} AND s.id <> ALL(:slot_ids)`, bindings, reason, holds: false });
};
