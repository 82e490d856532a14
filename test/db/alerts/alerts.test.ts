import { randomUUID } from 'node:crypto';
import knexFactory, { type Knex } from 'knex';
import { closeAlerts, endCondition, observe, raiseAlerts, observerOf } from '../../../db/alerts/alerts.ts';
import { watchChores } from '../../../db/alerts/chores.ts';
import { closeWhatIsOver, raiseOfWebhooks } from '../../../db/alerts/over.ts';
import { operatorWebhookId } from '../../../domain/alerts/alert.ts';
import type { ConditionKind } from '../../../domain/alerts/condition.ts';
import type { Alert, ConditionAlert } from '../../../domain/ports/alert.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type World } from '../../support/fixtures.ts';

let world: World;

const knex = knexFactory({ client: 'pg', connection: (await createTestDatabase()).url });
afterAll(() => knex.destroy());
beforeEach(async () => {
  world = await createWorld(knex);
});

const raise = (...alerts: Alert[]) => raiseAlerts(knex, world.networkId, alerts);
const haltOf = (subject: string) => ({ kind: 'network_halted', subject }) as const;
const halted = (subject: string): ConditionAlert => ({ ...haltOf(subject), message: 'halted' });
const incident = (subject: string): Alert => ({
  kind: 'deep_reorganisation',
  subject,
  message: 'deep',
  data: { depth: 9 },
});
const rows = () => knex('alerts').where({ network_id: world.networkId }).orderBy('id');
const openKinds = async () => (await rows()).filter(({ closed_at }) => closed_at === null).map(({ kind }) => kind);

/** A slot of the operator's account with one attempt, signed and sent. */
const insertSlot = async (error: string | null): Promise<string> => {
  const [{ id }] = await knex('tx_slots')
    .insert({
      account_id: world.operatorAccountId,
      nonce: 0,
      to_address: hex(20),
      data: Buffer.alloc(4),
      gas_limit: 100_000,
      state: 'signed',
    })
    .returning('id');
  await insertAttempt(id, 1, error);
  return id;
};
const insertAttempt = (slot_id: string, seq: number, last_error: string | null) => {
  const fees = { max_fee_per_gas: 1, max_priority_fee_per_gas: 1 };
  return knex('tx_attempts').insert({ slot_id, seq, tx_hash: hex(32), raw: Buffer.alloc(4), ...fees, last_error });
};

const insertWebhook = async (change: Record<string, unknown> = {}): Promise<string> => {
  const [{ id }] = await knex('webhook_configurations')
    .insert({
      wallet_id: world.walletId,
      network_id: world.networkId,
      host: `https://${randomUUID()}.example`,
      success_path: '/a',
      error_path: '/b',
      auth_type: 'token',
      encrypted_credentials: Buffer.from('a'),
      encrypted_signing_secret: Buffer.from('b'),
      ...change,
    })
    .returning('id');
  return id;
};

describe('an alert', () => {
  it('of an incident is raised once, even after it was closed; of a condition once for as long as it lasts', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    expect(await raise(incident(one), incident(one), halted(other))).toHaveLength(2);
    expect(await raise(incident(one), halted(other))).toEqual([]);
    expect(await endCondition(knex, haltOf(one))).toEqual([]);
    expect(await endCondition(knex, haltOf(other))).toEqual([{ kind: 'network_halted', message: 'halted', data: {} }]);
    expect(await endCondition(knex, haltOf(other))).toEqual([]);
    await closeAlerts(knex, 'a.subject_id = :one', { one }, 'somebody');
    expect(await raise(incident(one), halted(other))).toHaveLength(1);
    const told = (await rows()).map(({ kind, is_condition, closed_at, closed_by }) => [
      kind,
      is_condition,
      closed_at !== null,
      closed_by,
    ]);
    expect(told).toEqual([
      ['deep_reorganisation', false, true, 'somebody'],
      ['network_halted', true, true, null],
      ['network_halted', true, false, null],
    ]);
  });

  it('belongs to the node of its payment or diamond, and without one to the operator alone', async () => {
    const payment = await createPaymentRow(knex, world);
    const key = (): string => randomUUID();
    await raise(
      { kind: 'deal_conflict', subject: key(), message: 'taken', payment: payment.id },
      { kind: 'simulation_failed', subject: key(), message: 'no', diamond: world.diamondAddress.toLowerCase() },
      incident(key()),
    );
    expect((await rows()).map(({ node_id, payment_id }) => [node_id, payment_id])).toEqual([
      [world.nodeId, payment.id],
      [world.nodeId, null],
      [null, null],
    ]);
  });
});

describe('an observation', () => {
  const looked = { kind: 'certificate_ends', subject: 'public_url' } as const;
  const grade = (cause: 'soon' | 'ended', subject = looked.subject as string): ConditionAlert => ({
    kind: looked.kind,
    subject,
    cause,
    message: cause,
  });
  const openCauses = () =>
    knex('alerts')
      .where({ kind: looked.kind, closed_at: null })
      .orderBy(['subject_id', 'cause'])
      .select('subject_id', 'cause');

  it('raises the conditions that hold, and ends those among the looked at that do not', async () => {
    await observe(knex, looked, [grade('soon')]);
    await observe(knex, { ...looked, subject: 'temporal' }, [grade('soon', 'temporal')]);
    const { raised, over } = await observe(knex, looked, [grade('ended')]);
    expect([raised, over]).toMatchObject([[{ message: 'ended' }], [{ message: 'soon' }]]);
    expect(await openCauses()).toEqual([
      { subject_id: 'public_url', cause: 'ended' },
      { subject_id: 'temporal', cause: 'soon' },
    ]);
    expect(await observe(knex, looked, [grade('ended')])).toEqual({ raised: [], over: [] });
    // All subjects but those that are left out.
    await observe(knex, { kind: looked.kind, but: ['public_url'] }, []);
    expect(await openCauses()).toEqual([{ subject_id: 'public_url', cause: 'ended' }]);
    await observe(knex, looked, []);
    expect(await openCauses()).toEqual([]);
  });

  it('of a process in which nothing holds is written at first, and again only after one that held', async () => {
    await observe(knex, looked, [grade('soon')]);
    let statements = 0;
    const count = () => void (statements += 1);
    knex.on('query', count);
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const observed = observerOf(knex, log);
    try {
      // An earlier process has left it open.
      await observed(looked, []);
      expect([statements, await openCauses()]).toEqual([1, []]);
      statements = 0;
      await observed(looked, []);
      expect(statements).toBe(0);
      await observed(looked, [grade('ended')]);
      expect(await openCauses()).toHaveLength(1);
      await observed(looked, []);
      expect(await openCauses()).toEqual([]);
    } finally {
      knex.removeListener('query', count);
    }
  });
});

describe('an observer whose write was committed although its answer was lost', () => {
  const chore = { kind: 'chore_failing', subject: '1@here', cause: 'sweep' } as const;
  const lost = new Error('Connection terminated unexpectedly');
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const isOpen = async () =>
    (await knex('alerts').where({ kind: chore.kind, subject_id: chore.subject, closed_at: null })).length > 0;
  let isLost = false;
  const answer = <Result>(result: Result): Result => {
    if (isLost) throw lost;
    return result;
  };
  /** Loses the answer of what writes an alert, as a failover or a cut connection does. */
  const losing = new Proxy(knex, {
    get: (target, name) => {
      if (name === 'transaction')
        return async (work: (trx: Knex.Transaction) => Promise<unknown>) => answer(await target.transaction(work));
      if (name === 'raw')
        return async (sql: string, bindings: Record<string, Knex.Value> = {}) => {
          const result = await target.raw(sql, bindings);
          return sql.includes('INSERT INTO alerts') ? answer(result) : result;
        };
      return Reflect.get(target, name) as unknown;
    },
  });

  it('ends the alert once its condition does not hold', async () => {
    const observed = observerOf(losing, log);
    await observed(chore, []);
    isLost = true;
    await expect(observed(chore, [{ ...chore, message: 'it fails' }])).rejects.toBe(lost);
    isLost = false;
    expect(await isOpen()).toBe(true);
    await observed(chore, []);
    expect(await isOpen()).toBe(false);
  });

  it('as that of a chore which works again', async () => {
    const watch = watchChores(losing, { kind: 'worker', name: chore.subject }, log);
    await watch.worked(chore.cause);
    for (let failures = 1; failures <= 3; failures += 1) {
      isLost = failures === 3;
      await watch.failed(chore.cause, lost);
    }
    isLost = false;
    expect(await isOpen()).toBe(true);
    await watch.worked(chore.cause);
    expect(await isOpen()).toBe(false);
  });
});

describe('a condition ends', () => {
  const lane = (): string => world.operatorAccountId;
  const condition = (kind: ConditionKind, data = {}, cause?: string) =>
    ({ kind, subject: lane(), ...(cause === undefined ? {} : { cause }), message: kind, data }) as Alert;
  const over = async () => {
    await closeWhatIsOver(knex);
    return (await openKinds()).length === 0;
  };
  const wait = async (waiting: string | null) => {
    const { id } = await createPaymentRow(knex, world);
    const key = { idempotency_key: randomUUID(), account_id: lane(), payment_id: id };
    await knex('tx_intents').insert({ ...key, purpose: 'create_deal', waiting });
    return () => knex('tx_intents').where(key).update({ state: 'withdrawn' });
  };

  it('when the lane is resumed, and the watcher reads on', async () => {
    await knex('signer_accounts').where({ id: lane() }).update({ status: 'paused' });
    await knex('watch_cursors').insert({ network_id: world.networkId, status: 'halted' });
    await raise(condition('lane_paused'), halted(world.networkId));
    await closeWhatIsOver(knex);
    expect(await openKinds()).toEqual(['lane_paused', 'network_halted']);
    await knex('signer_accounts').where({ id: lane() }).update({ status: 'active' });
    await closeWhatIsOver(knex);
    expect(await openKinds()).toEqual(['network_halted']);
    await knex('watch_cursors').where({ network_id: world.networkId }).update({ status: 'active' });
    expect(await over()).toBe(true);
  });

  it('when the network is at rest, but not of its webhooks', async () => {
    const webhook_id = await insertWebhook({ failing_since: new Date(0) });
    await raiseOfWebhooks(knex);
    const keys = ['network_unreachable', 'registry_paused', 'plain_transfer', 'key_missing', 'role_missing'] as const;
    await raise(...keys.map((kind) => ({ kind, subject: world.networkId, message: kind })));
    await knex('stray_tokens').insert({
      network_id: world.networkId,
      token: world.networkId,
      diamond: hex(20),
      units: 1,
    });
    await knex('networks').where({ id: world.networkId }).update({ retired_at: new Date() });
    await closeWhatIsOver(knex);
    expect(await openKinds()).toEqual(expect.arrayContaining(['network_unreachable', 'registry_paused']));
    await knex('networks').where({ id: world.networkId }).update({ rested_at: new Date() });
    await closeWhatIsOver(knex);
    expect((await rows()).filter(({ closed_at }) => closed_at === null)).toMatchObject([
      { kind: 'webhook_failing', webhook_id },
    ]);
  });

  it('when the key of a paused lane has left the catalogue, and no work of it is left', async () => {
    await knex('signer_accounts').where({ id: lane() }).update({ status: 'paused', dismissed_at: new Date() });
    const withdraw = await wait('lane_paused');
    await raise(condition('lane_paused'));
    expect(await over()).toBe(false);
    await withdraw();
    expect(await over()).toBe(true);
  });

  it('when no queued intent and no slot waits for money', async () => {
    const withdraw = await wait('operator_underfunded');
    await wait(null);
    const slot = await insertSlot('insufficient_funds');
    await raise(condition('operator_underfunded'));
    expect(await over()).toBe(false);
    await withdraw();
    expect(await over()).toBe(false);
    await knex('tx_attempts').where({ slot_id: slot }).update({ last_error: null });
    expect(await over()).toBe(true);
  });

  it('when no queued intent waits for lower fees, and no slot lacks the fees of its next attempt', async () => {
    const withdraw = await wait('fees_above_ceiling');
    const slot = await insertSlot(null);
    await raise(condition('fees_above_ceiling', { slot_id: slot, attempt: 1 }));
    expect(await over()).toBe(false);
    await withdraw();
    expect(await over()).toBe(false);
    await insertAttempt(slot, 2, null);
    expect(await over()).toBe(true);
  });

  it('when no deal of the diamond waits for it', async () => {
    const withdraw = await wait('diamond_missing');
    const diamond = world.diamondAddress.toLowerCase();
    await raise(condition('simulation_failed', {}, diamond));
    expect(await over()).toBe(false);
    await withdraw();
    expect(await over()).toBe(true);
  });

  it('when a webhook succeeds, is active again, or is gone; it begins after a day of failures, or when it is disabled', async () => {
    const long = new Date(Date.now() - 25 * 3_600_000);
    const failing = await insertWebhook({ failing_since: long });
    const disabled = await insertWebhook({ is_active: false, disabled_reason: 'gone' });
    await insertWebhook({ failing_since: new Date() });
    await insertWebhook({ is_active: false });
    const raised = async () => {
      await raiseOfWebhooks(knex);
      await closeWhatIsOver(knex);
      const open = (await rows()).filter(({ closed_at }) => closed_at === null);
      return open.map(({ kind, webhook_id, node_id }) => [kind, webhook_id, node_id]);
    };
    const expected = [
      ['webhook_failing', failing, world.nodeId],
      ['webhook_disabled', disabled, world.nodeId],
    ];
    expect(new Set(await raised())).toEqual(new Set(expected));
    expect(await raised()).toHaveLength(2);
    await knex('webhook_configurations').where({ id: failing }).update({ failing_since: null });
    expect((await raised()).map(([kind]) => kind)).toEqual(['webhook_disabled']);
    const erased = { encrypted_credentials: null, encrypted_signing_secret: null };
    await knex('webhook_configurations')
      .where({ id: disabled })
      .update({ ...erased, deleted_at: new Date() });
    expect(await raised()).toEqual([]);
  });
});

it("the operator's webhook gets alerts from its creation on", async () => {
  const key = randomUUID();
  await raise(halted(randomUUID()));
  await insertWebhook({ id: operatorWebhookId, wallet_id: null, network_id: null });
  const events = () =>
    knex('webhook_deliveries AS d')
      .join('webhook_events AS e', 'e.id', 'd.event_id')
      .where({ webhook_id: operatorWebhookId })
      .orderBy('d.id')
      .select('e.type', 'e.snapshot', 'e.payment_id', 'd.state');
  await raise(halted(key), halted(key));
  await knex('webhook_configurations').where({ id: operatorWebhookId }).update({ is_active: false });
  await endCondition(knex, haltOf(key));
  const told = await events();
  expect(told.map(({ type, state, payment_id }) => [type, state, payment_id])).toEqual([
    ['alert.raised', 'pending', null],
    ['alert.closed', 'skipped', null],
  ]);
  expect(told[0].snapshot).toMatchObject({ kind: 'network_halted', network_id: world.networkId, closed_at: null });
  expect(told[1].snapshot.closed_at).not.toBeNull();
});
