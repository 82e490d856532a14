import type { Knex } from 'knex';
import type { Alert, RaisedAlert } from '../../domain/ports/alert.ts';
import type { KeyRole, LaneAccount, LaneLimits, NetworkKeys } from '../../domain/ports/lane.ts';
import { raiseAlerts } from '../alerts/alerts.ts';
import { isAtWork, openOffered } from '../intents/conditions.ts';
import { dealModeOf, openDeal } from '../intents/deals.ts';
import { planned } from '../query/statements.ts';
import { knownLimits } from '../intents/conditions.ts';
import { endRestored } from './restored.ts';

interface AccountRow {
  id: string;
  network_id: string;
  address: string;
  role: LaneAccount['role'];
  next_nonce: string;
  max_inflight: number;
  status: LaneAccount['status'];
  is_dismissed: boolean;
  is_restored: boolean;
  is_watched: boolean;
  has_work: boolean;
  limits: Record<keyof LaneLimits, string> | null;
}

/** A key that signs for Carat on one network. Signers, which offer deals, have no lane. */
export interface SignerAccount extends Pick<LaneAccount, 'id' | 'networkId' | 'address'> {
  readonly role: KeyRole;
}

/** All keys that have a lane, of all networks: those that send transactions. */
export const accountsWithLane = async (knex: Knex): Promise<SignerAccount[]> => {
  const { rows } = await knex.raw<{ rows: SignerAccount[] }>(
    `SELECT a.id, a.network_id AS "networkId", a.address, a.role FROM signer_accounts a WHERE a.role <> 'signer' AND ${isAtWork} ORDER BY a.id`,
  );
  return rows;
};

/** Ids of the networks with a signer in the catalogue, except those at rest. */
export const offeringNetworks = async (knex: Knex): Promise<string[]> => {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `SELECT n.id FROM networks n WHERE n.rested_at IS NULL AND EXISTS (SELECT 1 FROM signer_accounts a
       WHERE a.network_id = n.id AND a.role = 'signer' AND a.dismissed_at IS NULL) ORDER BY n.id`,
  );
  return rows.map(({ id }) => id);
};

/** Ids of the networks with open offered payments and a signer in the catalogue that has lost its role. */
export const networksOfRoleless = async (knex: Knex): Promise<string[]> => {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `SELECT n.id FROM networks n WHERE EXISTS (SELECT 1 FROM signer_accounts a WHERE a.network_id = n.id AND a.role = 'signer'
       AND a.status = 'paused' AND a.dismissed_at IS NULL AND a.role_read_at IS NOT NULL)
       AND EXISTS (SELECT 1 FROM payments p WHERE p.network_id = n.id AND ${openOffered('p')})`,
  );
  return rows.map(({ id }) => id);
};

/** The role of a key on a network; null when Carat has no such key there. */
export const roleOf = async (knex: Knex, networkId: string, address: string): Promise<SignerAccount['role'] | null> => {
  const wanted = { network_id: networkId, address: address.toLowerCase() };
  const row = await knex('signer_accounts').where(wanted).first<Pick<SignerAccount, 'role'> | undefined>('role');
  return row?.role ?? null;
};

/** True when the lane's key has left the catalogue, or its network is at rest, and nothing of the lane is under way. */
export const isLaneOver = async (knex: Knex, accountId: string): Promise<boolean> => {
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM signer_accounts a WHERE a.id = :account_id AND ${isAtWork}`,
    { account_id: accountId },
  );
  return rows.length === 0;
};

/** True when the key has a lane on this network that is not over. */
export const isKeyAtWork = async (knex: Knex, networkId: string, address: string): Promise<boolean> => {
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    `SELECT 1 FROM signer_accounts a
     WHERE a.network_id = :network_id AND a.address = :address AND a.role <> 'signer' AND ${isAtWork}`,
    { network_id: networkId, address },
  );
  return rows.length > 0;
};

/** Addresses that must have a role in the registry of a network. */
export const signersOf = async (knex: Knex, networkId: string): Promise<NetworkKeys> => {
  const accounts = await knex('signer_accounts')
    .where({ network_id: networkId, dismissed_at: null })
    .orderBy('id')
    .select<Pick<SignerAccount, 'address' | 'role'>[]>('address', 'role');
  const withRole = (role: SignerAccount['role']): string[] =>
    accounts.filter((account) => account.role === role).map(({ address }) => address);
  return { operators: withRole('operator'), upgraders: withRole('upgrader'), signers: withRole('signer') };
};

/** Dismissed keys of a network, with their roles. */
export const dismissedOf = (
  knex: Knex,
  networkId: string,
): Promise<{ readonly role: SignerAccount['role']; readonly account: string }[]> =>
  knex('signer_accounts')
    .where({ network_id: networkId })
    .whereNotNull('dismissed_at')
    .orderBy('id')
    .select('role', 'address as account');

/**
 * Resumes a paused lane. Nonces below `nextNonce` belong to the transactions that used them; the lane's own nonce never
 * goes back.
 * @returns the next nonce now; null when no such lane is paused
 */
export const resumeAccount = async (
  knex: Knex,
  { networkId, address, nextNonce }: { networkId: string; address: string; nextNonce: number },
): Promise<number | null> => {
  const { rows } = await knex.raw<{ rows: Pick<AccountRow, 'next_nonce'>[] }>(
    `UPDATE signer_accounts SET status = 'active', status_detail = NULL, next_nonce = greatest(next_nonce, :next_nonce::bigint),
       updated_at = now()
     WHERE network_id = :network_id AND address = :address AND role <> 'signer' AND status = 'paused' RETURNING next_nonce`,
    { network_id: networkId, address: address.toLowerCase(), next_nonce: nextNonce },
  );
  return rows[0] === undefined ? null : Number(rows[0].next_nonce);
};

/** SQL condition over `signer_accounts a`: the watcher of its network has a block and is not halted. */
const isNetworkWatched = `EXISTS (SELECT 1 FROM watch_cursors c WHERE c.network_id = a.network_id AND c.status = 'active' AND c.number IS NOT NULL)`;

/** SQL condition over `signer_accounts a`: an intent is queued, or a slot is in no block. `isAtWork` also counts slots without their confirmations. */
const hasWork = `(EXISTS (SELECT 1 FROM tx_slots s WHERE s.account_id = a.id AND s.state <> 'confirmed' AND s.state <> 'mined')
  OR EXISTS (SELECT 1 FROM tx_intents i WHERE i.account_id = a.id AND i.state = 'queued'))`;

/** Reads the account of a lane. */
export const loadAccount = async (knex: Knex, accountId: string): Promise<LaneAccount> => {
  const { rows } = await planned<{ rows: AccountRow[] }>(
    knex,
    `SELECT a.id, a.network_id, a.address, a.role, a.next_nonce, a.max_inflight, a.status, a.dismissed_at IS NOT NULL AS is_dismissed,
       EXISTS (SELECT 1 FROM restored_lanes r WHERE r.account_id = a.id AND r.outcome IS NULL) AS is_restored,
       ${isNetworkWatched} AS is_watched, ${hasWork} AS has_work, ${knownLimits('a')} AS limits
     FROM signer_accounts a WHERE a.id = :account_id`,
    { account_id: accountId },
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`There is no signer account ${accountId}`);
  return {
    id: row.id,
    networkId: row.network_id,
    address: row.address,
    role: row.role,
    nextNonce: Number(row.next_nonce),
    maxInflight: row.max_inflight,
    status: row.status,
    isDismissed: row.is_dismissed,
    isRestored: row.is_restored,
    isWatched: row.is_watched,
    hasWork: row.has_work,
    limits: Object.fromEntries(Object.entries(row.limits ?? {}).map(([name, value]) => [name, BigInt(value)])),
  };
};

/** True unless the wallets of all its diamonds offer their deals and have no open created deal. True without diamonds. */
export const needsFunds = async (knex: Knex, accountId: string): Promise<boolean> => {
  const { rows } = await knex.raw<{ rows: [{ needs_funds: boolean }] }>(
    `SELECT NOT coalesce(bool_and(${dealModeOf('w', 'd.network_id')} = 'offered' AND NOT EXISTS (SELECT 1 FROM payments p
       WHERE p.network_id = d.network_id AND p.wallet_id = d.wallet_id AND p.deal_mode = 'created' AND ${openDeal('p')})), false)
       AS needs_funds
     FROM diamonds d JOIN wallets w ON w.id = d.wallet_id AND w.deleted_at IS NULL WHERE d.operator_account_id = :account_id`,
    { account_id: accountId },
  );
  return rows[0].needs_funds;
};

/** Reads whether the account's network is watched. */
export const isWatched = async (knex: Knex, accountId: string): Promise<boolean> => {
  const { rows } = await planned<{ rows: unknown[] }>(
    knex,
    `SELECT 1 FROM signer_accounts a WHERE a.id = :account_id AND ${isNetworkWatched}`,
    { account_id: accountId },
  );
  return rows.length > 0;
};

/** Pauses the lane and raises the alert in the caller's transaction, so that no pause lacks its alert. Ends the permission to go on after a restore. */
export const pauseAccount = async (
  trx: Knex.Transaction,
  accountId: string,
  detail: string,
  alert: Alert,
): Promise<RaisedAlert[]> => {
  await trx.raw(
    `UPDATE signer_accounts SET status = 'paused', status_detail = :detail, updated_at = now() WHERE id = :account_id`,
    { account_id: accountId, detail },
  );
  await endRestored(trx, accountId, 'paused');
  return raiseLaneAlert(trx, accountId, alert);
};

/** Raises an alert for the account's network. */
export const raiseLaneAlert = async (knex: Knex, accountId: string, alert: Alert): Promise<RaisedAlert[]> => {
  const { networkId } = await loadAccount(knex, accountId);
  return raiseAlerts(knex, networkId, [alert]);
};

/** The diamonds among these, on the account's network, that are made of one of our releases. */
export const released = async (knex: Knex, accountId: string, diamonds: readonly string[]): Promise<string[]> => {
  const { rows } = await knex.raw<{ rows: { address: string }[] }>(
    `SELECT d.address FROM diamonds d JOIN signer_accounts a ON a.network_id = d.network_id
     WHERE a.id = :account_id AND d.address = ANY(:diamonds) AND d.status = 'active' AND d.release IS NOT NULL`,
    { account_id: accountId, diamonds },
  );
  return rows.map(({ address }) => address);
};

/** Most diamonds that are read as examples. */
const EXAMPLES = 10;

/** The first diamonds of the account's network that are active and were not adopted. */
export const createdDiamonds = async (
  knex: Knex,
  accountId: string,
): Promise<{ nodeId: string; walletId: string; address: string }[]> => {
  const { rows } = await knex.raw<{ rows: { nodeId: string; walletId: string; address: string }[] }>(
    `SELECT w.node_id AS "nodeId", w.id AS "walletId", d.address FROM diamonds d JOIN signer_accounts a ON a.network_id = d.network_id
     JOIN wallets w ON w.id = d.wallet_id
     WHERE a.id = :account_id AND d.status = 'active' AND NOT w.adopted ORDER BY d.created_at LIMIT ${EXAMPLES}`,
    { account_id: accountId },
  );
  return rows;
};
