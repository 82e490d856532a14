import { keccak256 } from 'ethers';
import type { Log } from '../../domain/ports/log.ts';
import { closeWhatIsOver } from '../../db/alerts/over.ts';
import { startGateway, type Gateway, type RunOptions } from './support/gateway.ts';
import { eventually } from '../support/eventually.ts';
import { startProxy, type Proxy, type WireRequest } from './support/proxy.ts';
import { allAre, allWait, stopAfterEach } from './support/running.ts';

/*
 * Endpoints that respond and refuse a necessary request: they are reachable, and alerts name the refusal.
 */

let gateway: Gateway;
let proxies: Proxy[];
let lines: { level: string; message: string; fields?: Record<string, unknown> }[];
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2 });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  proxies = await Promise.all([1, 2].map(() => startProxy(gateway.chain.url)));
  lines = [];
  await gateway.knex('alerts').delete();
});
afterEach(() => Promise.all(proxies.map((proxy) => proxy.close())));

const note =
  (level: string): Log['warn'] =>
  (message, fields) =>
    void lines.push({ level, message, fields });
const log: Log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
const through = (count: number): RunOptions => ({
  urls: proxies.slice(0, count).map(({ url }) => url),
  network: { quorum: 1 },
  log,
  timing: { unreachable: 500 },
});
const alerts = (kind: string) => gateway.knex('alerts').where({ kind }).orderBy('id');

type Refusal = { readonly error: { readonly code: number; readonly message: string } };
const refusing =
  (method: string, { error }: Refusal) =>
  (request: WireRequest) =>
    request.method === method ? { error } : request;

const isSend = ({ method }: WireRequest): boolean => method === 'eth_sendRawTransaction';

/** Accepts transactions and passes none of them on. */
const dropping = (request: WireRequest) =>
  isSend(request) ? { result: keccak256(request.params[0] as string) } : request;

const linesOf = (start: string) => lines.filter(({ message }) => message.startsWith(start));

// As running clients say it; Hardhat's of a call with more gas than a transaction may have.
const refusals: [string, string, Refusal][] = [
  [
    'Hardhat, of much gas',
    'eth_call',
    { error: { code: -32_003, message: 'transaction gas limit (33554432) is greater than the cap (16777216)' } },
  ],
  [
    'geth, of a method',
    'eth_estimateGas',
    { error: { code: -32_601, message: 'the method eth_estimateGas does not exist/is not available' } },
  ],
];

it.each(refusals)('%s: intents show that %s is refused, and go on when it is granted', async (_, method, refusal) => {
  keep(gateway.startWatcher());
  keep(gateway.startLane(through(1)));
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  proxies[0]!.rewrite = refusing(method, refusal);
  const payments = await gateway.pay(2);
  await allWait(gateway, payments, 'endpoint_refuses');
  const [alert, ...others] = await eventually(async () => {
    const found = await alerts('endpoint_refuses');
    return found.length > 0 && found;
  });
  expect(others).toEqual([]);
  expect(alert).toMatchObject({
    closed_at: null,
    data: { method, reason: refusal.error.message, needed_for: 'sending', endpoints: 1 },
  });
  expect(alert.message).toContain(refusal.error.message);
  await eventually(() => proxies[0]!.exchanges.length > 20);
  expect(linesOf('Lane waits for its network')).toMatchObject([{ level: 'warn', fields: { refused: method } }]);
  proxies[0]!.rewrite = null;
  await allAre(gateway, payments, 'awaiting_payment');
  await eventually(async () => (await alerts('endpoint_refuses'))[0].closed_at !== null);
  expect(await alerts('endpoint_refuses')).toHaveLength(1);
  expect(await alerts('network_unreachable')).toEqual([]);
  expect(linesOf('Lane reaches its network again')).toHaveLength(1);
});

it('A refusal of logs raises an alert of the watcher, by name, until they are granted', async () => {
  keep(gateway.startLane());
  const [first] = await gateway.pay(1);
  const watcher = keep(gateway.startWatcher(through(1)));
  await allAre(gateway, [first!], 'awaiting_payment');
  await gateway.pay(1);
  proxies[0]!.rewrite = refusing('eth_getLogs', {
    error: { code: -32_602, message: 'eth_getLogs is not for your plan: see https://provider.example/key-of-ours' },
  });
  const [alert] = await eventually(async () => {
    const found = await alerts('endpoint_refuses');
    return found.length > 0 && found;
  });
  expect(alert).toMatchObject({ closed_at: null, data: { method: 'eth_getLogs', needed_for: 'reading' } });
  expect(JSON.stringify(alert)).not.toContain('key-of-ours');
  await watcher.stop();
  // The run after it knows nothing of that alert.
  proxies[0]!.rewrite = null;
  keep(gateway.startWatcher(through(1)));
  await eventually(async () => (await alerts('endpoint_refuses'))[0].closed_at !== null);
  expect(await alerts('network_unreachable')).toEqual([]);
});

it("A transaction above an endpoint's fee cap raises an alert by name, and is sent once the endpoint takes it", async () => {
  const message = 'tx fee (4.50 ether) exceeds the configured cap (1.00 ether)';
  keep(gateway.startWatcher());
  const lane = keep(gateway.startLane(through(1)));
  proxies[0]!.rewrite = refusing('eth_sendRawTransaction', { error: { code: -32_000, message } });
  const payments = await gateway.pay(2);
  const [alert] = await eventually(async () => {
    const found = await alerts('endpoint_refuses');
    return found.length > 0 && found;
  });
  expect(alert).toMatchObject({ data: { method: 'eth_sendRawTransaction', reason: message, needed_for: 'sending' } });
  expect(linesOf('A transaction was not accepted')).toMatchObject([{ fields: { verdict: 'fee_cap' } }]);
  // Neither a look that works nor another run ends it.
  await closeWhatIsOver(gateway.knex);
  const looks = proxies[0]!.exchanges.length;
  await lane.stop();
  keep(gateway.startLane(through(1)));
  await eventually(() => proxies[0]!.exchanges.length > looks + 5);
  expect(await alerts('endpoint_refuses')).toMatchObject([{ closed_at: null }]);
  proxies[0]!.rewrite = null;
  await allAre(gateway, payments, 'awaiting_payment');
  await closeWhatIsOver(gateway.knex);
  expect(await alerts('endpoint_refuses')).toMatchObject([{ closed_at: expect.any(Date) }]);
});

it('A request that one of two endpoints refuses goes to the other one, and nothing waits', async () => {
  proxies[0]!.rewrite = refusing(...(refusals[0]!.slice(1) as [string, Refusal]));
  keep(gateway.startWatcher());
  keep(gateway.startLane(through(2)));
  await allAre(gateway, await gateway.pay(2), 'awaiting_payment');
  expect(await alerts('endpoint_refuses')).toEqual([]);
});

it('A revoked key of a provider is one alert of the network, whatever its lanes wait for', async () => {
  keep(gateway.startWatcher({ ...through(1), watch: { unreachable: 500 } }));
  keep(gateway.startLane(through(1)));
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  proxies[0]!.refuseStatus = () => 401;
  const payments = await gateway.pay(2);
  await allWait(gateway, payments, 'endpoint_refuses');
  await eventually(async () => (await alerts('endpoint_refuses')).length > 0);
  const looks = proxies[0]!.exchanges.length;
  await eventually(() => proxies[0]!.exchanges.length > looks + 10);
  expect(await alerts('endpoint_refuses')).toMatchObject([
    { dedupe_key: `endpoint_refuses:${gateway.network.id}`, data: { refuses: 'access', needed_for: 'reading' } },
  ]);
  proxies[0]!.refuseStatus = null;
  await allAre(gateway, payments, 'awaiting_payment');
  await eventually(async () => (await alerts('endpoint_refuses'))[0].closed_at !== null);
});

it('An endpoint that takes no transactions raises an alert by name, until it takes them', async () => {
  const message = 'the method eth_sendRawTransaction does not exist/is not available';
  keep(gateway.startWatcher());
  keep(gateway.startLane(through(1)));
  proxies[0]!.rewrite = refusing('eth_sendRawTransaction', { error: { code: -32_601, message } });
  const payments = await gateway.pay(1);
  const [alert] = await eventually(async () => {
    const found = await alerts('endpoint_refuses');
    return found.length > 0 && found;
  });
  expect(alert.data).toMatchObject({ method: 'eth_sendRawTransaction', refuses: 'method', needed_for: 'sending' });
  proxies[0]!.rewrite = null;
  await allAre(gateway, payments, 'awaiting_payment');
  await closeWhatIsOver(gateway.knex);
  expect(await alerts('endpoint_refuses')).toMatchObject([{ closed_at: expect.any(Date) }]);
});

it.each(['internal error', 'txpool is full', 'nonce too high', 'exceeds block gas limit'])(
  'A lasting refusal of every transaction raises one alert, whatever it means: %s',
  async (message) => {
    keep(gateway.startWatcher());
    keep(gateway.startLane({ ...through(1), timing: { unreachable: 500, bump: 100, bumpBlocks: 1 } }));
    let refused = 0;
    const rewrite = refusing('eth_sendRawTransaction', { error: { code: -32_000, message } });
    proxies[0]!.rewrite = (request) => {
      if (request.method === 'eth_sendRawTransaction') refused += 1;
      return refused === 1 ? rewrite(request) : request;
    };
    await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
    expect(await alerts('endpoint_refuses')).toEqual([]);
    proxies[0]!.rewrite = rewrite;
    const payments = await gateway.pay(1);
    const [alert] = await eventually(async () => {
      const found = await alerts('endpoint_refuses');
      return found.length > 0 && found;
    });
    expect(alert).toMatchObject({ data: { method: 'eth_sendRawTransaction', reason: message, needed_for: 'sending' } });
    await closeWhatIsOver(gateway.knex);
    expect(await alerts('endpoint_refuses')).toMatchObject([{ closed_at: null }]);
    // A full pool may make room for a higher fee; the others refuse any fee.
    const attempts = await gateway.knex('tx_attempts').where({ slot_id: alert.data.slot_id });
    if (message !== 'txpool is full') expect(attempts).toHaveLength(1);
    proxies[0]!.rewrite = null;
    await allAre(gateway, payments, 'awaiting_payment');
    await closeWhatIsOver(gateway.knex);
    expect(await alerts('endpoint_refuses')).toMatchObject([{ closed_at: expect.any(Date) }]);
  },
);

type Failing = (one: Proxy, isOn: boolean) => void;

/** Transactions get an HTTP status. */
const withStatus =
  (status: number): Failing =>
  (one, isOn) => {
    one.refuseStatus = isOn ? (requests) => (requests.some(isSend) ? status : undefined) : null;
  };

/** Transactions get an error with these words. */
const withWords = (code: number, message: string): [string, Failing] => [
  message,
  (one, isOn) => {
    one.rewrite = isOn ? refusing('eth_sendRawTransaction', { error: { code, message } }) : null;
  },
];

it.each<[string, Failing]>([
  ['HTTP status 429', withStatus(429)],
  withWords(-32_005, 'rate limit of eth_sendRawTransaction exceeded'),
  ['HTTP status 503', withStatus(503)],
  ['HTTP status 403 without JSON-RPC', withStatus(403)],
  withWords(-32_000, 'API key is not allowed to send'),
  [
    'it accepts the transaction, but neither its pool nor a block shows it',
    (one, isOn) => {
      one.rewrite = isOn ? dropping : null;
    },
  ],
])(
  'An endpoint that serves reads and takes no transaction raises an alert, whatever it does instead: %s',
  async (reason, fail) => {
    keep(gateway.startWatcher());
    keep(gateway.startLane(through(1)));
    fail(proxies[0]!, true);
    const payments = await gateway.pay(1);
    const [alert] = await eventually(async () => {
      const found = await alerts('endpoint_refuses');
      return found.length > 0 && found;
    });
    expect(alert).toMatchObject({ data: { method: 'eth_sendRawTransaction', reason, needed_for: 'sending' } });
    fail(proxies[0]!, false);
    await allAre(gateway, payments, 'awaiting_payment');
    await closeWhatIsOver(gateway.knex);
    expect(await alerts('endpoint_refuses')).toMatchObject([{ closed_at: expect.any(Date) }]);
  },
);

it('An endpoint that keeps a transaction for long and does not count its pool is not blamed for dropping it', async () => {
  keep(gateway.startWatcher());
  keep(gateway.startLane(through(1)));
  proxies[0]!.rewrite = ({ params, ...request }) => {
    if (request.method === 'eth_getTransactionByHash') return { result: { hash: params[0], blockHash: null } };
    return dropping({ ...request, params: params.map((param) => (param === 'pending' ? 'latest' : param)) });
  };
  const payments = await gateway.pay(1);
  const [alert] = await eventually(async () => {
    const found = await alerts('endpoint_refuses');
    return found.length > 0 && found;
  });
  expect(alert).toMatchObject({ cause: 'kept', data: { reason: expect.stringContaining('no block takes it') } });
  proxies[0]!.rewrite = null;
  await allAre(gateway, payments, 'awaiting_payment');
  await closeWhatIsOver(gateway.knex);
  expect(await alerts('endpoint_refuses')).toMatchObject([{ closed_at: expect.any(Date) }]);
});

it('A refusal of every transaction by one of two endpoints is no trouble', async () => {
  proxies[0]!.rewrite = refusing('eth_sendRawTransaction', { error: { code: -32_000, message: 'internal error' } });
  keep(gateway.startWatcher());
  keep(gateway.startLane(through(2)));
  for (let count = 0; count < 4; count += 1) await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  expect(await alerts('endpoint_refuses')).toEqual([]);
});

it.each([403, 429, 503])(
  'An endpoint that serves reads and simulates nothing raises an alert: HTTP status %i',
  async (status) => {
    keep(gateway.startWatcher({ ...through(1), watch: { unreachable: 500 } }));
    keep(gateway.startLane(through(1)));
    await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
    proxies[0]!.refuseStatus = (requests) =>
      requests.some(({ method }) => method === 'eth_estimateGas') ? status : undefined;
    const payments = await gateway.pay(1);
    await allWait(gateway, payments, 'endpoint_refuses');
    const [alert] = await eventually(async () => {
      const found = await alerts('endpoint_refuses');
      return found.length > 0 && found;
    });
    expect(alert).toMatchObject({
      closed_at: null,
      data: { needed_for: 'sending', reason: expect.stringContaining(`HTTP status ${status}`) },
    });
    proxies[0]!.refuseStatus = null;
    await allAre(gateway, payments, 'awaiting_payment');
    await eventually(async () => (await alerts('endpoint_refuses'))[0].closed_at !== null);
    expect(await alerts('network_unreachable')).toEqual([]);
  },
);

type Break = (proxy: Proxy, method: string) => void;
const isOf =
  (method: string) =>
  (requests: readonly WireRequest[]): boolean =>
    requests.some((request) => request.method === method);

it.each<[string, string, string, Break]>([
  [
    'eth_getBalance',
    'HTTP 503',
    'HTTP status 503',
    (proxy, method) => {
      proxy.refuseStatus = (requests) => (isOf(method)(requests) ? 503 : undefined);
    },
  ],
  [
    'eth_getBalance',
    'nonsense',
    'nonsense in response to eth_getBalance',
    (proxy, method) => {
      proxy.tamper = (request, result) => (request.method === method ? {} : result);
    },
  ],
  [
    'eth_getTransactionCount',
    'HTTP 403',
    'HTTP status 403',
    (proxy, method) => {
      proxy.refuseStatus = (requests) => (isOf(method)(requests) ? 403 : undefined);
    },
  ],
  [
    'eth_getTransactionCount',
    'a rate limit',
    'too many requests',
    (proxy, method) => {
      proxy.rewrite = refusing(method, { error: { code: -32_005, message: 'too many requests' } });
    },
  ],
])('An endpoint that fails only at %s, by %s, is told of, and payments show it', async (method, _, reason, fail) => {
  keep(gateway.startWatcher({ ...through(1), watch: { unreachable: 500 } }));
  keep(gateway.startLane(through(1)));
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  fail(proxies[0]!, method);
  const payments = await gateway.pay(2);
  await allWait(gateway, payments, 'endpoint_refuses');
  const [alert] = await eventually(async () => {
    const found = await alerts('endpoint_refuses');
    return found.length > 0 && found;
  });
  expect(alert).toMatchObject({
    closed_at: null,
    data: { method: expect.stringContaining(method), reason: expect.stringContaining(reason), needed_for: 'sending' },
  });
  Object.assign(proxies[0]!, { rewrite: null, tamper: null, refuseStatus: null });
  await allAre(gateway, payments, 'awaiting_payment');
  await eventually(async () => (await alerts('endpoint_refuses'))[0].closed_at !== null);
  expect(await alerts('network_unreachable')).toEqual([]);
});

it('A receipt without a status is asked of another endpoint, and told of where there is none', async () => {
  const omit: Proxy['tamper'] = ({ method }, result) =>
    method === 'eth_getTransactionReceipt' && result !== null ? { ...(result as object), status: undefined } : result;
  keep(gateway.startWatcher());
  const lane = keep(gateway.startLane(through(2)));
  const signed = () => gateway.knex('tx_slots').where({ state: 'signed' });
  proxies[0]!.tamper = omit;
  await gateway.pay(1);
  await eventually(async () => proxies[0]!.seen.includes('eth_getTransactionReceipt') && (await signed()).length === 0);
  await lane.stop();
  keep(gateway.startLane(through(1)));
  await gateway.pay(1);
  const [alert] = await eventually(async () => {
    const found = await alerts('endpoint_refuses');
    return found.length > 0 && found;
  });
  expect(alert).toMatchObject({
    closed_at: null,
    data: { method: 'eth_getTransactionReceipt', reason: 'nonsense in response to eth_getTransactionReceipt' },
  });
  proxies[0]!.tamper = null;
  await eventually(async () => (await signed()).length === 0);
  await eventually(async () => (await alerts('endpoint_refuses'))[0].closed_at !== null);
});

it('A refusal of new deals delays no transaction that must be sent again', async () => {
  keep(gateway.startWatcher());
  keep(gateway.startLane({ ...through(1), timing: { unreachable: 500, missing: 200 } }));
  let swallowed = 0;
  let step: 'swallows' | 'refuses as well' | 'refuses' = 'swallows';
  proxies[0]!.rewrite = (request) => {
    if (request.method === 'eth_sendRawTransaction' && step !== 'refuses') {
      swallowed += 1;
      return { result: keccak256(request.params[0] as string) };
    }
    return request.method === 'eth_call' && step !== 'swallows' ? refusals[0]![2] : request;
  };
  const [sent] = await gateway.pay(1);
  await eventually(() => swallowed > 0);
  step = 'refuses as well';
  const [fresh] = await gateway.pay(1);
  await allWait(gateway, [fresh!], 'endpoint_refuses');
  step = 'refuses';
  await allAre(gateway, [sent!], 'awaiting_payment');
  await allWait(gateway, [fresh!], 'endpoint_refuses');
  proxies[0]!.rewrite = null;
  await allAre(gateway, [fresh!], 'awaiting_payment');
});
