import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { mock } from 'node:test';
import knexFactory, { type Knex } from 'knex';
import {
  certificateSources,
  gradeOf,
  keepCertificates,
  temporalCertificates,
  shownBy,
  type CertificateSource,
} from '../../../api/service/certificates.ts';
import { raiseAlerts } from '../../../db/alerts/alerts.ts';
import { onMeasure } from '../../../runtime/measures.ts';
import { expiredTls, localhostTls } from '../../support/certificates.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

/* Alerts about the ends of certificates, from servers that show them and from files. */

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

it('an expired certificate has one alert until the server shows another one; the alert of a certificate out of use ends', async () => {
  const seen: (number | null)[] = [];
  onMeasure('certificate', ({ of, secondsLeft }) => of === 'public_url' && seen.push(secondsLeft));
  const left = { kind: 'certificate_ends', subject: 'temporal_client', cause: 'soon', message: 'it ends' } as const;
  const soon = { kind: 'certificate_ends', subject: 'public_url', cause: 'soon', message: 'it ends, too' } as const;
  await raiseAlerts(knex, null, [left, soon]);
  // Nothing listens at the alert webhook, so its certificate is unknown.
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

const listening = (own: net.Server, host = '127.0.0.1', port = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    own.once('error', reject);
    own.listen(port, host, () => resolve((own.address() as AddressInfo).port));
  });

const publicSource = (read: CertificateSource['read']): CertificateSource => ({
  of: 'public_url',
  name: 'CARAT_PUBLIC_URL (pay.example)',
  read,
});

it('the addresses of a name are asked together, and the earliest expiry counts; an address without a certificate is named', async () => {
  const [good, ended] = [https.createServer(localhostTls), https.createServer(expiredTls)];
  const port = await listening(good, '127.0.0.1');
  const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((address) => ({ address }));
  const read = () =>
    shownBy({ host: 'pay.example', name: 'pay.example', port }, undefined, () => Promise.resolve(addresses));
  try {
    const { until, unread } = await read();
    expect(until).toBeGreaterThan(Date.now());
    expect(unread).toBe('127.0.0.2: ECONNREFUSED, 127.0.0.3: ECONNREFUSED');
    await listening(ended, '127.0.0.3', port);
    expect(await read()).toMatchObject({
      until: Date.parse('2021-01-01T00:00:00Z'),
      unread: '127.0.0.2: ECONNREFUSED',
    });
  } finally {
    good.close();
    ended.close();
  }
});

it('a server that drips its handshake is given up, and delays neither other certificates nor the end of the api', async () => {
  const sockets = new Set<net.Socket>();
  const dripping = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    // The beginning of a long record of a handshake, and then a byte a second.
    socket.write(Buffer.from([0x16, 0x03, 0x03, 0x00, 0x7a, 0x02, 0x00, 0x00, 0x76, 0x03, 0x03]));
    const timer = setInterval(() => socket.write(Buffer.from([0])), 1_000);
    socket.on('close', () => clearInterval(timer));
  });
  const alertWebhook = `https://127.0.0.1:${await listening(dripping)}/hook`;
  const sources = certificateSources({ ...noTemporal, publicUrl: url, alertWebhook });
  await expect(sources[1]!.read()).rejects.toThrow('no answer in time');
  // From now on no server is given up, however long it drips.
  mock.method(AbortSignal, 'timeout', () => new AbortController().signal);
  const read: string[] = [];
  onMeasure('certificate', ({ of }) => void read.push(of));
  const keeping = keepCertificates({ knex, sources, profile: 'test', log });
  try {
    await eventually(() => read.includes('public_url'));
    expect(read).not.toContain('alert_webhook');
    await keeping.stop();
  } finally {
    mock.restoreAll();
    sockets.forEach((socket) => socket.destroy());
    dripping.close();
  }
});

it('two machines behind one address, one of them with the old certificate, do not make the alert begin and end in turn', async () => {
  await knex('alerts').delete();
  const seen: (number | null)[] = [];
  onMeasure('certificate', ({ secondsLeft }) => void seen.push(secondsLeft));
  let isRenewed = false;
  const source = publicSource(() => {
    const until = isRenewed || seen.length % 2 === 1 ? Date.now() + 80 * DAY : Date.now() - DAY;
    return Promise.resolve({ from: until - 90 * DAY, until });
  });
  const keeping = keepCertificates({ knex, sources: [source], profile: 'test', log });
  try {
    await eventually(() => seen.length >= 8, 30_000);
    expect(Math.max(...seen.map(Number))).toBeLessThan(0);
    expect(await knex('alerts').where({ kind: 'certificate_ends' }).pluck('closed_at')).toEqual([null]);
    isRenewed = true;
    await eventually(async () => (await open()).length === 0);
  } finally {
    await keeping.stop();
  }
});

it('an unreadable certificate has a series and one line of the log', async () => {
  lines.length = 0;
  const seen: { secondsLeft: number | null; isWhole: boolean }[] = [];
  onMeasure('certificate', ({ secondsLeft, isWhole }) => void seen.push({ secondsLeft, isWhole }));
  const source = publicSource(() => Promise.reject(new Error('connect ETIMEDOUT')));
  const keeping = keepCertificates({ knex, sources: [source], profile: 'test', log });
  await eventually(() => seen.length > 3, 30_000);
  await keeping.stop();
  expect(seen.every(({ secondsLeft, isWhole }) => secondsLeft === null && !isWhole)).toBe(true);
  expect(lines).toEqual(['A certificate cannot be read']);
});

it('the certificate of a Temporal at an IPv6 address is read', async () => {
  const own = https.createServer(localhostTls);
  const port = await listening(own, '::1');
  try {
    const [source] = temporalCertificates({
      ...noTemporal,
      temporalAddress: `[::1]:${port}`,
      temporalTls: 'on',
    });
    expect((await source!.read()).until).toBeGreaterThan(Date.now());
  } finally {
    own.close();
  }
});

it('a certificate renewed while its server was down does not count as expired when the server is back', async () => {
  await knex('alerts').delete();
  const seen: (number | null)[] = [];
  const start = Date.now();
  const ends = start + 4_500;
  onMeasure('certificate', ({ secondsLeft }) => void seen.push(secondsLeft));
  // The certificate is good for 4.5 s; the server is down from 4 s on, and back with a new one long afterwards.
  const source = publicSource(() => {
    const since = Date.now() - start;
    if (since < 4_000) return Promise.resolve({ from: start - 2_000, until: ends });
    if (since < 10_000) return Promise.reject(new Error('connect ECONNREFUSED'));
    return Promise.resolve({ from: Date.now() - DAY, until: Date.now() + 89 * DAY });
  });
  const keeping = keepCertificates({ knex, sources: [source], profile: 'test', log });
  try {
    await eventually(() => seen.includes(null) && seen.at(-1) !== null && Number(seen.at(-1)) > DAY / 1_000, 30_000);
  } finally {
    await keeping.stop();
  }
  const back = seen.slice(seen.lastIndexOf(null) + 1).map(Number);
  expect(Math.min(...back)).toBeGreaterThan(0);
  expect(await knex('alerts').where({ dedupe_key: 'certificate_ends:public_url:ended' }).pluck('message')).toEqual([]);
});

it.each([
  // An api that still holds the certificate of before, or met the old server once more, has raised it and ended.
  ['which it finds renewed', { subject: 'public_url', cause: 'soon' }],
  // An api of the configuration before, which was ended after this one began.
  ['which it does not name', { subject: 'alert_webhook', cause: 'ended' }],
] as const)('an api ends the alert of another one about a certificate %s, whenever it was raised', async (_, part) => {
  await knex('alerts').delete();
  const seen: string[] = [];
  onMeasure('certificate', ({ of }) => void seen.push(of));
  const renewed = { from: Date.now() - DAY, until: Date.now() + 89 * DAY };
  const keeping = keepCertificates({
    knex,
    sources: [publicSource(() => Promise.resolve(renewed))],
    profile: 'test',
    log,
  });
  try {
    await eventually(() => seen.length > 4, 30_000);
    await raiseAlerts(knex, null, [{ kind: 'certificate_ends', ...part, message: 'of another api' }]);
    const looks = seen.length;
    await eventually(() => seen.length > looks + 14, 60_000);
    expect(await open()).toEqual([]);
  } finally {
    await keeping.stop();
  }
});
