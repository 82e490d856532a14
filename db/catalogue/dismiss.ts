import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { hasHolders, isHeld, keysWithoutHolder, nameKey, type NamedKey } from '../lane/holders.ts';
import { endTakenOver } from '../lane/keyless.ts';
import { execute, hasRows, rowsOf } from '../query/statements.ts';
import { accountsOf, type Application, type DismissedLane } from './application.ts';

interface HeldRole extends Pick<NamedKey, 'network' | 'role'> {
  /** The addresses of its keys, in order. */
  readonly held: readonly string[];
}

/**
 * Reads the roles of networks for which a worker holds a key in use.
 * @param known addresses that count as held, because they were a moment ago: a worker that was killed stops being a holder by the clock
 */
const heldRoles = (trx: Knex, known: readonly string[] = []): Promise<HeldRole[]> =>
  rowsOf<HeldRole>(trx, { known })(`SELECT n.name AS network, a.role, array_agg(a.address ORDER BY a.address) AS held
     FROM signer_accounts a JOIN networks n ON n.id = a.network_id
     WHERE a.dismissed_at IS NULL AND (${isHeld('a')} OR a.address = ANY(:known)) GROUP BY n.name, a.role ORDER BY n.name, a.role`);

/**
 * Runs a change of the catalogue's keys in the caller's transaction. Refuses a change that dismisses the last held key of a
 * role, because nothing would be sent for that role.
 * @param isWanted true when the operator has confirmed such a change
 * @throws Error for a refused change
 */
export const keepHeld = async <Result>(
  trx: Knex.Transaction,
  isWanted: boolean,
  change: () => Promise<Result>,
): Promise<Result> => {
  const before = await heldRoles(trx);
  const result = await change();
  const after = await heldRoles(
    trx,
    before.flatMap(({ held }) => held),
  );
  const lost = before.filter((one) => !after.some(({ network, role }) => network === one.network && role === one.role));
  if (lost.length === 0 || isWanted) return result;
  throw new Error(
    lost
      .map(
        ({ network, role, held }) =>
          `${network}: this dismisses the ${role} ${held.join(', ')}, and no worker holds a key that takes its place: give the workers ` +
          'a keystore with the new key first, or pass --yes',
      )
      .join('\n'),
  );
};

/** Warns of keys without a holder. Returns none while no worker runs, because holders are unknown then. */
export const warnOfKeyless = async (knex: Knex): Promise<string[]> =>
  (await hasHolders(knex))
    ? (await keysWithoutHolder(knex)).map((key) => `no worker holds the key of ${nameKey(key)}`)
    : [];

/**
 * Dismisses keys that have left the file, in the catalogue's transaction, and gives their diamonds to the remaining keys. Call
 * `moveDismissedWork` after the commit.
 * @returns the number of written rows
 */
export const dismissAccounts = async (application: Application): Promise<number> =>
  (await dismiss(application)) + (await moveDiamonds(application.trx));

/**
 * Moves queued intents and diamonds of dismissed keys to the remaining keys; later tries go there anyway. The old lane finishes
 * intents that have a nonce: a deal that two lanes create or cancel at once ends the same way in any order. Call it after the
 * dismissal is committed; it waits for transactions that read the old lane of a diamond before that and still write. It locks
 * one table at a time, in a transaction that holds no other lock, so that it cannot deadlock.
 * @param hasMoved true right after a dismissal or a move. Otherwise tables are locked only when work may be left
 * @returns the number of written rows, and every dismissed lane with its open work
 * @throws Error when writers do not end; a further call continues
 */
export const moveDismissedWork = async (
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
 * True when a dismissed key has a diamond or a queued intent, or may still get one. After a day it gets none, because no
 * transaction that read the lane before the dismissal lasts so long.
 */
const mayHaveLeft = (knex: Knex): Promise<boolean> =>
  hasRows(knex)(`
       SELECT 1 FROM signer_accounts a WHERE a.dismissed_at IS NOT NULL AND (a.dismissed_at > now() - interval '1 day'
       OR EXISTS (SELECT 1 FROM diamonds d WHERE d.operator_account_id = a.id)
       OR EXISTS (SELECT 1 FROM tx_intents i WHERE i.account_id = a.id AND i.state = 'queued')) LIMIT 1`);

/**
 * Tries, timeout and pause (in milliseconds) for the lock of a busy table. Writers queue behind a pending lock, so its timeout
 * is shorter than theirs (5 s in the api), and they go on during the pause.
 */
const locking = { tries: 3, wait: '2s', pause: 1_000 };

/** SQLSTATE of a lock timeout. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Waits for all transactions that have written or locked rows of the table, and blocks new ones during the move. */
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
          `Work of dismissed keys is not handed over yet, because transactions that write ${table} do not end: run the command again`,
          { cause: error },
        );
      }
    }
    await delay(locking.pause);
  }
};

/** A handover from one key to another. */
export interface LaneMove {
  readonly networkId: string;
  readonly from: string;
  readonly to: string;
  /** True to move even if a worker holds the old key and none holds the new one. */
  readonly isWanted?: boolean;
}

/**
 * Dismisses one key in favour of another, and moves its diamonds and its intents without a nonce. A repeated move also moves
 * work that has reached the old lane meanwhile.
 * @returns the old lane with its open work; null when the network has no such key, or the new one has another role
 * @throws Error when a role loses the last key that a worker holds, or writers do not end
 */
export const moveLane = async (knex: Knex, move: LaneMove): Promise<DismissedLane | null> => {
  const { networkId, from, to, isWanted = false } = move;
  const bindings = { network_id: networkId, from: from.toLowerCase(), to: to.toLowerCase() };
  const heir = await knex.transaction((trx) =>
    keepHeld(trx, isWanted, async () => {
      const rows = await rowsOf<{ id: string }>(
        trx,
        bindings,
      )(`
       INSERT INTO signer_accounts AS heir (network_id, address, role, max_inflight)
       SELECT network_id, :to, role, max_inflight FROM signer_accounts WHERE network_id = :network_id AND address = :from
       ON CONFLICT (network_id, address) DO UPDATE SET dismissed_at = NULL, updated_at = now()
       WHERE heir.role = excluded.role RETURNING id`);
      const id = rows[0]?.id;
      if (id === undefined) return null;
      await execute(trx, { ...bindings, heir: id })(`WITH old AS (
         UPDATE signer_accounts SET dismissed_at = coalesce(dismissed_at, now()), updated_at = now()
         WHERE network_id = :network_id AND address = :from RETURNING id
       )
       UPDATE diamonds d SET operator_account_id = :heir, updated_at = now() FROM old WHERE d.operator_account_id = old.id`);
      return id;
    }),
  );
  if (heir === null) return null;
  const { lanes } = await moveDismissedWork(knex, true);
  await knex.raw(`SELECT pg_notify('carat_lane', :heir)`, { heir });
  return lanes.find((lane) => lane.networkId === networkId && lane.address === bindings.from)!;
};

const dismiss = async ({ trx, catalogue, networks }: Application): Promise<number> => {
  const kept = catalogue.networks.flatMap((network) =>
    accountsOf(network).map(({ address }) => ({ network_id: networks[network.name], address })),
  );
  return execute(trx, {
    network_ids: catalogue.networks.map(({ name }) => networks[name]!),
    kept: JSON.stringify(kept),
  })(`
     UPDATE signer_accounts a SET dismissed_at = now(), updated_at = now()
     WHERE a.dismissed_at IS NULL AND a.network_id = ANY(:network_ids) AND NOT EXISTS (
       SELECT 1 FROM jsonb_to_recordset(:kept::jsonb) AS k (network_id uuid, address text)
       WHERE k.network_id = a.network_id AND k.address = a.address)`);
};

/** Distributes diamonds evenly over the network's operators, or over those with held keys, if any. */
const moveDiamonds = (trx: Knex): Promise<number> =>
  execute(trx)(`
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

/** Moves deals to the lanes of their diamonds, and deployment calls to the upgrader's. */
const moveIntents = (trx: Knex): Promise<number> =>
  execute(trx)(`
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

const dismissedLanes = async (knex: Knex): Promise<DismissedLane[]> => {
  // Omits lanes that were dismissed long ago and have no open work.
  const rows = await rowsOf<DismissedLane>(knex)(`
SELECT * FROM (SELECT a.dismissed_at, n.id AS "networkId", n.name AS network, a.address, a.role, (
  (SELECT count(*) FROM tx_slots s WHERE s.account_id = a.id AND s.state <> 'confirmed')
  + (SELECT count(*) FROM tx_intents i WHERE i.account_id = a.id AND i.state = 'queued'))::int AS open
FROM signer_accounts a JOIN networks n ON n.id = a.network_id WHERE a.dismissed_at IS NOT NULL) AS l
WHERE l.dismissed_at > now() - interval '1 day' OR l.open > 0 ORDER BY l.network, l.address`);
  return rows.map(({ networkId, network, address, role, open }) => ({ networkId, network, address, role, open }));
};
