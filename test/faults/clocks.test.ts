import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { root } from '../../tools/paths.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { createCaratClient } from '../../client/client.ts';
import { expiredTls, localhostTls } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { mineInTurn, type Mining } from '../support/mining.ts';
import { createRig, type Rig } from './rig.ts';

/* Time that is wrong: a clock, a certificate that has ended, and blocks that are taken back. */

const network = 'alpha';
let rig: Rig;
let proxy: https.Server;
let mining: Mining;
let authority: string;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  rig = await createRig({ environment: { CARAT_PUBLIC_URL: `https://localhost:${port}` } });
  authority = path.join(path.dirname(rig.product.logs), 'authority.pem');
  fs.writeFileSync(authority, localhostTls.cert);
  // As a proxy with TLS does before the api.
  proxy = https.createServer(localhostTls, (request, response) => {
    const passed = http.request(`${rig.product.dev.api}${request.url}`, { headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    passed.once('error', () => response.destroy());
    passed.end();
  });
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  mining = await mineInTurn(rig.product.chains[network]!.url, 0.2);
});

afterAll(async () => {
  await mining?.stop();
  await rig?.stop();
  proxy?.closeAllConnections();
  proxy?.close();
});

it('the clock of a worker is five minutes late', async () => {
  const restart = async (environment: Record<string, string>): Promise<void> => {
    await rig.workers[0]!.stop();
    await rig.startWorker(0, environment);
  };
  await rig.named('clock off by five minutes', {
    inject: () =>
      restart({
        NODE_OPTIONS: `--import ${path.join(root, 'test/support/shifted-clock.mjs')}`,
        CLOCK_SHIFT_MS: '-300000',
      }),
    mend: () => restart({}),
    says: /The clock of the worker \S+ is (?:299|300) seconds behind the database's/,
  });
});

it('the certificate of the public URL expires', async () => {
  await rig.named('expired certificate', {
    inject: () => {
      proxy.setSecureContext(expiredTls);
      return Promise.resolve(proxy.closeAllConnections());
    },
    mend: () => Promise.resolve(proxy.setSecureContext(localhostTls)),
    environment: { NODE_EXTRA_CA_CERTS: authority },
    says: /cannot be reached from here: CERT_HAS_EXPIRED/,
  });
});

it('the chain is reorganised deeper than the confirmations of the network', async () => {
  const { dev, knex } = rig.product;
  const client = createCaratClient({ url: dev.api, apiKey: dev.admin.api_key, secret: dev.admin.secret });
  await eventually(async () => (await knex('watch_cursors').whereRaw('confirmed_number > 20')).length > 0, 60_000);
  await rig.named('deep reorganisation', {
    inject: () => mining.reorganise(10),
    mend: async () => {
      for (const id of await knex('alerts').where({ kind: 'deep_reorganisation', closed_at: null }).pluck('id'))
        await client.closeAlert(id as string);
    },
    says: /alpha was reorganised \d+ blocks deep, more than its 3 confirmations/,
  });
});
