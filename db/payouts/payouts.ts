import type { Knex } from 'knex';
import { rowsOf } from '../query/statements.ts';

/** The payout address of a node on a chain. Addresses are lower-case hex. */
export interface Payout {
  readonly nodeId: string;
  readonly chainId: string;
  /** Null when none is set. */
  readonly address: string | null;
  readonly isLocked: boolean;
  /** The address that every web3 payment of the node must name on the chain, by the lock of the node or of one above it. */
  readonly lockedAddress: string | null;
  /** Null when nothing was ever set. */
  readonly updatedAt: Date | null;
}

interface PayoutRow {
  readonly address: string | null;
  readonly locked: boolean | null;
  readonly locked_address: string | null;
  readonly updated_at: Date | null;
}

/**
 * SQL: the locked address of a node. Of several locks the one nearest the root applies.
 * @param path expression of the nodes to consider, from the root down
 * @param chain expression of the chain's id
 */
export const lockedAddressOf = (path: string, chain: string): string => `(
  SELECT address FROM payouts WHERE payouts.chain_id = ${chain} AND payouts.node_id = ANY (${path}) AND payouts.locked
  ORDER BY array_position(${path}, payouts.node_id) LIMIT 1)`;

/** Reads the payout of an existing node and chain, set or not. */
export const readPayout = async (knex: Knex, nodeId: string, chainId: string): Promise<Payout> => {
  const [row] = await rowsOf<PayoutRow>(knex, { nodeId, chainId })(`
     SELECT p.address, p.locked, p.updated_at, ${lockedAddressOf('n.path', ':chainId')} AS locked_address
     FROM nodes n LEFT JOIN payouts p ON p.node_id = n.id AND p.chain_id = :chainId WHERE n.id = :nodeId`);
  return {
    nodeId,
    chainId,
    address: row?.address ?? null,
    isLocked: row?.locked ?? false,
    lockedAddress: row?.locked_address ?? null,
    updatedAt: row?.updated_at ?? null,
  };
};

/** A chain whose networks take payments, and how many nodes have a wallet there without a payout lock. */
export interface UnlockedChain {
  readonly chain: string;
  readonly platformId: string;
  readonly nodes: number;
}

/** Reads the chains on which a node with a wallet has no payout lock, and a network is in use. */
export const readUnlockedChains = (knex: Knex): Promise<UnlockedChain[]> =>
  rowsOf<UnlockedChain>(knex)(`SELECT c.name AS chain, c.platform_id AS "platformId", count(DISTINCT n.id)::int AS nodes
     FROM chains c JOIN wallets w ON w.chain_id = c.id AND w.deleted_at IS NULL AND w.is_active JOIN nodes n ON n.id = w.node_id
     WHERE EXISTS (SELECT 1 FROM networks t WHERE t.chain_id = c.id AND t.retired_at IS NULL)
       AND ${lockedAddressOf('n.path', 'c.id')} IS NULL
     GROUP BY c.id ORDER BY c.name`);

/** Reads the locked address that the nodes above a node impose; null when none of them has a lock. */
export const lockAbove = async (trx: Knex.Transaction, nodeId: string, chainId: string): Promise<string | null> => {
  const rows = await rowsOf<{ address: string | null }>(trx, { nodeId, chainId })(
    `SELECT ${lockedAddressOf('array_remove(path, id)', ':chainId')} AS address FROM nodes WHERE id = :nodeId`,
  );
  return rows[0]?.address ?? null;
};

/**
 * Blocks new payments of a node and of all below it until the transaction ends. Waits for payments that are being stored; later
 * ones are checked against the changes of the transaction (trigger `payments_payout_lock`).
 */
export const holdPayments = async (trx: Knex.Transaction, nodeId: string): Promise<void> => {
  await trx.raw('SELECT FROM nodes WHERE path @> ARRAY[?]::uuid[] ORDER BY id FOR UPDATE', [nodeId]);
};

/** Sets address and lock of a node whose payments are blocked by `holdPayments`. */
export const setPayout = async (
  trx: Knex.Transaction,
  { nodeId, chainId, address, isLocked }: Pick<Payout, 'nodeId' | 'chainId' | 'address' | 'isLocked'>,
): Promise<void> => {
  await trx('payouts')
    .insert({ node_id: nodeId, chain_id: chainId, address, locked: isLocked, updated_at: trx.raw('clock_timestamp()') })
    .onConflict(['node_id', 'chain_id'])
    .merge();
};

/** The contracts at an address on the networks of a chain, as far as the database knows. */
export interface KnownContract {
  readonly isToken: boolean;
  readonly isDiamond: boolean;
}

/**
 * SQL: both columns of a known contract. A wallet with an adopted address counts once its diamond is active, because before
 * that a client may claim any address.
 * @param address expression of a lower-case address; null matches nothing
 * @param chain expression of the chain's id
 */
export const knownContractColumns = (address: string, chain: string): string => `
  EXISTS (SELECT 1 FROM networks x JOIN currency_tokens y ON y.network_id = x.id
    WHERE x.chain_id = ${chain} AND y.address = ${address}) AS is_token,
  EXISTS (SELECT 1 FROM wallets WHERE chain_id = ${chain} AND address = ${address} AND deleted_at IS NULL AND NOT adopted)
    OR EXISTS (SELECT 1 FROM diamonds WHERE address = ${address} AND status = 'active') AS is_diamond`;

/** Reads which contracts the address is on the networks of the chain. */
export const readKnownContract = async (trx: Knex, address: string, chainId: string): Promise<KnownContract> => {
  const rows = await rowsOf<{ is_token: boolean; is_diamond: boolean }>(trx, { address, chainId })(
    `SELECT ${knownContractColumns('CAST(:address AS text)', 'CAST(:chainId AS uuid)')}`,
  );
  return { isToken: rows[0]?.is_token === true, isDiamond: rows[0]?.is_diamond === true };
};
