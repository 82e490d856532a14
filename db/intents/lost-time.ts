/** Conditions about the time that a restored database has lost, as SQL. */

/**
 * SQL condition: the database was marked as restored, and the watcher of the network has not read the lost blocks yet. Until then,
 * transactions that this database does not know may have been sent.
 * @param networkId SQL of the network's id
 */
export const isBehindRestore = (networkId: string): string =>
  `EXISTS (SELECT 1 FROM watch_cursors behind WHERE behind.network_id = ${networkId} AND behind.is_behind_restore)`;

/**
 * SQL condition on payments `p`: the wallet's own diamond is active at the address of the payment. Without it, anybody could put a
 * contract at the address of a wallet and emit logs of payments.
 */
export const activeDiamond = (p: string): string => `EXISTS (
    SELECT 1 FROM diamonds own WHERE own.wallet_id = ${p}.wallet_id AND own.network_id = ${p}.network_id
    AND own.address = ${p}.diamond_address AND own.status = 'active')`;

/** SQL condition on payments `p`: the payment is older than a restore. */
export const isFromBefore = (p: string): string =>
  // the clocks of two hosts differ
  `EXISTS (SELECT 1 FROM restores r WHERE ${p}.created_at < r.marked_at + interval '1 hour')`;

/**
 * SQL condition on payments `p`: the payment is older than a restore, and its diamond is not active in this database. It may have been
 * deployed in the lost time, and its logs count only once it is active here, so only the word of the deal tells whether there is one.
 */
export const mayLackDiamond = (p: string): string => `(${isFromBefore(p)} AND NOT ${activeDiamond(p)})`;
