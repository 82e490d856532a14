import fs from 'node:fs';
import path from 'node:path';
import { setRoleCall } from '../../chain/deploy/registry.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { registryAddress } from '../../chain/pure/platform.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { createKeystore } from '../../chain/signing/keystore.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';
import { startProxy, type Proxy, type WireRequest } from '../chain/support/proxy.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * Operators get an alert about each obstacle to offers, and no offer is shown that the chain would refuse. Both of two
 * endpoints must agree.
 */

let product: Product;
let shop: Shop;
let worker: RunningProcess;
let endpoints: Proxy[];
let rpcUrl: string;

beforeAll(async () => {
  product = await createProduct({ environment: { CARAT_SILENCE_SECONDS: '10' } });
  rpcUrl = product.dev.networks.alpha!.rpc;
  endpoints = await Promise.all([startProxy(rpcUrl), startProxy(rpcUrl)]);
  const rpc_urls = endpoints.map(({ url }) => url);
  await product.knex('networks').where({ id: product.dev.networks.alpha!.id }).update({ rpc_urls, quorum: 2 });
  [, worker] = await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
  await shop.merchant.offerDeals(shop.wallet.id, product.dev.networks.alpha!.id);
  await shop.reached(await shop.create('alpha'), 'awaiting_payment');
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await Promise.all((endpoints ?? []).map((endpoint) => endpoint.close()));
});

const { operator, upgrader, root, signer } = devAccounts;

const setRole = async (enabled: boolean): Promise<void> => {
  const { eip155 } = product.dev.networks.alpha!;
  const call = setRoleCall(registryAddress(devPlatform), 'signer', signer.address, enabled);
  await sendCalls(createRpc({ urls: [rpcUrl], eip155 }), createKeySigner(root.privateKey), eip155, [call]);
};
const isOpen = async (kind: string): Promise<boolean> =>
  (await product.knex('alerts').where({ kind, closed_at: null })).length > 0;
const isTold = (kind: string): Promise<boolean> => eventually(() => isOpen(kind), 45_000, 250);
const isOver = (kind: string): Promise<boolean> => eventually(async () => !(await isOpen(kind)), 45_000, 250);

it('offers that cannot be stored raise an alert with the reason, until they can', async () => {
  const { knex } = product;
  await knex.raw(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`);
  await knex.raw('CREATE TRIGGER full_disk BEFORE INSERT ON offers FOR EACH ROW EXECUTE FUNCTION full_disk()');
  const payment = await shop.create('alpha');
  expect(await isTold('signing_stalled')).toBe(true);
  await eventually(async () => (await shop.merchant.payment(payment.id)).status_detail === 'signing_stalled', 30_000);
  const lines = fs.readFileSync(path.join(product.logs, 'worker.log'), 'utf8').split('\n');
  expect(lines.filter((line) => line.includes('runOffers'))[0]).toMatch(/No space left on device \(53100\)/);
  await knex.raw('DROP FUNCTION full_disk CASCADE');
  await shop.reached(payment, 'awaiting_payment');
  expect(await isOver('signing_stalled')).toBe(true);
});

const roleState = contracts.registry.interface.getFunction('roleState')!.selector;
const asksForRole = ({ method, params }: WireRequest): boolean =>
  method === 'eth_call' && (params[0] as { data?: string }).data?.startsWith(roleState) === true;

it('roles on which the endpoints disagree raise an alert, and deals are offered by the former roles', async () => {
  endpoints[0]!.tamper = (request, result) => (asksForRole(request) ? `0x${'00'.repeat(64)}` : result);
  await shop.reached(await shop.create('alpha'), 'awaiting_payment');
  expect(await isTold('signing_stalled')).toBe(true);
  // The next run knows the roles as well.
  await worker.stop();
  worker = await product.startWorker();
  await shop.reached(await shop.create('alpha'), 'awaiting_payment');
  endpoints[0]!.tamper = (_, result) => result;
  expect(await isOver('signing_stalled')).toBe(true);
});

it('a signer that loses its role while the workers run has a role_missing alert until it has its role again', async () => {
  await shop.reached(await shop.create('alpha'), 'awaiting_payment');
  await setRole(false);
  const waiting = await shop.create('alpha');
  await eventually(async () => (await shop.merchant.payment(waiting.id)).status_detail === 'signer_revoked', 30_000);
  expect(await isTold('role_missing')).toBe(true);
  await setRole(true);
  await shop.reached(waiting, 'awaiting_payment');
  expect(await isOver('role_missing')).toBe(true);
});

it('offers of a signer without its role are not shown, even where no worker holds its key', async () => {
  const payment = await shop.create('alpha');
  await shop.reached(payment, 'awaiting_payment');
  expect(await shop.merchant.widget(payment)).toMatchObject({ payable: true });
  await worker.stop();
  const keystore = path.join(path.dirname(product.logs), 'without-signer.json');
  await createKeystore(keystore, product.secrets.keystorePassphrase, [operator.privateKey, upgrader.privateKey]);
  await product.startWorker({ CARAT_KEYSTORE: keystore });
  await setRole(false);
  await expect(shop.buyers.alpha!.pay(await shop.merchant.widget(payment))).rejects.toThrow();
  await eventually(async () => !(await shop.merchant.widget(payment)).payable, 30_000, 500);
});
