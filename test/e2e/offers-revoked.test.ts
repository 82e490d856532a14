import path from 'node:path';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { setRoleCall } from '../../chain/deploy/registry.ts';
import { registryAddress } from '../../chain/pure/platform.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { createKeystore } from '../../chain/signing/keystore.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import type { RunningProcess } from '../../dev/process/process.ts';
import { devAccounts, devPlatform } from '../../dev/stack/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * The only signer of a network loses its role, while its workers run, and after its operator has taken the key from them.
 */

let product: Product;
let shop: Shop;
let worker: RunningProcess;

beforeAll(async () => {
  product = await createProduct();
  [, worker] = await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
  await shop.merchant.offerDeals(shop.wallet.id, product.dev.networks.alpha!.id);
}, 120_000);

afterAll(async () => {
  shop?.close();
  await product?.stop();
});

const { operator, upgrader, root, signer } = devAccounts;

const setRole = async (enabled: boolean): Promise<void> => {
  const { rpc: url, eip155 } = product.dev.networks.alpha!;
  const call = setRoleCall(registryAddress(devPlatform), 'signer', signer.address, enabled);
  await sendCalls(createRpc({ urls: [url], eip155 }), createKeySigner(root.privateKey), eip155, [call]);
};

const openAlerts = (kind: string) => product.knex('alerts').where({ kind, closed_at: null });

it('a signer that loses its role while the workers run is told as role_missing until it has its role again', async () => {
  const payment = await shop.create('alpha');
  await shop.reached(payment, 'awaiting_payment');
  await setRole(false);
  try {
    const waiting = await shop.create('alpha');
    await eventually(async () => (await shop.merchant.payment(waiting.id)).status_detail === 'signer_revoked', 30_000);
    await eventually(async () => (await openAlerts('role_missing')).length === 1, 30_000, 250);
  } finally {
    await setRole(true);
  }
  await eventually(async () => (await openAlerts('role_missing')).length === 0, 30_000, 250);
}, 120_000);

it('offers of a signer that has lost its role are not handed out, also when no worker holds its key any more', async () => {
  const payment = await shop.create('alpha');
  await shop.reached(payment, 'awaiting_payment');
  expect(await shop.merchant.widget(payment)).toMatchObject({ payable: true });
  await worker.stop();
  const keystore = path.join(path.dirname(product.logs), 'without-signer.json');
  await createKeystore(keystore, product.secrets.keystorePassphrase, [operator.privateKey, upgrader.privateKey]);
  await product.startWorker(undefined, { CARAT_KEYSTORE: keystore });
  await setRole(false);
  // The chain refuses the offer from here on.
  await expect(shop.buyers.alpha!.pay(await shop.merchant.widget(payment))).rejects.toThrow();
  await eventually(async () => !(await shop.merchant.widget(payment)).payable, 30_000, 500);
}, 120_000);
