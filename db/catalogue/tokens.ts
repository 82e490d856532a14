import type { Knex } from 'knex';
import type { NetworkQuestion } from '../../domain/ports/network-check.ts';

/** The token contracts of a network, as the catalogue describes them. */
export const readTokens = async (knex: Knex, networkId: string): Promise<NetworkQuestion['tokens']> => {
  const { rows } = await knex.raw<{ rows: NetworkQuestion['tokens'] }>(
    `SELECT c.symbol, t.address, t.decimals, CASE WHEN t.permit_name IS NOT NULL
       THEN jsonb_build_object('name', t.permit_name, 'version', t.permit_version) END AS permit
     FROM currency_tokens t JOIN currencies c ON c.id = t.currency_id
     WHERE t.network_id = ? AND t.address IS NOT NULL ORDER BY c.symbol, t.address`,
    [networkId],
  );
  return rows;
};
