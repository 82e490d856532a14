import { checkoutTransitions } from '../../domain/checkouts/checkout.ts';
import { transitions } from '../../domain/payment.ts';
import {
  mayConnect,
  optionalEvents,
  readWebhookHost,
  standingEvents,
  webhookPathProblem,
} from '../../domain/webhook.ts';

const originOf = (text: string, hosts: 'public' | 'loopback' = 'public'): string | null => {
  const read = readWebhookHost(text, hosts);
  return 'origin' in read ? read.origin : null;
};

describe('the host of a webhook', () => {
  it.each([
    ['https://shop.example', 'https://shop.example'],
    ['https://Shop.EXAMPLE/', 'https://shop.example'],
    ['HTTPS://shop.example:443', 'https://shop.example'],
    ['https://shop.example:8443/', 'https://shop.example:8443'],
    ['https://shop.example:08443', 'https://shop.example:8443'],
    ['https://shop.example.', 'https://shop.example'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://BÜCHER.example', 'https://xn--bcher-kva.example'],
    ['https://shop。example', 'https://shop.example'],
    ['https://%73hop.example', 'https://shop.example'],
    ['https://a_b.shop.example', 'https://a_b.shop.example'],
    ['https://8.8.8.8', 'https://8.8.8.8'],
    ['https://0x08080808', 'https://8.8.8.8'],
    ['https://134744072', 'https://8.8.8.8'],
    ['https://[2606:4700:0:0::1111]:443', 'https://[2606:4700::1111]'],
  ])('%s is stored as %s', (text, origin) => {
    expect(originOf(text)).toBe(origin);
  });

  it.each([
    // no origin
    '',
    ' https://shop.example',
    'https://shop.example ',
    'https://shop.example\n',
    'https://sh\top.example',
    'shop.example',
    '//shop.example',
    'https:shop.example',
    'https:/shop.example',
    'https:///shop.example',
    'https:\\\\shop.example',
    'https://',
    'https:///',
    'https://shop.example//',
    'https://shop.example/hooks',
    'https://shop.example/?',
    'https://shop.example?',
    'https://shop.example?x=1',
    'https://shop.example#',
    'https://shop.example#x',
    'https://user@shop.example',
    'https://user:secret@shop.example',
    'https://@shop.example',
    'https://shop.example\\@evil.example',
    'https://shop.example:0',
    'https://shop.example:65536',
    'https://shop.example:-1',
    'https://shop.example:x',
    'https://shop..example',
    'https://.shop.example',
    'https://shop.example..',
    'https://-shop.example',
    `https://${'a'.repeat(64)}.example`,
    `https://${'a.'.repeat(127)}example`,
    'https://sh*p.example',
    'https://shop%2fexample.example',
    'https://shop／example.example',
    // not https to the internet
    'http://shop.example',
    'ftp://shop.example',
    'wss://shop.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://8.8.8.8',
    // names that lead nowhere else
    'https://localhost',
    'https://LOCALHOST',
    'https://localhost.',
    'https://localhost:8443',
    'https://shop.localhost',
    'https://shop.localhost.',
    'https://localhost。',
    'https://ｌocalhost',
    'https://%6cocalhost',
    'https://postgres',
    'https://metadata.google.internal',
    'https://printer.local',
    'https://router.home.arpa',
    // addresses that are not public, in every notation
    'https://127.0.0.1',
    'https://127.0.0.1.',
    'https://127.1',
    'https://127.0.1',
    'https://2130706433',
    'https://0x7f000001',
    'https://0x7f.1',
    'https://0x7F.0x0.0x0.0x1',
    'https://0177.0.0.1',
    'https://0177.1',
    'https://017700000001',
    'https://１２７.0.0.1',
    'https://127。0。0。1',
    'https://127%2e0%2e0%2e1',
    'https://0',
    'https://0.0.0.0',
    'https://00',
    'https://10.0.0.1',
    'https://167772161',
    'https://012.0.0.1',
    'https://100.64.0.1',
    'https://169.254.169.254',
    'https://2852039166',
    'https://0xa9fea9fe',
    'https://0251.0376.0251.0376',
    'https://169.16689662',
    'https://168.63.129.16',
    'https://172.16.0.1',
    'https://192.168.1.1',
    'https://192.168.257',
    'https://198.18.0.1',
    'https://224.0.0.1',
    'https://255.255.255.255',
    'https://4294967295',
    'https://256.1.1.1',
    'https://4294967296',
    'https://[::1]',
    'https://[0:0:0:0:0:0:0:1]',
    'https://[::]',
    'https://[::127.0.0.1]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:7f00:1]',
    'https://[::FFFF:169.254.169.254]',
    'https://[0:0:0:0:0:ffff:a00:1]',
    'https://[64:ff9b::10.0.0.1]',
    'https://[64:ff9b::a9fe:a9fe]',
    'https://[2002:7f00:1::]',
    'https://[2002:a9fe:a9fe::1]',
    'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
    'https://[fe80::1]',
    'https://[fe80::1%25eth0]',
    'https://[fc00::1]',
    'https://[fd00:ec2::254]',
    'https://[ff02::1]',
    'https://[2001:db8::1]',
  ])('%j is refused', (text) => {
    expect(readWebhookHost(text, 'public')).toEqual({ problem: expect.stringMatching(/^must /) });
  });

  it.each([
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
    ['http://localhost:80', 'http://localhost'],
    ['http://[::1]:4000/', 'http://[::1]:4000'],
    ['http://shop.localhost:4000', 'http://shop.localhost:4000'],
    ['https://localhost', 'https://localhost'],
    ['https://shop.example', 'https://shop.example'],
    ['http://shop.example', null],
    ['http://10.0.0.1', null],
    ['http://169.254.169.254', null],
    ['https://192.168.0.1', null],
    ['http://[::ffff:127.0.0.1]', null],
    ['http://0.0.0.0:4000', null],
  ])('where this machine may be called, %s is %s', (text, origin) => {
    expect(originOf(text, 'loopback')).toBe(origin);
  });

  it('is the same when parsed again', () => {
    for (const text of ['https://BÜCHER.example:443/', 'https://0x08080808', 'https://[2606:4700:0::1111]']) {
      const origin = originOf(text)!;
      expect(originOf(origin)).toBe(origin);
    }
  });
});

describe('the address to which a webhook is about to be sent', () => {
  it.each([
    ['8.8.8.8', 'https:', 'public', true],
    ['2606:4700::1111', 'https:', 'public', true],
    ['8.8.8.8', 'http:', 'public', false],
    ['8.8.8.8', 'http:', 'loopback', false],
    ['8.8.8.8', 'https:', 'loopback', true],
    ['127.0.0.1', 'https:', 'public', false],
    ['::1', 'http:', 'public', false],
    ['127.0.0.1', 'http:', 'loopback', true],
    ['::1', 'https:', 'loopback', true],
    ['10.0.0.1', 'https:', 'loopback', false],
    ['169.254.169.254', 'http:', 'loopback', false],
    ['::ffff:8.8.8.8', 'https:', 'public', false],
    ['shop.example', 'https:', 'public', false],
  ] as const)('%s by %s where hosts are %s: %s', (address, protocol, hosts, expected) => {
    expect(mayConnect(address, protocol, hosts)).toBe(expected);
  });
});

describe('a path of a webhook', () => {
  const fine = [
    '/',
    '/hooks',
    '/a/b?c=d&e',
    '/%2F%2Fevil.example',
    '/@evil.example',
    '/:8080',
    '/../..',
    '/ä',
    '/a//b',
  ];

  it.each(fine)('%j stays on its host', (path) => {
    expect(webhookPathProblem(path)).toBeNull();
    for (const origin of ['https://shop.example', 'https://shop.example:8443', 'http://[::1]:1', 'https://8.8.8.8']) {
      expect(new URL(`${origin}${path}`).origin).toBe(origin);
    }
  });

  it.each([
    '',
    'hooks',
    '//evil.example',
    '/\\evil.example',
    '\\evil.example',
    '.evil.example',
    '@evil.example',
    ':80',
    '?x',
    '#x',
    '/a#b',
    '/a b',
    ' /a',
    '/a\n',
    '/\t/evil.example',
    '/a\u0000',
    '/a\u007f',
    '/a\u0085',
    '/a\\b',
    'https://evil.example/',
    '///',
    '/\u2028',
  ])('%j is refused', (path) => {
    expect(webhookPathProblem(path)).toMatch(/^must /);
  });
});

it('each event of payments and orders is sent always or by request, and is listed once', () => {
  const all: string[] = [...standingEvents, ...optionalEvents];
  expect(new Set(all).size).toBe(all.length);
  const raised = Object.values(transitions).flatMap(({ webhook }) => webhook ?? []);
  const ofOrders = Object.values(checkoutTransitions).flatMap(({ webhook }) => webhook ?? []);
  expect(new Set([...raised, ...ofOrders, 'payment.reversed', 'payment.anomaly'])).toEqual(new Set(all));
});
