import type { Knex } from 'knex';
import { isConsistent, type DealEvent, type DealVerdict } from '../../domain/deal.ts';
import { transitions, verdictsOfGuard, type WordGuard, type WrittenBy } from '../../domain/payment.ts';
import type { Alert, RaisedAlert } from '../../domain/ports/alert.ts';
import type { BlockHeader, Candidate, CandidatePage, Judged, Judgement } from '../../domain/ports/watcher.ts';
import { raiseAlerts } from '../alerts/alerts.ts';
import { lockWithCheckouts } from '../choices/settle.ts';
import { insertCancelIntents, openDeal } from '../intents/deals.ts';
import { activeDiamond, mayLackDiamond, isRecordComplete, revealedUntil } from '../intents/conditions.ts';
import { closeSlots, settledSlots, settleIntents } from '../intents/settle.ts';
import { transitionByWatcher } from '../payments/transition.ts';
import { adoptDeals, createAgain } from './deals.ts';
import { correctDates, recordDealEvents } from './events.ts';
import { returnByWord } from './reversed.ts';
import { detectPayments, lostPayment, forgetPayment } from './transitions.ts';
import { planned } from '../query/statements.ts';

interface CandidateRow {
  id: string;
  diamond_address: string;
  deal_id: string;
  terms_hash: string;
  is_active: boolean;
  may_lack_diamond: boolean;
  is_offered: boolean;
  told: Candidate['told'];
  is_unproved: boolean;
  paid_block: Candidate['paidBlock'];
}

/** The columns of a payment that hold a log, and that alone cause no transition. */
const columns = [
  ['created', 'deal'],
  ['cancelled', 'cancel'],
  ['conflict', 'conflict'],
] as const;

/**
 * SQL condition: a log up to the judged block reports the event. The logs of a payment that was removed after its end
 * do not count.
 */
const isTold = (column: string): string =>
  `coalesce(p.reversed_at IS NULL AND p.${column}_block_number <= :judged_number, false)`;

/** One page of the payments to judge. Each part of the union uses its own index. Locks nothing. */
export const loadCandidates = async (
  knex: Knex,
  networkId: string,
  judged: BlockHeader,
  { after, limit, all = false, again = [] }: CandidatePage,
): Promise<Candidate[]> => {
  const open = 'network_id = :network_id AND terminal_at IS NULL';
  const waiting = `p.network_id = :network_id AND ${openDeal('p')}`;
  const { rows } = await planned<{ rows: CandidateRow[] }>(
    knex,
    `
WITH due AS MATERIALIZED (
  SELECT id FROM payments WHERE network_id = :network_id AND status = 'pending' AND deal_block_number <= :judged_number
  UNION SELECT id FROM payments WHERE network_id = :network_id AND status = 'awaiting_payment' AND deal_block_number IS NULL
    AND deal_mode = 'created'
  UNION SELECT p.id FROM payments p WHERE p.network_id = :network_id AND p.deal_mode = 'offered' AND p.status = 'canceling'
    AND ${revealedUntil('p')} <= :judged_timestamp
  UNION SELECT id FROM payments WHERE ${open} AND status = 'awaiting_payment' AND deal_block_number > :judged_number
  UNION SELECT id FROM payments WHERE ${open} AND paid_block_number <= :judged_number
  UNION SELECT id FROM payments WHERE ${open} AND cancel_block_number <= :judged_number
  UNION SELECT id FROM payments WHERE ${open} AND conflict_block_number <= :judged_number
  UNION SELECT p.id FROM payments p WHERE ${waiting} AND p.expires_unix <= :judged_timestamp
  UNION SELECT id FROM payments WHERE network_id = :network_id AND reversed_at IS NOT NULL
    -- it cannot be paid after its expiry, and a day is enough to find out that it was
    AND (expires_unix > :judged_timestamp OR reversed_at > clock_timestamp() - interval '1 day')
  UNION SELECT i.payment_id FROM tx_intents i
    WHERE i.state = 'assigned' AND i.payment_id IS NOT NULL AND i.slot_id = ANY (ARRAY(${settledSlots}))
  UNION SELECT p.id FROM payments p WHERE p.id = ANY(:again) AND ${waiting} AND ${activeDiamond('p')}
  ${all ? `UNION SELECT p.id FROM payments p WHERE ${waiting} AND (${activeDiamond('p')} OR ${mayLackDiamond('p')})` : ''}
)
SELECT p.id, p.diamond_address, p.deal_id, p.terms_hash, ${activeDiamond('p')} AS is_active,
  ${mayLackDiamond('p')} AS may_lack_diamond, p.deal_mode = 'offered' AS is_offered,
  jsonb_build_object('created', ${isTold('deal')}, 'paid', ${isTold('paid')}, 'cancelled', ${isTold('cancel')},
    'conflict', ${isTold('conflict')}) AS told,
  p.reversed_at IS NULL AND (p.deal_block_number <= :judged_number AND p.deal_tx_hash IS NULL
    OR p.paid_block_number <= :judged_number AND p.paid_tx_hash IS NULL) IS TRUE AS is_unproved,
  CASE WHEN ${isTold('paid')} THEN jsonb_build_object('number', p.paid_block_number, 'hash', p.paid_block_hash) END AS paid_block
FROM payments p WHERE p.id = ANY (ARRAY(
  SELECT id FROM due WHERE :after::uuid IS NULL OR id > :after::uuid ORDER BY id LIMIT :limit)) ORDER BY p.id`,
    { ...blockOf(networkId, judged), after, limit, again },
  );
  return rows.map((row) => ({
    paymentId: row.id,
    diamond: row.diamond_address,
    dealId: BigInt(row.deal_id),
    termsHash: row.terms_hash,
    isActive: row.is_active,
    mayLackDiamond: row.may_lack_diamond,
    isOffered: row.is_offered,
    told: row.told,
    isUnproved: row.is_unproved,
    paidBlock: row.paid_block,
  }));
};

const blockOf = (networkId: string, judged: BlockHeader) => ({
  network_id: networkId,
  judged_number: judged.number,
  judged_hash: judged.hash,
  judged_timestamp: judged.timestamp,
});

/** One judgement in its transaction: clears the logs that the words contradict, then moves payments and intents. */
export const judgePayments = async (
  trx: Knex.Transaction,
  networkId: string,
  { judged, decided, sought, dates }: Judgement,
): Promise<RaisedAlert[]> => {
  const all = decided.map(({ candidate }) => candidate.paymentId);
  const bindings = {
    ...blockOf(networkId, judged),
    all,
    verdicts: JSON.stringify(Object.fromEntries(decided.map((one) => [one.candidate.paymentId, one.verdict]))),
  };
  await lockWithCheckouts(trx, all);
  const { rows } = await planned<{ rows: unknown[] }>(
    trx,
    'SELECT 1 FROM block_headers WHERE network_id = :network_id AND number = :judged_number AND hash = :judged_hash',
    bindings,
  );
  if (rows.length === 0) return [];
  const raised: RaisedAlert[] = [];
  if (all.length > 0) {
    const words = readWords(decided);
    await clearFalseLogs(trx, { ...bindings, ...words }, decided);
    raised.push(...(await recordDealEvents(trx, networkId, sought)));
    if (dates.length > 0) await correctDates(trx, networkId, all, dates);
    await adoptDeals(trx, bindings, idsWhere(decided, isThereUntold));
    raised.push(...(await follow(trx, { ...bindings, ...words }, sought.length > 0)));
    raised.push(...(await returnByWord(trx, bindings, words.deal_paid)));
    await settleIntents(trx, bindings);
    await createAgain(trx, words.deal_absent);
    await cancelAgain(trx, bindings, withVerdict(decided, ['absent', 'open']));
  }
  await closeSlots(trx, bindings);
  return raised;
};

/** The payments for which each guard on the word of a deal holds. */
type Words = Readonly<Record<WordGuard, readonly string[]>>;
type Bindings = ReturnType<typeof blockOf> & { readonly all: readonly string[] };

const idsWhere = (decided: readonly Judged[], condition: (one: Judged) => boolean): string[] =>
  decided.filter(condition).map(({ candidate }) => candidate.paymentId);

const withVerdict = (decided: readonly Judged[], verdicts: readonly DealVerdict[]): string[] =>
  idsWhere(decided, ({ verdict }) => verdicts.includes(verdict));

const readWords = (decided: readonly Judged[]): Words =>
  Object.fromEntries(
    Object.entries(verdictsOfGuard).map(([guard, verdicts]) => [guard, withVerdict(decided, verdicts)]),
  ) as unknown as Words;

/** The deal was created, but no log shows the block. The payment of an offered deal creates its word. */
const isThereUntold = ({ candidate: { told, isUnproved, isOffered }, verdict }: Judged): boolean =>
  isConsistent('created', verdict) && !(isOffered && verdict === 'paid') && (!told.created || isUnproved);

/**
 * Clears the logs that the words contradict. The payments that those logs had moved get the status that the word
 * implies.
 */
const clearFalseLogs = async (trx: Knex, bindings: Bindings & Words, decided: readonly Judged[]): Promise<void> => {
  const falselyTold = (kind: DealEvent['kind']): string[] =>
    idsWhere(decided, ({ candidate, verdict }) => candidate.told[kind] && !isConsistent(kind, verdict));
  for (const [kind, column] of columns) {
    const ids = falselyTold(kind);
    if (ids.length === 0) continue;
    await trx.raw(
      `UPDATE payments SET ${column}_tx_hash = NULL, ${column}_block_number = NULL, ${column}_block_hash = NULL,
         updated_at = clock_timestamp()
       WHERE id = ANY(:ids) AND terminal_at IS NULL`,
      { ids },
    );
  }
  // A void deal is never paid, so a log above the judged block is false as well.
  const unpaid = [...falselyTold('paid'), ...bindings.deal_void];
  const back = ['payment_untrue_to_canceling', 'payment_untrue', 'payment_untrue_to_pending'] as const;
  for (const name of unpaid.length > 0 ? back : []) {
    await transitionByWatcher(trx, {
      name,
      where: 'p.id = ANY(:unpaid) AND p.paid_block_number IS NOT NULL',
      bindings: { ...bindings, unpaid },
      actor: { type: 'chain' },
      data: lostPayment,
      set: forgetPayment,
    });
  }
  // The deal was paid by the judged block, so a log of a later block is false.
  const early = idsWhere(decided, ({ candidate, verdict }) => verdict === 'paid' && !candidate.told.paid);
  if (early.length === 0) return;
  await trx.raw(
    `UPDATE payments SET ${forgetPayment}, updated_at = clock_timestamp()
     WHERE id = ANY(:early) AND terminal_at IS NULL AND paid_block_number > :judged_number`,
    { ...bindings, early },
  );
};

/** SQL: the block that holds it, else the judged block. */
const blockOfEvent = (name: 'deal' | 'paid' | 'cancel'): string =>
  `jsonb_build_object('transaction_hash', m.${name}_tx_hash,
    'block_number', coalesce(m.${name}_block_number, :judged_number::bigint),
    'block_hash', coalesce(m.${name}_block_hash, :judged_hash::text))`;

/** SQL: no block. */
const noBlock = `'{}'::jsonb`;

/** SQL: the block whose words decided. */
const judgedBlock = `jsonb_build_object('block_number', :judged_number::bigint, 'block_hash', :judged_hash::text)`;

/** The transitions of the watcher whose guard is on the word of the deal. */
type ByWord = {
  [Name in WrittenBy<'watcher'>]: (typeof transitions)[Name]['guard'] extends WordGuard ? Name : never;
}[WrittenBy<'watcher'>];

/** Writes the transitions by the words, in the order of a payment's life, so that the log lacks no step. */
const follow = async (trx: Knex, bindings: Bindings & Words, hasSought: boolean): Promise<RaisedAlert[]> => {
  const move = async (name: ByWord, data: string): Promise<void> => {
    if (bindings[transitions[name].guard].length === 0) return;
    await transitionByWatcher(trx, { name, where: 'true', bindings, actor: { type: 'chain' }, data });
  };
  const { deal_paid: paid, id_taken: taken } = bindings;
  await move('deal_confirmed', blockOfEvent('deal'));
  if (paid.length > 0 || hasSought) {
    await detectPayments(trx, { ...bindings, ids: bindings.all, paid }, blockOfEvent('paid'));
  }
  await move('payment_confirmed', blockOfEvent('paid'));
  await move('cancel_confirmed', blockOfEvent('cancel'));
  await move('cancel_offers_over', judgedBlock);
  await move('cancel_absent', judgedBlock);
  await move('cancel_foreign', blockOfEvent('cancel'));
  await move('deal_conflict', noBlock);
  await move('payment_expired', judgedBlock);
  await move('deal_reorged', judgedBlock);
  return alertWithoutLog(trx, bindings, paid, taken);
};

/** Enqueues cancels of deals that can be paid, also where a reorganisation removed the cancel that ended the payment. */
const cancelAgain = async (trx: Knex, bindings: Bindings, ids: readonly string[]): Promise<void> => {
  await insertCancelIntents(trx, ids);
  if (ids.length === 0) return;
  const { rows } = await planned<{ rows: { id: string }[] }>(
    trx,
    `SELECT p.id FROM payments p WHERE p.id = ANY(:ids) AND p.status = 'canceled' AND p.cancel_requested_at IS NOT NULL
       AND p.expires_unix > :judged_timestamp
       -- nobody can pay by an offer that is over, so there is nothing to cancel
       AND NOT (p.deal_mode = 'offered' AND p.deal_block_number IS NULL AND ${isRecordComplete} AND ${revealedUntil('p')} <= :judged_timestamp)`,
    { ids, judged_timestamp: bindings.judged_timestamp },
  );
  await insertCancelIntents(
    trx,
    rows.map(({ id }) => id),
    'canceled',
  );
};

/** Raises alerts about words that no log explains: only a person can find out who paid, or who took an id. */
const alertWithoutLog = async (
  trx: Knex,
  { network_id, judged_number }: Bindings,
  paid: readonly string[],
  conflicts: readonly string[],
): Promise<RaisedAlert[]> => {
  if (paid.length + conflicts.length === 0) return [];
  const { rows } = await trx.raw<{ rows: Pick<CandidateRow, 'id' | 'diamond_address' | 'deal_id'>[] }>(
    `SELECT id, diamond_address, deal_id FROM payments WHERE (id = ANY(:paid) AND paid_tx_hash IS NULL AND status = 'completed')
       OR (id = ANY(:conflicts) AND conflict_tx_hash IS NULL) ORDER BY id`,
    { paid, conflicts },
  );
  const alerts = rows.map(({ id, diamond_address: diamond, deal_id }): Alert => {
    const isPaid = paid.includes(id);
    return {
      kind: isPaid ? 'paid_without_log' : 'deal_conflict',
      subject: id,
      message: isPaid
        ? 'A deal was paid, but no endpoint reports the payment'
        : 'The chain has a deal with the same id and other terms, and no endpoint reports the transaction that created it',
      payment: id,
      data: { diamond, deal_id, block_number: judged_number },
    };
  });
  return raiseAlerts(trx, network_id, alerts);
};
