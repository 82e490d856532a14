import { registryAddress } from '../../chain/pure/platform.ts';
import { roleIds } from '../../chain/pure/roles.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { devAccounts, devPlatform } from '../../dev/stack/accounts.ts';
import { registryCall } from '../chain/support/gateway.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * docs/operations/offer-deals.md: "`signer_revoked`: No signer of the network has its role. The alert `role_missing` names the keys."
 */

let product: Product;
let shop: Shop;

beforeAll(async () => {
  product = await createProduct();
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
  await shop.merchant.offerDeals(shop.wallet.id, product.dev.networks.alpha!.id);
}, 120_000);
afterAll(async () => {
  shop?.close();
  await product?.stop();
});

it('a signer that loses its role while workers run is named by the alert role_missing', async () => {
  const { eip155, rpc: url } = product.dev.networks.alpha!;
  await shop.reached(await shop.create('alpha'), 'awaiting_payment');
  const take = registryCall('setRole', roleIds.signer, devAccounts.signer.address, false);
  await sendCalls(createRpc({ urls: [url], eip155 }), createKeySigner(devAccounts.root.privateKey), eip155, [
    { what: 'take', to: registryAddress(devPlatform), data: take },
  ]);
  const account = product.knex('signer_accounts').where({ role: 'signer' });
  await eventually(async () => (await account.clone().first()).status === 'paused', 20_000);
  const payment = await shop.create('alpha');
  const detail = await eventually(async () => (await shop.merchant.payment(payment.id)).status_detail, 20_000);
  expect(detail).toBe('signer_revoked');
  const raised = async (): Promise<string[]> => product.knex('alerts').whereNull('closed_at').orderBy('kind').pluck('kind');
  await eventually(async () => (await raised()).includes('role_missing'), 32_000).catch(() => false);
  expect(await raised()).toContain('role_missing');
}, 120_000);
