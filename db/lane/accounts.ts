import type { Knex } from 'knex';

export interface SignerAccountRow {
  readonly id: string;
  readonly networkId: string;
  /** Lower-case hex. */
  readonly address: string;
  readonly role: 'operator' | 'upgrader';
}

/** Every key that signs for Carat, on every network: each is a lane. */
export const signerAccounts = (knex: Knex): Promise<SignerAccountRow[]> =>
  knex('signer_accounts').select<SignerAccountRow[]>('id', 'network_id AS networkId', 'address', 'role').orderBy('id');

/**
 * Lets a paused lane go on. Nonces below `nextNonce` are left to whoever used them; ours never goes back.
 * @returns the next nonce now, or null when there is no such account
 */
export const resumeAccount = async (
  knex: Knex,
  { networkId, address, nextNonce }: { networkId: string; address: string; nextNonce: number },
): Promise<number | null> => {
  const { rows } = await knex.raw<{ rows: { next_nonce: string }[] }>(
    `UPDATE signer_accounts SET status = 'active', status_detail = NULL, next_nonce = greatest(next_nonce, :next_nonce::bigint),
       updated_at = now()
     WHERE network_id = :network_id AND address = :address RETURNING next_nonce`,
    { network_id: networkId, address: address.toLowerCase(), next_nonce: nextNonce },
  );
  return rows[0] === undefined ? null : Number(rows[0].next_nonce);
};
