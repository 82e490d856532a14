import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { build } from 'esbuild';
import { root } from '../../tools/paths.ts';
import { sign } from '../../delivery/send.ts';
import { payee, startApi, type ApiUnderTest } from '../api/support/api-under-test.ts';
import { samplesOf } from '../support/samples.ts';
import { installOffline, nodes, packClient } from '../support/packed-client.ts';

const run = promisify(execFile);

/** A shop in another project: knows the installed package and nothing of this repository. */
const shop = `
import { createCaratClient, CaratError, verifyWebhook, WebhookError, type CaratOptions, type Payment } from 'carat-client';
const [url, apiKey, secret] = process.argv.slice(2) as [string, string, string];
const options: CaratOptions = { url, apiKey, secret };
const carat = createCaratClient(options);
const names: string[] = [];
for await (const node of carat.listNodes()) names.push(node.name);
// @ts-expect-error a name is a text
const refused = await carat.createWallet({ node_id: 'x', chain_id: 'x', name: 1 }).catch((error: CaratError) => error.code);
const forged = await verifyWebhook({ body: '{}', headers: {}, secret: 'AAAA' }).then(
  (event) => {
    if (event.type !== 'payment.completed') return event.type;
    // @ts-expect-error events lack the member
    const { member }: Payment = event.data.payment;
    return event.data.payment.external_id;
  },
  (error: WebhookError) => error.code,
);
console.log(JSON.stringify({ names: names.sort(), refused, forged }));
`;

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A signed delivery of an event. */
const delivery = (event: object, id = 'event-1') => {
  const body = JSON.stringify({ id, ...event });
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = sign([secret], { id, timestamp, body });
  return { body, headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } };
};

const [, edge] = samplesOf('client/README.md');

describe('the packed client', () => {
  let api: ApiUnderTest;
  let actor: Awaited<ReturnType<ApiUnderTest['actor']>>;
  let project = '';
  let tarball = '';

  beforeAll(async () => {
    [api, tarball] = await Promise.all([startApi(), packClient()]);
    actor = await api.actor('shop');
    project = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-shop-'));
    fs.writeFileSync(path.join(project, 'package.json'), '{ "private": true, "type": "module" }');
    await installOffline(project, tarball);
  });
  afterAll(() => {
    for (const folder of [project, path.dirname(tarball)]) fs.rmSync(folder, { recursive: true, force: true });
  });

  const inPackage = (file: string): string => path.join(project, 'node_modules/carat-client', file);

  it('has the client, its types, a README and the licence, no dependency, and nothing of Node', () => {
    const files = fs
      .readdirSync(inPackage(''), { recursive: true, encoding: 'utf8' })
      .filter((name) => fs.statSync(inPackage(name)).isFile());
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'client/client.js', 'client/client.d.ts']));
    expect(files.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))).toEqual([]);
    const manifest = JSON.parse(fs.readFileSync(inPackage('package.json'), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(manifest).filter((key) => /dependencies|scripts/i.test(key))).toEqual([]);
    const code = files.filter((name) => /\.(js|ts)$/.test(name));
    const imported = code.flatMap((name) =>
      [...fs.readFileSync(inPackage(name), 'utf8').matchAll(/\b(?:from|import|require)\b\s*\(?\s*'([^']+)'/g)].map(
        ([, target = '']) => ({ name, target }),
      ),
    );
    expect(imported.length).toBeGreaterThan(5);
    expect(imported.filter(({ name, target }) => !fs.existsSync(inPackage(path.join(name, '..', target))))).toEqual([]);
  });

  it('type-checks in another project, and runs there under each Node of the machine', async () => {
    fs.writeFileSync(path.join(project, 'shop.mts'), shop);
    const tsc = path.join(root, 'node_modules/typescript-7/bin/tsc');
    const types = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')];
    await run(tsc, ['shop.mts', '--strict', '--target', 'es2022', '--module', 'nodenext', ...types], { cwd: project });
    const { apiKey, secret: password } = actor.credentials;
    const found = await nodes();
    for (const { file } of found) {
      const { stdout } = await run(file, ['shop.mjs', api.url, apiKey, password], { cwd: project });
      expect(JSON.parse(stdout)).toEqual({
        names: ['branch', 'shop'],
        refused: 'invalid_request',
        forged: 'malformed',
      });
    }
  });

  it('takes a payment as its README says', async () => {
    const { id } = await api.deployed(actor, 'A');
    const env = {
      PATH: process.env.PATH,
      CARAT_URL: api.url,
      CARAT_API_KEY: actor.credentials.apiKey,
      CARAT_SECRET: actor.credentials.secret,
      CARAT_NODE: actor.nodeId,
      CARAT_NETWORK: api.ids.networks.A,
      CARAT_WALLET: id,
      CARAT_CURRENCY: api.ids.currencies.USD,
      CARAT_PAYEE: payee,
    };
    fs.writeFileSync(path.join(project, 'sample.js'), samplesOf('client/README.md')[0]!.text);
    const { stdout } = await run(process.execPath, ['sample.js'], { cwd: project, env });
    expect(stdout).toMatch(/^Send the buyer to https:\/\/pay\.test\/pay\/\S+#wt_\S+\norder-1001 pending\n$/);
  });

  it('receives webhooks as its README says, with web interfaces alone', async () => {
    const entry = path.join(project, 'edge.js');
    fs.writeFileSync(entry, edge!.text);
    const bundled = await build({
      entryPoints: [entry],
      bundle: true,
      platform: 'neutral',
      format: 'iife',
      globalName: 'worker',
      write: false,
    });
    // What edge runtimes have, and neither `process` nor `Buffer` nor `require`.
    const { crypto, Headers, Request, Response, TextDecoder, TextEncoder, URL, URLSearchParams, atob, fetch } =
      globalThis;
    const web = { crypto, Headers, Request, Response, TextDecoder, TextEncoder, URL, URLSearchParams, atob, fetch };
    const said: string[] = [];
    const console = { log: (line: string) => said.push(line) };
    const context = vm.createContext({ ...web, AbortController, AbortSignal, setTimeout, clearTimeout, console });
    vm.runInContext(bundled.outputFiles[0]!.text, context);
    const worker = vm.runInContext('worker.default', context) as {
      fetch(request: Request, env: { SIGNING_SECRET: string }): Promise<Response>;
    };
    const post = async (sent: ReturnType<typeof delivery>, changed = sent.body): Promise<number> => {
      const request = new Request('https://shop.example', { method: 'POST', ...sent, body: changed });
      return (await worker.fetch(request, { SIGNING_SECRET: secret })).status;
    };
    const paid = { type: 'payment.completed', data: { payment: { external_id: 'order-1' } } };
    expect(await post(delivery(paid))).toBe(204);
    expect(await post(delivery({ ...paid, test: true }))).toBe(204);
    expect(await post(delivery(paid), '{}')).toBe(401);
    expect(said).toEqual(['order-1 is paid']);
  });
});
