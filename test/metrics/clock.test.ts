import { mock } from 'node:test';
import { Registry } from 'prom-client';
import { measure } from '../../runtime/measures.ts';
import { countEndpoints } from '../../metrics/chains.ts';
import { showRefusals } from '../../metrics/process.ts';

const [date, running] = [Date.now, performance.now.bind(performance)];
afterEach(() => mock.restoreAll());

/** Lets time pass in a moment, with a clock that is set by as many milliseconds as well. */
const pass = (ms: number, set: number): void => {
  // Twice mocked, it would stay so.
  mock.restoreAll();
  mock.method(Date, 'now', () => date() + ms + set);
  mock.method(performance, 'now', () => running() + ms);
};

it.each([-600_000, 0, 600_000])(
  'what has an end is shown until then, with a clock that is set by %d ms',
  async (set) => {
    const register = new Registry();
    countEndpoints(register);
    showRefusals(register);
    measure('demotion', { network: 'alpha', endpoint: 0, ms: 25_000, isLie: false });
    measure('refusal', { reason: 'disk_full' });
    const shown = async (): Promise<boolean[]> =>
      [
        await register.getSingleMetricAsString('carat_endpoint_demoted'),
        await register.getSingleMetricAsString('carat_database_refuses'),
      ].map((text) => /"(1|disk_full)"\} 1$/m.test(text));
    pass(20_000, set);
    expect(await shown()).toEqual([true, true]);
    pass(26_000, set);
    expect(await shown()).toEqual([false, false]);
  },
);
