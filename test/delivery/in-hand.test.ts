import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { Webhook } from 'standardwebhooks';
import { closePending } from '../../db/webhooks/deliveries.ts';
import { deleteWebhook, rotateSigningSecret, updateWebhook } from '../../db/webhooks/webhooks.ts';
import { createRenew, FRESH_MS } from '../../delivery/attempt.ts';
import type { DueDelivery } from '../../domain/ports/deliveries.ts';
import { credentialsContext, signingSecretContext } from '../../domain/webhook.ts';
import { createPassing } from '../support/clock.ts';
import { move, startDelivering } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { createPaymentRow, createWorld, type World } from '../support/fixtures.ts';
import { ok, startReceiver, type Answers, type Received, type Receiver } from '../support/receiver.ts';
import { createWebhookRow, newSecret, testEncryption } from '../support/webhooks.ts';

/* Changes that a merchant makes while deliveries are in hand, behind others to a slow receiver. */

// The receiver holds deliveries for longer than the short timeouts of tests allow on a busy machine.
const { knex, delivering } = await startDelivering('production');
const [before, after] = [newSecret(), newSecret()];
let world: World;
let one: Receiver;
let other: Receiver;
let webhookId: string;

beforeEach(async () => {
  world = await createWorld(knex);
  [one, other] = await Promise.all([startReceiver(), startReceiver()]);
  webhookId = await createWebhookRow(knex, world, one.origin, { secret: before });
});

afterEach(() => Promise.all([one.close(), other.close()]));

const EVENTS = 24;
/**
 * The number of the first four deliveries that the receiver takes at once: as many more follow, and as many wait behind
 * those.
 */
const TAKEN = 3;
const UNDER_WAY = 4 + TAKEN;
const TO_BE_SENT = EVENTS - TAKEN - UNDER_WAY;

const isSignedBy = (secret: string, { body, headers }: Received): boolean => {
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>) !== undefined;
  } catch {
    return false;
  }
};

/** A receiver that takes the first deliveries, and holds the next until `goOn`. */
const holdSome = () => {
  const held: (() => void)[] = [];
  const answer: Answers = (request, response, socket) => {
    if (one.received.length <= TAKEN) ok(request, response, socket);
    else held.push(() => ok(request, response, socket));
  };
  one.answer(answer);
  const goOn = (): void => {
    one.answer(ok);
    for (const end of held) end();
  };
  return { held, goOn };
};

/**
 * Changes the webhook once some deliveries are in flight and others wait; lets its receiver go on when the
 * configuration that was read is old.
 */
const changeMeanwhile = async (change: (trx: Knex.Transaction) => Promise<unknown>): Promise<void> => {
  const { held, goOn } = holdSome();
  await eventually(() => held.length === UNDER_WAY);
  await knex.transaction(change);
  await delay(FRESH_MS);
  goOn();
};

const ended = async () => (await delivering.states(webhookId)).every((state) => state !== 'pending');

/** Sends by each of the two loops. */
const loops = {
  'first attempts': async (change: Promise<void>) => {
    let isChanged = false;
    void change.then(() => (isChanged = true));
    await delivering.sendUntil(async () => isChanged && (await ended()));
    await change;
  },
  retries: async (change: Promise<void>) => {
    await knex('webhook_deliveries').where({ webhook_id: webhookId }).update({ attempts: 1 });
    await delivering.retry(webhookId);
    await change;
  },
};

const changes = {
  'moved with other credentials': (trx: Knex.Transaction) =>
    updateWebhook(trx, webhookId, {
      host: other.origin,
      error_path: '/elsewhere',
      encrypted_credentials: testEncryption.encrypt(
        credentialsContext(webhookId),
        JSON.stringify({ type: 'token', token: 'another' }),
      ),
    }),
  'given another secret twice': async (trx: Knex.Transaction) => {
    for (const secret of [newSecret(), after]) {
      await rotateSigningSecret(trx, webhookId, testEncryption.encrypt(signingSecretContext(webhookId), secret));
    }
  },
  disabled: async (trx: Knex.Transaction) => {
    await updateWebhook(trx, webhookId, { is_active: false });
    await closePending(trx, webhookId, 'skipped');
  },
  deleted: async (trx: Knex.Transaction) => {
    await deleteWebhook(trx, webhookId);
    await closePending(trx, webhookId, 'canceled');
  },
};

describe.each(Object.entries(loops))('a delivery in hand of %s', (_name, send) => {
  const run = async (change: (trx: Knex.Transaction) => Promise<unknown>): Promise<void> => {
    for (let made = 0; made < EVENTS; made += 1) await move(knex, (await createPaymentRow(knex, world)).id);
    await send(changeMeanwhile(change));
  };

  it("goes to the webhook's new address, with its new credentials", async () => {
    await run(changes['moved with other credentials']);
    expect(one.received).toHaveLength(TAKEN + UNDER_WAY);
    expect(other.received).toHaveLength(TO_BE_SENT);
    const said = other.received.map(({ path, headers }) => [path, headers.authorization]);
    expect(said).toEqual(said.map(() => ['/elsewhere', 'Bearer another']));
    expect(await delivering.states(webhookId)).toEqual(Array(EVENTS).fill('delivered'));
  });

  it("is signed with the webhook's new secret", async () => {
    await run(changes['given another secret twice']);
    expect(one.received.filter((request) => isSignedBy(before, request))).toHaveLength(TAKEN + UNDER_WAY);
    expect(one.received.filter((request) => isSignedBy(after, request))).toHaveLength(TO_BE_SENT);
  });

  it.each([
    ['disabled', 'skipped'],
    ['deleted', 'canceled'],
  ] as const)('is not sent when the webhook is %s', async (name, state) => {
    await run(changes[name]);
    expect(one.received).toHaveLength(TAKEN + UNDER_WAY);
    // Deliveries in flight have arrived, and are recorded so.
    const rows = await delivering.rows(webhookId);
    const untold = rows.filter(({ tries }) => tries.length === 0);
    expect(untold.map((row) => row.state)).toEqual(Array(TO_BE_SENT).fill(state));
    expect(rows.filter((row) => row.state === 'delivered')).toHaveLength(TAKEN + UNDER_WAY);
  });
});

it('a delivery not yet begun at the end of a run is left to the next run, and sent once', async () => {
  for (let made = 0; made < EVENTS; made += 1) await move(knex, (await createPaymentRow(knex, world)).id);
  const { held, goOn } = holdSome();
  await delivering.sendUntil(() => {
    if (held.length < UNDER_WAY) return false;
    setImmediate(goOn);
    return true;
  });
  expect(one.received).toHaveLength(TAKEN + UNDER_WAY);
  expect((await delivering.states(webhookId)).filter((state) => state === 'pending')).toHaveLength(TO_BE_SENT);
  await delivering.sendUntil(ended);
  expect(new Set(one.received.map(({ headers }) => headers['webhook-id'])).size).toBe(EVENTS);
  expect(one.received).toHaveLength(EVENTS);
});

it('the age of a configuration counts from its query, however late the answer is read', async () => {
  await knex('webhook_configurations').where({ id: webhookId }).update({ failing_since: new Date() });
  await move(knex, (await createPaymentRow(knex, world)).id);
  const pass = createPassing();
  let answered = Infinity;
  // The process has something else to do when the answer comes.
  knex.once('query-response', () => {
    answered = performance.now();
    pass(FRESH_MS);
  });
  const [due] = await delivering.store.dueOf(webhookId, [], 1);
  mock.restoreAll();
  expect(due!.receiver.readAt).toBeLessThanOrEqual(answered);
});

it('a configuration is read again when it is a second old, with all others of its age in one statement', async () => {
  const asked: (readonly string[])[] = [];
  const reread = async (ids: readonly string[]): Promise<readonly DueDelivery[]> => {
    asked.push(ids);
    return [];
  };
  const renew = createRenew({ reread, beginTests: async () => [] });
  const due = (id: string, age: number) =>
    ({ id, isTest: false, receiver: { readAt: performance.now() - age } }) as DueDelivery;
  const fresh = due('fresh', 0);
  expect(await renew(fresh)).toBe(fresh);
  expect(asked).toEqual([]);
  expect(await Promise.all(['one', 'two'].map((id) => renew(due(id, FRESH_MS))))).toEqual([null, null]);
  expect(asked).toEqual([['one', 'two']]);
});
