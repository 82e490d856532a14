import { randomUUID } from 'node:crypto';
import knexFactory, { type Knex } from 'knex';
import { forgetEntries, idOf, linkMinutes } from '../../../db/audit/chain.ts';
import { grantRole } from '../../../db/roles.ts';
import { verifyChain } from '../../../db/audit/verify.ts';
import { caratHere } from '../../support/carat.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

let url: string;
let knex: Knex;
const node_id = randomUUID();

beforeEach(async () => {
  ({ url } = await createTestDatabase());
  knex = knexFactory({ client: 'pg', connection: url, pool: { min: 0, max: 12 } });
  // The database is a copy of one that may be this old.
  await knex('audit_chain').update({ closed: knex.raw('closed - 26') });
});
afterEach(() => knex.destroy());

const entry = (more: object = {}) => ({
  node_id,
  actor_id: 'actor',
  action: 'wallet.updated',
  resource_id: randomUUID(),
  before: JSON.stringify({ name: 'a' }),
  after: JSON.stringify({ name: 'b' }),
  address: '192.0.2.1',
  request_id: 'r',
  ...more,
});

const thisMinute = async (): Promise<number> =>
  (
    await knex.raw<{ rows: { minute: number }[] }>(
      'SELECT floor(extract(epoch FROM clock_timestamp()) / 60)::float8 AS minute',
    )
  ).rows[0]!.minute;

/** Entries of a minute long ago, as they were before the chain: `count` of each of the minutes. */
const storeOld = async (minutes: readonly number[], count = 3): Promise<void> => {
  for (const ago of minutes) {
    await knex.raw(
      `INSERT INTO audit_log (id, node_id, action, resource_id, after, created_at)
       SELECT uuidv7(date_trunc('minute', now()) - make_interval(mins => :ago::int, secs => -g * 0.001) - clock_timestamp()), :node_id::uuid, 'wallet.updated', gen_random_uuid(), '{"g": 1}', now()
       FROM generate_series(1, :count::int) g`,
      { ago, node_id, count },
    );
  }
};

/** Links all minutes that have ended. */
const link = async (by = knex): Promise<void> => {
  // Closes them first.
  await linkMinutes(by);
  while ((await linkMinutes(by)).mayBeMore);
};

/** A chain of five minutes of long ago. */
const createChain = async (): Promise<void> => {
  await storeOld([50, 40, 30, 20, 10]);
  await link();
};

const brokenBy = async (): Promise<string | null> => (await verifyChain(knex)).broken?.kind ?? null;
const idsOfMinute = (ago: number) =>
  knex('audit_log').whereRaw(
    `id >= (SELECT uuidv7(make_interval(mins => -?::int - 4))) AND id < (SELECT uuidv7(make_interval(mins => -?::int + 4)))`,
    [ago, ago],
  );

const oneOfMinute = (ago: number) => knex('audit_log').whereIn('id', idsOfMinute(ago).select('id').limit(1));

it('the chain proves all entries of finished minutes, and of those before the chain', async () => {
  await createChain();
  await knex('audit_log').insert(entry());
  const verdict = await verifyChain(knex);
  expect(verdict).toMatchObject({ broken: null, links: 5, entries: 15, unlinked: 1, forgotten: 0 });
  expect(verdict.head).toMatch(/^5:[0-9a-f]{64}$/);
});

it('the chain of an empty log is whole', async () => {
  await link();
  expect(await verifyChain(knex)).toMatchObject({ broken: null, links: 0, entries: 0, from: null });
});

describe('the verification finds', () => {
  beforeEach(createChain);
  const cases: Record<string, [kind: string, attack: () => Promise<unknown>]> = {
    'an entry that was removed': ['entries_removed', () => oneOfMinute(30).delete()],
    'a minute whose entries were removed': ['entries_removed', () => idsOfMinute(30).delete()],
    'an entry that was added': [
      'entries_added',
      () => knex('audit_log').insert(entry({ id: knex.raw("uuidv7(interval '-30 minutes')") })),
    ],
    'an entry that was added where there was none': [
      'entries_added',
      () => knex('audit_log').insert(entry({ id: knex.raw("uuidv7(interval '-35 minutes')") })),
    ],
    'an entry that was added before the first': [
      'entries_added',
      () => knex('audit_log').insert(entry({ id: knex.raw("uuidv7(interval '-3 days')") })),
    ],
    'an entry of a time to come': [
      'entries_added',
      () => knex('audit_log').insert(entry({ id: randomUUID().replace(/^./, 'f') })),
    ],
    'an altered action': ['entries_altered', () => oneOfMinute(30).update({ action: 'wallet.deleted' })],
    'an altered content': ['entries_altered', () => oneOfMinute(30).update({ after: '{"g": 2}' })],
    'an altered actor': ['entries_altered', () => oneOfMinute(30).update({ actor_id: 'other' })],
    'an altered time': [
      'entries_altered',
      () =>
        idsOfMinute(30)
          .limit(1)
          .update({ created_at: new Date(0) }),
    ],
    'a link that was removed': ['link_removed', () => knex('audit_links').where({ number: 3 }).delete()],
    'a link that was removed with its entries': [
      'link_removed',
      async () => {
        await idsOfMinute(30).delete();
        await knex('audit_links').where({ number: 3 }).delete();
      },
    ],
    'the first link that was removed': ['link_removed', () => knex('audit_links').where({ number: 1 }).delete()],
    'the newest link that was removed': ['link_removed', () => knex('audit_links').where({ number: 5 }).delete()],
    'the newest link that was removed with its entries': [
      'link_removed',
      async () => {
        await idsOfMinute(10).delete();
        await knex('audit_links').where({ number: 5 }).delete();
      },
    ],
    'a link that was altered with its entries': [
      'link_altered',
      async () => {
        await oneOfMinute(30).delete();
        await knex('audit_links').where({ number: 3 }).update({ entries: 2 });
      },
    ],
    'a link that was altered to its new content': [
      'link_altered',
      async () => {
        await knex('audit_links')
          .where({ number: 3 })
          .update({ digest: Buffer.alloc(32) });
      },
    ],
  };
  it.each(Object.entries(cases))('%s', async (_, [kind, attack]) => {
    expect(await brokenBy()).toBeNull();
    await attack();
    expect(await brokenBy()).toBe(kind);
  });

  it('a chain rewritten as a whole, by a link noted before', async () => {
    const { head } = await verifyChain(knex);
    const [number, digest] = head.split(':') as [string, string];
    const noted = { number: Number(number), digest };
    expect((await verifyChain(knex, noted)).broken).toBeNull();
    await oneOfMinute(30).delete();
    await knex('audit_links').delete();
    await knex('audit_chain').update({ last_number: 0, last_minute: 0, last_digest: Buffer.alloc(32) });
    await link();
    expect((await verifyChain(knex)).broken).toBeNull();
    expect((await verifyChain(knex, noted)).broken).toMatchObject({ kind: 'head_differs' });
  });

  it('a missing link when the next link is made, so that the chore fails', async () => {
    await knex('audit_links').where({ number: 5 }).delete();
    await expect(linkMinutes(knex)).rejects.toThrow('instead of 5; run carat audit verify');
  });
});

it('the chain stays whole when addresses and personal data of members are erased', async () => {
  const member = { id: randomUUID(), node_id, created_at: 'x', updated_at: 'y' };
  await knex('audit_log').insert(
    entry({
      id: knex.raw("uuidv7(interval '-20 minutes')"),
      action: 'member.updated',
      before: JSON.stringify({ ...member, name: 'Ada', email: 'ada@example.com' }),
      after: JSON.stringify({ ...member, name: 'Ada L.', email: 'ada@example.com' }),
    }),
  );
  await link();
  await knex('audit_log').update({ address: null, before: JSON.stringify(member), after: JSON.stringify(member) });
  expect(await brokenBy()).toBeNull();
  await knex('audit_log').update({ after: JSON.stringify({ ...member, id: randomUUID() }) });
  expect(await brokenBy()).toBe('entries_altered');
});

it('a minute waits for a transaction that began in it and commits late, and for none that began later', async () => {
  // Closed minutes put the entries into one that the clock cannot end meanwhile.
  const minute = (await thisMinute()) + 6;
  await knex('audit_chain').update({ closed: minute - 1 });
  const late = await knex.transaction();
  await late('audit_log').insert(entry());
  await knex('audit_log').insert(entry());
  await knex('audit_chain').update({ closed: minute });
  await knex('audit_log').insert(entry());
  await link();
  expect(await verifyChain(knex)).toMatchObject({ links: 0, broken: null });
  await late.commit();
  await link();
  const verdict = await verifyChain(knex);
  expect(verdict).toMatchObject({ links: 1, entries: 2, unlinked: 1, broken: null });
  expect(verdict.from).toEqual(new Date(minute * 60_000));
});

it('an entry of a minute that has ended, or of a clock that went back, gets a later minute', async () => {
  await storeOld([1]);
  const minute = await thisMinute();
  await knex('audit_chain').update({ closed: minute + 5 });
  await knex('audit_log').insert([entry(), entry()]);
  await link();
  const ids = await knex('audit_log')
    .where('id', '>=', idOf(minute + 6))
    .where('id', '<', idOf(minute + 7));
  expect(ids).toHaveLength(2);
  expect(await verifyChain(knex)).toMatchObject({ links: 1, entries: 3, unlinked: 2, broken: null });
});

it('the chain leaves out entries that were rolled back, and links each concurrent transaction as a whole', async () => {
  const stop = new AbortController();
  const isDone = (): boolean => stop.signal.aborted;
  const write = async (): Promise<void> => {
    while (!isDone()) {
      const trx = await knex.transaction();
      await trx('audit_log').insert([entry(), entry()]);
      await (Math.random() < 0.2 ? trx.rollback() : trx.commit());
    }
  };
  const linking = async (): Promise<void> => {
    while (!isDone()) {
      // Each pass ends a minute at once, so that minutes end while entries are written.
      await knex.raw('UPDATE audit_chain SET closed = closed + 1');
      await linkMinutes(knex);
    }
  };
  const work = Promise.all([write(), write(), write(), write(), linking(), linking(), linking()]);
  await eventually(async () => (await knex('audit_links')).length > 30, 20_000);
  stop.abort();
  await work;
  await knex.raw('UPDATE audit_chain SET closed = closed + 10');
  await link();
  expect(await verifyChain(knex)).toMatchObject({ broken: null, unlinked: 0 });
});

it('the chain begins after the entries deleted by age, and says so', async () => {
  await storeOld([5_000, 4_000, 3_000, 2_000, 10]);
  await link();
  const before = await verifyChain(knex);
  expect(await forgetEntries(knex, 2)).toBe(9);
  const after = await verifyChain(knex);
  expect(after).toMatchObject({ broken: null, links: 2, entries: 6, forgotten: 3, head: before.head });
  expect(await forgetEntries(knex, 2)).toBe(0);
  await storeOld([1]);
  await link();
  expect(await verifyChain(knex)).toMatchObject({ broken: null, links: 3 });
  await storeOld([4_500], 1);
  expect(await brokenBy()).toBe('entries_added');
  expect(await forgetEntries(knex, 1)).toBe(4);
});

it('the chain goes on when all its links were deleted by age', async () => {
  await storeOld([5_000, 4_000]);
  await link();
  await forgetEntries(knex, 1);
  await storeOld([10]);
  await link();
  expect(await verifyChain(knex)).toMatchObject({
    broken: null,
    links: 1,
    entries: 3,
    forgotten: 2,
    head: expect.stringMatching(/^3:/),
  });
});

it('the exit code of carat audit verify tells whether the chain is whole', async () => {
  await createChain();
  const env = { CARAT_DATABASE_URL: url };
  const run = (...args: string[]) => caratHere(['audit', ...args], env);
  const whole = await run('verify');
  expect(whole).toMatchObject({ code: 0, err: '' });
  expect(whole.out).toMatch(/^5 links prove 15 entries from .*\n0 entries are not linked yet\nhead 5:[0-9a-f]{64}\n$/);
  const [, head = ''] = /head (\S+)/.exec(whole.out)!;
  expect(await run('verify', '--head', head)).toMatchObject({ code: 0 });
  expect(await run('verify', '--head', '5:abc')).toMatchObject({
    code: 2,
    err: expect.stringContaining('NUMBER:DIGEST'),
  });
  expect(await run('forget')).toMatchObject({ code: 2 });
  expect(await run('forget', '30')).toMatchObject({
    code: 0,
    out: expect.stringContaining('nothing changed'),
  });
  await oneOfMinute(30).delete();
  const json = await run('verify', '--json');
  expect([json.code, (JSON.parse(json.out) as { broken: object }).broken]).toEqual([
    1,
    expect.objectContaining({ kind: 'entries_removed' }),
  ]);
  expect(await run('verify')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^BROKEN: 1 entries of .* UTC were removed\n/),
  });
  expect(await run('forget', '1')).toMatchObject({
    code: 1,
    err: expect.stringContaining('nothing was deleted'),
  });
});

describe('the role of the processes', () => {
  let app: Knex;
  let appUrl: URL;

  beforeEach(async () => {
    appUrl = new URL(url);
    [appUrl.username, appUrl.password] = [`app_${randomUUID().slice(0, 8)}`, 'secret'];
    await grantRole(url, appUrl.href);
    app = knexFactory({ client: 'pg', connection: appUrl.href, pool: { min: 0, max: 2 } });
    await storeOld([40, 30]);
    await link(app);
  });
  afterEach(async () => {
    await app.destroy();
    await knex.raw('DROP OWNED BY ??', [appUrl.username]);
    await knex.raw('DROP ROLE ??', [appUrl.username]);
  });

  const verify = (...args: string[]) => caratHere(['audit', 'verify', ...args], { CARAT_DATABASE_URL: appUrl.href });

  /** The owner of the database lets everybody make temporary objects, as PostgreSQL does by default. */
  const allowTemporary = () => knex.raw('GRANT TEMPORARY ON DATABASE ?? TO PUBLIC', [appUrl.pathname.slice(1)]);

  /**
   * SQL of types and casts that would, if they were found, make `uuid` a type of the session, and each id the one of
   * `id`.
   */
  const otherIds = (id: string): string =>
    `CREATE TYPE pg_temp.uuid AS ENUM ('x');
     CREATE FUNCTION pg_temp.into(pg_catalog.uuid) RETURNS pg_temp.uuid LANGUAGE sql AS $$ SELECT 'x'::pg_temp.uuid $$;
     CREATE FUNCTION pg_temp.out_of(pg_temp.uuid) RETURNS pg_catalog.uuid LANGUAGE sql AS $$ SELECT ${id} $$;
     CREATE CAST (pg_catalog.uuid AS pg_temp.uuid) WITH FUNCTION pg_temp.into(pg_catalog.uuid) AS IMPLICIT;
     CREATE CAST (pg_temp.uuid AS pg_catalog.uuid) WITH FUNCTION pg_temp.out_of(pg_temp.uuid) AS IMPLICIT;`;

  it('can link entries, and verify them', async () => {
    await app('audit_log').insert(entry());
    expect(await verifyChain(app)).toMatchObject({ links: 2, entries: 6, unlinked: 1, late: 0, broken: null });
    expect(await verify()).toMatchObject({ code: 0, out: expect.not.stringContaining('LATE') });
  });

  const refused: Record<string, () => Promise<unknown>> = {
    'changes an entry': () => app('audit_log').update({ created_at: new Date() }),
    'removes an entry': () => app('audit_log').delete(),
    'adds an entry with an id of its own': () =>
      app('audit_log').insert(entry({ id: `00000000-0000-7000-8000-${randomUUID().slice(24)}` })),
    'adds an entry with a time of its own': () => app('audit_log').insert(entry({ created_at: new Date(0) })),
    'changes a link': () => app('audit_links').update({ entries: 2 }),
    'removes a link': () => app('audit_links').delete(),
    'adds a link with a time of its own': () =>
      app('audit_links').insert({
        number: 9,
        minute: 9,
        entries: 1,
        entries_digest: '',
        digest: '',
        created_at: new Date(0),
      }),
    'moves the beginning of the chain': () => app('audit_chain').update({ forgotten_number: 1 }),
    'removes the end of the chain': () => app('audit_chain').delete(),
  };
  it.each(Object.entries(refused))('%s: refused', async (_, attack) => {
    await expect(attack()).rejects.toThrow('permission denied');
  });

  const linkOf = async (number: number) => {
    const columns = ['number', 'minute', 'entries', 'entries_digest', 'digest'];
    return (await app('audit_links').where({ number }).first<Record<string, unknown> | undefined>(columns))!;
  };

  it('cannot replace a link, or link a minute out of turn or before its end', async () => {
    const [first, minute] = [await linkOf(1), await thisMinute()];
    await app('audit_log').insert(entry());
    await storeOld([20, 10], 1);
    for (const more of [{}, { number: 9 }, { minute: 9 }, { minute }, { minute: minute - 10 }]) {
      await expect(app('audit_links').insert({ ...first, ...more })).rejects.toThrow('is not the next finished one');
    }
    await link(app);
    expect(await verifyChain(app)).toMatchObject({ links: 4, entries: 8, unlinked: 1, broken: null });
  });

  it('links a finished minute with its entries, whatever an insert claims or a temporary table has', async () => {
    await allowTemporary();
    await storeOld([20], 1);
    const { minute } = (
      await knex.raw<{ rows: [{ minute: string }] }>(
        `SELECT (extract(epoch FROM uuid_extract_timestamp(id))::bigint / 60) AS minute FROM audit_log ORDER BY id DESC LIMIT 1`,
      )
    ).rows[0];
    await app.transaction(async (trx) => {
      await trx.raw('CREATE TEMPORARY TABLE audit_log (LIKE public.audit_log) ON COMMIT DROP');
      const lie = { number: 9, entries: 0, entries_digest: Buffer.alloc(32), digest: Buffer.alloc(32) };
      await trx('audit_links').insert({ ...lie, minute });
    });
    expect(await linkOf(3)).toMatchObject({ minute, entries: 1 });
    expect(await verifyChain(app)).toMatchObject({ links: 3, broken: null });
    // It was not noted as the end of the chain.
    await storeOld([15], 1);
    await link(app);
    expect(await verifyChain(app)).toMatchObject({ links: 4, broken: null });
  });

  it('cannot link a minute while a transaction that wrote an entry in it is open', async () => {
    const minute = (await thisMinute()) + 6;
    await knex('audit_chain').update({ closed: minute - 1 });
    const late = await knex.transaction();
    await late('audit_log').insert(entry());
    await app('audit_log').insert(entry());
    await knex('audit_chain').update({ closed: minute });
    await expect(app('audit_links').insert({ minute })).rejects.toThrow('is not the next finished one');
    await late.commit();
    await link(app);
    expect(await verifyChain(app)).toMatchObject({ links: 3, entries: 8, broken: null });
  });

  it('cannot move the end of the chain or the finished minutes', async () => {
    const end = { last_number: 999, last_minute: app.raw('last_minute + 50000000'), last_digest: Buffer.alloc(32) };
    const chain = () => knex('audit_chain').select('closed', 'last_number', 'last_minute', 'last_digest').first();
    const before = await chain();
    for (const closed of [0, app.raw('closed')]) {
      await app('audit_chain').update({ ...end, closed });
      expect(await chain()).toEqual(before);
    }
    await app('audit_chain').update({ closed: app.raw('closed + 50000000') });
    expect(Number((await chain()).closed)).toBeLessThan(await thisMinute());
    await app('audit_log').insert(entry());
    await storeOld([20]);
    await link(app);
    expect(await verifyChain(app)).toMatchObject({ links: 3, entries: 9, unlinked: 1, broken: null });
  });

  it('cannot make temporary objects', async () => {
    await expect(app.raw('CREATE TEMPORARY TABLE audit_chain (closed bigint)')).rejects.toThrow('permission denied');
    await expect(app.raw(`CREATE TYPE pg_temp.uuid AS ENUM ('x')`)).rejects.toThrow('permission denied');
  });

  const temporary: Record<string, string> = {
    'a table': 'CREATE TEMPORARY TABLE audit_chain AS SELECT closed + 1000 AS closed FROM audit_chain',
    'types and casts that give an id of two hours ago': `CREATE TEMPORARY TABLE audit_chain AS SELECT 0::bigint AS closed; ${otherIds(`pg_catalog.uuidv7(interval '-2 hours')`)}`,
    'types and casts that give another id than the one whose minute is locked': `CREATE TEMPORARY SEQUENCE calls; ${otherIds(
      `CASE WHEN nextval('pg_temp.calls') = 1 THEN pg_catalog.uuidv7(interval '100 days') ELSE pg_catalog.uuidv7(interval '5 minutes') END`,
    )}`,
  };
  it.each(Object.entries(temporary))('cannot add an entry to another time by temporary objects: %s', async (_, sql) => {
    await allowTemporary();
    const minute = await thisMinute();
    // Its temporary objects are those of one session.
    const session = knexFactory({ client: 'pg', connection: appUrl.href, pool: { min: 1, max: 1 } });
    try {
      await session.raw(sql);
      await session('audit_log').insert(entry());
      const { rows } = await knex.raw<{ rows: [{ minute: number }] }>(
        'SELECT (extract(epoch FROM uuid_extract_timestamp(id))::bigint / 60)::float8 AS minute FROM audit_log ORDER BY created_at DESC LIMIT 1',
      );
      expect([minute, minute + 1]).toContain(rows[0].minute);
      const { rows: locks } = await knex.raw<{ rows: object[] }>(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      expect(locks).toEqual([]);
    } finally {
      await session.destroy();
    }
  });

  it('cannot make a link from an older snapshot, which lacks entries', async () => {
    const minute = (await thisMinute()) - 5;
    await knex('audit_chain').update({ closed: minute + 6 });
    const late = await knex.transaction();
    await late('audit_log').insert(entry());
    await knex('audit_log').insert(entry());
    await knex('audit_chain').update({ closed: minute + 8 });
    const older = await app.transaction({ isolationLevel: 'repeatable read' });
    await older('audit_log').count();
    await late.commit();
    await expect(older.raw('INSERT INTO audit_links DEFAULT VALUES')).rejects.toThrow('this one is repeatable read');
    await older.rollback();
    await link(app);
    expect(await verifyChain(app)).toMatchObject({ links: 3, entries: 8, broken: null });
  });

  it('links entries under any default isolation of the role', async () => {
    await knex.raw(`ALTER ROLE ?? SET default_transaction_isolation = 'serializable'`, [appUrl.username]);
    await storeOld([20]);
    const worker = knexFactory({ client: 'pg', connection: appUrl.href, pool: { min: 0, max: 1 } });
    try {
      await link(worker);
    } finally {
      await worker.destroy();
    }
    expect(await verifyChain(app)).toMatchObject({ links: 3, broken: null });
  });

  it('cannot hide a link that the owner has removed', async () => {
    await knex('audit_links').where({ number: 2 }).delete();
    await app('audit_chain').update({ last_number: 1 });
    expect((await verifyChain(app)).broken).toMatchObject({ kind: 'link_removed' });
    await expect(linkMinutes(app)).rejects.toThrow('instead of 2; run carat audit verify');
  });

  it('can prevent all linking, which carat audit verify reports', async () => {
    const holder = await app.transaction();
    await holder.raw('SELECT FROM audit_chain FOR UPDATE');
    await storeOld([20, 14], 1);
    await storeOld([2], 1);
    await link();
    const { code, out } = await verify();
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('3 entries are not linked yet\nLATE: 2 of them are older than 12 minutes'),
    ]);
    await holder.rollback();
    await link();
    expect(await verify()).toMatchObject({ code: 0 });
  });
});

it('the verification finds an entry from before all others', async () => {
  await createChain();
  await knex('audit_log').insert(entry({ id: `00000000-0000-7000-8000-${randomUUID().slice(24)}` }));
  await link();
  expect(await brokenBy()).toBe('entries_added');
});

it('the verification finds an entry from before the chain, even if nothing was deleted by age', async () => {
  await createChain();
  await knex('audit_chain').update({ forgotten_minute: knex.raw('(SELECT min(minute) - 1 FROM audit_links)') });
  await storeOld([4_320], 1);
  expect(await brokenBy()).toBe('entries_added');
});
