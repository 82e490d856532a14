import { keepHouse } from '../../../api/service/housekeeping.ts';
import { createLogger } from '../../../logger.ts';
import { eventually } from '../../support/eventually.ts';

describe('housekeeping', () => {
  it('does each chore until nothing is left, again and again, whatever another one does', async () => {
    const lines: string[] = [];
    const done = { good: 0, bad: 0 };
    const { stop } = keepHouse({
      everyMs: 5,
      log: createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } }),
      chores: {
        bad: () => {
          done.bad += 1;
          return Promise.reject(Object.assign(new TypeError('secret value'), { code: '42P01' }));
        },
        good: () => Promise.resolve((done.good += 1) < 3),
      },
    });
    await eventually(() => done.bad > 2 && done.good > 3);
    await stop();
    const { bad } = done;
    await new Promise((later) => setTimeout(later, 30));
    expect(done.bad).toBe(bad);
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'warn', chore: 'bad', error: 'TypeError', code: '42P01' });
    expect(lines.join('')).not.toContain('secret value');
  });

  it('is done in a bounded number of batches a round, at intervals of half to one and a half of the usual', async () => {
    let batches = 0;
    const { stop } = keepHouse({
      everyMs: 10,
      random: () => 0,
      log: createLogger({ level: 'info', destination: { write: () => {} } }),
      chores: { endless: () => Promise.resolve((batches += 1) > 0) },
    });
    await eventually(() => batches > 0);
    await stop();
    expect(batches % 50).toBe(0);
  });
});
