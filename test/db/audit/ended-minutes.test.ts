import { randomUUID } from 'node:crypto';
import knexFactory, { type Knex } from 'knex';
import { linkMinutes } from '../../../db/audit/chain.ts';
import { verifyChain } from '../../../db/audit/verify.ts';
import { grantRole } from '../../../db/roles.ts';
import { createTestDatabase } from '../../support/database.ts';

/*
 * A session that stands still for two minutes between the making of its id and the lock of its minute: no entry joins a
 * linked minute.
 */

let knex: Knex;
let app: Knex;
const entry = () => ({ node_id: randomUUID(), actor_id: 'a', action: 'wallet.updated', resource_id: randomUUID() });

beforeEach(async () => {
  const { url } = await createTestDatabase();
  knex = knexFactory({ client: 'pg', connection: url, pool: { min: 0, max: 6 } });
  const own = new URL(url);
  own.username = `late_${randomUUID().slice(0, 8)}`;
  own.password = 'p';
  await grantRole(url, own.href);
  app = knexFactory({ client: 'pg', connection: own.href, pool: { min: 0, max: 6 } });
  await knex('audit_chain').update({ closed: knex.raw('closed - 26') });
  const { rows } = await knex.raw<{ rows: [{ body: string }] }>(
    `SELECT pg_get_functiondef('audit_id'::regproc) AS body`,
  );
  const slow = rows[0].body.replace('made uuid := uuidv7();', `made uuid := uuidv7(interval '-2 minutes');`);
  expect(slow).not.toBe(rows[0].body);
  // An entry of that minute, which a link can be made of.
  await knex.raw(
    `INSERT INTO audit_log (id, node_id, action, resource_id) VALUES (uuidv7(interval '-2 minutes'), :id, 'wallet.updated', :id)`,
    { id: randomUUID() },
  );
  await knex.raw(slow);
});

afterEach(async () => {
  await app.destroy();
  await knex.destroy();
});

const close = (by: Knex) =>
  by.raw(`UPDATE audit_chain SET closed = floor(extract(epoch FROM clock_timestamp()) / 60) - 1`);
const brokenBy = async () => (await verifyChain(knex)).broken;

it('a late entry joins no linked minute, even when the minutes are closed in a transaction of their own', async () => {
  const late = await app.transaction();
  await close(app);
  await app.raw('INSERT INTO audit_links DEFAULT VALUES');
  await late('audit_log').insert(entry());
  await late.commit();
  expect(await brokenBy()).toBeNull();
});

it('a late entry joins no linked minute, even when one transaction closes and links, so that others see the older end of the chain', async () => {
  const thief = await app.transaction();
  await close(thief);
  await thief.raw('INSERT INTO audit_links DEFAULT VALUES');
  await app('audit_log').insert(entry());
  await thief.commit();
  expect(await brokenBy()).toBeNull();
});

it('a late entry joins no linked minute, even when it is written from an older snapshot', async () => {
  const late = await app.transaction({ isolationLevel: 'repeatable read' });
  await late('audit_log').count();
  await close(app);
  await app.raw('INSERT INTO audit_links DEFAULT VALUES');
  await late('audit_log').insert(entry());
  await late.commit();
  expect(await brokenBy()).toBeNull();
  await linkMinutes(knex);
  expect(await brokenBy()).toBeNull();
});
