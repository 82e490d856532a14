/** Payments whose offers nobody signs: their silent networks, and the reason that they show. */
import type { Knex } from 'knex';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import { closeAlerts, hasOpenCondition, insertAlerts, isNotOpen, runAlerts, toRaised } from '../alerts/alerts.ts';
import { databaseNow, isOfferable, takesNewOffers } from '../intents/conditions.ts';
import { lacksOffer, mayReplace, writeDetails } from '../intents/waiting.ts';
import { isHeld } from '../lane/holders.ts';
import { execute } from '../query/statements.ts';

/** Records that a run has just known the registry of a network and signed all its offers. */
export const recordOfferLook = async (knex: Knex, networkId: string): Promise<void> => {
  await execute(knex, { network_id: networkId })(`
     INSERT INTO offer_looks (network_id, looked_at) VALUES (:network_id, clock_timestamp())
     ON CONFLICT (network_id) DO UPDATE SET looked_at = excluded.looked_at`);
};

/**
 * SQL condition on network `n`: its payments have waited for so long, no run has looked for them meanwhile, and nothing that Carat
 * knows stands in the way: a worker holds the key of a signer that has its role, and the network is reachable.
 * @param seconds SQL
 */
const isSigningStalled = (seconds: string): string => {
  const since = `clock_timestamp() - make_interval(secs => ${seconds})`;
  return `(n.rested_at IS NULL
    AND EXISTS (SELECT 1 FROM payments p WHERE p.network_id = n.id AND ${takesNewOffers('p')} AND p.created_at < ${since})
    AND EXISTS (SELECT 1 FROM signer_accounts a WHERE a.network_id = n.id AND a.role = 'signer' AND a.dismissed_at IS NULL
      AND a.status = 'active' AND ${isHeld('a')})
    AND NOT EXISTS (SELECT 1 FROM offer_looks l WHERE l.network_id = n.id AND l.looked_at > ${since})
    AND NOT EXISTS (SELECT 1 FROM alerts u WHERE u.network_id = n.id AND u.is_condition AND u.closed_at IS NULL
      AND u.kind IN ('network_unreachable', 'network_halted')))`;
};

const stalled = insertAlerts({
  kind: `'signing_stalled'`,
  subject: 'n.id',
  network: 'n.id',
  message: `'For ' || :seconds::int || ' seconds offers on ' || n.name || ' were not signed, or the roles of their signers not read'`,
  data: `jsonb_build_object('network', n.name, 'seconds', :seconds::int)`,
  from: `FROM networks n WHERE ${isSigningStalled(':seconds::int')} AND ${isNotOpen(`'signing_stalled'`, 'n.id')}`,
});

/** Raises an alert for each network on which no run has looked for offers for so many seconds although payments wait for them. */
export const raiseOfStalledSigning = async (knex: Knex, seconds: number): Promise<RaisedAlert[]> =>
  (await runAlerts(knex, stalled, { seconds })).map(toRaised);

/** Closes the alerts of networks on which offers are signed again, or no payment waits for one. */
export const closeStalledSigning = async (knex: Knex): Promise<RaisedAlert[]> => {
  if (!(await hasOpenCondition(knex, 'signing_stalled'))) return [];
  const isOver = `a.is_condition AND a.kind = 'signing_stalled' AND NOT EXISTS (SELECT 1 FROM networks n
    WHERE n.id = a.network_id AND ${isSigningStalled(`(a.data ->> 'seconds')::int`)})`;
  return (await closeAlerts(knex, isOver)).map(toRaised);
};

/** SQL condition on payment `p`: it was not offered yet, or a page asked for its offer. */
const isWanted = `(p.status = 'pending' OR (SELECT w.wanted_until > greatest(w.signed_until, ${databaseNow})
  FROM offer_ends w WHERE w.payment_id = p.id))`;

/** Seconds without a look for offers after which pending payments show it. A killed worker's run is taken over by then. */
const SILENT = 18;

/**
 * Shows on offered payments that lack an offer why nobody signs one, where no run could show it: their diamond no longer takes
 * offers, their network has no signer any more, or no run looks for them.
 */
export const showStalledOffers = (knex: Knex): Promise<void> =>
  writeDetails(knex, {
    from: `FROM (SELECT n.id, CASE WHEN NOT EXISTS (SELECT 1 FROM signer_accounts a WHERE a.network_id = n.id AND a.role = 'signer'
        AND a.dismissed_at IS NULL) THEN 'key_missing' WHEN ${isSigningStalled(String(SILENT))} THEN 'signing_stalled' END AS detail
      FROM networks n OFFSET 0) n
    JOIN payments p ON p.network_id = n.id CROSS JOIN LATERAL (SELECT CASE WHEN NOT ${isOfferable('p')} THEN 'diamond_missing'
        WHEN n.detail = 'signing_stalled' AND NOT (p.created_at < clock_timestamp() - make_interval(secs => ${SILENT}) AND ${isWanted})
          THEN NULL ELSE n.detail END AS detail) reason
    WHERE ${lacksOffer} AND reason.detail IS NOT NULL AND CASE reason.detail
      -- the run that deploys a diamond shows why it is missing
      WHEN 'diamond_missing' THEN p.status_detail IS NULL ELSE ${mayReplace('p.status_detail', 'reason.detail')} END`,
    detail: 'reason.detail',
  });
