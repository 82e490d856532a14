import { createOutsideClock } from '../../domain/tools/outside-clock.ts';

/** A clock with the reports of servers, by which it is ahead by these seconds. */
const toldBy = (servers: Readonly<Record<string, number>>) => {
  const clock = createOutsideClock();
  const now = Date.now();
  for (const [url, seconds] of Object.entries(servers))
    clock.tell({ url, askedAt: now - 100, serverMs: now - 550 - seconds * 1_000, endedAt: now });
  return clock;
};

it.each<[string, Record<string, number>, number | null]>([
  ['no server', {}, null],
  ['one server', { 'https://a.example/key': 300 }, null],
  ['two servers that agree', { 'https://a.example': 300, 'https://b.test': 301 }, 300],
  ['two servers of which one lies', { 'https://a.example': 0, 'https://b.test': 300 }, 0],
  ['two servers that differ in both directions', { 'https://a.example': -300, 'https://b.test': 300 }, 0],
  ['one liar of three', { 'https://a.example': 1, 'https://b.test': 0, 'https://c.test': -90_000 }, 0],
  [
    'three servers with one that agrees with us',
    { 'https://a.example': -300, 'https://b.test': -299, 'http://node:8545': 0 },
    -299,
  ],
  [
    'half of four servers',
    { 'https://a.example': 300, 'https://b.test': 300, 'https://c.test': 0, 'http://10.0.0.1': 0 },
    0,
  ],
  ['two hosts of one provider', { 'https://eth.rpc.example/k': 300, 'https://base.rpc.example/k': 300 }, null],
  ['two ports of one address', { 'http://10.0.0.1:1': 300, 'http://10.0.0.1:2': 300 }, 300],
])('the clock according to %s', (_, servers, seconds) => {
  const found = toldBy(servers).compare();
  expect(found === null ? null : Math.round(found.aheadMs / 1_000)).toBe(seconds);
});

it('an answer that took too long, or has no time, does not count', () => {
  const clock = toldBy({ 'https://a.example': 300 });
  const now = Date.now();
  clock.tell({ url: 'https://b.test', askedAt: now - 6_000, serverMs: now - 300_000, endedAt: now });
  clock.tell({ url: 'https://c.test', askedAt: now, serverMs: Number.NaN, endedAt: now });
  expect(clock.compare()).toBeNull();
});

it('answers from before a step of this clock no longer count', () => {
  const clock = toldBy({ 'https://a.example': 300, 'https://b.test': 300 });
  expect(clock.compare()).not.toBeNull();
  const real = Date.now;
  Date.now = () => real() - 300_000;
  try {
    expect(clock.compare()).toBeNull();
  } finally {
    Date.now = real;
  }
});

it('the number of servers is bounded', () => {
  const all = Array.from({ length: 1_000 }, (_, index) => [`https://host.t${index}`, 0] as const);
  expect(toldBy(Object.fromEntries(all)).compare()).toMatchObject({ servers: 64 });
});
