import crypto from 'node:crypto';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { ethers } from 'ethers';
import pg from 'pg';
import { registryAddress } from '../../chain/pure/platform.ts';
import { release } from '../../chain/pure/releases.ts';
import { setReleaseCall } from '../../chain/deploy/registry.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import knexFactory from 'knex';
import { grantRole } from '../../db/roles.ts';
import type { Finding } from '../../cli/doctor/finding.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { root } from '../../tools/paths.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { recordProcess } from '../../tools/process/records.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';
import { rpc as rpcCall, type Chain } from '../../tools/stack/chain.ts';
import { reachableDir, startPostgres } from '../../tools/stack/postgres.ts';
import { registryCall } from '../chain/support/gateway.ts';
import { startProxy } from '../chain/support/proxy.ts';
import { expiredTls } from '../support/certificates.ts';
import { carat as asProcess, caratHere } from '../support/carat.ts';
import { startTestChain } from '../support/chain.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startPooler } from '../support/pooler.ts';
import { commandEnvironment, createProduct, type Product } from '../support/product.ts';
import { recordsOf, testStack } from '../support/stack.ts';

/*
 * Everything that the doctor names is broken for real, one thing after the other, on a running stack.
 */

let product: Product;
let other: Chain;
let env: Record<string, string>;

beforeAll(async () => {
  [product, other] = await Promise.all([createProduct(), startTestChain({ chainId: 31_999, blockTime: 1 })]);
  env = commandEnvironment(product);
  await Promise.all([product.startApi(), product.startWorker()]);
});

afterAll(async () => {
  await Promise.all([product?.stop(), other?.stop()]);
});

interface Report {
  readonly code: number;
  readonly findings: readonly Finding[];
  readonly all: string;
}

const examine = async (more: Record<string, string> = {}): Promise<Report> => {
  const { code, out, err } = await caratHere(['doctor', '--json'], { ...env, ...more });
  for (const secret of [product.secrets.masterKey, product.secrets.keystorePassphrase]) {
    expect(out + err).not.toContain(secret);
  }
  return { code, findings: JSON.parse(out).findings, all: out };
};

/** Examines, and expects exactly these problems, each with a remedy. Texts of the area, the state and the remedy. */
const expectProblems = async (wanted: readonly (readonly [string, RegExp, RegExp])[], more = {}): Promise<Report> => {
  const report = await examine(more);
  const problems = report.findings.filter(({ grade }) => grade === 'problem');
  expect(problems).toEqual(
    wanted.map(([area, found, remedy]) => ({
      area,
      grade: 'problem',
      found: expect.stringMatching(found),
      remedy: expect.stringMatching(remedy),
    })),
  );
  expect(report.code).toBe(wanted.length > 0 ? 1 : 0);
  return report;
};

/** Runs the work with these endpoints of the network. */
const withEndpoints = async (more: readonly string[], work: () => Promise<void>): Promise<void> => {
  const [{ rpc_urls: urls }] = await product.knex('networks').select('rpc_urls');
  await product.knex('networks').update({ rpc_urls: [...urls, ...more] });
  try {
    await work();
  } finally {
    await product.knex('networks').update({ rpc_urls: urls });
  }
};

it('the doctor finds nothing wrong with a healthy stack', async () => {
  const { findings } = await eventually(() => expectProblems([]), 30_000, 1_000);
  const areas = new Set(findings.map(({ area }) => area));
  for (const area of ['configuration', 'database', 'schema', 'master key', 'keys', 'temporal', 'public url', 'clock']) {
    expect([area, areas.has(area)]).toEqual([area, true]);
  }
  for (const area of ['network alpha', 'registry alpha', 'funds alpha'])
    expect([area, areas.has(area)]).toEqual([area, true]);
  const { code, out } = await caratHere(['doctor'], env);
  expect(code).toBe(0);
  expect(out).toMatch(/^ok +network alpha +1 of 1 endpoints serve it, quorum 1, block \d+$/m);
  expect(out).toMatch(/^ok +registry alpha +roles, release and facets are right$/m);
  expect(out).toMatch(/^0 problems, \d+ warnings?\n$/m);
});

it('the doctor names missing and wrong variables, and checks the rest', async () => {
  const { all } = await expectProblems(
    [
      ['configuration', /^CARAT_MASTER_KEY must be 32 bytes/, /set it where/],
      ['configuration', /^CARAT_TEMPORAL_ADDRESS is missing$/, /set it where/],
    ],
    { CARAT_MASTER_KEY: 'short', CARAT_TEMPORAL_ADDRESS: '' },
  );
  expect(all).not.toContain('short');
});

it('the doctor finds an endpoint of another chain, and a silent one, within seconds', async () => {
  const silent = await startProxy(other.url);
  silent.mode = 'stall';
  await withEndpoints([other.url, `${silent.url}/?key=the-key-of-a-provider`], async () => {
    const began = Date.now();
    const { findings, all } = await expectProblems([
      ['network alpha', /^RPC endpoint 2 of 3 serves chain 31999, not 31337$/, /catalogue apply/],
    ]);
    // Ten times the promise. A client without a bound waits for five minutes.
    expect(Date.now() - began).toBeLessThan(150_000);
    expect(findings).toContainEqual({
      area: 'network alpha',
      grade: 'warning',
      found: 'RPC endpoint 3 of 3 does not respond: no response in time',
      remedy: expect.any(String),
    });
    expect(all).not.toContain('the-key-of-a-provider');
  });
  await silent.close();
});

it('the doctor finds an endpoint that lags behind the others', async () => {
  const late = await startProxy(product.chains.alpha!.url);
  late.rewrite = (request) =>
    request.method === 'eth_getBlockByNumber' && request.params[0] === 'latest'
      ? { ...request, params: ['0x1', false] }
      : request;
  await withEndpoints([late.url], async () => {
    await eventually(
      () =>
        expectProblems([['network alpha', /^RPC endpoint 2 of 2 is \d+ blocks behind the others$/, /catalogue apply/]]),
      40_000,
      1_000,
    );
  });
  await late.close();
});

it('the doctor warns of an endpoint that has pruned block 0', async () => {
  const pruned = await startProxy(product.chains.alpha!.url);
  pruned.rewrite = (request) =>
    request.method === 'eth_getBlockByNumber' && request.params[0] === '0x0'
      ? { error: { code: 4444, message: 'pruned history unavailable' } }
      : request;
  await withEndpoints([pruned.url], async () => {
    const { findings } = await expectProblems([]);
    expect(findings).toContainEqual({
      area: 'network alpha',
      grade: 'warning',
      found: expect.stringMatching(/^RPC endpoint 2 of 2 has pruned block 0 \(pruned history unavailable\)/),
      remedy: expect.stringContaining('endpoints.md'),
    });
  });
  await pruned.close();
});

it('the doctor finds too few endpoints for the quorum', async () => {
  await withEndpoints([`http://127.0.0.1:${(await freePorts(1))[0]}`], async () => {
    await product.knex('networks').update({ quorum: 2 });
    const { findings } = await examine();
    await product.knex('networks').update({ quorum: 1 });
    const texts = findings.filter(({ grade }) => grade === 'problem').map(({ found }) => found);
    expect(texts).toContain('1 of 2 endpoints serve it, but the quorum is 2: nothing is judged');
    expect(texts).toContainEqual(expect.stringMatching(/^RPC endpoint 2 of 2 does not respond: the connection failed/));
  });
});

it('the doctor finds an endpoint of a chain that began elsewhere, and old blocks', async () => {
  const { knex } = product;
  const [{ genesis_hash: genesis }] = await knex('networks').select('genesis_hash');
  await knex('networks').update({ genesis_hash: `0x${'ab'.repeat(32)}` });
  try {
    const { findings } = await examine();
    expect(findings).toContainEqual({
      area: 'network alpha',
      grade: 'problem',
      found: 'RPC endpoint 1 of 1 has another genesis block than the network had before: it is another chain',
      remedy: expect.stringContaining('catalogue apply'),
    });
  } finally {
    await knex('networks').update({ genesis_hash: genesis });
  }
  const old = await startProxy(product.chains.alpha!.url);
  old.tamper = ({ method }, result) => {
    if (method !== 'eth_getBlockByNumber' || result === null) return result;
    const block = result as { timestamp: string };
    return { ...block, timestamp: `0x${(Number(block.timestamp) - 3_600).toString(16)}` };
  };
  const [{ rpc_urls: urls }] = await knex('networks').select('rpc_urls');
  await knex('networks').update({ rpc_urls: [old.url] });
  try {
    const { findings } = await expectProblems([]);
    expect(findings).toContainEqual({
      area: 'network alpha',
      grade: 'warning',
      found: expect.stringMatching(/^its newest block is (?:1 h|60 min|59 min)/),
      remedy: expect.stringContaining('the clock of this machine is wrong'),
    });
  } finally {
    await knex('networks').update({ rpc_urls: urls });
    await old.close();
  }
});

it('the doctor finds a paused registry, and one with a release that this version does not know', async () => {
  const { eip155, rpc: url } = product.dev.networks.alpha!;
  const registry = registryAddress(devPlatform);
  const asRoot = (data: string) =>
    sendCalls(createRpc({ urls: [url], eip155 }), createKeySigner(devAccounts.root.privateKey), eip155, [
      { what: 'a test', to: registry, data },
    ]);
  await asRoot(registryCall('setPaused', true));
  const { findings } = await expectProblems([]);
  expect(findings).toContainEqual({
    area: 'registry alpha',
    grade: 'warning',
    found: 'it is paused: no deal is created or paid',
    remedy: 'root resumes it: carat registry unpause alpha',
  });
  await asRoot(registryCall('setPaused', false));
  await asRoot(setReleaseCall(registry, { ...release, version: '9.0.0' }).data);
  await expectProblems([
    [
      'registry alpha',
      /^alpha: the registry's release "9\.0\.0" is not one of Carat's$/,
      /carat registry set-release alpha$/,
    ],
  ]);
  await asRoot(setReleaseCall(registry, release).data);
  await expectProblems([]);
});

it('the doctor finds a token that is not as the catalogue says any more', async () => {
  const tokens = () => product.knex('currency_tokens');
  const [row] = await tokens()
    .whereNotNull('permit_name')
    .select('currency_id', 'network_id', 'decimals', 'permit_version');
  const { currency_id, network_id, decimals, permit_version } = row;
  const change = (wanted: object) => tokens().where({ currency_id, network_id }).update(wanted);
  await change({ decimals: decimals + 1 });
  await expectProblems([['tokens alpha', /has \d+ decimals, not \d+$/, /token_changed/]]);
  await change({ decimals, permit_version: '7' });
  await expectProblems([
    ['tokens alpha', /has permits of another domain than name ".+" and version "7"/, /token_changed/],
  ]);
  await change({ permit_version });
  await expectProblems([]);
});

it('the doctor finds a key that no worker holds, without its role and without coins', async () => {
  const address = ethers.Wallet.createRandom().address.toLowerCase();
  const networkId = product.dev.networks.alpha!.id;
  await product.knex('signer_accounts').insert({ network_id: networkId, address, role: 'upgrader' });
  await expectProblems([
    ['keys', new RegExp(`^no worker holds the key of the upgrader ${address} on alpha`), /carat lane move alpha/],
    ['registry alpha', new RegExp(`no role in the registry: ${address} \\(upgrader\\)`), /carat role give alpha/],
    ['funds alpha', new RegExp(`^the upgrader ${address} has 0 ETH`), /send coins/],
  ]);
  await product.knex('signer_accounts').where({ address }).update({ dismissed_at: new Date() });
  await expectProblems([]);
});

it('the doctor finds a guardian without coins for a pause', async () => {
  const { address } = devAccounts.guardian;
  const setBalance = (wei: string) => rpcCall(product.chains.alpha!.url, 'anvil_setBalance', [address, wei]);
  await setBalance('0x0');
  const { findings } = await expectProblems([]);
  expect(findings).toContainEqual({
    area: 'funds alpha',
    grade: 'warning',
    found: expect.stringMatching(new RegExp(`^the guardian ${address} has no coins`, 'i')),
    remedy: 'send it coins for a few transactions',
  });
  await setBalance('0x8ac7230489e80000');
});

it('the doctor finds a database that cannot be reached, lacks a migration, or has another master key', async () => {
  const [port] = await freePorts(1);
  await expectProblems([['database', /^no connection: .*ECONNREFUSED/, /start PostgreSQL/]], {
    CARAT_DATABASE_URL: `postgres://carat:a-password@127.0.0.1:${port}/carat`,
  });
  const { url } = await createTestDatabase();
  const knex = knexFactory({ client: 'pg', connection: url });
  await knex('knex_migrations')
    .where({ id: knex('knex_migrations').max('id') })
    .delete();
  await knex.destroy();
  await expectProblems([['schema', /^the database lacks the migration \d{4}-/, /^run carat migrate$/]], {
    CARAT_DATABASE_URL: url,
  });
  await expectProblems([['master key', /is not the key of the stored secrets/, /set the master key/]], {
    CARAT_MASTER_KEY: crypto.randomBytes(32).toString('base64'),
  });
});

it('the doctor finds a role that may not write', async () => {
  const role = `reader_${crypto.randomBytes(4).toString('hex')}`;
  const { knex } = product;
  await knex.raw(`CREATE ROLE ${role} LOGIN PASSWORD 'a-password'`);
  await knex.raw(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
  const url = new URL(product.dev.database);
  [url.username, url.password] = [role, 'a-password'];
  const { all } = await expectProblems(
    [['schema', /^the role lacks DELETE on alerts, INSERT on alerts/, /grant them/]],
    {
      CARAT_DATABASE_URL: url.href,
    },
  );
  expect(all).not.toContain('a-password');
  await knex.raw(`DROP OWNED BY ${role}`);
  await knex.raw(`DROP ROLE ${role}`);
});

it('the doctor finds a role that owns the tables, may change the audit log, or make temporary tables', async () => {
  const role = `app_${crypto.randomBytes(4).toString('hex')}`;
  const { knex } = product;
  const url = new URL(product.dev.database);
  [url.username, url.password] = [role, 'a-password'];
  const env = { CARAT_DATABASE_URL: url.href };
  const found = async () => (await examine(env)).findings.filter(({ area }) => area === 'schema').at(-1);
  await grantRole(product.dev.database, url.href);
  expect(await found()).toMatchObject({
    grade: 'ok',
    found: 'the role owns nothing, and can only add to the audit log',
  });
  const database = url.pathname.slice(1);
  await knex.raw(`GRANT TEMPORARY ON DATABASE ${database} TO ${role}`);
  expect(await found()).toMatchObject({
    grade: 'warning',
    found: `the role ${role} may make temporary tables, types and functions, which Carat needs nowhere`,
    remedy: expect.stringMatching(/^run carat migrate with CARAT_DATABASE_OWNER_URL/),
  });
  await grantRole(product.dev.database, url.href);
  expect(await found()).toMatchObject({ grade: 'ok' });
  await knex.raw(`GRANT DELETE ON audit_log TO ${role}`);
  expect(await found()).toMatchObject({
    grade: 'warning',
    found: `the role ${role} may change or backdate what stands in the audit log`,
    remedy: expect.stringMatching(/^run carat migrate with CARAT_DATABASE_OWNER_URL/),
  });
  await knex.raw(`GRANT carat TO ${role}`);
  expect(await found()).toMatchObject({
    grade: 'warning',
    found: expect.stringMatching(`^the role ${role} owns the tables`),
    remedy: expect.stringContaining('CARAT_DATABASE_OWNER_URL'),
  });
  await knex.raw(`DROP OWNED BY ${role}`);
  await knex.raw(`DROP ROLE ${role}`);
});

it('the doctor finds a role that is a superuser', async () => {
  const role = `super_${crypto.randomBytes(4).toString('hex')}`;
  const { knex } = product;
  await knex.raw(`CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD 'a-password'`);
  const url = new URL(product.dev.database);
  [url.username, url.password] = [role, 'a-password'];
  const { findings } = await expectProblems([], { CARAT_DATABASE_URL: url.href });
  expect(findings).toContainEqual({
    area: 'database',
    grade: 'warning',
    found: `the role ${role} is a superuser: a fault of Carat could change every database of the server`,
    remedy: expect.stringContaining('CARAT_DATABASE_OWNER_URL'),
  });
  await knex.raw(`DROP ROLE ${role}`);
});

it('the doctor warns where more than nine of ten connections are in use, and counts none of the server itself', async () => {
  const { dir } = testStack();
  const [port = 0] = await freePorts(1);
  const server = await startPostgres({
    dataDir: await reachableDir(path.join(dir, `few-connections-${port}`)),
    port,
    password: 'secret',
    logFile: path.join(dir, 'logs', `few-connections-${port}.log`),
    settings: { max_connections: '40' },
    onSpawn: (pid) => recordProcess(recordsOf(dir, process.pid), 'PostgreSQL', pid),
  });
  const clients: pg.Client[] = [];
  /** The doctor has a few more itself. */
  const warningsAt = async (connections: number): Promise<string[]> => {
    while (clients.length < connections) {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      clients.push(client);
    }
    const { findings } = await examine({ CARAT_DATABASE_URL: server.url });
    return findings.filter(({ found }) => found.endsWith('connections are in use')).map(({ found }) => found);
  };
  try {
    expect(await warningsAt(30)).toEqual([]);
    expect(await warningsAt(36)).toEqual([expect.stringMatching(/^3\d of 40 connections/)]);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await server.stop();
  }
});

it('the doctor finds a pooler that resets sessions', async () => {
  const pooler = await startPooler(product.dev.database);
  await expectProblems(
    [['database', /^a pooler between loses notifications and prepared statements/, /pool_mode = session/]],
    { CARAT_DATABASE_URL: pooler.url },
  );
  await pooler.close();
});

it('the doctor finds a Temporal that is unreachable, or lacks the namespace or its search attributes', async () => {
  const { address } = product.dev.temporal;
  const [port] = await freePorts(1);
  await expectProblems([['temporal', /does not answer/, /CARAT_TEMPORAL_ADDRESS/]], {
    CARAT_TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
  });
  const namespace = `doctor-${crypto.randomBytes(4).toString('hex')}`;
  const elsewhere = { CARAT_TEMPORAL_NAMESPACE: namespace };
  await expectProblems(
    [['temporal', /^there is no namespace doctor-/, /namespace create --namespace doctor-/]],
    elsewhere,
  );
  const client = createTemporalClient({ address, namespace });
  const day = { workflowExecutionRetentionPeriod: { seconds: 86_400 as never } };
  await client.workflowService.registerNamespace({ namespace, ...day });
  await client.connection.close();
  await eventually(
    () =>
      expectProblems(
        [
          [
            'temporal',
            /lacks the search attributes PaymentIds, .*TransactionHashes/,
            /--name PaymentIds --type KeywordList --name/,
          ],
          ['temporal', /^no worker polls the queue .* of workflows/, /start a worker/],
          ['temporal', /^no worker polls the queue .*-chain of lanes and watchers/, /start a worker/],
        ],
        elsewhere,
      ),
    40_000,
    1_000,
  );
});

it('the doctor finds a public URL that leads nowhere', async () => {
  const [port] = await freePorts(1);
  await expectProblems([['public url', /cannot be reached from here: ECONNREFUSED$/, /start the api or the proxy/]], {
    CARAT_PUBLIC_URL: `http://127.0.0.1:${port}`,
  });
  await expectProblems([['public url', /\/readyz answers \d+$/, /let the proxy pass/]], {
    CARAT_PUBLIC_URL: `${product.dev.api}/x`,
  });
});

it('the doctor warns where one endpoint decides alone and where no payout is locked, except on the local stack', async () => {
  const [port, other] = await freePorts(2);
  const { knex } = product;
  const told = async (): Promise<string[]> => {
    const { findings } = await examine();
    return findings
      .filter(({ area, grade }) => grade === 'warning' && /^(network|payouts)/.test(area))
      .map(({ area, found }) => `${area}: ${found}`);
  };
  const [{ rpc_urls: urls }] = await knex('networks').select('rpc_urls');
  const [{ id: chain, platform_id: platform }] = await knex('chains').select('id', 'platform_id');
  const silent = `http://127.0.0.1:${port}`;
  const risk = 'its lie completes payments that nobody paid';
  const lock = `without a payout lock: whoever steals an integration's key can name another payee`;
  const node = product.dev.nodes.merchant!;
  expect((await told()).join()).not.toMatch(/quorum|payout/);
  await knex('chains').update({ platform_id: `0x${'77'.repeat(32)}` });
  await knex('wallets').insert({ node_id: node, chain_id: chain, name: 'Shop', address: `0x${'ab'.repeat(20)}` });
  try {
    expect(await told()).toEqual([
      `payouts: 1 node with a wallet on devnet ${lock}`,
      `network alpha: its only endpoint decides alone (quorum 1): ${risk}`,
    ]);
    await knex('payouts').insert({ node_id: node, chain_id: chain, address: `0x${'cd'.repeat(20)}`, locked: true });
    await knex('networks').update({ rpc_urls: [...urls, silent, silent] });
    expect(await told()).toEqual(
      expect.arrayContaining([`network alpha: each of its 3 endpoints decides alone (quorum 1): ${risk}`]),
    );
    expect((await told()).join()).not.toContain('payout');
    await knex('networks').update({ quorum: 2, rpc_urls: [...urls, silent, `${silent}/2`] });
    expect(await told()).toEqual([
      `network alpha: 2 of its 3 endpoints have one host, which decides alone (quorum 2): ${risk}`,
    ]);
    await knex('networks').update({ rpc_urls: [...urls, silent, `http://127.0.0.1:${other}`] });
    expect(await told()).toEqual([]);
  } finally {
    await knex('networks').update({ rpc_urls: urls, quorum: 1 });
    await knex('chains').update({ platform_id: platform });
    await knex('payouts').delete();
    await knex('wallets').where({ name: 'Shop' }).delete();
  }
});

it("the doctor accepts a public URL on the loopback of another host, such as a container's", async () => {
  const [port] = await freePorts(1);
  const names = await product.knex('processes').where({ kind: 'api' }).select('id', 'name');
  await product.knex('processes').where({ kind: 'api' }).update({ name: '1@another-container' });
  try {
    const { findings } = await expectProblems([], { CARAT_PUBLIC_URL: `http://localhost:${port}` });
    expect(findings).toContainEqual({
      area: 'public url',
      grade: 'warning',
      found: expect.stringContaining('an api lives on another host'),
      remedy: `ask it where clients are: curl http://localhost:${port}/readyz`,
    });
  } finally {
    for (const { id, name } of names) await product.knex('processes').where({ id }).update({ name });
  }
});

it('the doctor finds an expired certificate of the public URL', async () => {
  const server = https.createServer(expiredTls);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await expectProblems([['public url', /cannot be reached from here: CERT_HAS_EXPIRED$/, /^renew the certificate$/]], {
    CARAT_PUBLIC_URL: `https://localhost:${port}`,
  });
  server.close();
});

it('the doctor finds a clock that is off by five minutes', async () => {
  const { code, out } = await asProcess(['doctor'], {
    ...env,
    NODE_OPTIONS: `--import ${path.join(root, 'test/support/shifted-clock.mjs')}`,
    CLOCK_SHIFT_MS: '-300000',
  });
  expect(code).toBe(1);
  expect(out).toMatch(
    /^PROBLEM +clock +the database's clock is (5 min|299 s|4 min) ahead of that of this machine\n +To do: correct the clock/m,
  );
});

it('the doctor refuses arguments', async () => {
  expect(await caratHere(['doctor', 'now'], env)).toMatchObject({ code: 2 });
});
