/** The payees of open payments, for the question whether their tokens accept them. */
import type { Knex } from 'knex';

/** The payee of a payment in a token, with one such payment. */
export interface PaymentPayee {
  readonly networkId: string;
  readonly token: string;
  readonly symbol: string;
  readonly payee: string;
  readonly paymentId: string;
}

const columns = `p.network_id AS "networkId", p.token_address AS token, p.payment_address AS payee, p.id AS "paymentId",
  (SELECT c.symbol FROM currencies c WHERE c.id = p.currency_id) AS symbol`;

/**
 * The payees of the unpaid payments in tokens that were made in the interval before now, each once. Ids grow with time.
 * @param interval of PostgreSQL, such as `2 minutes`
 */
export const newTokenPayees = async (knex: Knex, interval: string): Promise<PaymentPayee[]> => {
  const { rows } = await knex.raw<{ rows: PaymentPayee[] }>(
    `SELECT DISTINCT ON (p.network_id, p.token_address, p.payment_address) ${columns}
     FROM payments p WHERE p.id > uuidv7(-(?::interval)) AND p.token_address IS NOT NULL AND p.terminal_at IS NULL AND p.paid_block_number IS NULL
     ORDER BY p.network_id, p.token_address, p.payment_address, p.id`,
    [interval],
  );
  return rows;
};

/** The payees of open alerts that an open payment still names. */
export const payeesOfAlerts = async (knex: Knex): Promise<PaymentPayee[]> => {
  const { rows } = await knex.raw<{ rows: PaymentPayee[] }>(
    `SELECT ${columns} FROM alerts a JOIN payments p ON p.id = a.payment_id
     WHERE a.is_condition AND a.closed_at IS NULL AND a.kind = 'payee_refused'`,
  );
  return rows;
};
