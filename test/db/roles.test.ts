import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateDatabase, migrateSteps, migrations, type Migration } from '../../db/migrate.ts';
import { caratHere } from '../support/carat.ts';
import { createTestDatabase } from '../support/database.ts';

/* Two roles: the owner, who migrates, and the one of api, worker and commands. */

let admin: pg.Client;

const named = (name: string): string => `${name}_${randomBytes(4).toString('hex')}`;

const createRole = (name: string, attributes: string) =>
  admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'a-password' ${attributes}`);

const urlOf = (url: string, user: string, password = 'a-password'): string => {
  const own = new URL(url);
  [own.username, own.password] = [user, password];
  return own.href;
};

/** An empty database and its owner. */
const ownedDatabase = async (attributes: string): Promise<string> => {
  const { url } = await createTestDatabase();
  const owner = named('owner');
  await createRole(owner, attributes);
  const name = named('roles');
  await admin.query(`CREATE DATABASE ${name} OWNER ${owner}`);
  const own = new URL(urlOf(url, owner));
  own.pathname = `/${name}`;
  return own.href;
};

const withClient = async <Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

beforeAll(async () => {
  admin = new pg.Client({ connectionString: (await createTestDatabase()).url });
  await admin.connect();
});

afterAll(() => admin.end());

it('carat migrate works as the owner, creates the role, and may be repeated', async () => {
  const owner = await ownedDatabase('CREATEROLE');
  const user = named('app');
  const password = "a 'password'é";
  const app = urlOf(owner, user, encodeURIComponent(password));
  const env = { CARAT_DATABASE_OWNER_URL: owner, CARAT_DATABASE_URL: app };
  const first = await caratHere(['migrate'], env);
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining(`Created the role ${user}\n`) });
  expect(JSON.stringify(first)).not.toContain(password);
  expect(await caratHere(['migrate'], env)).toMatchObject({ code: 0, out: 'The schema is up to date\n' });

  await withClient(app, async (client) => {
    const node = "INSERT INTO nodes (id, name) VALUES ('01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f71', 'a')";
    for (const sql of [node, 'UPDATE nodes SET name = name', 'SELECT FROM audit_log', 'SELECT FROM knex_migrations']) {
      await client.query(sql);
    }
    for (const sql of [
      "UPDATE audit_log SET action = 'x'",
      'DELETE FROM audit_log',
      'TRUNCATE audit_log',
      'DROP TABLE audit_log',
      'ALTER TABLE audit_log DISABLE TRIGGER ALL',
      'CREATE TABLE extra (id int)',
      'CREATE TEMPORARY TABLE extra (id int)',
      'CREATE INDEX extra ON nodes (id)',
      'DELETE FROM knex_migrations',
    ]) {
      await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' });
    }
  });
});

it('the same command grants the tables of a new migration', async () => {
  const owner = await ownedDatabase('CREATEROLE');
  const app = urlOf(owner, named('app'));
  const env = { CARAT_DATABASE_OWNER_URL: owner, CARAT_DATABASE_URL: app };
  await caratHere(['migrate'], env);
  await withClient(owner, (client) => client.query('CREATE TABLE extra (id int GENERATED ALWAYS AS IDENTITY)'));
  await expect(withClient(app, (client) => client.query('SELECT FROM extra'))).rejects.toMatchObject({ code: '42501' });
  expect(await caratHere(['migrate'], env)).toMatchObject({ code: 0 });
  await withClient(app, (client) => client.query('INSERT INTO extra DEFAULT VALUES'));
});

it('processes go on writing during carat migrate, and after it gave up at a later step', async () => {
  const owner = await ownedDatabase('CREATEROLE');
  const app = urlOf(owner, named('app'));
  await migrateSteps(owner, migrations, app);
  const node = '01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f71';
  const write = `INSERT INTO audit_log (node_id, action, resource_id) VALUES ('${node}', 'wallet.updated', '${node}')`;
  await withClient(app, async (client) => {
    await client.query(write);
    // The step changes how entries get an address, and adds the table that it needs.
    const changing: Migration = {
      name: '9998-changes',
      effect: { kind: 'expand', locks: ['audit_log'] },
      up: (knex) =>
        knex.raw(`CREATE TABLE addresses AS SELECT '::1' AS address;
          CREATE FUNCTION audit_address() RETURNS text LANGUAGE sql AS 'SELECT address FROM addresses';
          ALTER TABLE audit_log ALTER COLUMN address SET DEFAULT audit_address()`),
    };
    const later: Migration = {
      name: '9999-fails',
      effect: { kind: 'expand', locks: [] },
      up: async (knex) => {
        await client.query(write);
        await knex.raw('CREATE TABLE extra (id int)');
        throw new Error('a table is in use for too long');
      },
    };
    await expect(migrateSteps(owner, [...migrations, changing, later], app)).rejects.toThrow('in use for too long');
    await client.query(write);
    await client.query('SELECT FROM addresses');
  });
});

it('an owner who may not create roles gets the name of the missing one', async () => {
  const owner = await ownedDatabase('');
  const env = { CARAT_DATABASE_OWNER_URL: owner, CARAT_DATABASE_URL: urlOf(owner, 'carat_nobody') };
  expect(await caratHere(['migrate'], env)).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      'the role carat_nobody does not exist, and the owner may not create it: run CREATE ROLE',
    ),
  });
  const user = named('app');
  await createRole(user, '');
  expect(await caratHere(['migrate'], { ...env, CARAT_DATABASE_URL: urlOf(owner, user) })).toMatchObject({ code: 0 });
});

it('an owner of the tables who does not own the database revokes no right of others', async () => {
  const { url } = await createTestDatabase({ isEmpty: true });
  const [owner, user] = [named('tables'), named('app')];
  await createRole(owner, '');
  await createRole(user, '');
  await withClient(url, (client) => client.query(`GRANT CREATE ON SCHEMA public TO ${owner}`));
  const app = urlOf(url, user);
  const env = { CARAT_DATABASE_OWNER_URL: urlOf(url, owner), CARAT_DATABASE_URL: app };
  expect(await caratHere(['migrate'], env)).toMatchObject({ code: 0, err: '' });
  await withClient(app, async (client) => {
    await client.query('SELECT FROM audit_log');
    await client.query('CREATE TEMPORARY TABLE extra (id int)');
  });
});

it('a role that exists is let into a database that is closed to all others, and makes no temporary tables', async () => {
  const owner = await ownedDatabase('');
  const user = named('app');
  await createRole(user, '');
  await withClient(owner, async (client) => {
    await client.query(`REVOKE ALL ON DATABASE ${new URL(owner).pathname.slice(1)} FROM PUBLIC`);
    await client.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
  });
  const app = urlOf(owner, user);
  const env = { CARAT_DATABASE_OWNER_URL: owner, CARAT_DATABASE_URL: app };
  expect(await caratHere(['migrate'], env)).toMatchObject({ code: 0 });
  await withClient(app, async (client) => {
    await client.query('SELECT FROM audit_log');
    await expect(client.query('CREATE TEMPORARY TABLE extra (id int)')).rejects.toMatchObject({ code: '42501' });
  });
});

it('one role suffices', async () => {
  const owner = await ownedDatabase('');
  expect(await migrateDatabase(owner)).toEqual(migrations.map(({ name }) => name));
  expect(await caratHere(['migrate'], { CARAT_DATABASE_URL: owner })).toMatchObject({ code: 0 });
  const same = { CARAT_DATABASE_URL: owner, CARAT_DATABASE_OWNER_URL: owner };
  expect(await caratHere(['migrate'], same)).toMatchObject({ code: 0, out: 'The schema is up to date\n' });
});
