import { randomUUID } from 'node:crypto';
import { startChild } from '../child.ts';
import type { LoadJob, LoadRequest, LoadResult } from './load.ts';
import { paymentBody, startHttpStack } from './stack.ts';
import { interleave, printResults, ratioOf, showRatio, spread, type Variant } from '../interleave.ts';
import { residentMemory } from '../../process/usage.ts';

/*
 * npm run bench:http [-- ROUNDS]
 *
 * Creating and reading a payment with everything enabled, against Express with one prepared statement; and requests
 * with a part that is new each time, against the same requests without one. Method and figures: tools/bench/README.md.
 */

const rounds = Number(process.argv[2] ?? 12);
const clients = 32;

const stack = await startHttpStack();
const load = startChild<LoadJob, LoadResult>(new URL('load.ts', import.meta.url));
const { world } = stack;

/** @throws Error after an unexpected answer */
const run = async (job: LoadJob): Promise<LoadResult> => {
  const result = await load.ask(job);
  if (result.problem !== null) throw new Error(result.problem);
  return result;
};

let token = '';
/** p99 of every slot in milliseconds, by variant. */
const tails = new Map<string, number[]>();

interface Slot {
  readonly amount: number;
  readonly connections?: number;
  readonly url?: string;
  readonly status: number;
  /** Evaluated for each slot, because tokens expire. */
  readonly request: () => LoadRequest;
}

const variant = (
  name: string,
  { amount, connections = clients, url = stack.api.url, status, request }: Slot,
): Variant => ({
  name,
  unit: 'requests',
  prepare: async () => {
    token = await stack.token();
  },
  slot: async () => {
    const { count, ms, p99 } = await run({ url, connections, amount, status, request: request() });
    tails.set(name, [...(tails.get(name) ?? []), p99]);
    return { count, ms };
  },
});

const body = paymentBody(world);
/** With what Carat looks up. */
const rows = JSON.stringify({
  ...(JSON.parse(body) as object),
  chain_id: world.chainId,
  diamond_address: world.diamondAddress.toLowerCase(),
  token_address: world.tokenAddress.toLowerCase(),
});
const json = { 'content-type': 'application/json' };
const bearer = (): Record<string, string> => ({ authorization: `Bearer ${token}` });
const post = (path: string, headers: Record<string, string>): LoadRequest => ({ method: 'POST', path, headers, body });
const get = (path: string, headers: Record<string, string> = {}): LoadRequest => ({ method: 'GET', path, headers });
const payments = '/api/v1/payments';

/** Creates a payment to read on each server. */
const made = async (url: string, path: string, headers: Record<string, string>): Promise<string> => {
  const response = await fetch(url + path, { method: 'POST', headers, body: body.replace('#', randomUUID()) });
  return `${path}/${((await response.json()) as { id: string }).id}`;
};
token = await stack.token();
const caratPayment = await made(stack.api.url, payments, { ...json, ...bearer() });
const basePayment = await made(stack.base.url, '/payments', json);

const carat = {
  post: (): LoadRequest => post(payments, { ...json, ...bearer() }),
  get: (): LoadRequest => get(caratPayment, bearer()),
};
const base = {
  post: (): LoadRequest => post('/payments', json),
  get: (): LoadRequest => get(basePayment),
  rows: (): LoadRequest => ({ ...post('/rows', json), body: rows }),
};
const withKey = (): LoadRequest => post(payments, { ...json, ...bearer(), 'idempotency-key': '#' });

const compared = [
  variant('Carat POST', { amount: 2_000, status: 201, request: carat.post }),
  variant('Carat POST with Idempotency-Key', { amount: 2_000, status: 201, request: withKey }),
  variant('Express + one insert', { amount: 2_600, status: 201, url: stack.base.url, request: base.post }),
  variant('Carat GET', { amount: 4_000, status: 200, request: carat.get }),
  variant('Express + one read', { amount: 3_500, status: 200, url: stack.base.url, request: base.get }),
];
/** Measured afterwards, because the rows fill the tables of payments. */
const bounds = [
  variant('Express + the rows of a payment', { amount: 2_600, status: 201, url: stack.base.url, request: base.rows }),
  variant('Express alone', { amount: 6_000, status: 200, url: stack.base.url, request: () => get('/constant') }),
  ...compared.filter(({ name }) => name.startsWith('Express')),
];
const alone = [
  variant('Carat POST, one client', { amount: 250, connections: 1, status: 201, request: carat.post }),
  variant('Express + one insert, one client', {
    amount: 300,
    connections: 1,
    status: 201,
    url: stack.base.url,
    request: base.post,
  }),
  variant('Carat GET, one client', { amount: 400, connections: 1, status: 200, request: carat.get }),
  variant('Express + one read, one client', {
    amount: 500,
    connections: 1,
    status: 200,
    url: stack.base.url,
    request: base.get,
  }),
];

/** The parts that a client can vary, with the same text each time or a fresh one. */
const varied: Readonly<Record<string, Omit<Slot, 'request'> & { request: (text: string) => LoadRequest }>> = {
  'a parameter of Content-Type': {
    amount: 1_000,
    status: 201,
    request: (text) => post(payments, { ...bearer(), 'content-type': `application/json; x=${text}` }),
  },
  'Content-Type of a GET': {
    amount: 4_000,
    status: 200,
    request: (text) => get(caratPayment, { ...bearer(), 'content-type': `a/${text}` }),
  },
  'X-Request-Id, Accept and User-Agent': {
    amount: 4_000,
    status: 200,
    request: (text) =>
      get(caratPayment, { ...bearer(), 'x-request-id': text, accept: `a/${text}`, 'user-agent': text }),
  },
  'a value in a query': {
    amount: 1_000,
    status: 200,
    request: (text) => get(`${payments}?node_id=${world.nodeId}&external_id=${text}`, bearer()),
  },
  'an unknown parameter of a query': {
    amount: 4_000,
    status: 400,
    request: (text) => get(`${caratPayment}?${text}=1`, bearer()),
  },
  'an unknown path': { amount: 5_000, status: 404, request: (text) => get(`/api/v1/${text}`, bearer()) },
  'a payment that is not there': {
    amount: 4_000,
    status: 404,
    request: (text) => get(`${payments}/${text}`, bearer()),
  },
  'a token of garbage': {
    amount: 5_000,
    status: 401,
    request: (text) => get(caratPayment, { authorization: `Bearer eyJhbGciOiJFZERTQSIsImtpZCI6IngifQ.e30.${text}` }),
  },
};
const same = (name: string): string => `${name}: the same`;
const fresh = (name: string): string => `${name}: new each time`;
const twins = Object.entries(varied).flatMap(([name, { request, ...slot }]) => [
  variant(same(name), { ...slot, request: () => request('00000000-0000-4000-8000-000000000000') }),
  variant(fresh(name), { ...slot, request: () => request('#') }),
]);

/** Resident memory of the api, in MiB. */
const resident: number[] = [];
const measured: Variant = {
  ...twins.at(-1)!,
  slot: async () => {
    const result = await twins.at(-1)!.slot();
    resident.push(Math.round(residentMemory(stack.api.pid)));
    return result;
  },
};

try {
  // Gives PostgreSQL the statistics of a used installation instead of empty tables.
  await run({ url: stack.api.url, connections: clients, amount: 2_000, status: 201, request: carat.post() });
  await run({ url: stack.base.url, connections: clients, amount: 2_000, status: 201, request: base.post() });
  await stack.knex.raw('ANALYZE');

  const rates = await interleave(compared, rounds);
  const single = await interleave(alone, rounds);
  const bound = await interleave(bounds, rounds);
  const hostile = await interleave([...twins.slice(0, -1), measured], rounds);

  const ratio = (a: string, b: string): [string, ReturnType<typeof ratioOf>] => [`${a} / ${b}`, ratioOf(rates, a, b)];
  printResults(compared, rates, [
    ratio('Carat POST', 'Express + one insert'),
    ratio('Carat POST with Idempotency-Key', 'Express + one insert'),
    ratio('Carat GET', 'Express + one read'),
  ]);
  const tail = (a: string, b: string) =>
    spread(
      tails
        .get(a)!
        .slice(1)
        .map((p99, index) => p99 / tails.get(b)![index + 1]!),
    );
  console.log('\np99 of 32 clients, Carat / base, median (10-90 %):');
  for (const [a, b] of [
    ['Carat POST', 'Express + one insert'],
    ['Carat GET', 'Express + one read'],
  ] as const) {
    console.log(`${a}: ${showRatio(tail(a, b))}`);
  }
  printResults(alone, single, [
    [`Carat POST / Express + one insert, one client`, ratioOf(single, alone[0]!.name, alone[1]!.name)],
    [`Carat GET / Express + one read, one client`, ratioOf(single, alone[2]!.name, alone[3]!.name)],
  ]);
  printResults(
    bounds,
    bound,
    [
      ['Express + the rows of a payment', 'Express + one insert'],
      ['Express alone', 'Express + one read'],
    ].map(([a = '', b = '']) => [`${a} / ${b}`, ratioOf(bound, a, b)]),
  );
  printResults(
    twins,
    hostile,
    Object.keys(varied).map((name) => [`${name}: new each time / the same`, ratioOf(hostile, fresh(name), same(name))]),
  );
  console.log(`\nResident memory of the api after each of these rounds: ${resident.join(', ')} MiB`);
} finally {
  load.stop();
  await stack.stop();
}
