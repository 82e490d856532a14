import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { startHousekeeping } from '../../../api/service/housekeeping.ts';
import { watchChores, type ChoreWatch } from '../../../db/alerts/chores.ts';
import { closeWhatIsOver } from '../../../db/alerts/over.ts';
import { connect } from '../../../db/connection.ts';
import { recordLife, recordStop } from '../../../db/processes/processes.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';

const nobody: ChoreWatch = { failed: () => Promise.resolve(), worked: () => Promise.resolve() };

describe('housekeeping', () => {
  it('does each chore until nothing is left, again and again, whatever the others do', async () => {
    const lines: string[] = [];
    const done = { good: 0, bad: 0 };
    const { stop } = startHousekeeping({
      everyMs: 5,
      watch: nobody,
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
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'warn', chore: 'bad', error: 'TypeError 42P01' });
    expect(lines.join('')).not.toContain('secret value');
  });

  it('does a bounded number of batches a round, at intervals of half to one and a half of the usual', async () => {
    let batches = 0;
    const { stop } = startHousekeeping({
      everyMs: 10,
      watch: nobody,
      random: () => 0,
      log: createLogger({ level: 'info', destination: { write: () => {} } }),
      chores: { endless: () => Promise.resolve((batches += 1) > 0) },
    });
    await eventually(() => batches > 0);
    await stop();
    expect(batches % 50).toBe(0);
  });

  it('retries a failed chore sooner than it does the others', async () => {
    const done = { good: 0, bad: 0 };
    const { stop } = startHousekeeping({
      everyMs: 2_000,
      againMs: 10,
      watch: nobody,
      random: () => 0,
      log: createLogger({ level: 'error', destination: { write: () => {} } }),
      chores: {
        bad: () => Promise.reject(new Error(`once more: ${(done.bad += 1)}`)),
        good: () => Promise.resolve((done.good += 1) < 1),
      },
    });
    await eventually(() => done.bad > 2);
    const { good } = done;
    await stop();
    expect(good).toBe(1);
  });

  describe('that fails', () => {
    let knex: Knex;
    beforeAll(async () => {
      knex = connect((await createTestDatabase()).url, { pool: 2 });
    });
    afterAll(() => knex.destroy());
    const alerts = () => knex('alerts').orderBy('id');

    it('while the database is away is not reported when the database is back', async () => {
      const proxy = await createTcpProxy();
      const cut = connect(proxy.through((await createTestDatabase()).url), { pool: 1 });
      const watch = watchChores(
        cut,
        { kind: 'api', name: '18@api-1' },
        createLogger({ level: 'error', destination: { write: () => {} } }),
      );
      const fail = () => watch.failed('flaky', new Error('Connection terminated'));
      const told = () => cut('alerts').where({ kind: 'chore_failing' });
      proxy.cut();
      for (let times = 0; times < 3; times += 1) await fail();
      proxy.mend();
      await fail();
      expect(await told()).toEqual([]);
      for (let times = 0; times < 2; times += 1) await fail();
      expect(await told()).toHaveLength(1);
      await cut.destroy();
      await proxy.close();
    });

    it('three times in a row is reported once, without a value of its error, until it works again', async () => {
      const lines: string[] = [];
      const log = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } });
      const times = { failing: 0, now: 0 };
      let isBroken = true;
      const flaky = (): Promise<boolean> => {
        times.failing += 1;
        if (!isBroken) return Promise.resolve(false);
        return Promise.reject(Object.assign(new TypeError('secret value'), { code: '42P01' }));
      };
      const { stop } = startHousekeeping({
        everyMs: 5,
        log,
        watch: watchChores(knex, { kind: 'api', name: '17@api-1' }, log),
        chores: {
          flaky,
          once: () => ((times.now += 1) === 2 ? Promise.reject(new Error('once')) : Promise.resolve(false)),
        },
      });
      await eventually(() => times.failing > 6 && times.now > 6);
      const [alert, ...others] = await alerts();
      expect([alert, others]).toMatchObject([
        {
          kind: 'chore_failing',
          is_condition: true,
          closed_at: null,
          node_id: null,
          data: { process: '17@api-1', kind: 'api', chore: 'flaky', error: 'TypeError 42P01' },
        },
        [],
      ]);
      isBroken = false;
      await eventually(async () => (await alerts())[0].closed_at !== null);
      await stop();
      const told = lines
        .filter((line) => line.includes('"alert"'))
        .map((line) => JSON.parse(line) as { message: string });
      expect(told.map(({ message }) => message)).toEqual([alert.message, `Over: ${alert.message}`]);
      expect(JSON.stringify(await alerts())).not.toContain('secret value');
    });

    it('is reported once though another process does the chore, and ends when its process is gone', async () => {
      await knex('alerts').delete();
      const log = createLogger({ level: 'error', destination: { write: () => {} } });
      const self = { id: randomUUID(), kind: 'worker', name: '17@worker-1' } as const;
      await recordLife(knex, self, true);
      const [broken, whole] = [self, { ...self, name: '18@worker-2' }].map((own) => watchChores(knex, own, log));
      for (let turn = 0; turn < 6; turn += 1) {
        await broken!.failed('alerts', new Error('secret value'));
        await whole!.worked('alerts');
        await closeWhatIsOver(knex);
      }
      expect(await alerts()).toMatchObject([{ closed_at: null, data: { process: '17@worker-1', chore: 'alerts' } }]);
      await recordStop(knex, self.id);
      await closeWhatIsOver(knex);
      expect(await alerts()).toMatchObject([{ closed_at: expect.any(Date) as Date }]);
    });
  });
});
