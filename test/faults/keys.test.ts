import fs from 'node:fs';
import path from 'node:path';
import { ethers } from 'ethers';
import { registryAddress } from '../../chain/pure/platform.ts';
import { roleIds } from '../../chain/pure/roles.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { createCaratClient } from '../../client/client.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { registryCall } from '../chain/support/gateway.ts';
import { carat } from '../support/carat.ts';
import { createRig, type Rig } from './rig.ts';

/* Keys without coins, role or holder, and fees that are too high for them. */

const network = 'alpha';
let rig: Rig;
let url: string;
let operator: string;
let upgrader: string;

beforeAll(async () => {
  rig = await createRig();
  url = rig.product.chains[network]!.url;
  const addressOf = async (role: string): Promise<string> =>
    (await rig.product.knex('signer_accounts').where({ role, dismissed_at: null }).pluck('address'))[0] as string;
  [operator, upgrader] = [await addressOf('operator'), await addressOf('upgrader')];
});

afterAll(() => rig?.stop());

const setBalance = (address: string, coins: string) =>
  rpc(url, 'anvil_setBalance', [address, ethers.toQuantity(ethers.parseEther(coins))]);

/** As root does. */
const setRole = async (account: string, isGiven: boolean): Promise<void> => {
  const { eip155 } = rig.product.dev.networks[network]!;
  const data = registryCall('setRole', roleIds.upgrader, account, isGiven);
  await sendCalls(createRpc({ urls: [url], eip155 }), createKeySigner(devAccounts.root.privateKey), eip155, [
    { what: 'a role', to: registryAddress(devPlatform), data },
  ]);
};

it('the operator has no coins, and a payment waits', async () => {
  await rig.named('no funds of an operator', {
    inject: async () => {
      await setBalance(operator, '0');
      await rig.shop.create(network);
    },
    mend: () => setBalance(operator, '100'),
    says: new RegExp(`the operator ${operator} has 0 ETH: it can send nothing`, 'i'),
  });
});

it('the upgrader has no coins, while nothing is under way', async () => {
  await rig.named('no funds of an upgrader', {
    inject: () => setBalance(upgrader, '0'),
    mend: () => setBalance(upgrader, '100'),
    says: new RegExp(`the upgrader ${upgrader} has 0 ETH: it can send nothing`, 'i'),
  });
});

it('the upgrader loses its role on the chain, while nothing is under way', async () => {
  const { dev } = rig.product;
  const client = createCaratClient({ url: dev.api, apiKey: dev.admin.api_key, secret: dev.admin.secret });
  await rig.named('key without a role', {
    inject: () => setRole(upgrader, false),
    mend: async () => {
      await setRole(upgrader, true);
      const incidents = await rig.product
        .knex('alerts')
        .where({ kind: 'role_not_asked_for', closed_at: null })
        .pluck('id');
      for (const id of incidents) await client.closeAlert(id as string);
    },
    says: new RegExp(`no role in the registry: ${upgrader} \\(upgrader\\)`, 'i'),
  });
});

it('the workers start again with a keystore that lacks the operator', async () => {
  const { logs, secrets } = rig.product;
  const folder = path.dirname(logs);
  const keystore = path.join(
    folder,
    fs.readdirSync(folder).find((file) => file.includes('keystore'))!,
  );
  const less = path.join(folder, 'less.json');
  const env = { CARAT_KEYSTORE_PASSPHRASE: secrets.keystorePassphrase };
  const words = ['keystore', 'create', less, '--from', keystore, '--keys', '0', '--without', operator];
  expect(await carat(words, env)).toMatchObject({ code: 0 });
  const restart = async (environment: Record<string, string>): Promise<void> => {
    await rig.workers[0]!.stop();
    await rig.startWorker(0, environment);
  };
  await rig.named('key without a holder', {
    inject: () => restart({ CARAT_KEYSTORE: less }),
    mend: () => restart({}),
    says: new RegExp(`no worker holds the key of the operator ${operator}`, 'i'),
  });
});

it('the base fee rises above the ceiling of the network, and a payment waits', async () => {
  const dear = ethers.toQuantity(ethers.parseUnits('5000', 'gwei'));
  let rising: NodeJS.Timeout | undefined;
  const raise = () => rpc(url, 'anvil_setNextBlockBaseFeePerGas', [dear]).catch(() => undefined);
  await rig.named('fee spike', {
    inject: async () => {
      await raise();
      rising = setInterval(() => void raise(), 100);
      await rig.shop.create(network);
    },
    mend: async () => {
      clearInterval(rising);
      await rpc(url, 'anvil_setNextBlockBaseFeePerGas', [ethers.toQuantity(ethers.parseUnits('1', 'gwei'))]);
    },
    // Before the deal is sent, or after.
    says: /(base fee of|on) alpha (is|would need fees) above the network's ceiling/,
  });
});
