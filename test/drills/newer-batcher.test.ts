import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HDNodeWallet } from 'ethers';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { setRoleCall } from '../../chain/deploy/registry.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { batcherAddress, registryAddress } from '../../chain/pure/platform.ts';
import { createRpc, type Rpc } from '../../chain/rpc/rpc.ts';
import { createKeystore, PUBLIC_KEYS_COST } from '../../chain/signing/keystore.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { networkPrepare } from '../../cli/network.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';
import { devMnemonic } from '../../tools/stack/chain.ts';
import { firstBatcher, prepareAsBefore } from '../chain/support/old-batcher.ts';
import { callCommand } from '../support/carat.ts';
import { startTestChain } from '../support/chain.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * A running product goes from the batcher of an older version to the newest while payments are created: by the command, and by hand in
 * the wrong order.
 */

const platform = devPlatform;
const [newest, first] = [batcherAddress(platform), firstBatcher(platform)];

let product: Product;
let shop: Shop;
let rpc: Rpc;

beforeEach(async () => {
  product = await createProduct({
    networks: [{ name: 'alpha', eip155: 31_337, blockTime: 0.2, confirmations: 3, finality: 10 }],
    startChain: async (network) => {
      const chain = await startTestChain({ chainId: network.eip155, blockTime: network.blockTime });
      rpc = createRpc({ urls: [chain.url], eip155: network.eip155 });
      await prepareAsBefore({
        network: { ...network, quorum: 1, platform, root: platform.firstRoot, guardian: devAccounts.guardian.address },
        rpc,
        rootSigner: createKeySigner(devAccounts.root.privateKey),
        operators: [devAccounts.operator.address],
        upgraders: [devAccounts.upgrader.address],
      });
      return chain;
    },
  });
  await setRole(newest, false);
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
});

afterEach(async () => {
  shop?.close();
  await product?.stop();
});

const setRole = (account: string, has: boolean) =>
  sendCalls(rpc, createKeySigner(devAccounts.root.privateKey), 31_337, [
    { ...setRoleCall(registryAddress(platform), 'operator', account, has), gasLimit: 200_000n },
  ]);

/** Creates a payment every 100 ms until it is stopped. */
const createSteadily = () => {
  const payments: Payment[] = [];
  let isOn = true;
  const work = (async () => {
    while (isOn) {
      payments.push(await shop.create('alpha'));
      await delay(100);
    }
  })();
  return {
    payments,
    stop: async () => {
      isOn = false;
      await work;
    },
  };
};

/** Whether a slot of the lane went to this batcher. */
const wentTo = async (address: string): Promise<boolean> =>
  (await product.knex('tx_slots').where({ to_address: address })).length > 0;

const expectAllPayable = async (payments: readonly Payment[]): Promise<void> => {
  for (const payment of payments) await shop.reached(payment, 'awaiting_payment');
  await expectExactlyOnce(product);
};

it("network prepare gives the newest batcher its role, and takes the older one's role, under a running lane", async () => {
  const file = path.join(path.dirname(product.logs), 'root.json');
  const { privateKey } = HDNodeWallet.fromPhrase(devMnemonic, '', "m/44'/60'/0'/0/0");
  await createKeystore(file, 'correct horse', [privateKey], PUBLIC_KEYS_COST);
  const env = { CARAT_DATABASE_URL: product.dev.database, CARAT_KEYSTORE_PASSPHRASE: 'correct horse' };
  const prepare = async (): Promise<string> => {
    const out: string[] = [];
    await callCommand(networkPrepare, ['alpha', '--root-keystore', file], env, out);
    return out.join('\n');
  };
  const steady = createSteadily();
  await eventually(() => wentTo(first));
  expect(await prepare()).toContain(' 1 transactions sent');
  await eventually(() => wentTo(newest), 30_000);
  await eventually(async () => (await prepare()).includes(' 1 transactions sent'), 30_000);
  const count = steady.payments.length;
  await eventually(() => steady.payments.length > count + 5);
  await steady.stop();
  await expectAllPayable(steady.payments);
  expect(await product.knex('alerts').pluck('kind')).toEqual([]);
  const done = await prepare();
  expect([done.includes(' 0 transactions sent'), done.includes(first)]).toEqual([true, false]);
});

it('payments wait where the older batcher loses its role first, and use the newest once it has its role', async () => {
  const steady = createSteadily();
  await eventually(() => wentTo(first));
  await setRole(first, false);
  const waiting = await shop.create('alpha');
  await eventually(async () => (await shop.merchant.payment(waiting.id)).status_detail === 'operator_revoked', 30_000);
  await setRole(newest, true);
  await shop.reached(waiting, 'awaiting_payment');
  await steady.stop();
  await expectAllPayable(steady.payments);
  expect(await wentTo(newest)).toBe(true);
});
