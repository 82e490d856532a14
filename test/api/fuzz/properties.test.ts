import { createHash, randomInt } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGuides } from '../../../api/service/guides.ts';
import { permissions } from '../../../domain/access.ts';
import { operationsOf } from '../../../tools/build/openapi.ts';
import { cases } from '../../support/cases.ts';
import { png } from '../../support/png.ts';
import { bankTransfer, startApi } from '../support/api-under-test.ts';
import { judge } from './judge.ts';
import { createKnownIds, kindOf } from './known-ids.ts';
import { createRandom } from './random.ts';
import { createRequests, type FuzzRequest } from './requests.ts';
import { closeConnections, printRequest, sendOverWire, type WireAnswer } from './wire-request.ts';
import { openApi as document } from '../../support/once/specification.ts';

/** `npm run fuzz -- REQUESTS SEED` sets both. */
const requests = cases('FUZZ_REQUESTS', { few: 2_000, all: 8_000 });
const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
/** Requests under way at the same time. */
const lanes = 8;
/**
 * Milliseconds above which an answer is too slow, if its request is as slow each time it is sent alone: ten times what the slowest may
 * take on a usual machine.
 */
const slowMs = 10_000;
/** Bytes by which the heap may be larger at the end than after the first fifth. */
const heapMargin = 12 * 2 ** 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapUsed = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

const operations = operationsOf(document);
const api = await startApi({ maxOpenPayments: 1_000_000 });
const port = Number(new URL(api.url).port);

const [root, overseer, shop, poor, rival] = [
  await api.actor('root'),
  // No caller here may change the node without a parent.
  await api.actor('root', []),
  await api.actor('shop'),
  await api.actor('shop', permissions.slice(0, 3)),
  await api.actor('rival'),
];
// The wallets of the node above stay: no caller here may delete them.
const wallets = [await api.wallet(root), await api.wallet(root)];
await api.activate(wallets[0]!, 'A');
const alert = { kind: 'payment_after_end', node_id: shop.nodeId, message: 'alert', dedupe_key: 'alert' };
const alerts = await api.knex('alerts').insert(alert).returning('id');
// States that random requests seldom reach exist already: diamonds that can be updated, payments that can be settled, deliveries that can be sent again.
const updatable = await Promise.all(Array.from({ length: 20 }, () => api.deployed(shop, 'A')));
const transfers = await Promise.all(
  Array.from({ length: 20 }, async () => {
    const json = api.paymentBody({ ...bankTransfer, node_id: shop.nodeId });
    const { body } = await api.call('POST', '/api/v1/payments', { token: shop.token, json });
    return String(body.id);
  }),
);
// A webhook of each of these wallets with one delivery. No request knows it, so none changes or deletes it.
const deliveries = await Promise.all(
  updatable.map(async (wallet): Promise<readonly [delivery: string, webhook: string]> => {
    const { token } = shop;
    const { body: webhook } = await api.call('POST', '/api/v1/webhooks', { token, json: api.webhookBody(wallet) });
    const path = `/api/v1/webhooks/${webhook.id}/test`;
    const { body } = await api.call('POST', path, { token, json: { type: 'payment.completed' } });
    return [String(body.id), String(webhook.id)];
  }),
);

const logo = png();
await api.knex('branding').insert({ node_id: api.ids.nodes.root, logo });

afterAll(closeConnections);

describe(`generated requests, seed ${seed}`, () => {
  it(`get ${requests} documented answers, in time, and without growth`, async () => {
    const random = createRandom(seed);
    const ids = createKnownIds({
      ...Object.fromEntries(
        (['nodes', 'chains', 'networks', 'currencies'] as const).map((kind) => [
          kindOf('id', `/${kind}`),
          Object.entries(api.ids[kind]).flatMap(([name, id]) =>
            ['shop', 'Main', 'A', 'USD'].includes(name) ? [id, id, id, id, id] : [id],
          ),
        ]),
      ),
      wallet: [...wallets, ...updatable].map(({ id }) => id),
      payment: transfers,
      alert: alerts.map(({ id }) => id as string),
      sha256: [createHash('sha256').update(logo).digest('hex')],
      name: [...createGuides().keys()],
      file: ['carat-pay.js'],
    });
    for (const [delivery, webhook] of deliveries) ids.keep('delivery', delivery, webhook);
    /** The newest tokens of pages by kind, so that many payments leave the tokens of the few orders. */
    const widgetTokens = new Map<string, (readonly [string, string])[]>();
    const { apiKey, secret } = shop.credentials;
    const succeeded = new Map<string, number>();
    const next = createRequests(
      document,
      operations,
      {
        ids,
        tokens: [shop.token, poor.token, rival.token],
        tokensOf: { getStatus: overseer.token },
        badTokens: ['x', `${shop.token.slice(0, -4)}AAAA`, 'eyJhbGciOiJub25lIn0.e30.'],
        widgetTokens: () => [...widgetTokens.values()].flat(),
        succeeded: (operation) => succeeded.get(operation.operationId) ?? 0,
        fields: {
          grant_type: 'client_credentials',
          client_id: apiKey,
          client_secret: secret,
          api_key: apiKey,
          secret,
          success_url: 'https://shop.example/thanks',
          cancel_url: 'https://shop.example/cart',
          locale: 'de',
          logo: logo.toString('base64'),
        },
      },
      random,
    );

    const failures: string[] = [];
    const statuses = new Map<number, number>();

    const learn = ({ operation, wire }: FuzzRequest, { status, text }: WireAnswer): void => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 300 || status === 0) return;
      succeeded.set(operation.operationId, (succeeded.get(operation.operationId) ?? 0) + 1);
      if (status !== 201 && operation.operationId !== 'testWebhook') return;
      const { id, access_token: token } = JSON.parse(text) as { id?: string; access_token?: string };
      if (id === undefined) return;
      if (status === 201) ids.add(kindOf('id', operation.path), id);
      else ids.add('delivery', id, /webhooks\/([^/]+)/.exec(wire.target)?.[1]);
      if (token === undefined) return;
      const kind = kindOf('id', operation.path);
      widgetTokens.set(kind, [...(widgetTokens.get(kind) ?? []).slice(-19), [id, token]]);
    };

    const slow: FuzzRequest[] = [];
    const report = ({ operation, wire }: FuzzRequest, fault: string): void => {
      failures.push(`${operation.operationId}: ${fault}\n  ${printRequest(wire)}`);
    };

    /** Sends a request and answers how many milliseconds it took. */
    const ask = async (request: FuzzRequest): Promise<number> => {
      const started = performance.now();
      try {
        const answer = await sendOverWire(port, request.wire);
        const fault = judge(operations, request.wire, answer);
        if (fault === null) learn(request, answer);
        else report(request, fault);
      } catch (error) {
        report(request, String(error));
      }
      return performance.now() - started;
    };

    const heaps: number[] = [];
    for (let fifth = 0; fifth < 5; fifth += 1) {
      let left = Math.floor(requests / 5);
      const lane = async (): Promise<void> => {
        while (left > 0 && failures.length < 20) {
          left -= 1;
          const request = next();
          if ((await ask(request)) > slowMs) slow.push(request);
          // The api's log is not its memory.
          api.lines.length = 0;
          api.dispatches.length = 0;
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      heaps.push(heapUsed());
    }

    // The machine may have been busy: a request that hangs by itself is slow every time.
    for (const request of slow) {
      const again = [await ask(request), await ask(request), await ask(request)];
      if (Math.min(...again) > slowMs) report(request, `slower than ${slowMs} ms, again and again`);
    }

    // Chance may have kept an operation from success, such as the cancelling of an order, which needs one.
    const missing = (): string[] => operations.map(({ operationId }) => operationId).filter((id) => !succeeded.has(id));
    for (let more = 0; more < 10_000 && missing().length > 0 && failures.length === 0; more += 1) await ask(next(true));

    console.log(
      `seed ${seed}; statuses ${JSON.stringify([...statuses].sort(([a], [b]) => a - b))}; MB ${heaps.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(' ')}`,
    );
    expect(failures).toEqual([]);
    expect(missing()).toEqual([]);
    expect(heaps.at(-1)! - heaps[0]!).toBeLessThan(heapMargin);
    expect((await api.call('GET', '/readyz')).status).toBe(200);
  }, 3_600_000);
});
