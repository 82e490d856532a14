import { MAX_ATTEMPTS, retryPause, readRetryAfter } from '../../domain/webhooks/delivery-schedule.ts';

const production = (random: number) => ({ profile: 'production' as const, random: () => random });

it('the schedule has ten attempts over more than three days, each up to a fifth later', () => {
  const all = (random: number): (number | null)[] =>
    Array.from({ length: MAX_ATTEMPTS }, (_, index) => retryPause(index + 1, 0, production(random)));
  const hour = 3_600_000;
  expect(all(0)).toEqual([5_000, 300_000, hour / 2, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour), null]);
  expect(all(1)).toEqual(all(0).map((pause) => pause && pause * 1.2));
  expect(all(0).reduce<number>((sum, pause) => sum + (pause ?? 0), 0)).toBeGreaterThan(3 * 24 * hour);
});

it('the schedule of tests has as many, and is short', () => {
  const pauses = Array.from({ length: MAX_ATTEMPTS }, (_, index) => retryPause(index + 1, 0, { profile: 'test' }));
  expect(pauses.map((pause) => pause === null)).toEqual([...Array<boolean>(9).fill(false), true]);
  expect(pauses.reduce<number>((sum, pause) => sum + (pause ?? 0), 0)).toBeLessThan(120_000);
});

it('the schedule waits longer where the receiver asks for it, but not beyond the last attempt', () => {
  expect(retryPause(1, 60_000, production(0))).toBe(60_000);
  expect(retryPause(2, 60_000, production(0))).toBe(300_000);
  expect(retryPause(10, 60_000, production(0))).toBeNull();
});

it.each([
  ['7', 7_000],
  [' 7 ', 7_000],
  ['0', 0],
  ['999999999', 86_400_000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Thu, 01 Jan 2025 00:00:00 GMT', 0],
  ['Thu, 01 Jan 2099 00:00:00 GMT', 86_400_000],
  ['soon', 0],
  ['-5', 0],
  ['', 0],
  [null, 0],
])('the schedule reads Retry-After: %j', (text, ms) => {
  expect(readRetryAfter(text, new Date('2026-01-01T00:00:00Z'))).toBe(ms);
});
