import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { closeWhatIsOver } from '../../../db/alerts/over.ts';
import { connect } from '../../../db/connection.ts';
import {
  forgetHolder,
  hasHolders,
  HOLDER_SECONDS,
  keysWithoutHolder,
  renewHolder,
  type NamedKey,
} from '../../../db/lane/holders.ts';
import { endKeyless, alertKeyless } from '../../../db/lane/keyless.ts';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { recordLife } from '../../../db/processes/processes.ts';
import { createPatience } from '../../../db/query/errors.ts';
import { requestDeployment } from '../../../db/wallets/request-deployment.ts';
import { holdKeys, keyTimes } from '../../../workers/keys.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { createPaymentRow, createWorld, hex, type World } from '../../support/fixtures.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';

let url: string;
let knex: Knex;
let world: World;
let keys: { operator: string; upgrader: string };
let worker: string;

beforeAll(async () => {
  ({ url } = await createTestDatabase());
  knex = connect(url, { pool: 4 });
});
afterAll(() => knex.destroy());
beforeEach(async () => {
  await knex('key_holders').delete();
  keys = { operator: hex(20), upgrader: hex(20) };
  world = await createWorld(knex, { operatorAddress: keys.operator, upgraderAddress: keys.upgrader });
  worker = randomUUID();
});

const askTemporal = () => Promise.resolve();
const keyless = async (): Promise<NamedKey[]> =>
  (await keysWithoutHolder(knex)).filter(({ networkId }) => networkId === world.networkId);
const addressesWithout = async (): Promise<string[]> => (await keyless()).map(({ address }) => address);
const alerts = () => knex('alerts').where({ network_id: world.networkId }).orderBy('id');
const ageBy = (seconds: number) =>
  knex('key_holders').update({ seen_at: knex.raw(`clock_timestamp() - interval '${seconds} seconds'`) });

describe('a key', () => {
  it('has a holder while a worker renews it, and none once that worker has stopped or fallen silent', async () => {
    expect(await hasHolders(knex)).toBe(false);
    expect(await addressesWithout()).toEqual([keys.operator, keys.upgrader]);
    await renewHolder(knex, worker, [keys.operator]);
    expect([await hasHolders(knex), await addressesWithout()]).toEqual([true, [keys.upgrader]]);
    await ageBy(HOLDER_SECONDS);
    expect([await hasHolders(knex), (await addressesWithout()).length]).toEqual([false, 2]);
    await renewHolder(knex, worker, [keys.operator, keys.upgrader]);
    expect(await addressesWithout()).toEqual([]);
    await forgetHolder(knex, worker);
    expect((await addressesWithout()).length).toBe(2);
  });

  it('is held by the other worker while one starts anew; the row of a dead worker is deleted', async () => {
    const other = randomUUID();
    await renewHolder(knex, worker, [keys.operator]);
    await ageBy(HOLDER_SECONDS);
    await renewHolder(knex, other, [keys.operator]);
    expect(await knex('key_holders').pluck('worker_id')).toEqual([other]);
    await renewHolder(knex, worker, [keys.operator]);
    await forgetHolder(knex, other);
    expect(await addressesWithout()).toEqual([keys.upgrader]);
  });

  it('is renewed while the dead row of another worker is locked: two that were silent at once never wait for each other', async () => {
    await renewHolder(knex, randomUUID(), [keys.operator]);
    await ageBy(HOLDER_SECONDS);
    const other = await knex.transaction();
    await other('key_holders').where({ address: keys.operator }).forUpdate();
    try {
      await knex.transaction(async (trx) => {
        await trx.raw(`SET LOCAL lock_timeout = '500ms'`);
        await renewHolder(trx, worker, [keys.operator]);
      });
    } finally {
      await other.rollback();
    }
    expect(await addressesWithout()).toEqual([keys.upgrader]);
    await renewHolder(knex, worker, [keys.operator]);
    expect(await knex('key_holders').pluck('worker_id')).toEqual([worker]);
  });

  it('is held by a worker whose database gives it no connection in time at first', async () => {
    const proxy = await createTcpProxy();
    const late = connect(proxy.through(url), { pool: 2, role: 'worker' });
    let warnings = 0;
    const warn = (): void => {
      warnings += 1;
      proxy.cut();
      proxy.mend();
    };
    const log = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };
    const patiently = createPatience({ ...log, warn });
    const keystore = { addresses: [keys.upgrader] };
    proxy.freeze();
    try {
      const holding = await holdKeys({ knex: late, keystore, askTemporal, profile: 'test', patiently, log });
      expect(await knex('key_holders').pluck('address')).toEqual([keys.upgrader]);
      expect(warnings).toBe(1);
      await holding.end();
    } finally {
      await late.destroy();
      await proxy.close();
    }
  });

  it('stays held while the search for keys without a holder takes long', async () => {
    const { id } = await createPaymentRow(knex, world);
    await insertDealIntents(knex, [id]);
    const keystore = { addresses: [keys.upgrader] };
    const log = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };
    const holding = await holdKeys({
      knex,
      keystore,
      askTemporal,
      profile: 'test',
      patiently: createPatience(log),
      log,
    });
    const stop = new AbortController();
    const open = await knex.transaction();
    await open('payments').where({ id }).forUpdate();
    const kept = holding.keep(stop.signal);
    const seen = async () => (await knex('key_holders').where({ address: keys.upgrader }).first('seen_at')).seen_at;
    try {
      await eventually(async () => {
        const waits =
          'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0';
        return (await knex.raw<{ rows: unknown[] }>(waits)).rows.length > 0;
      });
      const before: Date = await seen();
      await eventually(async () => (await seen()) > before, 10_000);
    } finally {
      await open.rollback();
      stop.abort();
      await kept;
      await holding.end();
    }
    expect(await knex('payments').where({ id }).pluck('status_detail')).toEqual(['key_missing']);
  });

  it.each([
    ['before', 3_000, true],
    ['since', 9_000, false],
  ])(
    'is renewed by a worker that Temporal does not answer if it answered others only %s then',
    async (_when, silentMs, isKept) => {
      await knex('processes').delete();
      await recordLife(knex, { id: randomUUID(), kind: 'worker', name: '1@there' }, true);
      await knex('processes').update({ temporal_at: knex.raw(`clock_timestamp() - interval '6 seconds'`) });
      await renewHolder(knex, worker, [keys.operator], silentMs);
      expect(await addressesWithout()).toEqual(isKept ? [keys.upgrader] : [keys.operator, keys.upgrader]);
      await knex('processes').delete();
    },
  );

  it.each([
    ['no longer counts as held while Temporal answers another worker', true, ['key_missing']],
    ['counts as held while Temporal answers no worker', false, []],
  ])('of a worker that Temporal does not answer %s', async (_, isThere, raised) => {
    const { id } = await createPaymentRow(knex, world);
    await insertDealIntents(knex, [id]);
    await knex('processes').delete();
    const there = { id: randomUUID(), kind: 'worker', name: '1@there' } as const;
    await recordLife(knex, there, isThere);
    const log = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };
    const stop = new AbortController();
    let looks = 0;
    const hold = async (addresses: readonly string[], asked: () => Promise<void>) => {
      const deps = {
        knex,
        keystore: { addresses },
        askTemporal: asked,
        profile: 'test',
        patiently: createPatience(log),
        log,
      } as const;
      const holding = await holdKeys(deps);
      return { holding, kept: holding.keep(stop.signal) };
    };
    const refused = async (): Promise<void> => {
      looks += 1;
      await recordLife(knex, there, isThere);
      throw new Error('unreachable');
    };
    const both = [await hold([keys.upgrader], askTemporal), await hold([keys.operator], refused)];
    try {
      await eventually(async () => (await alerts()).length > 0 || (!isThere && looks > 8), 15_000);
      expect((await alerts()).map(({ kind }) => kind)).toEqual(raised);
    } finally {
      stop.abort();
      await Promise.all(both.map(({ kept }) => kept));
      await Promise.all(both.map(({ holding }) => holding.end()));
      await knex('processes').delete();
    }
  });

  it('that was dismissed needs a holder until its work is done', async () => {
    const payment = await createPaymentRow(knex, world);
    await insertDealIntents(knex, [payment.id]);
    await knex('signer_accounts').where({ id: world.operatorAccountId }).update({ dismissed_at: knex.fn.now() });
    expect(await addressesWithout()).toContain(keys.operator);
    await knex('tx_intents').where({ payment_id: payment.id }).update({ state: 'withdrawn' });
    expect(await addressesWithout()).toEqual([keys.upgrader]);
  });
});

describe('without a holder', () => {
  it('raises one alert, by name, and gives each payment in its lane a waiting reason, until a worker holds it', async () => {
    const payments = await Promise.all(Array.from({ length: 3 }, () => createPaymentRow(knex, world)));
    const ids = payments.map(({ id }) => id);
    await insertDealIntents(knex, ids);
    await renewHolder(knex, worker, [keys.upgrader]);
    const [key] = await keyless();
    const [told] = await alertKeyless(knex, key!);
    expect(told).toEqual({
      kind: 'key_missing',
      message: expect.stringContaining(`the operator ${keys.operator} on ${key!.network}`),
      data: { network: key!.network, role: 'operator', address: keys.operator },
    });
    expect(await alertKeyless(knex, key!)).toEqual([]);
    const details = () => knex('payments').whereIn('id', ids).distinct().pluck('status_detail');
    expect(await details()).toEqual(['key_missing']);
    expect(await endKeyless(knex)).toEqual([]);
    await closeWhatIsOver(knex);
    expect(await alerts()).toMatchObject([{ kind: 'key_missing', is_condition: true, closed_at: null }]);

    await renewHolder(knex, worker, [keys.operator]);
    expect(await endKeyless(knex)).toEqual([told]);
    expect([await details(), await endKeyless(knex)]).toEqual([[null], []]);
    expect(await alerts()).toMatchObject([{ kind: 'key_missing', closed_at: expect.any(Date), closed_by: null }]);
    const logged = await knex('payment_waits').whereIn('payment_id', ids).distinct('event_type', 'reason');
    expect(logged.map(({ event_type, reason }) => `${event_type} ${reason}`).toSorted()).toEqual([
      'waiting_ended key_missing',
      'waiting_started key_missing',
    ]);
  });

  it.each(['assigned', 'signed'])(
    'gives payments with a nonce in a slot that is %s the reason, too, until a worker holds it',
    async (state) => {
      const payment = await createPaymentRow(knex, world);
      await insertDealIntents(knex, [payment.id]);
      const request = { walletId: world.walletId, networkId: world.networkId, integrationId: null };
      const step = await requestDeployment(knex, request);
      const call = { purpose: 'deploy_facet', step_id: step!.id, to_address: hex(20), data: Buffer.alloc(4) };
      await knex('tx_intents').insert({ idempotency_key: randomUUID(), account_id: world.operatorAccountId, ...call });
      const slot = { account_id: world.operatorAccountId, nonce: 7, to_address: hex(20), data: Buffer.alloc(4) };
      const [{ id }] = await knex('tx_slots')
        .insert({ ...slot, gas_limit: 1, state })
        .returning('id');
      const own = { account_id: world.operatorAccountId };
      await knex('tx_intents').where(own).update({ state: 'assigned', slot_id: id });
      const shown = async () => [
        await knex('payments').where({ id: payment.id }).pluck('status_detail'),
        await knex('tx_intents').where({ step_id: step!.id }).pluck('waiting'),
      ];
      for (const key of await keyless()) await alertKeyless(knex, key);
      expect(await shown()).toEqual([['key_missing'], ['key_missing']]);
      await renewHolder(knex, worker, [keys.operator]);
      await endKeyless(knex);
      expect(await shown()).toEqual([[null], [null]]);
      const logged = await knex('payment_waits').where({ payment_id: payment.id }).orderBy('id').pluck('event_type');
      expect(logged).toEqual(['waiting_started', 'waiting_ended']);
    },
  );

  it('gives no reason once a worker holds it, however old the search is', async () => {
    const payment = await createPaymentRow(knex, world);
    await insertDealIntents(knex, [payment.id]);
    const [key] = await keyless();
    await renewHolder(knex, worker, [keys.operator]);
    expect(await alertKeyless(knex, key!)).toEqual([]);
    expect(await knex('payments').where({ id: payment.id }).pluck('status_detail')).toEqual([null]);
  });

  it('gives a step of a deployment the reason, too', async () => {
    const request = { walletId: world.walletId, networkId: world.networkId, integrationId: null };
    const step = await requestDeployment(knex, request);
    const call = { purpose: 'deploy_facet', step_id: step!.id, to_address: hex(20), data: Buffer.alloc(4) };
    const row = { idempotency_key: randomUUID(), account_id: world.upgraderAccountId, ...call };
    await knex('tx_intents').insert(row);
    for (const key of await keyless()) await alertKeyless(knex, key);
    expect(await knex('tx_intents').where({ step_id: step!.id }).pluck('waiting')).toEqual(['key_missing']);
  });

  it('gives the reason within 30 s and the alert within 60 s, by the times of production', () => {
    const { every, patience } = keyTimes.production;
    expect(HOLDER_SECONDS * 1_000 + every + patience + every).toBeLessThanOrEqual(30_000);
    // A worker that is busy for a moment does not count as dead.
    expect(HOLDER_SECONDS * 1_000).toBeGreaterThan(3 * every);
  });
});

describe('a new diamond', () => {
  const bind = async (): Promise<string> => {
    const [{ id }] = await knex('wallets')
      .insert({ node_id: world.nodeId, chain_id: world.chainId, name: 'w', address: hex(20) })
      .returning('id');
    await requestDeployment(knex, { walletId: id, networkId: world.networkId, integrationId: null });
    return (await knex('diamonds').where({ wallet_id: id }).first('operator_account_id')).operator_account_id;
  };
  const addOperator = async (row: Record<string, unknown> = {}): Promise<{ id: string; address: string }> => {
    const account = { network_id: world.networkId, role: 'operator', address: hex(20), ...row };
    const [{ id }] = await knex('signer_accounts').insert(account).returning('id');
    return { id, address: account.address };
  };

  it('goes to a lane whose key a worker holds, however few diamonds the other one has', async () => {
    const other = await addOperator();
    await renewHolder(knex, worker, [keys.operator]);
    expect(new Set([await bind(), await bind(), await bind()])).toEqual(new Set([world.operatorAccountId]));
    await renewHolder(knex, worker, [other.address]);
    expect(await bind()).toBe(other.id);
  });

  it('goes to a lane that is not paused', async () => {
    const paused = await addOperator({ status: 'paused' });
    await renewHolder(knex, worker, [keys.operator, paused.address]);
    expect(new Set([await bind(), await bind()])).toEqual(new Set([world.operatorAccountId]));
  });

  it('is bound while no worker runs, too, and moves no bound one', async () => {
    const before = await bind();
    const other = await addOperator();
    await renewHolder(knex, worker, [other.address]);
    await bind();
    expect(await knex('diamonds').where({ operator_account_id: before })).toHaveLength(2);
  });
});
