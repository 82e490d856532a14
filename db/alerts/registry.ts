import type { Knex } from 'knex';

/** Unrequested changes of a registry, according to alerts. */
export interface ToldOfRegistry {
  /** Accounts that got a role, and may have lost it since. */
  readonly roles: readonly { readonly role: string; readonly account: string }[];
  /** Code that was approved. */
  readonly facets: readonly { readonly facet: string; readonly codeHash: string }[];
}

/** Reads the roles and facets from alerts that neither the catalogue nor a release lists, for the registry of a network. */
export const toldOfRegistry = async (knex: Knex, networkId: string): Promise<ToldOfRegistry> => {
  const [roles, facets] = await Promise.all([
    knex.raw<{ rows: ToldOfRegistry['roles'] }>(
      `SELECT DISTINCT data ->> 'role' AS role, data ->> 'account' AS account FROM alerts
       WHERE network_id = :network_id AND kind = 'role_not_asked_for' ORDER BY 1, 2`,
      { network_id: networkId },
    ),
    knex.raw<{ rows: ToldOfRegistry['facets'] }>(
      `SELECT DISTINCT data ->> 'facet' AS facet, data ->> 'code_hash' AS "codeHash" FROM alerts
       WHERE network_id = :network_id AND kind = 'facet_not_asked_for' ORDER BY 1, 2`,
      { network_id: networkId },
    ),
  ]);
  return { roles: roles.rows, facets: facets.rows };
};
