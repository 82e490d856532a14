import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { payee } from '../support/api-under-test.ts';
import http from 'node:http';
import { createCaratClient } from '../../../client/client.ts';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import { connect } from '../../../db/connection.ts';
import { makeCredentials, storedCredentials } from '../../../api/auth/credentials.ts';
import { insertIntegration } from '../../../db/integrations/integrations.ts';
import { freePorts } from '../../../tools/process/ports.ts';
import type { RunningProcess } from '../../../tools/process/process.ts';
import { apiUrl, startApi } from '../../../tools/process/services.ts';
import { permissions } from '../../../domain/access.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createWorld, type World } from '../../support/fixtures.ts';
import { recordsOf, testStack } from '../../support/stack.ts';
import { testTemporal } from '../../support/temporal.ts';

/*
 * Many clients want the same payments at the same time. They talk to two processes, so the memory of a single process
 * cannot decide.
 */

/** Api processes on one database, with one merchant and its wallet. No worker, so payments stay pending. */
interface ApiService {
  readonly knex: Knex;
  readonly world: World;
  /** Of each process. */
  readonly ports: readonly number[];
  /** Starts a process that does not run, on its port, and waits until it is ready. */
  start(index: number): Promise<void>;
  /** SIGKILL; settles when the process is gone. */
  kill(index: number): Promise<void>;
  /** A bearer token of a new integration that may do everything; needs a process that runs. */
  token(): Promise<string>;
  stop(): Promise<void>;
}

/** Prepares database and merchant; nothing runs yet. */
const createApiService = async (processes: number): Promise<ApiService> => {
  const { dir } = testStack();
  const stateDir = path.join(dir, `service-${crypto.randomBytes(4).toString('hex')}`);
  fs.mkdirSync(stateDir, { recursive: true });
  const { url: databaseUrl } = await createTestDatabase();
  const knex = connect(databaseUrl, { pool: 5 });
  const world = await createWorld(knex);
  const ports = await freePorts(processes);
  const { address, namespace, taskQueue } = testTemporal();
  const secrets = {
    postgresPassword: '',
    masterKey: crypto.randomBytes(32).toString('base64'),
    keystorePassphrase: '',
    admin: { api_key: '', secret: '' },
  };
  const running = new Map<number, RunningProcess>();
  return {
    knex,
    world,
    ports,
    start: async (index) => {
      const settings = { stateDir, records: recordsOf(dir, process.pid), databaseUrl, keystoreFile: '', secrets };
      const environment = { CARAT_PROFILE: 'test', CARAT_PUBLIC_URL: 'https://pay.test' };
      const apiPort = ports[index]!;
      running.set(
        index,
        await startApi({ ...settings, temporal: { address, namespace }, taskQueue, apiPort, environment }),
      );
    },
    kill: async (index) => {
      const { pid, exited } = running.get(index)!;
      process.kill(pid, 'SIGKILL');
      await exited;
      running.delete(index);
    },
    token: async () => {
      const credentials = makeCredentials();
      const request = {
        node_id: world.nodeId,
        name: crypto.randomUUID(),
        permissions,
        expires_at: null,
        created_by: null,
      };
      await insertIntegration(knex, { ...request, ...storedCredentials(credentials) });
      const [index = 0] = running.keys();
      const grant = {
        grant_type: 'client_credentials',
        client_id: credentials.apiKey,
        client_secret: credentials.secret,
      } as const;
      return (await createCaratClient({ url: apiUrl(ports[index]!) }).issueToken(grant)).access_token;
    },
    stop: async () => {
      await Promise.all([...running.values()].map((api) => api.stop()));
      await knex.destroy();
    },
  };
};

interface Answered {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

interface Post {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds after the request was written at which the connection is torn down, whatever has arrived by then. */
  readonly cutAfterMs?: number | undefined;
}

/** One client with one connection, which it keeps while it holds. */
interface HttpClient {
  /** @throws Error when the connection ends before the whole answer has come */
  post(request: Post): Promise<Answered>;
  close(): void;
}

const createHttpClient = (): HttpClient => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return {
    post: ({ port, path, headers, body, cutAfterMs }) =>
      new Promise((resolve, reject) => {
        const request = http.request({ agent, port, path, headers, host: '127.0.0.1', method: 'POST' });
        request.on('error', reject).on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('close', () => {
            if (!response.complete) reject(new Error('the answer is cut off'));
          });
          response.on('end', () => {
            const { statusCode = 0, headers: answered } = response;
            resolve({ status: statusCode, headers: answered, text: Buffer.concat(chunks).toString('utf8') });
          });
        });
        request.end(body, () => {
          if (cutAfterMs === undefined) return;
          setTimeout(() => {
            request.destroy(new Error('cut by the client'));
          }, cutAfterMs);
        });
      }),
    close: () => {
      agent.destroy();
    },
  };
};

const CLIENTS = 50;
/** Where each has trouble of its own. */
const TROUBLED_CLIENTS = 25;
const ORDERS = 200;
/** The same race once more. */
const FEW_ORDERS = 60;

let service: ApiService;
let token: string;

beforeAll(async () => {
  service = await createApiService(2);
  await Promise.all([service.start(0), service.start(1)]);
  token = await service.token();
});

afterAll(() => service?.stop());

/** A payment that a merchant wants to create once: every attempt sends the same bytes. */
interface Order {
  readonly externalId: string;
  readonly body: string;
}

const makeOrders = (count: number): Order[] =>
  Array.from({ length: count }, () => {
    const { nodeId, networkId, currencyId, walletId } = service.world;
    const externalId = randomUUID();
    const body = {
      external_id: externalId,
      node_id: nodeId,
      network_id: networkId,
      currency_id: currencyId,
      wallet_id: walletId,
      price: 15,
      paid_price: 12.5,
      payment_method: 'web3',
      payment_group: 'product',
      payment_address: payee,
      items: [{ name: 'shirt', price: 12.5 }],
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    return { externalId, body: JSON.stringify(body) };
  });

/** The same orders in an order of each client's own; every second client follows the common order. */
const orderFor = (client: number, orders: readonly Order[]): readonly Order[] => {
  if (client % 2 === 0) return orders;
  const place = ({ externalId }: Order): string => createHash('sha256').update(`${client} ${externalId}`).digest('hex');
  return orders.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
};

type Attempt = (send: (more: Partial<Post>) => Promise<Answered>) => Promise<Answered>;
const once: Attempt = (send) => send({});

interface LoadOptions {
  readonly withKey: boolean;
  readonly clients?: number;
  /** How a client gets its answer. */
  readonly attempt?: Attempt;
}

/** Every client posts every order; answers by external id. */
const load = async (orders: readonly Order[], { withKey, clients = CLIENTS, attempt = once }: LoadOptions) => {
  const answers = new Map(orders.map(({ externalId }) => [externalId, [] as Answered[]]));
  const run = async (client: number): Promise<void> => {
    const http = createHttpClient();
    let turn = client;
    try {
      for (const { externalId, body } of orderFor(client, orders)) {
        const headers = {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          authorization: `Bearer ${token}`,
          ...(withKey ? { 'idempotency-key': externalId } : {}),
        };
        const send = (more: Partial<Post>): Promise<Answered> => {
          const port = service.ports[turn % 2]!;
          return http.post({ port, path: '/api/v1/payments', headers, body, ...more }).catch((error: unknown) => {
            // Requests that one process did not answer go to the other.
            turn += 1;
            throw error;
          });
        };
        answers.get(externalId)!.push(await attempt(send));
      }
    } finally {
      http.close();
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  return answers;
};

/** Sends again until the answer is final. */
const patiently =
  (send: (again: number) => Promise<Answered>): (() => Promise<Answered>) =>
  async () => {
    const deadline = Date.now() + 60_000;
    for (let again = 0; ; again += 1) {
      try {
        const answer = await send(again);
        if (answer.status < 500) return answer;
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
      await delay(Math.min(200, 5 * again));
    }
  };

const count = async (table: string, where: Record<string, string>, ids: readonly string[], column: string) => {
  const [row] = await service.knex(table).where(where).whereIn(column, ids).count<[{ count: string }]>();
  return Number(row?.count);
};

/** The rows of a payment exist once for each order, and no others. */
const expectOneOfEach = async (orders: readonly Order[]): Promise<void> => {
  const externalIds = orders.map(({ externalId }) => externalId);
  const ids = await service.knex('payments').whereIn('external_id', externalIds).pluck<string[]>('id');
  expect(ids).toHaveLength(orders.length);
  expect(await count('payment_items', {}, ids, 'payment_id')).toBe(orders.length);
  expect(await count('payment_logs', {}, ids, 'payment_id')).toBe(orders.length);
  expect(await count('payment_logs', { event_type: 'payment_created' }, ids, 'payment_id')).toBe(orders.length);
  expect(await count('outbox', { topic: 'create_payment' }, ids, 'payment_id')).toBe(orders.length);
  expect(await count('audit_log', { action: 'payment.created' }, ids, 'resource_id')).toBe(orders.length);
};

interface Told {
  id: string;
  code?: string;
  existing_id?: string;
  external_id: string;
}
const parsed = ({ text }: Answered): Told => JSON.parse(text) as Told;

/** Every client got the same answer for each order: 201 with the same bytes. Answers how many of them were replays. */
const expectSameAnswers = async (
  orders: readonly Order[],
  answers: Map<string, Answered[]>,
  clients = CLIENTS,
): Promise<number> => {
  const stored = await service
    .knex('payments')
    .whereIn('external_id', [...answers.keys()])
    .select<{ id: string; external_id: string }[]>('id', 'external_id');
  const idOf = new Map(stored.map((row) => [row.external_id, row.id]));
  let replays = 0;
  for (const { externalId } of orders) {
    const told = answers.get(externalId)!;
    expect(told).toHaveLength(clients);
    expect(new Set(told.map(({ status }) => status))).toEqual(new Set([201]));
    const [text, ...others] = new Set(told.map((answer) => answer.text));
    expect(others).toEqual([]);
    expect((JSON.parse(text!) as Told).id).toBe(idOf.get(externalId));
    replays += told.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length;
  }
  return replays;
};

it('10,000 requests for 200 payments create 200, and all others get their ids', async () => {
  const orders = makeOrders(ORDERS);
  const answers = await load(orders, { withKey: false });
  for (const told of answers.values()) {
    const created = told.filter(({ status }) => status === 201).map(parsed);
    expect(created).toHaveLength(1);
    const refused = told.filter(({ status }) => status === 409).map(parsed);
    expect(refused).toHaveLength(CLIENTS - 1);
    const kinds = new Set(refused.map(({ code, existing_id }) => `${code} ${existing_id}`));
    expect(kinds).toEqual(new Set([`payment_exists ${created[0]!.id}`]));
  }
  await expectOneOfEach(orders);
  expect(await service.knex('idempotency_keys').count()).toEqual([{ count: '0' }]);
});

it('3,000 requests with Idempotency-Keys for 60 payments create 60, and all clients get the same bytes', async () => {
  const orders = makeOrders(FEW_ORDERS);
  const answers = await load(orders, { withKey: true });
  expect(await expectSameAnswers(orders, answers)).toBe((CLIENTS - 1) * FEW_ORDERS);
  await expectOneOfEach(orders);
});

it('clients whose connections break at any moment and that send again get one payment', async () => {
  const orders = makeOrders(ORDERS);
  let cut = 0;
  const attempt: Attempt = (send) =>
    patiently((again) => {
      const isCut = again < 3 && Math.random() < 0.15;
      // From at once to about the time that an answer takes.
      return send({ cutAfterMs: isCut ? Math.random() ** 2 * 100 : undefined }).catch((error: unknown) => {
        cut += 1;
        throw error;
      });
    })();
  const answers = await load(orders, { withKey: true, clients: TROUBLED_CLIENTS, attempt });
  const replays = await expectSameAnswers(orders, answers, TROUBLED_CLIENTS);
  // Also the first answer to an order may have been lost.
  expect(replays).toBeGreaterThanOrEqual((TROUBLED_CLIENTS - 1) * ORDERS);
  await expectOneOfEach(orders);
  expect(cut).toBeGreaterThan(250);
});

it('a stored answer survives the death of the process, and the next process does an unanswered request', async () => {
  const rounds = 5;
  const orders = makeOrders(ORDERS);
  const perRound = ORDERS / rounds;
  let lost = 0;
  let kills = 0;
  const attempt: Attempt = (send) =>
    patiently(() =>
      send({}).catch((error: unknown) => {
        lost += 1;
        throw error;
      }),
    )();
  for (let round = 0; round < rounds; round += 1) {
    const some = orders.slice(round * perRound, (round + 1) * perRound);
    const loading = load(some, { withKey: true, clients: TROUBLED_CLIENTS, attempt });
    await delay(30 + Math.random() * 400);
    // One process, the other, and now and then both.
    const doomed = round % 3 === 2 ? [0, 1] : [round % 2];
    await Promise.all(doomed.map((index) => service.kill(index)));
    kills += doomed.length;
    await Promise.all(doomed.map((index) => service.start(index)));
    await expectSameAnswers(some, await loading, TROUBLED_CLIENTS);
  }
  await expectOneOfEach(orders);
  expect(kills).toBe(6);
  expect(lost).toBeGreaterThan(kills);
});
