import { mock } from 'node:test';
import type { ConditionAlert, Looked } from '../../domain/ports/alert.ts';
import { createObserver } from '../../domain/tools/observer.ts';
import { createChainClock } from '../support/clock.ts';

const looked: Looked = { kind: 'operator_underfunded', subject: 'lane' };
const alert = (waiting: number): ConditionAlert => ({
  kind: 'operator_underfunded',
  subject: 'lane',
  message: `${waiting} wait`,
});
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let written: (readonly ConditionAlert[])[];
const observing = () =>
  createObserver(
    (_, holding) => {
      written.push(holding);
      return Promise.resolve({ raised: [], over: [] });
    },
    { log: silent },
  );
beforeEach(() => {
  written = [];
});
afterEach(() => mock.restoreAll());

it('writes the first observation and changes; and one that holds again after ten seconds, for a person may have closed its alert', async () => {
  const pass = createChainClock();
  const observed = observing();
  for (let looks = 0; looks < 2; looks += 1) await observed(looked, []);
  expect(written).toEqual([[]]);
  for (let looks = 0; looks < 2; looks += 1) await observed(looked, [alert(1)]);
  expect(written).toHaveLength(2);
  pass(10_000);
  await observed(looked, [alert(1)]);
  expect(written).toHaveLength(3);
  await observed(looked, []);
  pass(60_000);
  await observed(looked, []);
  expect(written).toHaveLength(4);
});

it('writes a new message only of a condition that takes it over', async () => {
  const observed = observing();
  await observed(looked, [alert(1)]);
  await observed(looked, [alert(2)]);
  expect(written).toEqual([[alert(1)]]);
  await observed(looked, [{ ...alert(2), refreshes: true }]);
  await observed(looked, [{ ...alert(3), refreshes: true }]);
  expect(written.slice(1).flat()).toMatchObject([{ message: '2 wait' }, { message: '3 wait' }]);
});

it('writes again what could not be written', async () => {
  let isDown = true;
  const observed = createObserver(
    (_, holding) => {
      if (isDown) return Promise.reject(new Error('the database is down'));
      written.push(holding);
      return Promise.resolve({ raised: [], over: [] });
    },
    { log: silent },
  );
  await expect(observed(looked, [])).rejects.toThrow('down');
  isDown = false;
  await observed(looked, []);
  expect(written).toEqual([[]]);
});
