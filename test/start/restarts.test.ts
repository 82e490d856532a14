import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTestTimeout } from '../support/test-timeout.ts';
import { ethers } from 'ethers';
import type { Payment } from '../../api/generated/openapi-types.ts';
import { createBuyer } from '../../tools/demo/buyer.ts';
import { createMerchant, type Merchant } from '../../tools/demo/merchant.ts';
import { root } from '../../tools/paths.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { endRecorded, sendSignal } from '../../tools/process/records.ts';
import { rpc } from '../../tools/stack/chain.ts';
import type { DevFile } from '../../tools/stack/dev-file.ts';
import { eventually } from '../support/eventually.ts';

/** How a start ends: by a stop, or by a kill of every process at once, when it has said something. */
type Ending = readonly ['stop' | 'kill', string];

const ready = 'Carat is ready';

/** Ten stops and five kills, of stacks that are up and of such that are about to be. */
const endings: readonly Ending[] = [
  ['stop', ready],
  ['kill', ready],
  ['stop', 'starting PostgreSQL'],
  ['kill', 'PostgreSQL is ready'],
  ['stop', ready],
  ['stop', 'Temporal is ready'],
  ['kill', ready],
  ['stop', 'starting api and worker'],
  ['kill', 'starting api and worker'],
  ['stop', ready],
  ['stop', 'the chain alpha is ready'],
  ['kill', 'the chain beta is ready'],
  ['stop', 'starting api and worker'],
  ['stop', 'PostgreSQL is ready'],
  ['stop', 'starting PostgreSQL'],
];

/** A payment, and the buyer's transaction once there is one. */
interface Sale {
  readonly network: string;
  readonly payee: string;
  readonly payment: Payment;
  hash?: string;
}

let stateDir = '';
let env: NodeJS.ProcessEnv = {};
let child: ChildProcess | undefined;
let output = '';
let walletId = '';
let geneses: unknown;
const sales: Sale[] = [];

/** Starts the stack and waits until it has said something. */
const startUntil = async (line: string): Promise<void> => {
  output = '';
  const started = spawn(process.execPath, ['tools/bootstrap.mjs', 'tools/up.ts'], { cwd: root, env });
  child = started;
  for (const stream of [started.stdout, started.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const early = new Promise<never>((_, reject) => {
    started.once('exit', (code, signal) => reject(new Error(`ended (${signal ?? code}):\n${output}`)));
  });
  await Promise.race([eventually(() => output.includes(line), 100_000), early]);
};

/** A process with all processes that it has started, directly or not. */
const familyOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(familyOf)];
const childrenOf = (pid: number): number[] => {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').map(Number).filter(Boolean);
};

const gone = (process: ChildProcess): Promise<void> =>
  process.exitCode === null && process.signalCode === null
    ? new Promise((resolve) => process.once('exit', () => resolve()))
    : Promise.resolve();

const end = async (how: Ending[0]): Promise<void> => {
  if (how === 'stop') child!.kill('SIGTERM');
  else {
    // Stopped first, so that it makes no more of them while they are counted. Some end by themselves meanwhile.
    child!.kill('SIGSTOP');
    for (const pid of familyOf(child!.pid!)) sendSignal(pid, 'SIGKILL');
  }
  await gone(child!);
  const { stdout } = spawnSync('ps', ['-eo', 'args='], { encoding: 'utf8' });
  if (how === 'stop') expect(stdout.split('\n').filter((line) => line.includes(stateDir))).toEqual([]);
};

const readDev = (): DevFile => JSON.parse(fs.readFileSync(path.join(stateDir, 'dev.json'), 'utf8')) as DevFile;

const genesesOf = (dev: DevFile): Promise<unknown[]> =>
  Promise.all(Object.values(dev.networks).map(({ rpc: url }) => rpc(url, 'eth_getBlockByNumber', ['0x0', false])));

/** The wallet of the first start, with its diamonds. */
const openShop = async (dev: DevFile, merchant: Merchant): Promise<void> => {
  walletId = (await merchant.createWallet('Shop')).id;
  for (const { id } of Object.values(dev.networks)) {
    await eventually(async () => (await merchant.deploy(walletId, id)).status === 'completed', 60_000, 250);
  }
};

const sell = async (dev: DevFile, merchant: Merchant, network: string): Promise<void> => {
  const payee = ethers.Wallet.createRandom().address;
  const payment = await merchant.createPayment({
    external_id: payee,
    node_id: dev.nodes.merchant!,
    network_id: dev.networks[network]!.id,
    wallet_id: walletId,
    currency_id: dev.currencies.ETH!.id,
    price: 0.1,
    paid_price: 0.1,
    payment_method: 'web3',
    payment_group: 'product',
    payment_address: payee,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  sales.push({ network, payee, payment });
};

/** The buyer pays, and pays again if a kill removed the payment from the chain. */
const pay = async (dev: DevFile, merchant: Merchant, sale: Sale): Promise<void> => {
  const network = dev.networks[sale.network]!;
  if (sale.hash !== undefined && (await rpc(network.rpc, 'eth_getTransactionReceipt', [sale.hash])) !== null) return;
  const buyer = createBuyer(dev, network);
  sale.hash = await buyer.pay(await merchant.widget(sale.payment));
  buyer.close();
};

const statusOf = async (merchant: Merchant, { payment }: Sale): Promise<Payment['status']> =>
  (await merchant.payment(payment.id)).status;

beforeAll(async () => {
  stateDir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-restarts-'));
  fs.chmodSync(stateDir, 0o711);
  const variables = ['CARAT_API_PORT', 'CARAT_POSTGRES_PORT', 'CARAT_TEMPORAL_PORT', 'CARAT_TEMPORAL_UI_PORT'].concat(
    'CARAT_ALPHA_PORT',
    'CARAT_BETA_PORT',
  );
  const ports = await freePorts(variables.length);
  const own = Object.fromEntries(variables.map((variable, index) => [variable, String(ports[index])]));
  env = { ...process.env, ...own, CARAT_STATE_DIR: stateDir, NODE_OPTIONS: '', TEMPORAL_ADDRESS: '' };
});

afterAll(async () => {
  child?.kill('SIGKILL');
  await endRecorded(path.join(stateDir, 'processes'), 0);
  fs.rmSync(stateDir, { recursive: true, force: true });
});

setTestTimeout(120_000);

// Each continues with the state that the previous one left.
describe('npm start, stopped ten times and killed five times', () => {
  it.each(endings)('%s when it has said "%s"', async (how, line) => {
    await startUntil(line);
    if (line !== ready) return end(how);
    const dev = readDev();
    geneses ??= await genesesOf(dev);
    expect(await genesesOf(dev)).toEqual(geneses);
    const merchant = createMerchant(dev);
    if (walletId === '') await openShop(dev, merchant);
    // Before a kill one of the start before is paid at the last moment; new ones are under way then.
    const [open] = sales.filter(({ hash }) => hash === undefined);
    if (how === 'kill') {
      await eventually(async () => (await statusOf(merchant, open!)) === 'awaiting_payment', 45_000, 100);
      await pay(dev, merchant, open!);
    }
    for (const network of ['alpha', 'beta']) await sell(dev, merchant, network);
    return end(how);
  });

  it('has lost no payment and doubled none', async () => {
    await startUntil(ready);
    const dev = readDev();
    expect(await genesesOf(dev)).toEqual(geneses);
    const merchant = createMerchant(dev);
    expect(sales.length).toBe(2 * endings.filter(([, line]) => line === ready).length);
    for (const sale of sales) {
      const payable = ['awaiting_payment', 'processing', 'completed'];
      await eventually(async () => payable.includes(await statusOf(merchant, sale)), 45_000, 100);
      await pay(dev, merchant, sale);
    }
    for (const sale of sales) {
      await eventually(async () => (await statusOf(merchant, sale)) === 'completed', 45_000, 100);
      const balance = await rpc(dev.networks[sale.network]!.rpc, 'eth_getBalance', [sale.payee, 'latest']);
      expect(BigInt(balance as string)).toBe(ethers.parseEther('0.1'));
    }
    await end('stop');
    expect(output).toContain(`everything is stopped; the data is kept in ${stateDir}`);
  });
});
