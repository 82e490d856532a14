import { randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTestTimeout } from '../support/test-timeout.ts';
import knexFactory from 'knex';
import { rpc } from '../../tools/stack/chain.ts';
import type { DevFile } from '../../tools/stack/dev-file.ts';
import { processIdentity } from '../../tools/process/identity.mjs';
import { endRecorded } from '../../tools/process/records.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { root } from '../../tools/paths.ts';
import { readOutsideIssuers } from '../../api/auth/outside-issuers.ts';
import { createCaratClient, type CaratOperations } from '../../client/client.ts';
import { nodes } from '../support/packed-client.ts';
import { documents, samples, samplesOf } from '../support/samples.ts';
import { eventually } from '../support/eventually.ts';

const variables = [
  'CARAT_API_PORT',
  'CARAT_POSTGRES_PORT',
  'CARAT_TEMPORAL_PORT',
  'CARAT_TEMPORAL_UI_PORT',
  'CARAT_ALPHA_PORT',
  'CARAT_BETA_PORT',
];
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const uuidLine = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n/;
const address = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/);

let stateDir = '';
let env: NodeJS.ProcessEnv = {};

/** Everything that was started and may still run. */
const children: ChildProcess[] = [];

interface Run {
  child: ChildProcess;
  output(): string;
  /** Settles with the exit code or the signal. */
  ended: Promise<number | string | null>;
}

/** Runs a program as a person does in a terminal. */
const runProgram = (command: string, args: string[], more: NodeJS.ProcessEnv = {}): Run => {
  const child = spawn(command, args, { cwd: root, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    child,
    output: () => text,
    ended: new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal))),
  };
};

const npm = (args: string[], more: NodeJS.ProcessEnv = {}): Run => runProgram('npm', args, more);

const devFile = (): string => path.join(stateDir, 'dev.json');
const readDev = (): DevFile => JSON.parse(fs.readFileSync(devFile(), 'utf8')) as DevFile;

/** A sample as it is written, with other places. */
const sample = (name: string, places: Readonly<Record<string, string>>): string =>
  Object.entries(places).reduce(
    (text, [place, other]) => text.replaceAll(place, other),
    documents.flatMap(samplesOf).find((one) => one.name === name)!.text,
  );

/** Runs commands in one shell. */
const shell = (commands: readonly string[], more: NodeJS.ProcessEnv = {}): Run =>
  runProgram('bash', ['-eu', '-o', 'pipefail', '-c', commands.join('\n')], more);

/** Waits until a program has printed a text; fails at once with its output when it ends instead. */
const untilSaid = async (run: Run, text: string): Promise<void> => {
  const early = run.ended.then((outcome) => Promise.reject(new Error(`ended (${outcome}):\n${run.output()}`)));
  await Promise.race([eventually(() => run.output().includes(text), 110_000), early]);
};

/** Waits until a start has printed that it is ready; fails at once with its output when it ends instead. */
const untilReady = async (run: Run): Promise<DevFile> => {
  await untilSaid(run, 'Carat is ready');
  return readDev();
};

const isAlive = (pid: number): boolean => processIdentity(pid) !== undefined;

const token = async ({ api, admin }: DevFile): Promise<number> => {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: admin.api_key,
    client_secret: admin.secret,
  });
  return (await fetch(`${api}/api/v1/auth/token`, { method: 'POST', body })).status;
};

beforeAll(async () => {
  stateDir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-up-'));
  fs.chmodSync(stateDir, 0o711);
  const ports = await freePorts(variables.length);
  const own = Object.fromEntries(variables.map((variable, index) => [variable, String(ports[index])]));
  env = { ...process.env, ...own, CARAT_STATE_DIR: stateDir, NODE_OPTIONS: '', TEMPORAL_ADDRESS: '' };
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  if (fs.existsSync(devFile())) process.kill(readDev().pids.starter ?? 0, 'SIGKILL');
  await endRecorded(path.join(stateDir, 'processes'));
  fs.rmSync(stateDir, { recursive: true, force: true });
});

// A start takes 5 to 15 s, and a multiple of that on a machine that is busy with other tests.
setTestTimeout(240_000);

// One after the other: each goes on with the stack that the one before it left.
describe('npm start', () => {
  let run: Run;
  let dev: DevFile;
  let genesis: unknown;

  it('starts everything and writes dev.json for the scripts', async () => {
    run = npm(['start']);
    dev = await untilReady(run);
    const tokens = (decimals: number) => ({ alpha: { address, decimals }, beta: { address, decimals } });
    const native = { address: null, decimals: 18 };
    const network = (eip155: number, variable: string) => ({
      id: uuid,
      chain_id: dev.chains.devnet,
      eip155,
      rpc: `http://127.0.0.1:${env[variable]}`,
    });
    expect(dev).toEqual({
      api: `http://127.0.0.1:${env.CARAT_API_PORT}`,
      docs: `http://127.0.0.1:${env.CARAT_API_PORT}/docs`,
      temporal: {
        address: `127.0.0.1:${env.CARAT_TEMPORAL_PORT}`,
        namespace: 'default',
        ui: `http://127.0.0.1:${env.CARAT_TEMPORAL_UI_PORT}`,
      },
      database: expect.stringMatching(`^postgres://carat:.+@127.0.0.1:${env.CARAT_POSTGRES_PORT}/carat$`),
      admin: { api_key: expect.stringMatching(/^ck_/), secret: expect.stringMatching(/^cs_/) },
      operator: {
        CARAT_DATABASE_URL: dev.database,
        CARAT_MASTER_KEY: expect.any(String),
        CARAT_WEBHOOK_HOSTS: 'loopback',
        CARAT_PUBLIC_URL: dev.api,
        CARAT_KEYSTORE_PASSPHRASE: expect.any(String),
        CARAT_TEMPORAL_ADDRESS: dev.temporal.address,
        CARAT_TEMPORAL_NAMESPACE: 'default',
        CARAT_TASK_QUEUE: 'carat',
        CARAT_TEMPORAL_UI: dev.temporal.ui,
      },
      nodes: { root: uuid, merchant: uuid },
      chains: { devnet: uuid },
      networks: { alpha: network(31_337, 'CARAT_ALPHA_PORT'), beta: network(31_338, 'CARAT_BETA_PORT') },
      currencies: {
        ETH: { id: uuid, tokens: { alpha: native, beta: native } },
        USDC: { id: uuid, tokens: tokens(6) },
        DAI: { id: uuid, tokens: tokens(18) },
      },
      wallets: { created: uuid, offered: uuid },
      checkout_url: expect.stringMatching(`^${dev.api}/pay/[0-9a-f-]{36}#wt_`),
      buyer: { address, private_key: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
      pids: Object.fromEntries(
        ['starter', 'api', 'worker', 'temporal', 'postgres', 'alpha', 'beta'].map((name) => [name, expect.any(Number)]),
      ),
    });
    expect(fs.statSync(devFile()).mode & 0o777).toBe(0o600);
    expect(Object.values(dev.pids).every(isAlive)).toBe(true);
    expect(await token(dev)).toBe(200);
    expect((await fetch(dev.docs)).status).toBe(200);
    expect((await fetch(dev.temporal.ui)).status).toBe(200);
    expect(run.output()).toContain(`CARAT_STATE_DIR=${stateDir} npm run demo `);
    expect(run.output()).toContain(`\n  ${dev.checkout_url}\n`);
    expect((await fetch(dev.checkout_url)).status).toBe(200);
    genesis = await rpc(dev.networks.alpha?.rpc ?? '', 'eth_getBlockByNumber', ['0x0', false]);
  });

  it('runs each sample of the documents as written there', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-samples-'));
    const onStack = Object.keys(samples).filter((name) => samples[name] === 'stack');
    const text = (name: string): string => sample(name, { '../shop': folder });
    // One shell, because later commands use results of earlier ones. At its end it prints the values for the client's sample.
    const script = shell([
      ...onStack.filter((name) => name.includes(' sh ')).map(text),
      'echo "$NODE $NETWORK $WALLET"',
    ]);
    expect({ ended: await script.ended, output: script.output() }).toMatchObject({ ended: 0 });
    for (const said of [
      '12 payments completed, and one canceled and one expired',
      '"payment_confirmed"',
      '"signing_secret"',
      'Written: ',
    ]) {
      expect(script.output()).toContain(said);
    }
    expect(script.output()).not.toContain('"code":');

    const [node_id, network_id, wallet_id] = script.output().trimEnd().split('\n').at(-1)!.split(' ');
    const known = {
      url: dev.api,
      apiKey: dev.admin.api_key,
      secret: dev.admin.secret,
      node_id,
      network_id,
      wallet_id,
      currency_id: dev.currencies.USDC!.id,
      payment_address: dev.buyer.address,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const program = `const { ${Object.keys(known).join(', ')} } = ${JSON.stringify(known)};\n${text('README.md ts 1')}`;
    fs.writeFileSync(path.join(folder, 'sample.mjs'), program);
    const client = runProgram(process.execPath, [path.join(folder, 'sample.mjs')]);
    expect({ ended: await client.ended, output: client.output() }).toEqual({
      ended: 0,
      output: expect.stringMatching(uuidLine),
    });

    const knex = knexFactory({ client: 'pg', connection: dev.database });
    await knex.raw(text('docs/operations/rate-limits.md sql 1'));
    const file = path.join(folder, 'issuers.yaml');
    fs.writeFileSync(file, text('docs/operations/outside-issuer.md yaml 1').replace('node: shop', 'node: merchant'));
    expect(await readOutsideIssuers({ file, ownIssuer: dev.api, knex })).toHaveLength(1);
    await knex.destroy();
    fs.rmSync(folder, { recursive: true });
  });

  it('has a demo that pays on the pages, in a browser', async () => {
    const demo = npm(['run', '--silent', 'demo', '--', '--browser']);
    expect({ ended: await demo.ended, output: demo.output() }).toMatchObject({ ended: 0 });
    expect(demo.output().match(/the buyer paid on the page, in transaction/g)).toHaveLength(12);
    expect(demo.output()).toContain('12 payments completed, and one canceled and one expired');
  });

  it('runs each sample of the guides as written there', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-guides-'));
    const [port] = await freePorts(1);
    const places = { '../shop': path.join(folder, 'shop'), 4100: String(port) };
    const all = Object.keys(samples).filter((name) => samples[name] === 'guides');
    fs.mkdirSync(places['../shop']);
    for (const name of all.filter((one) => one.includes(' js '))) {
      const text = sample(name, places);
      const [, file = ''] = /^\/\/ (\w+\.mjs)\n/.exec(text) ?? [];
      fs.writeFileSync(path.join(places['../shop'], file), text);
    }
    const script = shell(all.filter((name) => name.includes(' sh ')).map((name) => sample(name, places)));
    expect({ ended: await script.ended, output: script.output() }).toMatchObject({ ended: 0 });
    for (const said of [
      `${dev.buyer.address} paid 12.5 USDC`,
      /\nShip order-\d+: 12\.5 USDC\n/,
      '\nDelivered\n',
      'unwanted: canceled\ndeclined: failed\nlate: expired\n',
      /payment_detected > payment_reorged/,
      /integrity="sha256-\S+" crossorigin/,
      /\nCARAT_API_KEY=ck_\S+\nCARAT_SECRET=cs_/,
      '\nOne payment\ninvalid_request\n',
      '\n1234.567891 1234567891\n',
    ]) {
      expect(script.output()).toMatch(said);
    }
    fs.rmSync(folder, { recursive: true });
  });

  /** Buys in the shop and pays; resolves to the id of the payment and the address of the order's page. */
  const buy = async (carat: CaratOperations, origin: string): Promise<{ id: string; page: string }> => {
    expect(await (await fetch(origin)).text()).toContain('<button>Buy for 4.5 USD</button>');
    const { status, headers } = await fetch(`${origin}/buy`, { method: 'POST', redirect: 'manual' });
    const page = headers.get('location') ?? '';
    expect([status, page]).toEqual([303, expect.stringMatching(`^${origin}/orders/[0-9a-f-]{36}$`)]);
    const html = await (await fetch(page)).text();
    expect(html).toContain(`<script type="module" src="${dev.api}/widget/v1/carat-pay.js"></script>`);
    const [, id = '', accessToken = ''] = /<carat-pay payment="(.+?)" token="(.+?)">/.exec(html) ?? [];
    expect(html).toContain(`<a href="${dev.api}/pay/${id}#${accessToken}">`);
    expect(html).toContain('Shipped as soon as it is paid');
    await eventually(async () => (await carat.getPayment(id)).status === 'awaiting_payment', 60_000, 250);
    const paid = npm(['run', '--silent', 'pay', '--', id, accessToken]);
    expect({ ended: await paid.ended, output: paid.output() }).toMatchObject({ ended: 0 });
    await eventually(async () => (await (await fetch(page)).text()).includes('Shipped on'), 60_000, 250);
    return { id, page };
  };

  it('sells in the example shop, installed elsewhere by its README, which ships once though the webhook comes three times', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-shop-'));
    const [port] = await freePorts(1);
    const origin = `http://127.0.0.1:${port}`;
    const places = { '../shop': path.join(folder, 'shop'), 'http://127.0.0.1:4000': origin };
    const [install, configure, start] = [1, 2, 3].map((number) =>
      sample(`client/example/README.md sh ${number}`, places),
    );
    const [oldest] = (await nodes()).toSorted((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }));
    const under = { PATH: `${path.dirname(oldest!.file)}${path.delimiter}${process.env.PATH}` };
    const installed = shell([install!, configure!]);
    expect({ ended: await installed.ended, output: installed.output() }).toMatchObject({ ended: 0 });
    const serve = `exec ${start!.trim().split('\n').at(-1)}`;
    let shop = shell([...start!.trim().split('\n').slice(0, -1), serve], under);
    await untilSaid(shop, `The shop is at ${origin}`);

    const carat = createCaratClient({ url: dev.api, apiKey: dev.admin.api_key, secret: dev.admin.secret });
    const { id } = await buy(carat, origin);
    const webhooks = (await carat.listWebhooks({ wallet_id: dev.wallets.offered })).items;
    const webhook = webhooks.find(({ host }) => host === origin)!;
    const completed = { payment_id: id, type: 'payment.completed' } as const;
    const [delivery] = (await carat.listDeliveries(webhook.id, completed)).items;
    const comesAgain = async (times: number): Promise<void> => {
      await carat.redeliver(webhook.id, delivery!.id);
      await eventually(async () => {
        const { tries } = await carat.getDelivery(webhook.id, delivery!.id);
        return tries.filter(({ status }) => status === 204).length === times;
      });
    };
    await comesAgain(2);
    shop.child.kill('SIGKILL');
    await shop.ended;
    const before = shop.output();
    shop = shell([`cd ${places['../shop']}`, serve], under);
    await untilSaid(shop, `The shop is at ${origin}`);
    await comesAgain(3);
    expect((before + shop.output()).split('Shipped:')).toHaveLength(2);
    expect(fs.readdirSync(path.join(places['../shop'], 'shipments'))).toHaveLength(1);
    shop.child.kill();
    await shop.ended;
    fs.rmSync(folder, { recursive: true });
  });

  it('shows the example shop beside it', async () => {
    const [port] = await freePorts(1);
    const origin = `http://127.0.0.1:${port}`;
    const carat = createCaratClient({ url: dev.api, apiKey: dev.admin.api_key, secret: dev.admin.secret });
    // The second start gives the webhook of the first one another secret.
    for (let starts = 0; starts < 2; starts += 1) {
      const shop = npm(['run', '--silent', 'shop'], { SHOP_URL: origin });
      await untilSaid(shop, `The shop is at ${origin}`);
      await buy(carat, origin);
      shop.child.kill('SIGTERM');
      expect(await shop.ended).not.toBe(1);
    }
  });

  it('refuses to run twice, and says how to stop the first', async () => {
    const second = npm(['start']);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`is already running (process ${dev.pids.starter}); stop it with Ctrl-C`);
    expect(second.output()).not.toContain('everything is stopped');
    expect(readDev()).toEqual(dev);
    expect(await token(dev)).toBe(200);
  });

  it('is the stack of npm run carat when no other is configured', async () => {
    const list = npm(['run', '--silent', 'carat', '--', 'keys', 'list']);
    expect(await list.ended).toBe(0);
    expect(list.output()).toMatch(/^carat: using the local stack in .*\naccess \S+ made .* signs\n/);
    const own = npm(['run', '--silent', 'carat', '--', 'keys', 'list'], {
      CARAT_KEYSTORE_PASSPHRASE: 'of my own keystore',
    });
    expect([await own.ended, own.output()]).toEqual([0, list.output()]);
    const other = npm(['run', '--silent', 'carat', '--', 'token'], { CARAT_PUBLIC_URL: 'https://pay.example' });
    expect(await other.ended).toBe(1);
    expect(other.output()).toContain('CARAT_DATABASE_URL is missing');
    const keys = npm(['run', '--silent', 'carat', '--', 'keystore', 'create', path.join(stateDir, 'new.json')]);
    expect(await keys.ended).toBe(1);
    expect(keys.output()).toContain('CARAT_KEYSTORE_PASSPHRASE is missing');
  });

  it('names all taken ports, each with its variable', async () => {
    const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-up-'));
    const second = npm(['start'], { CARAT_STATE_DIR: elsewhere });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`port ${env.CARAT_API_PORT} of the api is taken by another program`);
    for (const variable of variables) expect(second.output()).toContain(`set ${variable} to a free port`);
    fs.rmSync(elsewhere, { recursive: true, force: true });
  });

  it('starts api and worker again when they die', async () => {
    const { api = 0, worker = 0 } = dev.pids;
    process.kill(api, 'SIGKILL');
    process.kill(worker, 'SIGKILL');
    const { pids } = await eventually(() => {
      const now = readDev();
      return now.pids.api !== api && now.pids.worker !== worker && now;
    }, 40_000);
    expect([pids.api, pids.worker].every((pid) => isAlive(pid ?? 0))).toBe(true);
    expect(run.output()).toContain(`the worker (process ${worker}) ended (SIGKILL); restarting it`);
    expect(await token(dev)).toBe(200);
  });

  it('after a kill of the starter ends its own leftovers and continues with the stored data', async () => {
    const before = readDev();
    process.kill(before.pids.starter ?? 0, 'SIGKILL');
    await run.ended;
    expect(isAlive(before.pids.postgres ?? 0)).toBe(true);
    for (const command of [['demo'], ['pay', '--', randomUUID(), 'token']]) {
      const asked = npm(['run', ...command]);
      expect(await asked.ended).toBe(1);
      expect(asked.output()).toContain(
        `There is no running stack in ${stateDir}: run npm start in another terminal first`,
      );
    }
    run = npm(['start', '--', '--no-restart']);
    dev = await untilReady(run);
    expect(run.output()).toMatch(/ended leftovers of an earlier start: .*postgres/);
    const { starter: _starter, ...left } = before.pids;
    expect(Object.values(left).filter(isAlive)).toEqual([]);
    expect(dev.checkout_url).not.toBe(before.checkout_url);
    const lasting = ({ pids: _pids, checkout_url: _url, ...rest }: DevFile) => rest;
    expect(lasting(dev)).toEqual(lasting(before));
    expect(await rpc(dev.networks.alpha?.rpc ?? '', 'eth_getBlockByNumber', ['0x0', false])).toEqual(genesis);
  });

  it('with --no-restart leaves a dead worker dead', async () => {
    process.kill(dev.pids.worker ?? 0, 'SIGKILL');
    await eventually(() => run.output().includes('is not restarted (--no-restart)'));
    expect(await token(dev)).toBe(200);
    expect(readDev().pids.worker).toBe(dev.pids.worker);
  });

  it('stops everything on SIGTERM and leaves nothing running', async () => {
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(Object.values(dev.pids).filter(isAlive)).toEqual([]);
    expect(fs.existsSync(devFile())).toBe(false);
    expect(run.output()).toContain(`everything is stopped; the data is kept in ${stateDir}`);
  });

  it('with another chain than the stored one reports that and names the reset', async () => {
    for (const file of ['chain-alpha.json', 'chain-alpha.json.copy']) fs.rmSync(path.join(stateDir, file));
    run = npm(['start']);
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/alpha is not the one that the stored data belongs to.*npm run reset/);
  });

  it('begins anew after npm run reset', async () => {
    run = npm(['run', 'reset']);
    expect(await run.ended).toBe(0);
    expect(fs.existsSync(stateDir)).toBe(false);
  });

  it('does not reset a CARAT_STATE_DIR that it did not make', async () => {
    const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-not-ours-'));
    fs.writeFileSync(path.join(elsewhere, 'thesis.txt'), 'years of work');
    run = npm(['run', 'reset'], { CARAT_STATE_DIR: elsewhere });
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain(`${elsewhere} was not created by npm start`);
    expect(fs.readdirSync(elsewhere)).toEqual(['thesis.txt']);
    fs.rmSync(elsewhere, { recursive: true });
  });
});
