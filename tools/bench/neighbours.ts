import { startHttpClients } from './http/clients.ts';
import type { LoadRequest } from './http/load.ts';
import { paymentBody, startHttpStack } from './http/stack.ts';
import { showRatio, spread } from './interleave.ts';

/*
 * npm run bench:neighbours [-- ROUNDS]
 *
 * A merchant's reads while its neighbour is idle, and while the neighbour sends full bursts of 990 requests over 330
 * connections: requests that are served, and requests that its limits refuse. Method and figures: tools/bench/README.md.
 */

const rounds = Number(process.argv[2] ?? 10);
const reads = { connections: 4, amount: 2_000 };
const burst = { connections: 330, amount: 990 };

// The address has the usual limit. Reads do not count against it, because their caller is known.
const stack = await startHttpStack({
  CARAT_IP_RATE_LIMIT: '10',
  CARAT_IP_RATE_BURST: '100',
  CARAT_TRUSTED_PROXIES: '127.0.0.1',
});
const neighbour = await stack.merchant();
const [reader, busy] = [startHttpClients(), startHttpClients()];

const bearer = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
});

/** The neighbour's requests, and the expected statuses. */
const bursts: Readonly<
  Record<string, (token: string) => { request: LoadRequest; status: number | readonly number[] }>
> = {
  'changes of its own wallet': (token) => {
    const path = `/api/v1/wallets/${neighbour.world.walletId}`;
    return { request: { method: 'PUT', path, headers: bearer(token), body: '{"name":"#"}' }, status: 204 };
  },
  'new payments': (token) => {
    const body = paymentBody(neighbour.world);
    return { request: { method: 'POST', path: '/api/v1/payments', headers: bearer(token), body }, status: 201 };
  },
  'requests that are refused': () => {
    const headers = { ...bearer('#'), 'x-forwarded-for': '192.0.2.1' };
    return {
      request: { method: 'POST', path: '/api/v1/payments', headers, body: paymentBody(neighbour.world) },
      status: [401, 429],
    };
  },
};

const { url } = stack.api;
const made = await fetch(`${url}/api/v1/payments`, {
  method: 'POST',
  headers: bearer(await stack.token()),
  body: paymentBody(stack.world),
});
const { id } = (await made.json()) as { id: string };

/** The p99 of the reads in milliseconds. */
const read = async (): Promise<number> => {
  const headers = bearer(await stack.token());
  const request: LoadRequest = { method: 'GET', path: `/api/v1/payments/${id}`, headers };
  return (await reader.run({ url, ...reads, request, status: 200 })).p99;
};

const readBeside = async (kind: string): Promise<number> => {
  const load = bursts[kind]!(await neighbour.token());
  let isOver = false;
  const sending = (async () => {
    while (!isOver) await busy.run({ url, ...burst, ...load });
  })();
  try {
    return await read();
  } finally {
    isOver = true;
    await sending;
  }
};

try {
  const idle: number[] = [];
  const beside = new Map<string, number[]>(Object.keys(bursts).map((kind) => [kind, []]));
  for (let round = 0; round <= rounds; round += 1) {
    const alone = await read();
    if (round > 0) idle.push(alone);
    for (const [kind, tails] of beside) {
      const p99 = await readBeside(kind);
      if (round > 0) tails.push(p99);
      console.log(`round ${round}/${rounds}  p99 of reads: idle ${alone} ms, beside ${kind} ${p99} ms`);
    }
  }
  console.log('\n| p99 of reads beside a neighbour with | times that of reads alone, median (10-90 %) |\n|---|---|');
  for (const [kind, tails] of beside) {
    console.log(`| ${kind} | ${showRatio(spread(tails.map((p99, round) => p99 / idle[round]!)))} |`);
  }
} finally {
  reader.stop();
  busy.stop();
  await stack.stop();
}
