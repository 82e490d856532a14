import { createAgents, type Resolve } from '../../delivery/agent.ts';
import { send, type ReceiverResponse } from '../../delivery/send.ts';
import type { WebhookHosts } from '../../domain/webhook.ts';
import { localhostTls } from '../support/certificates.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';

/* Allowed targets are decided as the connection is made: literal addresses, and the addresses of names at that time. */

let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver({ tls: localhostTls });
});

afterAll(() => receiver.close());

/** Longer than any test. */
const LONG_MS = 3_600_000;

interface Call {
  readonly hosts?: WebhookHosts;
  readonly resolve?: Resolve;
}

const call = async (url: string, { hosts = 'public', resolve }: Call = {}): Promise<ReceiverResponse> => {
  const agents = createAgents({ hosts, ...(resolve !== undefined && { resolve }) });
  try {
    return await send({ url: new URL(url), headers: {}, body: '{}' }, { agents, timeoutMs: LONG_MS });
  } finally {
    agents.close();
  }
};

const port = (): string => new URL(receiver.origin).port;

const written = [
  // this machine, in every notation that a URL may have
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '0x7f.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '127.0.0.1.',
  '１２７.０.０.１',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[::ffff:0:127.0.0.1]',
  // where clouds keep their secrets
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '[::ffff:169.254.169.254]',
  '[fd00:ec2::254]',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '[64:ff9b::a9fe:a9fe]',
  // private networks
  '10.0.0.1',
  '10.1',
  '0xa000001',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.257',
  '3232235777',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '0.1.2.3',
  '[fc00::1]',
  '[fd12::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[2001:db8::1]',
  '[100::1]',
  '[2001::1]',
  '[2002:a00:1::]',
  '[::ffff:10.0.0.1]',
  // unassigned
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '[ff02::1]',
  '[ff0e::1]',
  '[5f00::1]',
];

it('the list has many forms', () => expect(written.length).toBeGreaterThanOrEqual(60));

it.each(written)('Carat does not connect to %s', async (host) => {
  expect(await call(`https://${host}:${port()}/`)).toMatchObject({ status: null, error: 'address_refused' });
});

const named = [
  '127.0.0.1',
  '::1',
  '10.0.0.1',
  '169.254.169.254',
  '192.168.1.1',
  '::ffff:127.0.0.1',
  'fd00::1',
  '0.0.0.0',
  '64:ff9b::7f00:1',
  'fe80::1',
  '100.64.0.1',
  '224.0.0.1',
  'no address',
];

it.each(named)('Carat does not connect to a name that stands for %s', async (address) => {
  const resolve = async (): Promise<string[]> => [address];
  expect(await call(`https://shop.example:${port()}/`, { resolve })).toMatchObject({ error: 'address_refused' });
});

it('Carat does not connect to a name that stands for a public and another address, in either order', async () => {
  for (const addresses of [
    ['1.1.1.1', '127.0.0.1'],
    ['127.0.0.1', '1.1.1.1'],
    ['2606:4700::1', '::1'],
  ]) {
    expect(await call(`https://shop.example:${port()}/`, { resolve: async () => addresses })).toMatchObject({
      error: 'address_refused',
    });
  }
});

it('a name is resolved once for each connection, and Carat judges the address that it connects to', async () => {
  // Resolves to a public address at first, and to this machine from then on.
  const answers = [['1.1.1.1'], ['127.0.0.1'], ['127.0.0.1']];
  let asked = 0;
  const resolve = async (): Promise<string[]> => answers[asked++]!;
  const agents = createAgents({ hosts: 'public', resolve });
  const post = (timeoutMs = LONG_MS): Promise<ReceiverResponse> =>
    send({ url: new URL(`https://shop.example:${port()}/`), headers: {}, body: '' }, { agents, timeoutMs });
  // The public address may never answer.
  expect((await post(300)).error).not.toBe('address_refused');
  expect(asked).toBe(1);
  expect(await post()).toMatchObject({ error: 'address_refused' });
  expect(asked).toBe(2);
  agents.close();
});

it('a connection stays with its address when its name changes', async () => {
  const plain = await startReceiver();
  const other = await startReceiver({ host: '127.0.0.2', port: Number(new URL(plain.origin).port) });
  const addresses = ['127.0.0.1', '127.0.0.2'];
  let asked = 0;
  const agents = createAgents({ hosts: 'loopback', resolve: async () => [addresses[asked++]!] });
  const url = new URL(plain.origin.replace('127.0.0.1', 'shop.localhost'));
  for (let round = 0; round < 3; round += 1) {
    expect(await send({ url, headers: {}, body: '' }, { agents, timeoutMs: LONG_MS })).toMatchObject({ status: 204 });
  }
  expect([asked, plain.received.length, other.received.length]).toEqual([1, 3, 0]);
  agents.close();
  await Promise.all([plain.close(), other.close()]);
});

it('512 idle connections are kept to all receivers together, with and without TLS; the oldest are closed', async () => {
  // Neither side closes a connection because it has been idle for some time.
  const isPatient = true;
  const [plain, secure] = [await startReceiver({ isPatient }), await startReceiver({ isPatient, tls: localhostTls })];
  const agents = createAgents({ hosts: 'loopback', ca: localhostTls.cert, resolve: async () => ['127.0.0.1'] });
  for (const protocol of ['http:', 'https:']) {
    const { options } = agents.of(protocol) as unknown as { options: { timeout: number } };
    options.timeout = LONG_MS;
  }
  const post = async (shop: number): Promise<void> => {
    const isSecure = shop % 16 === 0;
    const url = new URL(isSecure ? secure.origin : plain.origin);
    // The certificate is for `localhost` alone.
    url.hostname = isSecure ? 'localhost' : `shop-${shop}.localhost`;
    expect(await send({ url, headers: {}, body: '' }, { agents, timeoutMs: LONG_MS })).toMatchObject({ status: 204 });
  };
  const idle = () =>
    ['http:', 'https:']
      .flatMap((protocol) => Object.values(agents.of(protocol).freeSockets).flatMap((sockets) => sockets ?? []))
      .filter(({ destroyed }) => !destroyed).length;
  for (let shop = 0; shop < 640; shop += 32)
    await Promise.all(Array.from({ length: 32 }, (_, nth) => post(shop + nth)));
  expect(idle()).toBe(512);
  const made = plain.connections();
  await post(600);
  expect(plain.connections()).toBe(made);
  await post(1);
  expect(plain.connections()).toBe(made + 1);
  expect(idle()).toBe(512);
  agents.close();
  await Promise.all([plain.close(), secure.close()]);
});

it.each(['http://1.1.1.1/', 'http://shop.example/', 'http://[2606:4700::1]/'])(
  'Carat does not go to the internet without TLS: %s',
  async (url) => {
    const resolve = async (): Promise<string[]> => ['1.1.1.1'];
    for (const hosts of ['public', 'loopback'] as const) {
      expect(await call(url, { hosts, resolve })).toMatchObject({ error: 'address_refused' });
    }
  },
);

it('Carat knows this machine by its names, and reaches it only where that is allowed', async () => {
  expect(await call(`https://localhost:${port()}/`)).toMatchObject({ error: 'address_refused' });
  expect(await call(`https://shop.localhost:${port()}/`)).toMatchObject({ error: 'address_refused' });
  expect(await call(`https://localhost:${port()}/`, { hosts: 'loopback' })).toMatchObject({
    error: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  });
});

it('a name without an address fails with the code of the name service', async () => {
  const resolve = async (): Promise<string[]> => {
    throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  };
  expect(await call('https://shop.example/', { resolve })).toMatchObject({ status: null, error: 'ENOTFOUND' });
});

it('none of these attempts has reached the receiver', () => {
  expect(receiver.received).toEqual([]);
});
