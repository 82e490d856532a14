import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import leftOut from '../../test/left-out.json' with { type: 'json' };
import { binaryPath } from '../stack/chain.ts';
import { root } from '../paths.ts';

/*
 * npm test [PART] [-- ARGUMENT OF JEST...]
 * npm run test:all
 *
 * Runs Jest and forge, and ends with one line that counts the results of both. `npm test` shows every promise once, on real parts.
 * `npm run test:all` does the same, and then what that left out: the files of test/left-out.json, whole installations (browsers, drills,
 * other clients, other versions, `npm start` itself), more cases of the randomised tests (test/support/cases.ts), longer runs of the
 * invariants of the contracts. `faults` and `more-clients` run only when they are named.
 *
 * CARAT_FURTHER_TESTS_UNTIL (seconds since 1970) sets a limit for a slow machine: what `npm test` leaves out begins no file after it.
 * The run then names each file that has not begun, and counts none of its tests.
 */

interface Count {
  readonly passed: number;
  readonly failed: number;
}

interface Outcome extends Count {
  /** False when the runner itself failed, with any counts. */
  readonly ok: boolean;
}

/** The parts of `npm test`. */
const usual = ['unit', 'stack', 'contracts'];
/** What only `npm run test:all` runs: they take longer than all others together, or need more of the machine. */
const further = ['left', ...leftOut.folders, 'contracts'];
/** The randomised tests with all their cases come last: where time runs out, nothing that runs once is missing for their sake. */
const randomised = ['again'];
/** Folders that run only when they are named or selected: they wait half an hour for alerts, or build clients for minutes. */
const { separate } = leftOut;
const parts = [...new Set([...usual, ...further, ...randomised, ...separate])];

/** Runs and depth of the contracts' invariants in `npm test`; foundry.toml has those of all others. */
const fewInvariants = { FOUNDRY_INVARIANT_RUNS: '32', FOUNDRY_INVARIANT_DEPTH: '64' };

/** True after a signal: no further part begins. */
let isStopped = false;

/** Runs a program to its end and forwards the signals of this process; resolves to its exit code or signal. */
const run = (
  command: string,
  args: string[],
  stdout: 'inherit' | number,
  more: NodeJS.ProcessEnv = {},
): Promise<number | string> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, ...more };
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', stdout, 'inherit'] });
    // Ctrl-C reaches the whole process group by itself, so only signals to this process are forwarded.
    const pass = (signal: NodeJS.Signals): void => {
      isStopped = true;
      child.kill(signal);
    };
    const note = (): void => {
      isStopped = true;
    };
    process.on('SIGTERM', pass).on('SIGHUP', pass).on('SIGINT', note);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      process.off('SIGTERM', pass).off('SIGHUP', pass).off('SIGINT', note);
      resolve(signal ?? code ?? 1);
    });
  });

/**
 * Files of `npm test` that run at once. Many wait for blocks half of their time: on two cores it took 351 s with six, and 393 s with
 * the four of all others, which start whole installations.
 */
const AT_ONCE = 6;

/** The results of a run as Jest writes them. */
interface JestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** When the last file of what `npm test` leaves out may begin, in seconds since 1970. */
const { CARAT_FURTHER_TESTS_UNTIL: furtherUntil } = process.env;

/** Names the files that had no time to begin, and returns how many tests they have. */
const nameUnbegun = ({ testResults }: JestResults): number => {
  const unbegun = testResults.filter(
    ({ assertionResults: all }) => all.length > 0 && all.every(({ status }) => status === 'pending'),
  );
  const count = unbegun.reduce((total, { assertionResults: { length } }) => total + length, 0);
  if (count === 0) return 0;
  console.log(`not begun, for want of time: ${count} tests of ${unbegun.length} files`);
  for (const { name } of unbegun) console.log(`  ${path.relative(root, name)}`);
  return count;
};

const runJest = async (
  projects: readonly string[],
  args: readonly string[],
  folder: string,
  isAll: boolean,
): Promise<Outcome> => {
  const file = path.join(folder, `jest-${isAll ? 'all' : 'few'}.json`);
  const options = [
    '--selectProjects',
    ...projects,
    ...(isAll || args.length > 0 ? [] : ['--maxWorkers', `${AT_ONCE}`]),
    '--json',
    '--outputFile',
    file,
    ...args,
  ];
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  const more = isAll ? { CARAT_TEST_CASES: 'all', CARAT_TESTS_BEGIN_UNTIL: furtherUntil } : {};
  const code = await run(process.execPath, [jest, ...options], 'inherit', more);
  const result = readJson(file) as JestResults | undefined;
  if (!result) {
    console.error(`jest ended (${code}) before its results were written`);
    return { passed: 0, failed: 1, ok: false };
  }
  const unbegun = isAll && furtherUntil !== undefined ? nameUnbegun(result) : 0;
  const skipped = result.numPendingTests - unbegun;
  if (skipped > 0) console.error(`${skipped} Jest tests were skipped`);
  return {
    passed: result.numPassedTests,
    // A file that cannot be loaded counts as a failed test.
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
    ok: code === 0 && (args.length > 0 || skipped === 0),
  };
};

type ForgeSuites = Record<string, { test_results?: Record<string, { status: string; reason?: string | null }> }>;

const runForge = async (folder: string, isAll: boolean): Promise<Outcome> => {
  const file = path.join(folder, `forge-${isAll ? 'all' : 'few'}.json`);
  const output = fs.openSync(file, 'w');
  console.error('contracts: forge test (compiles first)');
  const started = Date.now();
  const code = await run(binaryPath('forge'), ['test', '--json'], output, isAll ? {} : fewInvariants);
  fs.closeSync(output);
  const suites = readJson(file) as ForgeSuites | undefined;
  if (!suites) {
    console.error(fs.readFileSync(file, 'utf8').slice(0, 10_000));
    return { passed: 0, failed: 1, ok: false };
  }
  const results = Object.entries(suites).flatMap(([suite, { test_results: tests = {} }]) =>
    Object.entries(tests).map(([test, result]) => ({ name: `${suite} ${test}`, ...result })),
  );
  const failures = results.filter(({ status }) => status !== 'Success');
  for (const { name, status, reason } of failures) console.error(`  ✕ ${name}: ${reason ?? status}`);
  const count: Count = { passed: results.length - failures.length, failed: failures.length };
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.error(`contracts: ${count.passed} passed, ${count.failed} failed (${seconds} s)`);
  return { ...count, ok: code === 0 && count.passed > 0 };
};

const readJson = (file: string): unknown => {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

const given = process.argv.slice(2);
const isAll = given[0] === 'all';
const [chosen] = parts.filter((part) => given[0] === part);
const jestArgs = given.slice(isAll || chosen !== undefined ? 1 : 0);

/** Parts that run side by side. */
interface Stage {
  readonly parts: readonly string[];
  /** True for more cases of the randomised tests and the invariants. */
  readonly isAll: boolean;
}

/** The files of `left` are those of the folders of `stack` that `npm test` omits. */
const named = (part: string): readonly string[] => (part === 'stack' ? ['stack', 'left'] : [part]);

const stagesOf = (): readonly Stage[] => {
  if (chosen !== undefined) return [{ parts: named(chosen), isAll: chosen === 'contracts' || chosen === 'again' }];
  // Arguments select Jest tests of any part, each once.
  if (jestArgs.length > 0)
    return [{ parts: parts.filter((part) => part !== 'again' && part !== 'contracts'), isAll: false }];
  const few: Stage = { parts: usual, isAll: false };
  return isAll ? [few, ...[further, randomised].map((each) => ({ parts: each, isAll: true }))] : [few];
};

/** Forge runs beside Jest's tests, which often wait for blocks. */
const runStage = async (stage: Stage, folder: string): Promise<Outcome[]> => {
  const projects = stage.parts.filter((part) => part !== 'contracts');
  return Promise.all([
    ...(projects.length > 0 ? [runJest(projects, jestArgs, folder, stage.isAll)] : []),
    ...(stage.parts.includes('contracts') ? [runForge(folder, stage.isAll)] : []),
  ]);
};

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-results-'));
const outcomes: Outcome[] = [];
const sum = (key: 'passed' | 'failed'): number => outcomes.reduce((total, outcome) => total + outcome[key], 0);
try {
  const stages = stagesOf();
  for (const [index, stage] of stages.entries()) {
    if (isStopped) break;
    if (index > 0)
      console.log(`so far: ${sum('passed')} passed, ${sum('failed')} failed; now ${stage.parts.join(', ')}`);
    outcomes.push(...(await runStage(stage, folder)));
  }
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
if (sum('failed') > 0 || outcomes.some(({ ok }) => !ok)) process.exitCode = 1;
console.log(`tests: ${sum('passed')} passed, ${sum('failed')} failed`);
