import https from 'node:https';
import type { AddressInfo } from 'node:net';
import knexFactory, { type Knex } from 'knex';
import { certificateSources, gradeOf, keepCertificates } from '../../../api/service/certificates.ts';
import { raiseAlerts } from '../../../db/alerts/alerts.ts';
import { onMeasure } from '../../../measures.ts';
import { expiredTls, localhostTls } from '../../support/certificates.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

/* The ends of certificates are told, by servers that show them and by files. */

const DAY = 86_400_000;
const noTemporal = {
  temporalAddress: 'localhost:1',
  temporalNamespace: 'default',
  temporalTls: 'off',
  temporalCa: '',
  temporalCertificate: '',
  temporalKey: '',
  temporalServerName: '',
  temporalApiKey: '',
} as const;

let knex: Knex;
let server: https.Server;
let url: string;
const lines: string[] = [];
const note = (message: string): void => void lines.push(message);
const log = { debug: note, info: note, warn: note, error: note };

beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: (await createTestDatabase()).url, pool: { min: 0, max: 4 } });
  server = https.createServer(expiredTls);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await knex.destroy();
});

const open = () => knex('alerts').whereNull('closed_at').orderBy('id').pluck('message');

it.each([
  [90, 8, 'good'],
  [90, 6.9, 'soon'],
  [90, 0, 'ended'],
  [90, -1, 'ended'],
  [6, 2, 'good'],
  [6, 1.4, 'soon'],
])('a certificate of %d days that is valid for %d more days is %s', (days, left, grade) => {
  const now = Date.now();
  expect(gradeOf({ from: now + (left - days) * DAY, until: now + left * DAY }, now)).toBe(grade);
});

it('a certificate that has ended is told once, until another one is shown; one that nobody uses any more is over', async () => {
  const seen: (number | null)[] = [];
  onMeasure('certificate', ({ of, secondsLeft }) => of === 'public_url' && seen.push(secondsLeft));
  const left = { key: 'certificate_ends:temporal_client:soon', kind: 'certificate_ends', message: 'it ends' } as const;
  const soon = { key: 'certificate_ends:public_url:soon', kind: 'certificate_ends', message: 'it ends, too' } as const;
  await raiseAlerts(knex, null, [left, soon]);
  // Nothing listens at the alert webhook, of which nothing is known then.
  const sources = certificateSources({ ...noTemporal, publicUrl: url, alertWebhook: 'https://localhost:1' });
  expect(sources.map(({ of }) => of)).toEqual(['public_url', 'alert_webhook']);
  const keeping = keepCertificates({ knex, sources, profile: 'test', log });
  try {
    await eventually(async () => (await open()).join() !== 'it ends,it ends, too');
    const [message, ...others] = await eventually(async () => {
      const rows = await open();
      return !rows.includes('it ends, too') && rows;
    });
    expect([message, others]).toEqual([
      expect.stringMatching(/^The certificate of CARAT_PUBLIC_URL \(localhost:\d+\) has ended at 2021-01-01T00:00:00/),
      [],
    ]);
    await eventually(() => seen.length > 2);
    expect(Math.max(...seen.map(Number))).toBeLessThan(0);
    expect(lines.filter((line) => line === message)).toHaveLength(1);
    server.setSecureContext(localhostTls);
    await eventually(async () => (await open()).length === 0);
    await eventually(() => Number(seen.at(-1)) > 0);
  } finally {
    await keeping.stop();
  }
});

it('a server without TLS has no certificate', () => {
  expect(certificateSources({ ...noTemporal, publicUrl: 'http://localhost', alertWebhook: '' })).toEqual([]);
});
