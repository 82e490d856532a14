import fs from 'node:fs';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import type { Finding } from '../../cli/doctor/finding.ts';
import { createTemporalClient, temporalAt } from '../../outbox/temporal-client.ts';
import { caratHere } from '../support/carat.ts';
import { commandEnvironment, createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { makePair, startTlsTemporal, type TlsTemporal } from '../support/temporal-tls.ts';

/* A Temporal of the operator's own, or a hosted one: behind TLS, and closed to everybody without a certificate or a key. */

let temporal: TlsTemporal;
let product: Product;
let shop: Shop;
let environment: Record<string, string>;

beforeAll(async () => {
  temporal = await startTlsTemporal();
  const { settings } = temporal;
  environment = {
    CARAT_TEMPORAL_CA: settings.temporalCa,
    CARAT_TEMPORAL_CERTIFICATE: settings.temporalCertificate,
    CARAT_TEMPORAL_KEY: settings.temporalKey,
  };
  product = await createProduct({ temporal: temporalAt(settings), environment });
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  await temporal?.stop();
});

/** What the doctor finds about Temporal. */
const examine = async (more: Record<string, string> = {}): Promise<Finding[]> => {
  const { out } = await caratHere(['doctor', '--json'], {
    ...commandEnvironment(product),
    ...environment,
    ...more,
  });
  return (JSON.parse(out) as { findings: Finding[] }).findings.filter(({ area }) => area === 'temporal');
};

it('a payment completes', async () => {
  await shop.deployed('alpha');
  const payment = await shop.create('alpha');
  await shop.pay('alpha', payment);
  expect(await shop.reached(payment, 'completed')).toMatchObject({ status: 'completed' });
});

it('the doctor finds nothing wrong, and names each mistake in the settings', async () => {
  expect(new Set((await examine()).map(({ grade }) => grade))).toEqual(new Set(['ok']));
  const { folder } = temporal;
  const stranger = makePair(folder, 'stranger', makePair(folder, 'other-authority'));
  const silent = expect.stringMatching(/^localhost:\d+ does not answer: /);
  for (const [more, found] of [
    [{ CARAT_TEMPORAL_CA: '', CARAT_TEMPORAL_CERTIFICATE: '', CARAT_TEMPORAL_KEY: '' }, silent],
    [{ CARAT_TEMPORAL_CA: '' }, silent],
    [{ CARAT_TEMPORAL_CERTIFICATE: '', CARAT_TEMPORAL_KEY: '' }, silent],
    [{ CARAT_TEMPORAL_CERTIFICATE: stranger.cert, CARAT_TEMPORAL_KEY: stranger.key }, silent],
    [{ CARAT_TEMPORAL_SERVER_NAME: 'elsewhere.example' }, silent],
    [{ CARAT_TEMPORAL_KEY: '' }, expect.stringContaining('CARAT_TEMPORAL_KEY belong together')],
    [{ CARAT_TEMPORAL_CA: '/no/such.pem' }, expect.stringMatching(/^CARAT_TEMPORAL_CA: ENOENT/)],
    [{ CARAT_TEMPORAL_KEY: import.meta.filename }, expect.stringContaining('is no PEM file')],
  ] as const) {
    expect(await examine(more)).toEqual([{ area: 'temporal', grade: 'problem', found, remedy: expect.any(String) }]);
  }
});

it('an api key goes with each request of client and worker, over TLS only, beside the namespace', async () => {
  const heard: http2.IncomingHttpHeaders[] = [];
  const { cert, key } = {
    cert: path.join(temporal.folder, 'server.pem'),
    key: path.join(temporal.folder, 'server-key.pem'),
  };
  const server = http2.createSecureServer({ cert: fs.readFileSync(cert), key: fs.readFileSync(key) });
  server.on('stream', (stream, headers) => {
    heard.push(headers);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' }, { endStream: true });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = temporalAt({
    ...temporal.settings,
    temporalAddress: `localhost:${(server.address() as AddressInfo).port}`,
    temporalCertificate: '',
    temporalKey: '',
    temporalApiKey: 'a-key-of-temporal',
  });
  const { namespace, ...access } = at;
  const client = createTemporalClient(at);
  await expect(client.workflowService.describeNamespace({ namespace })).rejects.toThrow('16');
  await client.connection.close();
  await expect(NativeConnection.connect(access)).rejects.toThrow();
  expect(heard.length).toBeGreaterThan(1);
  for (const { authorization } of heard) expect(authorization).toBe('Bearer a-key-of-temporal');
  expect(heard.map((headers) => headers['temporal-namespace'])).toContain(temporal.settings.temporalNamespace);
  await new Promise((resolve) => server.close(resolve));
});
