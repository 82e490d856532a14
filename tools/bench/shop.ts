import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { DealMode } from '../../domain/payment.ts';
import { optionalEvents } from '../../domain/webhook.ts';
import type { ProductStack } from './product-stack.ts';

/** The API of a stack, and its tokens. */
export const apiClient = async (stack: ProductStack) => {
  const call = async <Body>(
    method: string,
    path: string,
    token: string | null,
    body?: unknown,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Body> => {
    const bearer = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(stack.api + path, {
      method,
      headers: { 'content-type': 'application/json', ...bearer, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    const text = await response.text();
    return (text === '' ? null : JSON.parse(text)) as Body;
  };
  const token = async (): Promise<string> => {
    const grant = {
      grant_type: 'client_credentials',
      client_id: stack.credentials.api_key,
      client_secret: stack.credentials.secret,
    };
    return (await call<{ access_token: string }>('POST', '/api/v1/auth/token', null, grant)).access_token;
  };
  return { call, token };
};

export type ApiCall = Awaited<ReturnType<typeof apiClient>>['call'];

/** Creates a wallet with an active diamond, whose deals come about in this way. */
export const activeWallet = async (
  call: ApiCall,
  bearer: string,
  { nodes, chains, networks }: ProductStack['catalogue'],
  mode: DealMode = 'created',
): Promise<{ readonly id: string }> => {
  const wallet = await call<{ id: string }>('POST', '/api/v1/wallets', bearer, {
    node_id: nodes.merchant,
    chain_id: chains.devnet,
    name: `bench ${mode}`,
  });
  const path = `/api/v1/wallets/${wallet.id}`;
  const deploy = { node_id: nodes.merchant, network_id: networks.bench };
  while ((await call<{ status: string }>('POST', `${path}/deploy`, bearer, deploy)).status !== 'completed')
    await delay(100);
  if (mode === 'offered') await call('PUT', path, bearer, { deal_modes: [{ network_id: networks.bench, mode }] });
  return wallet;
};

/** Sends every event of a wallet's payments to the root path of a receiver. */
export const subscribe = (
  call: ApiCall,
  bearer: string,
  { networks }: ProductStack['catalogue'],
  walletId: string,
  receiver: string,
): Promise<unknown> =>
  call('POST', '/api/v1/webhooks', bearer, {
    wallet_id: walletId,
    network_id: networks.bench,
    host: receiver,
    success_path: '/',
    error_path: '/',
    auth_type: 'token',
    auth_token: 'bench',
    events: optionalEvents,
  });

/** Waits until no webhook is pending; asks again after so many milliseconds. */
export const untilDelivered = async (knex: Knex, everyMs: number): Promise<void> => {
  while ((await knex('webhook_deliveries').where({ state: 'pending' }).orderBy('webhook_id').limit(1)).length > 0)
    await delay(everyMs);
};

/** The body of a new payment in the native coin. */
export const orderOf = (
  { catalogue: { nodes, networks, currencies } }: ProductStack,
  walletId: string,
  payee: string,
) => ({
  external_id: randomUUID(),
  node_id: nodes.merchant,
  network_id: networks.bench,
  wallet_id: walletId,
  currency_id: currencies.ETH,
  price: 0.001,
  paid_price: 0.001,
  payment_method: 'web3',
  payment_group: 'product',
  payment_address: payee,
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
});
