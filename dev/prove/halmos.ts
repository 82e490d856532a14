import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compileFiles, solidityIn, writeArtifacts } from './build.ts';

/** How one property came out. */
export interface Verdict {
  readonly name: string;
  readonly held: boolean;
  /** Why it did not hold: a counterexample, a solver that gave up, or paths that were not looked at. */
  readonly reason?: string;
  readonly seconds: number;
}

interface Result {
  readonly name: string;
  readonly exitcode: number;
  readonly num_models: number;
  readonly time: number[];
  readonly num_bounded_loops: number;
}

/** The exit codes of halmos for one property. */
const reasons: Record<number, string> = {
  1: 'counterexample',
  2: 'the solver gave up in time',
  3: 'halmos could not follow a path',
  4: 'every path reverts, so nothing was shown',
  5: 'halmos failed',
};

/** Bounds of arguments that have no length of their own; documented in docs/contracts/proofs.md. */
const lengths = ['approvals=1', '_diamondCut=1', '_diamondCut[0].functionSelectors=1', 'cuts=1', 'cuts[0].functionSelectors=1'];

const options = [
  ...['--no-status', '--match-contract', 'Proofs$', '--loop', '32'],
  ...['--array-lengths', [...lengths, '_calldata={0,32}', 'data={0,32}', 'version=32'].join(',')],
  ...['--solver-threads', '1', '--solver-timeout-assertion', '60s'],
];

/**
 * Runs the properties of one file of proofs.
 *
 * @param bin folder of halmos
 * @param tree folder that holds `contracts` and the file
 * @param only names of the properties; all of them unless told
 * @throws Error when the file does not compile or halmos says nothing of it
 */
export const prove = async (bin: string, tree: string, file: string, only: readonly string[] = []): Promise<Verdict[]> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-proof-'));
  try {
    const contracts = solidityIn(tree, 'contracts').filter((name) => !/mocks\/(?!TestToken)/.test(name));
    const files = [...contracts, ...solidityIn(tree, 'test/proofs/support'), file];
    writeArtifacts(await compileFiles(tree, files, [...contracts, file]), path.join(folder, 'out'));
    // Halmos calls forge to build, which has been done.
    fs.symlinkSync('/bin/true', path.join(folder, 'forge'));
    const output = path.join(folder, 'result.json');
    const args = ['--root', folder, '--forge-build-out', 'out', '--json-output', output, ...options];
    if (only.length > 0) args.push('--early-exit', '--match-test', `^(${only.join('|')})\\(`);
    const log = await run(path.join(bin, 'halmos'), args, `${folder}:${bin}:${process.env.PATH}`);
    if (!fs.existsSync(output)) throw new Error(`halmos said nothing of ${file}:\n${log.slice(-2000)}`);
    const { test_results: results } = JSON.parse(fs.readFileSync(output, 'utf8')) as {
      test_results: Record<string, Result[]>;
    };
    const verdicts = Object.values(results).flat().map(verdictOf);
    if (verdicts.length === 0) throw new Error(`halmos could not set ${file} up:\n${log.slice(-2000)}`);
    return verdicts;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
};

const verdictOf = ({ name, exitcode, num_bounded_loops: loops, time }: Result): Verdict => {
  const reason = exitcode !== 0 ? (reasons[exitcode] ?? `exit code ${exitcode}`) : loops > 0 ? 'a loop was cut off' : undefined;
  return { name: name.split('(')[0]!, held: reason === undefined, reason, seconds: time[0] ?? 0 };
};

/** Halmos ends with 1 when a property is broken, so its result file alone says how it went. */
const run = (command: string, args: string[], PATH: string): Promise<string> =>
  new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { env: { ...process.env, PATH }, maxBuffer: 2 ** 28, timeout: 280_000 },
      (_error, stdout, stderr) => {
        process.removeListener('exit', end);
        resolve(stdout + stderr);
      },
    );
    const end = (): void => void child.kill();
    process.once('exit', end);
  });
