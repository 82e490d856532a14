import type { Knex } from 'knex';
import type { DealEvent } from '../../domain/deal.ts';
import type { NoteName } from '../../domain/payment.ts';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import type { Judgement } from '../../domain/ports/watcher.ts';
import { insertCancelIntents } from '../intents/deals.ts';
import { activeDiamond } from '../intents/conditions.ts';
import { note } from '../payments/transition.ts';
import { insertAlerts, runAlerts, toRaised } from '../alerts/alerts.ts';
import { kindOfReturn, paidAfterEnd, returned } from './reversed.ts';
import { planned } from '../query/statements.ts';

const eventRows = `jsonb_to_recordset(:events::jsonb) AS e (kind text, diamond text, deal_id bigint, terms_hash text,
  tx_hash text, log_index int, block_number bigint, block_hash text, payer text)`;

const sameDeal = `p.network_id = :network_id AND p.diamond_address = e.diamond AND p.deal_id = e.deal_id
  AND ${activeDiamond('p')}`;

const toRow = (event: DealEvent) => ({
  kind: event.kind,
  diamond: event.diamond,
  // The ids of foreign deals may be any uint256; ours are at most 2^53.
  deal_id: event.dealId <= BigInt(Number.MAX_SAFE_INTEGER) ? event.dealId.toString() : '0',
  terms_hash: event.termsHash,
  tx_hash: event.transactionHash,
  log_index: event.logIndex,
  block_number: event.blockNumber,
  block_hash: event.blockHash,
  payer: event.payer,
});

/** SQL: the time of the block of event `e`. */
const blockTime = `(SELECT to_timestamp(h.timestamp) FROM block_headers h
  WHERE h.network_id = :network_id AND h.number = e.block_number AND h.hash = e.block_hash)`;

/** SQL: the columns that a buyer's payment sets besides block and transaction. */
const seen = `, payer_address = e.payer, paid_at = ${blockTime}, reversed_at = NULL`;

/** SQL condition: the event brings a block or a transaction that the payment lacks. */
const isNew = (
  column: string,
): string => `(p.${column}_block_number IS NULL AND (p.terminal_at IS NULL OR e.tx_hash IS NOT NULL)
  OR (p.${column}_tx_hash IS NULL AND e.tx_hash IS NOT NULL AND p.terminal_at IS NULL))`;

/** SQL condition: the payment has ended, a reorganisation removed it, and it is in this block now. */
const isFollowed = '(p.reversed_at IS NOT NULL AND e.tx_hash IS NOT NULL)';

/** SQL condition: the payment is known from its word or from too few endpoints, without its transaction. */
const isUnnamed = '(p.paid_block_number IS NOT NULL AND p.paid_tx_hash IS NULL)';

/** SQL condition: the payment was canceled on request, and its deal may still be paid. */
const isCanceled = `(p.status = 'canceled' AND p.cancel_requested_at IS NOT NULL AND p.cancel_block_number IS NULL
  AND p.expires_unix > extract(epoch FROM clock_timestamp()))`;

/** The key of an event. Each kind happens once to a deal; if endpoints report two of a kind, the first one counts. */
const eventKeyOf = ({ kind, diamond, dealId, termsHash }: DealEvent): string =>
  [kind, diamond, dealId, termsHash].join();

/**
 * Writes the logs of new blocks into the columns of their payments. A creation or a payment counts only with our own
 * terms hash; a cancellation and a conflict match on diamond and deal id. An event without a request, or after the end
 * of its payment, raises an alert. Locks the payments first, in the order of their ids.
 * @returns the new alerts
 */
export const recordDealEvents = async (
  trx: Knex,
  networkId: string,
  events: readonly DealEvent[],
): Promise<RaisedAlert[]> => {
  if (events.length === 0) return [];
  const bindings = { network_id: networkId, events: JSON.stringify(events.map(toRow)) };

  await planned(
    trx,
    `SELECT p.id FROM payments p WHERE EXISTS (SELECT 1 FROM ${eventRows} WHERE ${sameDeal}) AND p.network_id = :network_id
     ORDER BY p.id FOR NO KEY UPDATE`,
    bindings,
  );
  const raised = await alertAboutUnasked(trx, bindings);
  const places = new Map(events.toReversed().map((event) => [eventKeyOf(event), event]));
  const firsts = JSON.stringify([...places.values()].map(toRow));
  for (const [kind, column, more, isTaken] of [
    ['created', 'deal', '', isNew('deal')],
    ['paid', 'paid', seen, `(${isNew('paid')} OR ${isFollowed} OR (${isUnnamed} AND e.tx_hash IS NOT NULL))`],
    ['cancelled', 'cancel', '', isNew('cancel')],
    ['conflict', 'conflict', '', isNew('conflict')],
  ] as const) {
    if (!events.some((event) => event.kind === kind)) continue;
    const ownTerms = kind === 'created' || kind === 'paid' ? 'AND p.terms_hash = e.terms_hash' : '';
    const { rows } = await planned<{ rows: { id: string; is_canceled: boolean }[] }>(
      trx,
      `UPDATE payments p SET ${column}_tx_hash = e.tx_hash, ${column}_block_number = e.block_number,
         ${column}_block_hash = e.block_hash, updated_at = clock_timestamp() ${more}
       FROM ${eventRows}
       WHERE e.kind = '${kind}' AND ${sameDeal} ${ownTerms} AND ${isTaken}
       RETURNING p.id, ${isCanceled} AS is_canceled`,
      { network_id: networkId, events: firsts },
    );
    // A transaction that this database has lost may be mined after the payment was canceled as never sent.
    const late = kind === 'created' ? rows.filter((row) => row.is_canceled) : [];
    await insertCancelIntents(
      trx,
      late.map(({ id }) => id),
      'canceled',
    );
  }
  return raised;
};

/** Gives payments the dates of their blocks: one endpoint may have dated them until the quorum did. */
export const correctDates = async (
  trx: Knex,
  networkId: string,
  ids: readonly string[],
  dates: Judgement['dates'],
): Promise<void> => {
  const dated = `jsonb_to_recordset(:dates::jsonb) AS d (hash text, timestamp bigint)`;
  const bindings = { network_id: networkId, ids, dates: JSON.stringify(dates) };
  await planned(
    trx,
    `UPDATE block_headers h SET timestamp = d.timestamp FROM ${dated}
     WHERE h.network_id = :network_id AND h.hash = d.hash AND h.timestamp <> d.timestamp`,
    bindings,
  );
  await planned(
    trx,
    `UPDATE payments p SET paid_at = to_timestamp(d.timestamp) FROM ${dated}
     WHERE p.id = ANY(:ids) AND p.network_id = :network_id AND p.paid_block_hash = d.hash
       AND p.paid_at IS DISTINCT FROM to_timestamp(d.timestamp)`,
    bindings,
  );
};

const anomaly = 'payment_anomaly' satisfies NoteName;
const reversal = 'payment_reversed' satisfies NoteName;
/** The kinds that the merchant of the payment gets as an event, too. */
const anomalies = ['deal_not_asked_for', 'cancel_not_asked_for', 'payment_after_end', 'payment_returned'];

/** SQL: deals of our diamonds without a payment or an intent, other terms under our ids, payments after the end. */
const found = `FROM (
  SELECT e.*, p.id AS payment_id, p.node_id, CASE WHEN p.reversed_at IS NOT NULL THEN p.sequence END AS again, CASE
    WHEN p.id IS NULL OR (e.kind IN ('created', 'paid') AND p.terms_hash <> e.terms_hash) THEN 'deal_unknown'
    WHEN e.kind = 'created' AND NOT EXISTS (SELECT 1 FROM tx_intents i WHERE i.payment_id = p.id
      AND i.purpose = 'create_deal' AND i.state IN ('assigned', 'settled')) THEN 'deal_not_asked_for'
    WHEN e.kind = 'cancelled' AND p.cancel_requested_at IS NULL THEN 'cancel_not_asked_for'
    WHEN e.kind = 'paid' AND p.reversed_at IS NOT NULL THEN CASE WHEN ${isFollowed} THEN ${kindOfReturn} END
    WHEN e.kind = 'paid' AND p.terminal_at IS NOT NULL
      -- a known log may be read again, or late: a deal is paid once
      AND NOT ${isUnnamed} AND coalesce(p.paid_block_hash <> e.block_hash, p.status <> 'completed') THEN 'payment_after_end'
    WHEN e.kind = 'conflict' THEN 'deal_conflict'
  END AS kind_of_alert, CASE
    WHEN p.id IS NULL OR (e.kind IN ('created', 'paid') AND p.terms_hash <> e.terms_hash)
      THEN 'A diamond of ours shows a deal that no payment has; an operator key may be in other hands'
    WHEN e.kind = 'created' THEN 'A deal was created that no intent asked for'
    WHEN e.kind = 'cancelled' THEN 'A deal was cancelled that nobody here asked to cancel'
    WHEN e.kind = 'paid' AND p.reversed_at IS NOT NULL THEN '${returned}'
    WHEN e.kind = 'paid' THEN '${paidAfterEnd}'
    WHEN e.kind = 'conflict' THEN 'The id of a deal is taken on the chain by other terms'
  END AS message
  FROM ${eventRows}
  JOIN diamonds d ON d.network_id = :network_id AND d.address = e.diamond AND d.status = 'active'
  LEFT JOIN payments p ON ${sameDeal}
) AS found (kind_of_event, diamond, deal_id, terms_hash, tx_hash, log_index, block_number, block_hash, payer, payment_id, node_id, again, kind,
  message)`;

const unasked = insertAlerts({
  kind: 'found.kind',
  subject: `concat_ws(':', :network_id::text, found.block_hash, found.log_index, found.again)`,
  network: ':network_id',
  payment: 'found.payment_id',
  node: 'found.node_id',
  message: 'found.message',
  data: `jsonb_build_object('event', found.kind_of_event, 'diamond', found.diamond, 'deal_id', found.deal_id,
    'transaction_hash', found.tx_hash, 'block_number', found.block_number)`,
  from: `${found} WHERE found.kind IS NOT NULL`,
});

/**
 * SQL: the anomalies for merchants, once for each log, and again after a reorganisation removed the payment. Omits
 * anomalies whose transaction too few endpoints confirm.
 */
const proved = `
SELECT found.kind, found.payment_id, found.message, found.tx_hash, found.block_number::double precision, found.block_hash, found.log_index
${found} WHERE found.kind = ANY(:anomalies) AND found.payment_id IS NOT NULL AND found.tx_hash IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM payment_logs l WHERE l.payment_id = found.payment_id AND l.event_type = '${anomaly}'
    AND l.data ->> 'block_hash' = found.block_hash AND l.data ->> 'log_index' = found.log_index::text
    AND l.sequence > coalesce((SELECT max(r.sequence) FROM payment_logs r
      WHERE r.payment_id = l.payment_id AND r.event_type = '${reversal}'), 0))
ORDER BY found.payment_id, found.block_number, found.log_index`;

const alertAboutUnasked = async (trx: Knex, bindings: Record<string, string>): Promise<RaisedAlert[]> => {
  const { rows: strange } = await planned<{ rows: unknown[] }>(
    trx,
    `SELECT 1 ${found} WHERE found.kind IS NOT NULL LIMIT 1`,
    bindings,
  );
  if (strange.length === 0) return [];
  const raised = await runAlerts(trx, unasked, bindings);
  const { rows } = await trx.raw<{ rows: Anomaly[] }>(proved, { ...bindings, anomalies });
  for (const { kind, message, payment_id: paymentId, tx_hash: transaction_hash, ...at } of rows) {
    await note(trx, { name: anomaly, paymentId, message, data: { kind, transaction_hash, ...at } });
  }
  return raised.map(toRaised);
};

interface Anomaly {
  readonly kind: string;
  readonly message: string;
  readonly payment_id: string;
  readonly tx_hash: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly log_index: number;
}
