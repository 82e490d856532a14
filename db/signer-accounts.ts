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
