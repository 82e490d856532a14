import { spawn } from 'node:child_process';
import path from 'node:path';
import { root } from '../paths.ts';

/*
 * npm run fuzz [-- REQUESTS [SEED]]
 *
 * The property test of the API with more requests than `npm test` sends: 100,000 unless told otherwise. The seed that it
 * prints makes the same requests again, but for the ids that the service chooses.
 */

const [requests = '100000', seed] = process.argv.slice(2);
if (![requests, seed ?? '0'].every((text) => /^\d{1,9}$/.test(text))) {
  console.error('fuzz: REQUESTS and SEED are numbers, such as: npm run fuzz -- 100000 7');
  process.exit(2);
}
const env = { ...process.env, FUZZ_REQUESTS: requests, ...(seed === undefined ? {} : { FUZZ_SEED: seed }) };
const script = path.join(root, 'dev/check/test.ts');
const args = ['--import', 'tsx', script, 'stack', 'test/api/fuzz/properties.test.ts'];
const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
