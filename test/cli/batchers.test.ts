import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { HDNodeWallet } from 'ethers';
import type { Knex } from 'knex';
import { dump } from 'js-yaml';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { batcherAddress, registryAddress } from '../../chain/pure/platform.ts';
import { createRpc, type Rpc } from '../../chain/rpc/rpc.ts';
import { createKeystore, PUBLIC_KEYS_COST } from '../../chain/signing/keystore.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { catalogueApply } from '../../cli/catalogue.ts';
import { networkPrepare } from '../../cli/network.ts';
import { registryShow } from '../../cli/registry.ts';
import { connect } from '../../db/connection.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';
import { devMnemonic, type Chain } from '../../tools/stack/chain.ts';
import { demoCatalogue } from '../../tools/stack/prepare.ts';
import { firstBatcher, prepareAsBefore } from '../chain/support/old-batcher.ts';
import { callCommand } from '../support/carat.ts';
import { startTestChain } from '../support/chain.ts';
import { createTestDatabase } from '../support/database.ts';
import { hex } from '../support/fixtures.ts';

/* A network that an older version prepared, from the first look after an upgrade until nothing is left to do. */

const CONFIRMATIONS = 300;
const FINALITY = 600;
const platform = devPlatform;
const [newest, first, registry] = [batcherAddress(platform), firstBatcher(platform), registryAddress(platform)];

let chain: Chain;
let rpc: Rpc;
let knex: Knex;
let dir: string;
let env: Record<string, string>;
let networkId: string;
let catalogue: string;
/** Keystores by whose key they hold. */
const files: Record<'root' | 'stranger', string> = { root: '', stranger: '' };

beforeAll(async () => {
  chain = await startTestChain();
  rpc = createRpc({ urls: [chain.url], eip155: chain.chainId });
  const databaseUrl = (await createTestDatabase()).url;
  knex = connect(databaseUrl, { pool: 2 });
  env = { CARAT_DATABASE_URL: databaseUrl, CARAT_KEYSTORE_PASSPHRASE: 'correct horse' };
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-batchers-'));
  for (const [owner, index] of [
    ['root', 0],
    ['stranger', 5],
  ] as const) {
    files[owner] = path.join(dir, `${owner}.json`);
    const { privateKey } = HDNodeWallet.fromPhrase(devMnemonic, '', `m/44'/60'/0'/0/${index}`);
    await createKeystore(files[owner], 'correct horse', [privateKey], PUBLIC_KEYS_COST);
  }
  const at = { name: 'alpha', eip155: chain.chainId, quorum: 1, confirmations: CONFIRMATIONS };
  await prepareAsBefore({
    network: { ...at, platform, root: platform.firstRoot, guardian: devAccounts.guardian.address },
    rpc,
    rootSigner: createKeySigner(devAccounts.root.privateKey),
    operators: [devAccounts.operator.address],
    upgraders: [devAccounts.upgrader.address],
    signers: [devAccounts.signer.address],
  });
  catalogue = path.join(dir, 'catalogue.yaml');
  const demo = demoCatalogue([{ ...at, url: chain.url, blockTime: 0.2, finality: FINALITY }]);
  const { currencies, ...rest } = demo as { currencies: unknown[] };
  fs.writeFileSync(catalogue, dump({ ...rest, currencies: currencies.slice(0, 1) }));
});

afterAll(async () => {
  await knex.destroy();
  await chain.stop();
  fs.rmSync(dir, { recursive: true, force: true });
});

/** The output of a successful command. */
const said = async (command: unknown, ...args: string[]): Promise<string> => {
  const out: string[] = [];
  await callCommand(command, args, env, out);
  return out.map((line) => `${line}\n`).join('');
};
const apply = () => said(catalogueApply, catalogue);
const plan = () => said(networkPrepare, 'alpha', '--plan');
const prepare = (owner: keyof typeof files) => said(networkPrepare, 'alpha', '--root-keystore', files[owner]);
const shown = async () =>
  (await said(registryShow, 'alpha')).split('\n').filter((line) => /^(batcher|operator)/.test(line));

/** The calls that a command has printed for root. */
const printedCalls = (out: string) =>
  [...out.matchAll(/^ {2}(\S.*)\n {4}to (0x[0-9a-f]{40})\n {4}data (0x[0-9a-f]+)$/gm)].map(
    ([, what = '', to = '', data = '']) => ({ what, to, data }),
  );
const byRoot = (calls: ReturnType<typeof printedCalls>) =>
  sendCalls(rpc, createKeySigner(devAccounts.root.privateKey), chain.chainId, calls);

const tip = async (): Promise<number> => Number(await rpc.call('eth_blockNumber'));
const confirm = () => rpc.call('anvil_mine', [`0x${CONFIRMATIONS.toString(16)}`]);
/** As a watcher of this database writes how far it has read; one that goes on is always far enough. */
const watched = (number: number) =>
  knex('watch_cursors')
    .insert({ network_id: networkId, number, hash: hex(32) })
    .onConflict('network_id')
    .merge();

const waits = `keeps its role until the newest has had its own for ${CONFIRMATIONS} confirmations`;
const operatorLine = `operator   ${devAccounts.operator.address.toLowerCase()} has the role`;

it('a network with an older batcher is named when the catalogue is applied, by registry show and by a plan', async () => {
  const applied = await apply();
  networkId = /^networks +(\S+) alpha$/m.exec(applied)![1]!;
  expect(applied.match(/^warning.*$/gm)).toEqual([
    'warning    alpha still uses an older batcher: carat network prepare alpha brings the newest',
  ]);
  expect(await shown()).toEqual([
    operatorLine,
    `batcher    ${newest} newest, is not deployed: carat network prepare alpha`,
    `batcher    ${first} older, ${waits}; carat network prepare alpha takes its role after that`,
  ]);
  const planned = await plan();
  expect(planned).toContain(`alpha: the batcher ${newest} is missing\n`);
  expect(planned).toContain(`alpha: the older batcher ${first}: ${waits}`);
  expect(planned.match(/^alpha: deploy .*?:/gm)).toEqual([`alpha: deploy the batcher at ${newest}:`]);
  expect(printedCalls(planned).map(({ what }) => what)).toEqual([`give the role operator to the batcher ${newest}`]);
});

it("the newest batcher comes by anybody's key and root's call, and the older one keeps its role for now", async () => {
  const deployed = await prepare('stranger');
  expect(deployed).toContain(' 1 transactions sent');
  const calls = printedCalls(deployed);
  expect(calls).toMatchObject([{ what: `give the role operator to the batcher ${newest}`, to: registry }]);
  expect(await shown()).toContain(`batcher    ${newest} newest, lacks its role: carat network prepare alpha`);
  await byRoot(calls);
  expect(await apply()).not.toContain('warning');
  const planned = await plan();
  expect(planned).toContain('alpha: nothing is missing\n');
  expect(planned).toContain(`the older batcher ${first}: ${waits}`);
  expect(printedCalls(planned)).toEqual([]);
});

it('the older batcher keeps its role while its traffic is unknown, or it has some', async () => {
  await confirm();
  const kept = async (): Promise<string | undefined> => {
    expect(await prepare('root')).toContain(' 0 transactions sent');
    const [line] = (await shown()).filter((one) => one.includes(first));
    const text = line!.slice(`batcher    ${first} older, `.length);
    expect(await plan()).toContain(`alpha: the older batcher ${first}: ${text}\n`);
    return text;
  };
  const unknown = /^no watcher of this database has read alpha yet, so its open transactions are unknown;/;
  expect(await kept()).toMatch(unknown);
  await watched((await tip()) - CONFIRMATIONS - 50);
  expect(await kept()).toMatch(unknown);
  await watched((await tip()) + 10_000);
  const account = await knex('signer_accounts').where({ role: 'operator' }).first();
  const slot = { account_id: account.id, to_address: first, data: Buffer.alloc(4), gas_limit: 21_000 };
  await knex('tx_slots').insert({ ...slot, nonce: 1, state: 'signed' });
  expect(await kept()).toBe(
    'still in use: transactions to it that are not final: 1; carat network prepare alpha takes its role once none is left',
  );
});

it("then network prepare takes the older batcher's role, prints the call for a multisig, and has nothing to do afterwards", async () => {
  const final = { state: 'confirmed', block_number: 1, block_hash: hex(32), tx_hash: hex(32) };
  await confirm();
  await confirm();
  await watched((await tip()) + 10_000);
  await knex('tx_slots').update(final);
  const what = `take the role operator from ${first}, an older batcher`;
  expect(await shown()).toContain(
    `batcher    ${first} older, has its role, but no open transaction; carat network prepare alpha takes its role`,
  );
  const planned = await plan();
  expect(planned).toMatch(new RegExp(`^alpha: ${what}: \\d{5} gas, 0\\.\\d+ ETH$`, 'm'));
  const printed = await prepare('stranger');
  expect(printed).toContain(' 0 transactions sent');
  expect(printedCalls(printed)).toEqual(printedCalls(planned));
  expect(printedCalls(printed)).toMatchObject([{ what, to: registry }]);

  expect(await prepare('root')).toContain(' 1 transactions sent');
  expect(await shown()).toEqual([
    operatorLine,
    `batcher    ${newest} newest, has its role`,
    `batcher    ${first} older, no longer has its role`,
  ]);
  const done = await plan();
  expect([done.includes('alpha: nothing is missing\n'), done.includes('older batcher')]).toEqual([true, false]);
  expect(await prepare('root')).toContain(' 0 transactions sent');
});
