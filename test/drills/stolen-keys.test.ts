import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ethers } from 'ethers';
import { dump } from 'js-yaml';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import type { CreatedWebhook, Payment } from '../../api/generated/openapi-types.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { registryAddress } from '../../chain/pure/platform.ts';
import { roleIds } from '../../chain/pure/roles.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { createKeystore, PUBLIC_KEYS_COST } from '../../chain/signing/keystore.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { createCaratClient } from '../../client/client.ts';
import { root } from '../../tools/paths.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { demoCatalogue } from '../../tools/stack/prepare.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { readEvent } from '../support/event-bodies.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, fastNetworks, type Product } from '../support/product.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { samplesOf } from '../support/samples.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * docs/operations/stolen-keys.md, played: thieves use their keys, and the commands of the page are run as they are written.
 */

const PAGE = 'docs/operations/stolen-keys.md';

let product: Product;
let shop: Shop;
let receiver: Receiver;
let webhook: CreatedWebhook;
let worker: RunningProcess;
/** Of the worker that runs. */
let keystore: string;
let passphrase: string;
let databaseUrl: string;

const fileOf = (name: string): string => path.join(path.dirname(product.logs), name);
const keystoreOf = async (name: string, { privateKey }: { privateKey: string }): Promise<string> => {
  await createKeystore(fileOf(name), product.secrets.keystorePassphrase, [privateKey], PUBLIC_KEYS_COST);
  return fileOf(name);
};

beforeAll(async () => {
  product = await createProduct({ ownRole: true });
  receiver = await startReceiver();
  [, worker] = await Promise.all([product.startApi(), product.startWorker()]);
  keystore = fileOf('keystore.json');
  passphrase = product.secrets.keystorePassphrase;
  databaseUrl = product.dev.database;
  await Promise.all([keystoreOf('root.json', devAccounts.root), keystoreOf('guardian.json', devAccounts.guardian)]);
  shop = await openShop(product);
  webhook = await shop.merchant.createWebhook(shop.wallet.id, product.dev.networks.alpha!.id, receiver.origin);
  await shop.deployed('alpha');
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await receiver?.close();
});

/** Runs blocks of the page in one shell, and answers what they print. */
const run = (numbers: readonly number[], env: Record<string, string>): Promise<string> => {
  const block = (number: number): string => samplesOf(PAGE).find(({ name }) => name === `${PAGE} sh ${number}`)!.text;
  // `call` is the README's.
  const call = `call() { curl -fsS -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }`;
  const script = [call, block(1), ...numbers.map(block)].join('\n');
  const own = {
    CARAT_DATABASE_URL: databaseUrl,
    CARAT_MASTER_KEY: product.secrets.masterKey,
    CARAT_KEYSTORE_PASSPHRASE: passphrase,
    CARAT_PUBLIC_URL: product.dev.api,
    API: `${product.dev.api}/api/v1`,
    NETWORK: 'alpha',
    NODE: product.dev.nodes.merchant!,
    GUARDIAN_KEYSTORE: fileOf('guardian.json'),
    ROOT_KEYSTORE: fileOf('root.json'),
    KEYSTORE: keystore,
  };
  return new Promise((resolve, reject) => {
    execFile(
      'bash',
      ['-eu', '-o', 'pipefail', '-c', script],
      { cwd: root, env: { ...process.env, ...own, ...env } },
      (error, out, err) => (error === null ? resolve(out) : reject(new Error(`${script}\n${out}${err}`))),
    );
  });
};

const thief = {
  call: async (privateKey: string, to: string, data: string): Promise<void> => {
    const { rpc: url, eip155 } = product.dev.networks.alpha!;
    await sendCalls(createRpc({ urls: [url], eip155 }), createKeySigner(privateKey), eip155, [
      { what: 'a theft', to, data },
    ]);
  },
};

const openAlerts = (kind: string) => product.knex('alerts').where({ kind }).whereNull('closed_at');
const dealOf = ({ id }: Payment) => product.knex('payments').where({ id }).first('diamond_address', 'deal_id');
const balanceOf = async ({ payment_address: address }: Payment): Promise<bigint> =>
  BigInt((await rpc(product.dev.networks.alpha!.rpc, 'eth_getBalance', [address, 'latest'])) as string);
const fund = (address: string): Promise<unknown> =>
  rpc(product.dev.networks.alpha!.rpc, 'anvil_setBalance', [address, '0x56bc75e2d63100000']);

/** Adds a key to the workers' keystore by a block of the page, restarts the worker with it, and answers the new address. */
const newKey = async (name: string): Promise<string> => {
  const out = await run([3], { NEW_KEYSTORE: fileOf(name) });
  keystore = fileOf(name);
  await worker.stop();
  worker = await product.startWorker({ CARAT_KEYSTORE: keystore });
  return /^(0x\w{40}) new$/m.exec(out)![1]!;
};

const isHeld = (address: string) => product.knex('key_holders').where({ address: address.toLowerCase() }).first();
const detailOf = async (payment: Payment) => (await shop.merchant.payment(payment.id)).status_detail;

const completes = async (payment: Payment): Promise<void> => {
  await shop.pay('alpha', payment);
  await shop.reached(payment, 'completed');
  expect(await balanceOf(payment)).toBe(ethers.parseEther('0.1'));
};

it("an operator's key: the thief creates and cancels deals until a guardian takes the role; payments go on with a new key", async () => {
  const { privateKey, address: stolen } = devAccounts.operator;
  const [kept, victim] = [await shop.create('alpha'), await shop.create('alpha')];
  for (const payment of [kept, victim]) await shop.reached(payment, 'awaiting_payment');
  const { diamond_address: diamond } = await dealOf(kept);
  const encode = (name: string, args: readonly unknown[]) => contracts.deal.interface.encodeFunctionData(name, args);
  const invented = encode('createDeals', [[[4_711n, ethers.hexlify(ethers.randomBytes(32))]]]);
  await thief.call(privateKey, diamond, invented);
  await thief.call(privateKey, diamond, encode('cancelDeals', [[BigInt((await dealOf(victim)).deal_id)]]));
  await eventually(() => openAlerts('deal_unknown').first());
  await eventually(() => openAlerts('cancel_not_asked_for').first());
  await shop.reached(victim, 'canceled');
  const waiting = await shop.create('alpha');
  await eventually(() => openAlerts('lane_paused').first(), 60_000, 250);
  expect(await detailOf(waiting)).toBe('lane_paused');

  const where = { ROLE: 'operator', STOLEN: stolen };
  expect(await run([2], where)).toContain('cancel_not_asked_for');
  await expect(thief.call(privateKey, diamond, invented)).rejects.toThrow('NotOperator');
  await completes(kept);

  const NEW = await newKey('second.json');
  await fund(NEW);
  await eventually(() => isHeld(NEW), 30_000);
  const moved = await run([4], { ...where, NEW });
  expect(moved).toContain(`has replaced ${stolen}`);
  await completes(waiting);
  await completes(await shop.create('alpha'));
  await eventually(async () => (await run([4], { ...where, NEW })).includes('nothing is in flight'), 60_000, 500);
  expect(await balanceOf(victim)).toBe(0n);
  expect(await shop.merchant.payment(victim.id)).toMatchObject({ status: 'canceled' });
});

it("an upgrader's key is replaced by the same commands", async () => {
  const { privateKey, address: stolen } = devAccounts.upgrader;
  const where = { ROLE: 'upgrader', STOLEN: stolen };
  await run([2], where);
  const { diamond_address: diamond } = await dealOf(await shop.create('alpha'));
  const cut = contracts.cut.interface.encodeFunctionData('diamondCut', [[], ethers.ZeroAddress, '0x']);
  await expect(thief.call(privateKey, diamond, cut)).rejects.toThrow('NotUpgrader');
  const NEW = await newKey('third.json');
  await fund(NEW);
  await eventually(() => isHeld(NEW), 30_000);
  await run([4], { ...where, NEW });
  const other = await openShop(product);
  try {
    await other.deployed('alpha');
  } finally {
    other.close();
  }
});

it("a signer's key: the stolen key's offers can no longer be paid; the new key's can", async () => {
  const offering = await openShop(product);
  try {
    await offering.deployed('alpha');
    await offering.merchant.offerDeals(offering.wallet.id, product.dev.networks.alpha!.id);
    const open = await offering.create('alpha');
    await offering.reached(open, 'awaiting_payment');
    const before = await offering.merchant.widget(open);
    await run([2], { ROLE: 'signer', STOLEN: devAccounts.signer.address });
    await expect(offering.buyers.alpha!.pay(before)).rejects.toThrow();
    const NEW = await newKey('fourth.json');
    await eventually(() => isHeld(NEW), 30_000);
    const file = fileOf('catalogue.yaml');
    const accounts = await product.knex('signer_accounts').whereNull('dismissed_at').select('role', 'address');
    const of = (role: string): string[] =>
      accounts.filter((account) => account.role === role).map(({ address }) => address as string);
    const networks = fastNetworks.map((network) => ({
      ...network,
      id: product.dev.networks[network.name]!.id,
      url: product.chains[network.name]!.url,
    }));
    const catalogue = demoCatalogue(networks) as { networks: object[] };
    const keys = { operators: of('operator'), upgrader: of('upgrader')[0], signers: [NEW] };
    const changed = { ...catalogue, networks: catalogue.networks.map((network) => ({ ...network, ...keys })) };
    fs.writeFileSync(file, dump(changed));
    await run([5], { NEW, CATALOGUE: file });
    await eventually(async () => (await offering.merchant.widget(open)).payable, 45_000, 250);
    await offering.buyers.alpha!.pay(await offering.merchant.widget(open));
    await offering.reached(open, 'completed');
  } finally {
    offering.close();
  }
});

it("a guardian's key: root undoes what the thief did, and payments go on", async () => {
  const { privateKey, address: stolen } = devAccounts.guardian;
  const registry = registryAddress(devPlatform);
  const encode = (name: string, args: readonly unknown[]) =>
    contracts.registry.interface.encodeFunctionData(name, args);
  const open = await shop.create('alpha');
  await shop.reached(open, 'awaiting_payment');
  const operators = await product
    .knex('signer_accounts')
    .where({ role: 'operator' })
    .whereNull('dismissed_at')
    .pluck('address');
  await thief.call(privateKey, registry, encode('setPaused', [true]));
  for (const operator of operators)
    await thief.call(privateKey, registry, encode('setRole', [roleIds.operator, operator, false]));
  await eventually(() => openAlerts('registry_paused').first());
  await eventually(() => openAlerts('role_missing').first(), 30_000);
  const waiting = await shop.create('alpha');
  await run([6], { STOLEN: stolen });
  await expect(thief.call(privateKey, registry, encode('setPaused', [true]))).rejects.toThrow('NotGuardian');
  await run([7], { NEW: ethers.Wallet.createRandom().address });
  await completes(open);
  await completes(waiting);
  await eventually(async () => (await openAlerts('registry_paused')).length === 0, 30_000);
});

it('the secret of an integration: an admin made for this revokes it, and its changes are listed', async () => {
  const { api: url, admin, nodes } = product.dev;
  const own = createCaratClient({ url, apiKey: admin.api_key, secret: admin.secret });
  const {
    id,
    api_key: apiKey,
    secret,
  } = await own.createIntegration({
    node_id: nodes.merchant!,
    name: `shop ${randomUUID()}`,
    permissions: ['payments.create', 'payments.read'],
  });
  const robbed = createCaratClient({ url, apiKey, secret, retries: { retries: 0 } });
  const stolen = await robbed.createPayment(shop.request('alpha'));
  const NEW_ADMIN = 'after the theft';
  const out = await run([9, 10], { NEW_ADMIN, STOLEN: id });
  expect(out).toContain(stolen.id);
  expect(out).not.toContain(`"api_key":"${apiKey}"`);
  await expect(robbed.getPayment(stolen.id)).rejects.toMatchObject({ status: 401 });
  await shop.merchant.cancel(stolen.id);
});

it("a webhook's secret and credentials are replaced, and no event is lost", async () => {
  const { api: url, admin } = product.dev;
  const body = JSON.stringify({ grant_type: 'client_credentials', api_key: admin.api_key, secret: admin.secret });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v1/auth/token`, { method: 'POST', headers, body });
  const { access_token: TOKEN } = (await answer.json()) as { access_token: string };
  const out = await run([11], { TOKEN, WEBHOOK: webhook.id });
  const [, secret = ''] = /"signing_secret":"([^"]+)"/.exec(out) ?? [];
  expect(secret).not.toBe(webhook.signing_secret);
  const from = receiver.received.length;
  const payment = await shop.create('alpha');
  await completes(payment);
  const heard = await eventually(
    () => receiver.received.slice(from).find((one) => readEvent(one.body).type === 'payment.completed'),
    45_000,
  );
  new Webhook(secret).verify(heard.body, heard.headers as Record<string, string>);
  expect(heard.headers.authorization).toMatch(/^Bearer [0-9a-f]{48}$/);
});

it('keystore and passphrase: the worker goes on with the same keys under another passphrase', async () => {
  const [NEW_KEYSTORE, NEW_PASSPHRASE] = [fileOf('relocked.json'), fileOf('new-passphrase')];
  const out = await run([8], { NEW_KEYSTORE, NEW_PASSPHRASE });
  expect(out.match(/ new$/gm)).toHaveLength(3);
  keystore = NEW_KEYSTORE;
  await worker.stop();
  passphrase = fs.readFileSync(NEW_PASSPHRASE, 'utf8').trim();
  const environment = { CARAT_KEYSTORE: keystore, CARAT_KEYSTORE_PASSPHRASE: passphrase };
  worker = await product.startWorker(environment);
  await completes(await shop.create('alpha'));
});

it("a password of the database: the thief's connection ends, and the old password opens no other", async () => {
  const waiting = await shop.create('alpha');
  await worker.stop();
  const [{ usename: role }] = await product
    .knex('pg_stat_activity')
    .where({ application_name: 'carat-api' })
    .whereRaw('datname = current_database()')
    .select('usename');
  const old = new URL(databaseUrl);
  [old.username, old.password] = [role, 'a-password'];
  const robbed = new pg.Client({ connectionString: old.href });
  const isEnded = new Promise<void>((resolve) => void robbed.on('error', () => resolve()));
  await robbed.connect();
  const sql = samplesOf(PAGE).find(({ name }) => name === `${PAGE} sql 1`)!.text;
  await product.knex.raw(sql.replaceAll('carat_app', role));
  await isEnded;
  await expect(new pg.Client({ connectionString: old.href }).connect()).rejects.toThrow('password authentication');
  const fresh = new URL(old.href);
  fresh.password = 'a new one';
  databaseUrl = fresh.href;
  const out = await run([12], {});
  // Whether a minute is over by now or not.
  expect(out).toMatch(/^head \d+:[0-9a-f]{64}$/m);
  expect(out).not.toMatch(/BROKEN|LATE/);
  expect(out).toMatch(/access \S+ made .* signs/);
  const environment = {
    CARAT_DATABASE_URL: databaseUrl,
    CARAT_KEYSTORE: keystore,
    CARAT_KEYSTORE_PASSPHRASE: passphrase,
  };
  worker = await product.startWorker(environment);
  await eventually(
    async () => (await product.knex('payments').where({ id: waiting.id }).first('status')).status !== 'pending',
    45_000,
  );
});
