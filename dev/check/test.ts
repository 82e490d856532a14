import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { binaryPath } from '../stack/chain.ts';
import { root } from '../paths.ts';

/*
 * npm test [PART] [-- ARGUMENT OF JEST...]
 * npm run test:all
 *
 * Runs Jest and forge, and ends with one line that counts the results of both. `npm test` omits whole installations: browsers,
 * drills, other clients, other versions, `npm start` itself. Its randomised tests draw fewer cases than those of `npm run test:all`
 * (test/support/cases.ts). `faults` runs only when it is named.
 */

interface Count {
  readonly passed: number;
  readonly failed: number;
}

interface Outcome extends Count {
  /** False when the runner itself failed, with any counts. */
  readonly ok: boolean;
}

/** Folders that only `npm run test:all` runs: they take longer than all others together, or need more of the machine. */
const further = ['start', 'browser', 'drills', 'generators', 'clients', 'monitoring', 'upgrade'];
/** Folders that run only when they are named or selected: their wait for alerts takes half an hour. */
const separate = ['faults'];
const parts = ['unit', 'stack', 'liars', ...further, ...separate, 'contracts'];

/** True after a signal: no further part begins. */
let isStopped = false;

/** Runs a program to its end and forwards the signals of this process; resolves to its exit code or signal. */
const run = (command: string, args: string[], stdout: 'inherit' | number): Promise<number | string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', stdout, 'inherit'] });
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

/** The results of a run as Jest writes them. */
interface JestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly numPendingTests: number;
}

const runJest = async (projects: string[], args: string[], folder: string): Promise<Outcome> => {
  const file = path.join(folder, 'jest.json');
  const options = ['--selectProjects', ...projects, '--json', '--outputFile', file, ...args];
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  const code = await run(process.execPath, [jest, ...options], 'inherit');
  const result = readJson(file) as JestResults | undefined;
  if (!result) {
    console.error(`jest ended (${code}) before its results were written`);
    return { passed: 0, failed: 1, ok: false };
  }
  if (result.numPendingTests > 0) console.error(`${result.numPendingTests} Jest tests were skipped`);
  return {
    passed: result.numPassedTests,
    // A file that cannot be loaded counts as a failed test.
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
    ok: code === 0 && (args.length > 0 || result.numPendingTests === 0),
  };
};

type ForgeSuites = Record<string, { test_results?: Record<string, { status: string; reason?: string | null }> }>;

const runForge = async (folder: string): Promise<Outcome> => {
  const file = path.join(folder, 'forge.json');
  const output = fs.openSync(file, 'w');
  console.error('contracts: forge test (compiles first)');
  const started = Date.now();
  const code = await run(binaryPath('forge'), ['test', '--json'], output);
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
const chosen = parts.filter((part) => given[0] === part);
const jestArgs = given.slice(isAll ? 1 : chosen.length);
const wanted =
  chosen.length > 0
    ? chosen
    : parts.filter((part) => jestArgs.length > 0 || (!separate.includes(part) && (isAll || !further.includes(part))));
const projects = wanted.filter((part) => part !== 'contracts');
/** The liars compare times, so nothing runs beside them, unless arguments select single files. */
const alone: string[] = jestArgs.length > 0 ? [] : projects.filter((part) => part === 'liars');
const together = projects.filter((part) => !alone.includes(part));
// Arguments select Jest tests, so the contracts run only without arguments or when named.
const withContracts = wanted.includes('contracts') && (chosen.length > 0 || jestArgs.length === 0);
if (isAll) process.env['CARAT_TEST_CASES'] = 'all';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-results-'));
const outcomes: Outcome[] = [];
try {
  // Forge runs beside Jest's tests, which often wait for blocks; the liars run alone.
  const running = [
    ...(together.length > 0 ? [runJest(together, jestArgs, folder)] : []),
    ...(withContracts ? [runForge(folder)] : []),
  ];
  outcomes.push(...(await Promise.all(running)));
  if (alone.length > 0 && !isStopped) outcomes.push(await runJest(alone, jestArgs, folder));
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
const sum = (key: 'passed' | 'failed'): number => outcomes.reduce((total, outcome) => total + outcome[key], 0);
if (sum('failed') > 0 || outcomes.some(({ ok }) => !ok)) process.exitCode = 1;
console.log(`tests: ${sum('passed')} passed, ${sum('failed')} failed`);
