import { randomInt, randomUUID } from 'node:crypto';
import express from 'express';
import { connect } from '../../../db/connection.ts';
import type { PaymentRecord } from '../../../db/payments/read.ts';
import { createPaymentWriter } from '../../../db/payments/writer.ts';
import { prepared } from '../../../db/query/statements.ts';
import { hex } from '../../../test/support/fixtures.ts';

/*
 * A minimal payment API on the same stack, in a separate process: Express, its JSON parser, and one prepared statement.
 * It checks nothing and knows no callers. Two further routes are bounds: Express with all rows of a payment, stored by Carat's
 * writer, and Express with an answer that is always the same. The environment sets port and database.
 */

const { BENCH_DATABASE_URL = '', BENCH_PORT = '0' } = process.env;
const knex = connect(BENCH_DATABASE_URL, { pool: 10, applicationName: 'bench-base' });

const insert = {
  name: 'base_insert',
  text: `INSERT INTO bench_payments (id, node_id, external_id, chain_id, network_id, wallet_id, currency_id, price,
    paid_price, payment_method, payment_group, payment_address, metadata, client_ip, retry, retry_count, expires_at, status,
    created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 'pending', now(), now())`,
};
const find = {
  name: 'base_find',
  text: `SELECT id, node_id, external_id, chain_id, network_id, wallet_id, currency_id, price, paid_price, payment_method,
    payment_group, payment_address, metadata, client_ip, retry, retry_count, expires_at, status, created_at, updated_at
    FROM bench_payments WHERE id = $1`,
};

/** About as long as a payment. */
const constant = Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`field_${index}`, randomUUID()]));

const app = express();
app.disable('x-powered-by').disable('etag');
app.use(express.json());

app.post('/payments', async (request, response) => {
  const id = randomUUID();
  const body = request.body as Record<string, unknown>;
  await prepared(knex, insert, [
    id,
    body.node_id,
    body.external_id,
    body.network_id,
    body.network_id,
    body.wallet_id,
    body.currency_id,
    body.price,
    body.paid_price,
    body.payment_method,
    body.payment_group,
    body.payment_address,
    null,
    null,
    true,
    3,
    body.expires_at,
  ]);
  response.status(201).json({ id, ...body, status: 'pending' });
});

app.get('/payments/:id', async (request, response) => {
  const [row] = await prepared(knex, find, [request.params.id]);
  response.status(row === undefined ? 404 : 200).json(row);
});

const write = createPaymentWriter(knex);
const units = '1500000';

app.post('/rows', async (request, response) => {
  const body = request.body as Record<string, string> & { expires_at: string };
  const id = randomUUID();
  const created = new Date();
  const expires = new Date(body.expires_at);
  const record = {
    ...body,
    id,
    payment_address: hex(20),
    decimals: 6,
    price_units: units,
    paid_price_units: units,
    retry: true,
    retry_count: 3,
    status: 'pending',
    deal_mode: 'created',
    deal_id: String(randomInt(1, 2 ** 47)),
    terms_hash: hex(32),
    is_blocked: false,
    expires_unix: String(Math.floor(expires.getTime() / 1000)),
    expires_at: expires,
    created_at: created,
    items: [],
    member: null,
  } as unknown as PaymentRecord;
  const answer = { ...body, id, status: 'pending' };
  const audit = { actorId: id, actorNodeId: record.node_id, requestId: id, address: null, idempotency: null };
  const isStored = await write({
    record,
    createsMember: false,
    audit,
    answer,
    audited: { payment: answer, member: null },
  });
  response.status(isStored ? 201 : 500).json(answer);
});

app.get('/constant', (_request, response) => {
  response.json(constant);
});

const server = app.listen(Number(BENCH_PORT), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close(() => {
    void knex.destroy();
  });
  server.closeAllConnections();
});
