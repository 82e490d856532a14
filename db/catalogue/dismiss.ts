import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isHeld } from '../lane/holders.ts';
import { endTakenOver } from '../lane/keyless.ts';
import { accountsOf, type Application, type DismissedLane } from './application.ts';
import { keepHeld } from './holders.ts';

/**
 * Takes keys out of use that have left the file, in the catalogue's transaction, and gives their diamonds to the keys that are
 * left. `handOver` follows, once that is committed.
 * @returns how many rows were written
 */
export const dismissAccounts = async (application: Application): Promise<number> =>
  (await dismiss(application)) + (await moveDiamonds(application.trx));

/**
 * Gives what dismissed keys have got no nonce for to the keys that are left; a later try of anything goes there by itself. What
 * has a nonce is brought to its end by the old lane: a deal that is created or cancelled by two lanes at once ends the same
 * way in any order. Called after the dismissal is committed: whoever has read before that which lane serves a diamond still
 * writes, and is waited for. One table is locked at a time, in a transaction that holds nothing else, so that nobody waits
 * for it in a circle.
 * @param hasMoved a key was dismissed, or a diamond moved, a moment ago; without that, tables are locked only where something may
 *   be left
 * @returns how many rows were written, and every dismissed lane with what it has still to do
 * @throws Error when writers do not end; called again, it goes on
 */
export const handOver = async (
  knex: Knex,
  hasMoved: boolean,
): Promise<{ readonly changes: number; readonly lanes: readonly DismissedLane[] }> => {
  let changes = 0;
  if (hasMoved || (await mayHaveLeft(knex))) {
    changes += await afterWriters(knex, 'diamonds', moveDiamonds);
    changes += await afterWriters(knex, 'tx_intents', moveIntents);
    await endTakenOver(knex);
  }
  return { changes, lanes: await dismissedLanes(knex) };
};

/**
 * True where a dismissed key has a diamond or a queued intent, or may still get one: no transaction lasts a day, so none is
 * left that has read a lane before a dismissal that is older.
 */
const mayHaveLeft = async (knex: Knex): Promise<boolean> => {
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM signer_accounts a WHERE a.dismissed_at IS NOT NULL AND (a.dismissed_at > now() - interval '1 day'
       OR EXISTS (SELECT 1 FROM diamonds d WHERE d.operator_account_id = a.id)
       OR EXISTS (SELECT 1 FROM tx_intents i WHERE i.account_id = a.id AND i.state = 'queued')) LIMIT 1`,
  );
  return rows.length > 0;
};

/**
 * How a table is locked that others write all the time. They queue behind a lock that is waited for, so each wait is shorter
 * than theirs may be (5 s in the api), and they go on in the pause between two tries.
 */
const locking = { tries: 3, wait: '2s', pause: 1_000 };

/** What PostgreSQL says of a lock that was not had in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Waits until every transaction has ended that has written or locked rows of the table; new ones wait meanwhile. */
const afterWriters = async (
  knex: Knex,
  table: 'diamonds' | 'tx_intents',
  move: (trx: Knex) => Promise<number>,
): Promise<number> => {
  const moveLocked = (): Promise<number> =>
    knex.transaction(async (trx) => {
      await trx.raw(`SET LOCAL lock_timeout = '${locking.wait}'`);
      await trx.raw(`LOCK TABLE ${table} IN EXCLUSIVE MODE`);
      return move(trx);
    });
  for (let tried = 1; ; tried++) {
    try {
      return await moveLocked();
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      if (tried === locking.tries) {
        throw new Error(
          `What dismissed keys had is not handed over yet, because transactions that write ${table} do not end: run the command again`,
          { cause: error },
        );
      }
    }
    await delay(locking.pause);
  }
};

/** A key that hands over to another one. */
export interface LaneMove {
  readonly networkId: string;
  readonly from: string;
  readonly to: string;
  /** Also where no worker holds the other key, and one holds this one. */
  readonly isWanted?: boolean;
}

/**
 * Dismisses one key in favour of another, which is in use from now on: its diamonds, and what of theirs has no nonce yet. A
 * repeated move finds what came to the old lane meanwhile.
 * @returns the old lane with what it has still to do; null when the network has no such key, or the other one has another role
 * @throws Error when a role loses the last key that a worker holds, or writers do not end
 */
export const moveLane = async (knex: Knex, move: LaneMove): Promise<DismissedLane | null> => {
  const { networkId, from, to, isWanted = false } = move;
  const bindings = { network_id: networkId, from: from.toLowerCase(), to: to.toLowerCase() };
  const heir = await knex.transaction((trx) =>
    keepHeld(trx, isWanted, async () => {
      const { rows } = await trx.raw<{ rows: { id: string }[] }>(
        `INSERT INTO signer_accounts AS heir (network_id, address, role, max_inflight)
       SELECT network_id, :to, role, max_inflight FROM signer_accounts WHERE network_id = :network_id AND address = :from
       ON CONFLICT (network_id, address) DO UPDATE SET dismissed_at = NULL, updated_at = now()
       WHERE heir.role = excluded.role RETURNING id`,
        bindings,
      );
      const id = rows[0]?.id;
      if (id === undefined) return null;
      await trx.raw(
        `WITH old AS (
         UPDATE signer_accounts SET dismissed_at = coalesce(dismissed_at, now()), updated_at = now()
         WHERE network_id = :network_id AND address = :from RETURNING id
       )
       UPDATE diamonds d SET operator_account_id = :heir, updated_at = now() FROM old WHERE d.operator_account_id = old.id`,
        { ...bindings, heir: id },
      );
      return id;
    }),
  );
  if (heir === null) return null;
  const { lanes } = await handOver(knex, true);
  await knex.raw(`SELECT pg_notify('carat_lane', :heir)`, { heir });
  return lanes.find((lane) => lane.networkId === networkId && lane.address === bindings.from)!;
};

const dismiss = async ({ trx, catalogue, networks }: Application): Promise<number> => {
  const kept = catalogue.networks.flatMap((network) =>
    accountsOf(network).map(({ address }) => ({ network_id: networks[network.name], address })),
  );
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `UPDATE signer_accounts a SET dismissed_at = now(), updated_at = now()
     WHERE a.dismissed_at IS NULL AND a.network_id = ANY(:network_ids) AND NOT EXISTS (
       SELECT 1 FROM jsonb_to_recordset(:kept::jsonb) AS k (network_id uuid, address text)
       WHERE k.network_id = a.network_id AND k.address = a.address)`,
    { network_ids: catalogue.networks.map(({ name }) => networks[name]!), kept: JSON.stringify(kept) },
  );
  return rowCount;
};

/** To the operators of the network in turn; to those whose key a worker holds, where there are any. */
const moveDiamonds = async (trx: Knex): Promise<number> => {
  const { rowCount } = await trx.raw<{ rowCount: number }>(`
WITH heirs AS (
  SELECT id, network_id, row_number() OVER own - 1 AS turn, count(*) OVER (PARTITION BY network_id) AS heirs
  FROM (SELECT a.*, rank() OVER (PARTITION BY a.network_id ORDER BY ${isHeld('a')} DESC) AS choice
    FROM signer_accounts a WHERE a.role = 'operator' AND a.dismissed_at IS NULL) able
  WHERE choice = 1 WINDOW own AS (PARTITION BY network_id ORDER BY id)
), orphans AS (
  SELECT d.id, d.network_id, row_number() OVER (PARTITION BY d.network_id ORDER BY d.id) AS turn
  FROM diamonds d JOIN signer_accounts a ON a.id = d.operator_account_id WHERE a.dismissed_at IS NOT NULL
)
UPDATE diamonds d SET operator_account_id = h.id, updated_at = now()
FROM orphans o JOIN heirs h ON h.network_id = o.network_id AND h.turn = o.turn % h.heirs WHERE d.id = o.id`);
  return rowCount;
};

/** Deals to the lane of their diamond, calls of deployments to the upgrader's. */
const moveIntents = async (trx: Knex): Promise<number> => {
  const { rowCount } = await trx.raw<{ rowCount: number }>(`
WITH orphans AS (
  SELECT i.id, coalesce(d.operator_account_id, u.id) AS heir
  FROM signer_accounts a JOIN tx_intents i ON i.account_id = a.id AND i.state = 'queued'
  LEFT JOIN payments p ON p.id = i.payment_id
  LEFT JOIN diamonds d ON d.wallet_id = p.wallet_id AND d.network_id = p.network_id AND d.address = p.diamond_address
  LEFT JOIN signer_accounts u ON i.payment_id IS NULL AND u.network_id = a.network_id AND u.role = 'upgrader'
    AND u.dismissed_at IS NULL
  WHERE a.dismissed_at IS NOT NULL
)
UPDATE tx_intents i SET account_id = o.heir FROM orphans o WHERE i.id = o.id AND o.heir IS NOT NULL`);
  return rowCount;
};

const dismissedLanes = async (knex: Knex): Promise<DismissedLane[]> => {
  // What was dismissed long ago and has nothing left is no news.
  const { rows } = await knex.raw<{ rows: DismissedLane[] }>(`
SELECT * FROM (SELECT a.dismissed_at, n.id AS "networkId", n.name AS network, a.address, a.role, (
  (SELECT count(*) FROM tx_slots s WHERE s.account_id = a.id AND s.state <> 'confirmed')
  + (SELECT count(*) FROM tx_intents i WHERE i.account_id = a.id AND i.state = 'queued'))::int AS open
FROM signer_accounts a JOIN networks n ON n.id = a.network_id WHERE a.dismissed_at IS NOT NULL) AS l
WHERE l.dismissed_at > now() - interval '1 day' OR l.open > 0 ORDER BY l.network, l.address`);
  return rows.map(({ networkId, network, address, role, open }) => ({ networkId, network, address, role, open }));
};
