import type { Knex } from 'knex';
import { openStatuses } from '../../domain/payment.ts';
import { prepared, type Statement } from '../query/prepared.ts';

const open = openStatuses.map((status) => `'${status}'`).join(', ');

const statement: Statement = {
  name: 'open_payments',
  text: `SELECT count(*)::integer AS count
    FROM (SELECT 1 FROM payments WHERE node_id = $1 AND status IN (${open}) LIMIT $2) AS open`,
};

/** How many open payments the node has, counted up to `limit`. */
export const countOpenPayments = async (knex: Knex, nodeId: string, limit: number): Promise<number> => {
  const [row] = await prepared<{ count: number }>(knex, statement, [nodeId, limit]);
  return row?.count ?? 0;
};
