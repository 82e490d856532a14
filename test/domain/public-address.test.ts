import { BlockList, isIPv6 } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from '../../domain/public-address.ts';

const publicOnes = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2000::',
  '2001:200::1',
  '2606:4700:4700::1111',
  '2a00:1450:4001:830::200e',
  '2003::1',
  '3ffe:ffff::1',
];

const others = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.255',
  '168.63.129.16',
  '169.254.0.0',
  '169.254.169.254',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.0',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.0',
  '192.168.255.255',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '::7f00:1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::8.8.8.8',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:10::1',
  '2001:20::1',
  '2001:1ff:ffff::',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  '3fff::1',
  '3fff:fff:ffff::',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff:ffff::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ffff::',
];

const noAddresses = [
  '',
  ' ',
  'localhost',
  'example.com',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  '1.1.1.256',
  '01.1.1.1',
  '1.1.1.1 ',
  '0x8.8.8.8',
  '134744072',
  '8.8.8.8:80',
  '[2606:4700::1]',
  '2606:4700::1%eth0',
  'fe80::1%lo',
  '::1::',
  ':::',
  '2606:4700::g',
  '1:2:3:4:5:6:7:8:9',
  '2606:4700::1]:80',
  '2606:4700::1/64',
  '8.8.8.8\n',
  '８.8.8.8',
];

it.each(publicOnes)('%s is public', (address) => {
  expect([isPublicAddress(address), isLoopbackAddress(address)]).toEqual([true, false]);
});

it.each(others)('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each(noAddresses)('%j is not an address, so it is neither', (text) => {
  expect([isPublicAddress(text), isLoopbackAddress(text)]).toEqual([false, false]);
});

it('knows loopback in all its forms, and nothing else', () => {
  const loopback = ['127.0.0.1', '127.1.2.3', '::1', '0:0:0:0:0:0:0:1', '0::1'];
  expect(loopback.filter((address) => !isLoopbackAddress(address))).toEqual([]);
  expect(['126.0.0.1', '128.0.0.1', '::', '::2', '::ffff:127.0.0.1', '0.0.0.0'].filter(isLoopbackAddress)).toEqual([]);
});

it('an address gets the same verdict in every notation', () => {
  const same = ['2606:4700:0:0:0:0:0:1111', '2606:4700::1111', '2606:4700::0:1111', '2606:4700:0000::1111'];
  expect(same.map(isPublicAddress)).toEqual([true, true, true, true]);
  expect(['FE80::1', 'fe80:0:0:0:0:0:0:1', 'Fe80::0.0.0.1'].map(isPublicAddress)).toEqual([false, false, false]);
});

it("the verdicts agree with Node's lists on 20,000 addresses", () => {
  // Two lists: in one of both families, Node finds an IPv4 address below the IPv6 blocks that hold mapped ones.
  const reserved = { ipv4: new BlockList(), ipv6: new BlockList() };
  const ipv4 = [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '168.63.129.16/32',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/3',
  ];
  const ipv6 = ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
  for (const [family, blocks] of Object.entries({ ipv4, ipv6 }) as ['ipv4' | 'ipv6', string[]][]) {
    for (const block of blocks) {
      const [base = '', length] = block.split('/');
      reserved[family].addSubnet(base, Number(length), family);
    }
  }
  // A small generator of its own, so that a failure can be repeated.
  let state = 1;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const near = (): number => [0, 1, 10, 100, 127, 128, 169, 172, 192, 198, 203, 224, 254, 255][next(14)]!;
  const address4 = (): string =>
    [next(2) ? near() : next(256), next(2) ? near() : next(256), next(256), next(256)].join('.');
  const heads = [
    '2001',
    '2001:db8',
    '2002',
    '2000',
    '3fff',
    '3fff:1000',
    'fe80',
    'fc00',
    '0',
    '64:ff9b',
    '2001:200',
    '2001:1ff',
  ];
  const address6 = (): string =>
    `${next(2) ? heads[next(heads.length)]! : next(65_536).toString(16)}::${next(65_536).toString(16)}`;
  const wrong: string[] = [];
  for (let round = 0; round < 10_000; round += 1) {
    for (const address of [address4(), address6()]) {
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      const expected = !reserved[family].check(address, family);
      if (isPublicAddress(address) !== expected) wrong.push(address);
    }
  }
  expect(wrong).toEqual([]);
});
