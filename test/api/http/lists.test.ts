import crypto from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import type { Response } from 'express';
import { paced, createGate } from '../../../api/answers/stream.ts';
import { makeCredentials, storedCredentials } from '../../../api/auth/credentials.ts';
import { createCaratClient } from '../../../client/client.ts';
import { connect } from '../../../db/connection.ts';
import { insertIntegration } from '../../../db/integrations/integrations.ts';
import { freePorts } from '../../../tools/process/ports.ts';
import { apiUrl, startApi } from '../../../tools/process/services.ts';
import { permissions } from '../../../domain/access.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { createPaymentRow, createWorld, type World } from '../../support/fixtures.ts';
import { recordsOf, testStack } from '../../support/stack.ts';
import { testTemporal } from '../../support/temporal.ts';

/*
 * Lists of the largest payments that were ever stored, requested by one merchant again and again, in a process of their
 * own.
 */

const { url: databaseUrl } = await createTestDatabase();
const knex = connect(databaseUrl, { pool: 2 });
const { dir } = testStack();
const stateDir = fs.mkdtempSync(path.join(dir, 'lists-'));
const { address, namespace } = testTemporal();
const [apiPort = 0] = await freePorts(1);
const masterKey = crypto.randomBytes(32).toString('base64');
const admin = { api_key: '', secret: '' };
const api = await startApi({
  stateDir,
  records: recordsOf(dir, process.pid),
  databaseUrl,
  keystoreFile: '',
  apiPort,
  secrets: { masterKey, admin, postgresPassword: '', keystorePassphrase: '' },
  temporal: { address, namespace },
  environment: { CARAT_PROFILE: 'test' },
});
const url = apiUrl(apiPort);
afterAll(async () => {
  await api.stop();
  await knex.destroy();
});

const tokenOf = async ({ nodeId: node_id }: World): Promise<string> => {
  const credentials = makeCredentials();
  const row = { node_id, name: crypto.randomUUID(), permissions, expires_at: null, created_by: null };
  await insertIntegration(knex, { ...row, ...storedCredentials(credentials) });
  const grant = { client_id: credentials.apiKey, client_secret: credentials.secret };
  const client = createCaratClient({ url });
  return (await client.issueToken({ grant_type: 'client_credentials', ...grant })).access_token;
};

const [merchant, neighbour] = [await createWorld(knex), await createWorld(knex)];
const [token, theirs] = [await tokenOf(merchant), await tokenOf(neighbour)];
const list = `/api/v1/payments?node_id=${merchant.nodeId}&per_page=100`;
const get = (path: string, bearer = token) =>
  fetch(`${url}${path}`, { headers: { authorization: `Bearer ${bearer}` } });

/** Twice as many as fit on a page, of 220 kB each: no such payment can be created any more. */
const ids: string[] = [];
beforeAll(async () => {
  for (let count = 0; count < 120; count += 1) ids.unshift((await createPaymentRow(knex, merchant)).id);
  const wide = '\u{1F4A3}'.repeat(255);
  await knex.raw(
    `INSERT INTO payment_items (payment_id, position, name, price_units, external_id)
     SELECT id, n, ?, 1, ? FROM unnest(?::uuid[]) AS p (id) CROSS JOIN generate_series(1, 100) AS n`,
    [wide, wide, ids],
  );
});

/** The most memory that the api process has ever had, in MiB. */
const peak = (): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${api.pid}/status`, 'utf8'))?.[1]) / 1_024;

it('are full, in order and in the same form, however long they are', async () => {
  const answer = await get(list);
  const body = (await answer.json()) as { items: { id: string; items: unknown[] }[]; next_cursor: string };
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(body).toMatchObject({ page: 1, per_page: 100, total: 120 });
  expect(body.items.map(({ id }) => id)).toEqual(ids.slice(0, 100));
  expect(body.items.every(({ items }) => items.length === 100)).toBe(true);
  const rest = (await (await get(`${list}&cursor=${body.next_cursor}`)).json()) as typeof body;
  expect(rest).toMatchObject({ page: 2, total: 120, next_cursor: null });
  expect(rest.items.map(({ id }) => id)).toEqual(ids.slice(100));
  const none = await get(`/api/v1/payments?node_id=${neighbour.nodeId}`, theirs);
  expect(await none.json()).toEqual({ items: [], page: 1, per_page: 10, total: 0, next_cursor: null });
  expect(Number(none.headers.get('content-length'))).toBeGreaterThan(0);
});

it('leave the process its memory and the neighbours their answers, over connections that read and connections that do not', async () => {
  const deaf = Array.from({ length: 5 }, () => net.connect(apiPort, '127.0.0.1').pause());
  for (const socket of deaf) {
    socket.write(`GET ${list} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  }
  const other = await tokenOf(merchant);
  let bytes = 0;
  const ask = async (): Promise<void> => {
    const { body } = await get(list, other);
    for await (const chunk of body!) bytes += chunk.length;
  };
  let isOver = false;
  const began = performance.now();
  const lists = Promise.all(Array.from({ length: 3 }, ask)).finally(() => (isOver = true));
  const reads: number[] = [];
  while (!isOver) reads.push((await get(`/api/v1/payments?node_id=${neighbour.nodeId}`, theirs)).status);
  await lists;
  for (const socket of deaf) socket.destroy();
  expect(bytes).toBeGreaterThan(3 * 20e6);
  // A node is sent 8 MiB a second after 4 MiB, for all its integrations together.
  expect((performance.now() - began) / 1_000).toBeGreaterThan((bytes / 2 ** 20 - 4) / 8);
  // Each list is rendered in a hundred parts or more, and another request is served between any two of them; a slow machine serves fewer
  // while the lists wait for their pace.
  expect(reads.length).toBeGreaterThan(10);
  expect(new Set(reads)).toEqual(new Set([200]));
  expect(peak()).toBeLessThan(450);
});

it('let small lists of their node get between the slices of a part of megabytes', async () => {
  const response = { destroyed: false } as Response;
  const order: string[] = [];
  const ask = async (name: string, bytes: number): Promise<void> => {
    await paced(response, 'a node', 'x'.repeat(bytes));
    order.push(name);
  };
  await ask('what may be sent at once', 4 * 2 ** 20);
  // More than a stalled process could have saved up meanwhile.
  await Promise.all([ask('large', 5 * 2 ** 20), ask('small', 1_000)]);
  expect(order).toEqual(['what may be sent at once', 'small', 'large']);
});

it('end with their connection at a failure on the way, and never look complete', async () => {
  const answer = await get(list);
  const reader = answer.body!.getReader();
  await reader.read();
  await knex.raw(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  // Buffered bytes still arrive.
  await knex.transaction(async (trx) => {
    await trx.raw('ALTER TABLE payment_items RENAME TO hidden_items');
    await trx.commit();
  });
  const readAll = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  await expect(readAll()).rejects.toThrow('terminated');
  await knex.raw('ALTER TABLE hidden_items RENAME TO payment_items');
  await eventually(async () => (await get(list)).ok);
});

it('a gate lets a bounded number through at once, in order, despite failures', async () => {
  const gate = createGate(2);
  const log: string[] = [];
  let most = 0;
  let underWay = 0;
  const work = (name: string) =>
    gate(async () => {
      most = Math.max(most, (underWay += 1));
      log.push(name);
      await Promise.resolve();
      underWay -= 1;
      if (name === 'b') throw new Error('fails');
      return name;
    });
  const results = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(work));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  expect([log, most]).toEqual([['a', 'b', 'c', 'd', 'e'], 2]);
});
