import { codeOf } from '../support/answers.ts';
import { startApi, type Actor } from '../support/api-under-test.ts';

const api = await startApi();
const shop: Actor = await api.actor('shop');
const { A, B } = api.ids.networks as { A: string; B: string };
const call = (method: string, path: string, json?: unknown) =>
  api.call(method, `/api/v1/${path}`, { token: shop.token, ...(json === undefined ? {} : { json }) });
const setRetired = (isRetired: boolean) =>
  api
    .knex('networks')
    .where({ id: B })
    .update({ retired_at: isRetired ? new Date() : null });

beforeEach(() => setRetired(false));

const paymentOn = async (wallet: { id: string }, change: Record<string, unknown> = {}) =>
  api.paymentBody({ network_id: B, node_id: shop.nodeId, wallet_id: wallet.id, ...change });

it('a retired network takes no new payment, by its name; a repeated order gets the existing payment', async () => {
  const wallet = await api.deployed(shop, 'B');
  const body = await paymentOn(wallet);
  const { body: before } = await call('POST', 'payments', body);
  await setRetired(true);
  const refused = await call('POST', 'payments', await paymentOn(wallet, { external_id: 'another' }));
  expect(codeOf(refused)).toEqual([409, 'network_retired']);
  expect(refused.body.detail).toBe('The network B is retired and takes nothing new');
  const repeated = await call('POST', 'payments', body);
  expect([...codeOf(repeated), repeated.body.existing_id]).toEqual([409, 'payment_exists', before.id]);
  const other = await call('POST', 'payments', await paymentOn(wallet, { external_id: 'another', network_id: A }));
  expect(other.status).toBe(201);
});

it('earlier payments can be read, listed and canceled', async () => {
  const wallet = await api.deployed(shop, 'B');
  const { body: payment } = await call('POST', 'payments', await paymentOn(wallet, { external_id: 'old' }));
  await setRetired(true);
  expect((await call('GET', `payments/${payment.id}`)).body).toMatchObject({ id: payment.id, network_id: B });
  const listed = await call('GET', `payments?node_id=${shop.nodeId}&network_id=${B}&per_page=100`);
  expect(listed.body.items.map(({ id }: { id: string }) => id)).toContain(payment.id);
  expect((await call('POST', `payments/${payment.id}/retry-send`)).status).toBeLessThan(300);
  expect((await call('POST', `payments/${payment.id}/cancel`)).status).toBeLessThan(300);
});

it('a retired network takes no new deployment, update, version check, default or webhook; existing ones can be changed and removed', async () => {
  const wallet = await api.deployed(shop, 'B');
  const fresh = await api.wallet(shop);
  const place = { node_id: shop.nodeId, network_id: B };
  const mapping = { ...place, wallet_id: wallet.id, type: 'node' };
  await call('POST', 'node-network-wallet-defaults', mapping);
  const { body: webhook } = await call('POST', 'webhooks', api.webhookBody(wallet, { network_id: B }));
  await setRetired(true);
  const named = `node_id=${shop.nodeId}&network_id=${B}`;
  const answers = await Promise.all([
    call('POST', `wallets/${fresh.id}/deploy`, place),
    call('POST', `wallets/${wallet.id}/update`, place),
    call('POST', `wallets/${wallet.id}/update?dry_run=true`, place),
    call('GET', `wallets/${wallet.id}/deploy/version-check?${named}`),
    call('POST', 'node-network-wallet-defaults', { ...mapping, type: 'apex' }),
    call('PUT', 'node-network-wallet-defaults', { ...mapping, wallet_id: fresh.id }),
    call('POST', 'webhooks', api.webhookBody(fresh, { network_id: B })),
  ]);
  expect(answers.map(codeOf)).toEqual(answers.map(() => [409, 'network_retired']));
  expect(await api.knex('diamonds').where({ wallet_id: fresh.id })).toEqual([]);
  expect((await call('PUT', 'webhooks', { id: webhook.id, is_active: false })).status).toBeLessThan(300);
  const { wallet_id: _, ...key } = mapping;
  expect((await call('DELETE', 'node-network-wallet-defaults', key)).status).toBeLessThan(300);
});

it('a retired network is omitted from the networks and from the places of a currency, unless it is requested', async () => {
  const names = async (query = '') =>
    (await call('GET', `networks?per_page=100${query}`)).body.items
      .map(({ name }: { name: string }) => name)
      .toSorted();
  const places = async () =>
    (await call('GET', 'currencies?per_page=100')).body.items.flatMap(
      ({ tokens }: { tokens: { network_id: string }[] }) => tokens.map(({ network_id }) => network_id),
    );
  expect([await names(), (await places()).includes(B)]).toEqual([['A', 'B', 'S'], true]);
  await setRetired(true);
  expect([await names(), (await places()).includes(B)]).toEqual([['A', 'S'], false]);
  expect(await names('&include_retired=true')).toEqual(['A', 'B', 'S']);
  const { items } = (await call('GET', 'networks?include_retired=true')).body;
  const since = items.map(({ name, retired_at: at }: { name: string; retired_at: string | null }) => [
    name,
    at !== null,
  ]);
  expect(Object.fromEntries(since)).toEqual({ A: false, B: true, S: false });
});
