import { spawnSync } from 'node:child_process';
import { root, shown, stateDir } from './paths.ts';
import { runningStack } from './running-stack.ts';

/** Milliseconds for the question to Docker. */
const PATIENCE_MS = 5_000;

/** True when services of docker-compose.yml run on this machine. */
const compositionRuns = (): boolean => {
  const found = spawnSync('docker', ['compose', 'ps', '--status', 'running', '--quiet'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: PATIENCE_MS,
  });
  return found.status === 0 && found.stdout.trim() !== '';
};

/**
 * Runs an operators' command in the composition, whose database no other place reaches.
 * @returns its exit code
 */
const runInComposition = (args: readonly string[]): number => {
  const terminal = process.stdout.isTTY ? [] : ['-T'];
  const run = spawnSync('docker', ['compose', 'run', '--rm', ...terminal, 'carat', ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  return run.status ?? 1;
};

/*
 * npm run carat -- COMMAND [ARGUMENT...]
 *
 * The operators' command. It applies to the running stack of `npm start`, or else to the running composition of
 * docker-compose.yml, unless another place is configured.
 */

const args = process.argv.slice(2);
const [command] = args;
const stack = runningStack();
const isSet = (name: string): boolean => Boolean(process.env[name]?.trim());
// The passphrase alone chooses no installation: it may belong to a keystore of the caller's own.
const { CARAT_KEYSTORE_PASSPHRASE, ...place } = stack?.operator ?? {};
// New keystores must not depend on a passphrase that nobody has seen, and are made where the caller is.
const isAboutPlace = command !== undefined && !['keystore', 'help', '--help', '-h'].includes(command);

if (stack && !Object.keys(place).some(isSet) && command !== 'keystore') {
  Object.assign(process.env, place, isSet('CARAT_KEYSTORE_PASSPHRASE') ? {} : { CARAT_KEYSTORE_PASSPHRASE });
  if (command !== undefined) console.error(`carat: using the local stack in ${shown(stateDir)}`);
}
if (!stack && isAboutPlace && !isSet('CARAT_DATABASE_URL') && compositionRuns()) {
  console.error('carat: using the composition of docker-compose.yml, where the folder operator/ is /operator');
  process.exitCode = runInComposition(args);
} else {
  await import('../cli/main.ts');
}
