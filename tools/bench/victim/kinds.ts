import { setTimeout as delay } from 'node:timers/promises';
import { attemptMs } from '../../../delivery/attempt.ts';
import { optionalEvents } from '../../../domain/webhook.ts';
import type { LoadRequest } from '../http/load.ts';
import type { ProductStack } from '../product-stack.ts';
import type { WebhookReceiver } from '../webhooks/start-receiver.ts';
import type { NeighbourJob } from './load.ts';
import { largest, type Merchant } from './merchant.ts';

/** The neighbour's load in a slot. */
export interface Kind {
  readonly name: string;
  /** Unmeasured preparation. */
  prepare?(): Promise<void>;
  readonly connections: number;
  readonly perSecond: number | null;
  /** The requests with one of its tokens. */
  requests(token: string): LoadRequest[];
  /** Cleanup after the slot. */
  tidy?(): Promise<void>;
}

/** Initial payments of the neighbour, of maximum size: five full pages. */
const STOCK = 500;
/** Payments per second of a neighbour that loads webhooks: each payment is two events to 16 webhooks. */
const PAYMENTS_PER_SECOND = 10;

const asking = (token: string, method: LoadRequest['method'], path: string, body?: string): LoadRequest => ({
  method,
  path,
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  ...(body === undefined ? {} : { body }),
});

/** Waits until nothing is in flight: no command, webhook or deal. */
export const untilIdle = async ({ knex }: ProductStack): Promise<void> => {
  const questions = [
    knex('outbox').whereNull('delivered_at'),
    knex('webhook_deliveries AS d')
      .join('webhook_configurations AS c', 'c.id', 'd.webhook_id')
      .where({ 'd.state': 'pending', 'c.is_active': true, 'c.deleted_at': null }),
    knex('payments').where({ status: 'pending' }),
  ];
  for (const question of questions) {
    while ((await question.clone().select(knex.raw('1')).limit(1)).length > 0) await delay(100);
  }
};

interface Parts {
  readonly stack: ProductStack;
  readonly neighbour: Merchant;
  readonly receiver: WebhookReceiver;
}

/** Creates one webhook at each of the receiver's addresses, the maximum of a wallet. */
const createWebhooks = ({ stack, neighbour, receiver }: Parts, walletId: string, paths: readonly string[]) =>
  Promise.all(
    receiver.origins.map(async (host, index) => {
      const path = paths[index % paths.length]!;
      const webhook = await neighbour.client.createWebhook({
        wallet_id: walletId,
        network_id: stack.catalogue.networks.bench!,
        host,
        success_path: path,
        error_path: path,
        auth_type: 'token',
        auth_token: 'bench',
        events: [...optionalEvents],
      });
      return webhook.id;
    }),
  );

/**
 * The neighbour creates payments of maximum size through a wallet whose webhooks all misbehave.
 * @param paths receiver paths for the webhooks, round-robin; empty: no webhooks
 */
const payingWith = async (parts: Parts, name: string, paths: readonly string[], restMs: number): Promise<Kind> => {
  const { neighbour } = parts;
  const walletId = await neighbour.wallet(name);
  const body = neighbour.payment({ ...largest, wallet_id: walletId });
  let webhooks: string[] = [];
  return {
    name,
    prepare: async () => {
      webhooks = paths.length === 0 ? [] : await createWebhooks(parts, walletId, paths);
    },
    connections: PAYMENTS_PER_SECOND,
    perSecond: PAYMENTS_PER_SECOND,
    requests: (token) => [asking(token, 'POST', '/api/v1/payments', body)],
    tidy: async () => {
      for (const id of webhooks) await neighbour.client.deleteWebhook({ id });
      // Attempts in flight are not cancelled.
      await delay(restMs);
    },
  };
};

/** Creates a wallet with payments of maximum size, all delivered to its webhooks. */
const createStock = async (parts: Parts) => {
  const { stack, neighbour } = parts;
  const walletId = await neighbour.wallet('stock');
  const webhooks = await createWebhooks(parts, walletId, ['/']);
  const body = JSON.parse(neighbour.payment({ ...largest, wallet_id: walletId }));
  for (let index = 0; index < STOCK; index += 1) {
    await neighbour.client.createPayment({ ...body, external_id: `stock-${index}` });
  }
  await untilIdle(stack);
  return { walletId, webhooks };
};

/** Creates all kinds of load. */
export const createKinds = async (parts: Parts): Promise<Kind[]> => {
  const { stack, neighbour } = parts;
  const { walletId, webhooks } = await createStock(parts);
  const place = { node_id: neighbour.nodeId, network_id: stack.catalogue.networks.bench };
  const list = `/api/v1/payments?node_id=${neighbour.nodeId}`;
  const range = { from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z', include_delivered: true };
  const freely = (name: string, connections: number, requests: Kind['requests']): Kind => ({
    name,
    connections,
    perSecond: null,
    requests,
  });
  const file = (request: LoadRequest): LoadRequest => ({
    ...request,
    headers: { ...request.headers, accept: 'text/csv' },
  });
  const wallet = `/api/v1/wallets/${walletId}`;
  const query = new URLSearchParams(place as Record<string, string>).toString();
  return [
    freely('big lists', 16, (token) => [asking(token, 'GET', `${list}&wallet_id=${walletId}&per_page=100`)]),
    freely('lists as files', 16, (token) => [file(asking(token, 'GET', list))]),
    await payingWith(parts, 'its payments, without webhooks', [], 0),
    await payingWith(parts, 'slow webhooks', ['/silence', '/drip'], attemptMs('production')),
    await payingWith(parts, 'dead webhooks', ['/error'], 0),
    freely('replays', 16, (token) =>
      webhooks.map((id) => asking(token, 'POST', `/api/v1/webhooks/${id}/replay`, JSON.stringify(range))),
    ),
    freely('version checks', 32, (token) => [asking(token, 'GET', `${wallet}/deploy/version-check?${query}`)]),
    freely('dry runs', 32, (token) => [asking(token, 'POST', `${wallet}/update?dry_run=true`, JSON.stringify(place))]),
  ];
};

/** The job of the neighbour's clients in a slot. */
export const jobOf = async ({ connections, perSecond, requests }: Kind, { stack, neighbour }: Parts) => {
  const tokens = await neighbour.tokens();
  const job: NeighbourJob = { url: stack.api, connections, perSecond, requests: tokens.flatMap(requests) };
  return job;
};
