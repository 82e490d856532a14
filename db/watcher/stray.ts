/** Tokens of the catalogue that diamonds hold: the balances that the watcher reads next, and the alerts about them. */
import type { Knex } from 'knex';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import type { StrayTokens, TokenPlace } from '../../domain/ports/watcher.ts';
import { raiseAlerts } from '../alerts/alerts.ts';

/** Number of diamonds that one alert lists. */
const LISTED = 20;

/** The next places after the last one; fewer than `limit` at the end, after which it starts over. */
export const loadTokenPlaces = async (knex: Knex, networkId: string, limit: number): Promise<TokenPlace[]> => {
  const { rows } = await knex.raw<{ rows: TokenPlace[] }>(
    `SELECT d.address AS diamond, t.address AS token
     FROM watch_cursors c JOIN diamonds d ON d.network_id = c.network_id AND d.address >= coalesce(c.stray_diamond, '')
     JOIN currency_tokens t ON t.network_id = c.network_id AND t.address IS NOT NULL
       AND (d.address > coalesce(c.stray_diamond, '') OR t.address > c.stray_token)
     WHERE c.network_id = :network_id ORDER BY d.address, t.address LIMIT :limit`,
    { network_id: networkId, limit },
  );
  return rows;
};

/**
 * Stores the balances of these diamonds, updates the one condition of each token, and remembers the place.
 * @param next the place that was read last; null to start over
 * @returns the alerts that are new
 */
export const recordStrays = async (
  trx: Knex,
  networkId: string,
  found: readonly StrayTokens[],
  next: TokenPlace | null,
): Promise<RaisedAlert[]> => {
  await trx.raw(
    `UPDATE watch_cursors SET stray_diamond = :diamond, stray_token = :token WHERE network_id = :network_id`,
    { network_id: networkId, diamond: next?.diamond ?? null, token: next?.token ?? null },
  );
  await trx.raw(
    `WITH found AS (
       SELECT * FROM jsonb_to_recordset(:found::jsonb) AS f (token text, diamond text, units numeric)
     ), gone AS (
       -- balances of tokens that left the catalogue are deleted
       DELETE FROM stray_tokens h WHERE h.network_id = :network_id AND (
         NOT EXISTS (SELECT 1 FROM currency_tokens t WHERE t.network_id = h.network_id AND t.address = h.token)
         OR EXISTS (SELECT 1 FROM found f WHERE f.token = h.token AND f.diamond = h.diamond AND f.units = 0))
     )
     INSERT INTO stray_tokens AS h (network_id, token, diamond, units)
     SELECT :network_id, token, diamond, units FROM found WHERE units > 0
     ON CONFLICT (network_id, token, diamond) DO UPDATE SET units = excluded.units,
       seen_at = CASE WHEN excluded.units > h.units THEN excluded.seen_at ELSE h.seen_at END
     WHERE h.units <> excluded.units`,
    { network_id: networkId, found: JSON.stringify(found.map((one) => ({ ...one, units: one.units.toString() }))) },
  );
  return tell(trx, networkId, [...new Set(found.map(({ token }) => token))]);
};

interface TokenRow {
  readonly token: string;
  readonly symbol: string;
  readonly diamonds: number;
  readonly units: string;
  readonly newest: readonly { readonly diamond: string; readonly units: string; readonly seen_at: string }[];
}

/** Writes the condition of each of these tokens that a diamond holds, and closes it when none does. */
const tell = async (trx: Knex, networkId: string, tokens: readonly string[]): Promise<RaisedAlert[]> => {
  const { rows } = await trx.raw<{ rows: TokenRow[] }>(
    `SELECT h.token, c.symbol, count(*)::int AS diamonds, sum(h.units)::text AS units, (
       SELECT jsonb_agg(jsonb_build_object('diamond', n.diamond, 'units', n.units::text, 'seen_at', n.seen_at)
         ORDER BY n.seen_at DESC, n.diamond)
       FROM (SELECT * FROM stray_tokens o WHERE o.network_id = h.network_id AND o.token = h.token
         ORDER BY o.seen_at DESC, o.diamond LIMIT ${LISTED}) n) AS newest
     FROM stray_tokens h JOIN currency_tokens t ON t.network_id = h.network_id AND t.address = h.token
     JOIN currencies c ON c.id = t.currency_id
     WHERE h.network_id = :network_id AND h.token = ANY(:tokens) GROUP BY h.network_id, h.token, c.symbol ORDER BY h.token`,
    { network_id: networkId, tokens },
  );
  const alerts = rows.map(({ token, symbol, diamonds, units, newest }) => ({
    kind: 'plain_transfer' as const,
    subject: networkId,
    cause: token,
    message: `${symbol} is on ${diamonds} of our diamonds: plain transfers, which pay for nothing`,
    data: { token, symbol, diamonds, units, newest },
    refreshes: true,
  }));
  return raiseAlerts(trx, networkId, alerts);
};
