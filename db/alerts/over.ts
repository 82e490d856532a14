import type { Knex } from 'knex';
import type { ConditionKind } from '../../domain/alerts/condition.ts';
import { openStatuses } from '../../domain/payment.ts';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import { isAtWork } from '../intents/conditions.ts';
import { isCutOff, newestResponse } from '../processes/processes.ts';
import { isStill } from './silence.ts';
import { closeAlerts, hasOpenCondition, insertAlerts, isNotOpen, runAlerts, toRaised } from './alerts.ts';

/** SQL: the account of an alert has queued intents with this waiting reason. */
const waits = (reason: string): string =>
  `EXISTS (SELECT 1 FROM tx_intents i WHERE i.account_id::text = a.subject_id
     AND i.state = 'queued' AND i.waiting = '${reason}')`;

/** SQL: that account has a signed slot whose last attempt meets the condition. */
const isStuck = (attempt: string): string =>
  `EXISTS (SELECT 1 FROM tx_slots s CROSS JOIN LATERAL (SELECT t.seq, t.last_error FROM tx_attempts t
       WHERE t.slot_id = s.id ORDER BY t.seq DESC LIMIT 1) AS last
     WHERE s.account_id::text = a.subject_id AND s.state = 'signed' AND ${attempt})`;

/** SQL: that account has unfinished work. */
const hasWork = `EXISTS (SELECT 1 FROM tx_slots s WHERE s.account_id::text = a.subject_id AND s.state = 'signed')
    OR EXISTS (SELECT 1 FROM tx_intents i WHERE i.account_id::text = a.subject_id AND i.state = 'queued')`;

const configuration = `webhook_configurations c WHERE c.id = a.webhook_id AND c.deleted_at IS NULL`;

/** SQL: the bound in the data of a silence's alert, in seconds. */
const bound = `(a.data ->> 'seconds')::int`;
const fresh = `clock_timestamp() - make_interval(secs => ${bound})`;

/** SQL: the process of an alert lives. A killed process counts as alive for a minute. */
const isAlive = `EXISTS (SELECT 1 FROM processes p WHERE p.name = a.data ->> 'process' AND p.stopped_at IS NULL
    AND p.beat_at > clock_timestamp() - interval '1 minute')`;

/**
 * SQL: the process of an alert lives, or lived two minutes ago: the next one needs the time to see the cause for itself, and to take
 * the alert over. Alerts of earlier versions name no process.
 */
const isRecent = `(a.data ->> 'process') IS NULL OR EXISTS (SELECT 1 FROM processes p WHERE p.name = a.data ->> 'process'
    AND p.beat_at > clock_timestamp() - interval '2 minutes')`;

/** SQL: each condition whose cause the database shows still lasts. Other conditions are closed where they are detected. */
const lasts: { readonly [Kind in ConditionKind]?: string } = {
  lane_paused: `EXISTS (SELECT 1 FROM signer_accounts s WHERE s.id::text = a.subject_id AND s.status = 'paused'
    AND EXISTS (SELECT 1 FROM signer_accounts a WHERE a.id = s.id AND ${isAtWork}))`,
  network_halted: `EXISTS (SELECT 1 FROM watch_cursors c WHERE c.network_id = a.network_id AND c.status = 'halted')`,
  operator_underfunded: `${waits('operator_underfunded')} OR ${isStuck(`last.last_error = 'insufficient_funds'`)}`,
  operator_low: `EXISTS (SELECT 1 FROM signer_accounts s WHERE s.id::text = a.subject_id AND s.dismissed_at IS NULL)`,
  fees_above_ceiling: `${waits('fees_above_ceiling')}
    OR ${isStuck(`s.id::text = a.data ->> 'slot_id' AND last.seq = (a.data ->> 'attempt')::int`)}`,
  simulation_failed: `EXISTS (SELECT 1 FROM tx_intents i LEFT JOIN payments p ON p.id = i.payment_id
    WHERE i.account_id::text = a.subject_id AND i.state = 'queued' AND i.waiting IN ('diamond_missing', 'simulation_failed')
      AND a.cause IN (p.diamond_address, i.id::text))`,
  outcome_unknown: hasWork,
  // The watcher raises it for its network; a lane for its unsent work, and for attempts that endpoints find too dear, refuse or drop.
  endpoint_refuses: `CASE a.cause WHEN 'cost' THEN ${isStuck(`last.last_error = 'fee_cap'`)}
    WHEN 'send' THEN ${isStuck(`last.last_error = 'refused'`)}
    WHEN 'head' THEN ${isStuck(`s.id::text = a.data ->> 'slot_id' AND last.last_error IS NOT NULL`)}
    WHEN 'kept' THEN ${isStuck(`s.id::text = a.data ->> 'slot_id'`)}
    ELSE EXISTS (SELECT 1 FROM networks n WHERE n.id::text = a.subject_id) OR ${hasWork} END`,
  deployment_failed: `EXISTS (SELECT 1 FROM deployments r JOIN wallets w ON w.id = r.wallet_id
    WHERE r.id::text = a.subject_id AND r.status = 'failed' AND w.deleted_at IS NULL)`,
  plain_transfer: `EXISTS (SELECT 1 FROM stray_tokens h WHERE h.network_id::text = a.subject_id AND h.token = a.cause)`,
  token_changed: `EXISTS (SELECT 1 FROM currency_tokens t WHERE t.network_id = a.network_id AND t.address = a.cause)`,
  payee_refused: `EXISTS (SELECT 1 FROM payments p WHERE p.node_id = a.node_id AND p.status = ANY('{${openStatuses.join()}}')
    AND p.network_id = a.network_id AND concat_ws('/', p.token_address, p.payment_address) = a.cause)`,
  webhook_failing: `EXISTS (SELECT 1 FROM ${configuration} AND c.is_active AND c.failing_since IS NOT NULL)`,
  webhook_disabled: `EXISTS (SELECT 1 FROM ${configuration} AND NOT c.is_active AND c.disabled_reason IS NOT NULL)`,
  network_still: `EXISTS (SELECT 1 FROM networks n JOIN network_looks l ON l.network_id = n.id WHERE n.id = a.network_id AND ${isStill(bound)})`,
  endpoint_at_rest: isRecent,
  chore_failing: isAlive,
  notifications_missing: isAlive,
  clock_wrong: isAlive,
  workers_gone: `NOT EXISTS (SELECT 1 FROM processes p WHERE p.kind = 'worker' AND p.stopped_at IS NULL AND p.beat_at > ${fresh})`,
  temporal_unreachable: `CASE WHEN a.data ->> 'process' IS NOT NULL THEN EXISTS (SELECT 1 FROM processes w WHERE w.name = a.data ->> 'process' AND ${isCutOff(bound)})
    ELSE coalesce((${newestResponse(bound)}), '-infinity') <= ${fresh} END`,
};

/** SQL: an alert of a network at rest, which needs no action. Webhooks of its payments are still sent, so their alerts stay. */
const isOfRest = `(a.webhook_id IS NULL AND EXISTS (SELECT 1 FROM networks n WHERE n.id = a.network_id AND n.rested_at IS NOT NULL))`;

const isOver = [
  isOfRest,
  ...Object.entries(lasts).map(([kind, condition]) => `(a.kind = '${kind}' AND NOT (${condition}))`),
].join(' OR ');

/** Closes all conditions that are over as far as the database shows. */
export const closeWhatIsOver = async (knex: Knex): Promise<RaisedAlert[]> => {
  if (!(await hasOpenCondition(knex))) return [];
  return (await closeAlerts(knex, `a.is_condition AND (${isOver})`)).map(toRaised);
};

const ofWebhooks = insertAlerts({
  kind: 'v.kind',
  subject: 'c.id',
  network: 'c.network_id',
  node: 'coalesce(c.node_id, w.node_id)',
  webhook: 'c.id',
  message: 'v.message',
  data: `jsonb_build_object('host', c.host, 'failing_since', c.failing_since, 'reason', c.disabled_reason)`,
  from: `FROM webhook_configurations c LEFT JOIN wallets w ON w.id = c.wallet_id
    CROSS JOIN LATERAL (
      SELECT 'webhook_failing' AS kind, 'A webhook has failed for a day' AS message
        WHERE c.is_active AND c.failing_since < clock_timestamp() - interval '1 day'
      UNION ALL SELECT 'webhook_disabled', CASE c.disabled_reason WHEN 'gone'
          THEN 'A webhook was disabled because its receiver answered 410'
          WHEN 'backlog' THEN 'A webhook was disabled because too many deliveries of its node were not taken'
          ELSE 'A webhook was disabled because every attempt has failed for five days' END
        WHERE NOT c.is_active AND c.disabled_reason IS NOT NULL) AS v
    WHERE c.deleted_at IS NULL AND (c.failing_since IS NOT NULL OR c.disabled_reason IS NOT NULL)
      AND ${isNotOpen('v.kind', 'c.id')}`,
});

/** Raises an alert for each webhook that has failed for a day, or that Carat has disabled. */
export const raiseOfWebhooks = async (knex: Knex): Promise<RaisedAlert[]> =>
  (await runAlerts(knex, ofWebhooks, {})).map(toRaised);
