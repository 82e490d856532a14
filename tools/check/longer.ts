import { spawn } from 'node:child_process';
import path from 'node:path';
import { root } from '../paths.ts';

/*
 * npm run checkouts [-- ORDERS [SEED]]
 * npm run faults [-- MINUTES [SEED]]
 * npm run fuzz [-- REQUESTS [SEED]]
 * npm run liars [-- SCHEDULES [SEED]]
 * npm run hostile [-- CONNECTIONS [SEED]]
 * npm run model [-- SCHEDULES [SEED]]
 * npm run offers [-- PAYMENTS]
 * npm run races [-- RACES]
 * npm run reconcile [-- PAYMENTS]
 *
 * Runs a randomised test with more cases than `npm test`. The same seed, which the test prints, repeats the same cases,
 * except for the ids that the service chooses.
 */

interface Longer {
  readonly file: string;
  /** Jest project. Default: `stack`. */
  readonly project?: string;
  /** Environment variables for the count and the seed; without `seed` the test draws nothing that can be repeated. */
  readonly count: string;
  readonly seed?: string;
  /** Default count. */
  readonly usual: string;
}

const tests: Readonly<Record<string, Longer>> = {
  checkouts: { file: 'test/e2e/checkouts.test.ts', count: 'CHECKOUT_ORDERS', seed: 'CHECKOUT_SEED', usual: '300' },
  faults: {
    file: 'test/evm-clients/geth-random.test.ts',
    project: 'evm-clients',
    count: 'FAULT_MINUTES',
    seed: 'FAULT_SEED',
    usual: '20',
  },
  fuzz: { file: 'test/api/fuzz/properties.test.ts', count: 'FUZZ_REQUESTS', seed: 'FUZZ_SEED', usual: '100000' },
  hostile: {
    file: 'test/api/http/hostile.test.ts',
    count: 'HOSTILE_CONNECTIONS',
    seed: 'HOSTILE_SEED',
    usual: '100000',
  },
  model: { file: 'test/model/model.test.ts', count: 'MODEL_SCHEDULES', seed: 'MODEL_SEED', usual: '500' },
  offers: { file: 'test/e2e/offers.test.ts', count: 'OFFERED_PAYMENTS', usual: '500' },
  reconcile: { file: 'test/e2e/reconciliation.test.ts', count: 'RECONCILED_PAYMENTS', usual: '10000' },
  races: { file: 'test/e2e/races.test.ts', count: 'RACES', usual: '500' },
  liars: {
    file: 'test/liars/liars.test.ts',
    count: 'LIAR_SCHEDULES',
    seed: 'LIAR_SEED',
    usual: '500',
  },
};

const [name = '', ...options] = process.argv.slice(2);
const test = tests[name];
if (!test) throw new RangeError(`no longer test is called "${name}"`);
const [count = test.usual, seed] = options;
if (![count, seed ?? '0'].every((text) => /^\d{1,9}$/.test(text))) {
  console.error(`${name}: count and seed must be numbers, such as: npm run ${name} -- ${test.usual} 7`);
  process.exit(2);
}
const env = { ...process.env, [test.count]: count, ...(seed === undefined || !test.seed ? {} : { [test.seed]: seed }) };
const script = path.join(root, 'tools/check/test.ts');
const child = spawn(process.execPath, [script, test.project ?? 'stack', test.file], {
  cwd: root,
  env,
  stdio: 'inherit',
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
