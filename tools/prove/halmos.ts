import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Result of one property. */
export interface Verdict {
  readonly name: string;
  readonly held: boolean;
  /** Why it did not hold: a counterexample, a solver timeout, or unexplored paths. */
  readonly reason?: string;
  readonly seconds: number;
}

interface Result {
  readonly name: string;
  readonly exitcode: number;
  readonly time: number[];
  readonly num_bounded_loops: number;
}

/** The exit codes of halmos for one property. */
const reasons: Record<number, string> = {
  1: 'counterexample',
  2: 'solver timeout',
  3: 'halmos could not follow a path',
  4: 'every path reverts, so nothing was proved',
  5: 'halmos failed',
};

/** Bounds of arguments without a fixed length; documented in docs/contracts/proofs.md. */
const lengths = [
  'batches=1',
  'deals={0,2}',
  'dealIds={0,2}',
  'facets={0,2}',
  'version=32',
  'approvals=1',
  '_diamondCut=1',
  '_diamondCut[0].functionSelectors=1',
  '_calldata={0,32}',
  'cuts=1',
  'cuts[0].functionSelectors=1',
  'data={0,32}',
];

/**
 * Yices is several times faster than z3, but it has reported counterexamples that z3 refutes. So only its `unsat`
 * counts; otherwise z3 decides.
 */
const solver = `#!/bin/sh
answer=$(yices-smt2 --smt2-model-format --bvconst-in-decimal "$1" 2>/dev/null)
case "$answer" in
unsat*) echo "$answer" ;;
*) exec z3 "$1" ;;
esac
`;

const options = [
  '--no-status',
  '--loop',
  '32',
  '--array-lengths',
  lengths.join(','),
  '--solver-threads',
  '1',
  '--solver-timeout-assertion',
  '120s',
];

/**
 * Proves properties.
 * @param bin folder of halmos
 * @param folder holds `out`, the compiled contracts
 * @param contract name of the contract of proofs
 * @param names properties of that contract
 * @param stopEarly stops at the first counterexample
 * @throws Error when halmos reports nothing about them
 */
export const prove = async (
  bin: string,
  folder: string,
  contract: string,
  names: readonly string[],
  stopEarly = false,
): Promise<Verdict[]> => {
  // Halmos calls forge to build, which is done already.
  const forge = path.join(folder, 'forge');
  if (!fs.existsSync(forge)) fs.symlinkSync('/bin/true', forge);
  const solverFile = path.join(folder, 'solver');
  if (!fs.existsSync(solverFile)) fs.writeFileSync(solverFile, solver, { mode: 0o755 });
  const output = path.join(folder, `${contract}-${names[0]}.json`);
  const args = [
    '--root',
    folder,
    '--json-output',
    output,
    '--contract',
    contract,
    ...options,
    '--solver-command',
    solverFile,
  ];
  const chosen = ['--match-test', `^(${names.join('|')})\\(`, ...(stopEarly ? ['--early-exit'] : [])];
  const log = await run(path.join(bin, 'halmos'), [...args, ...chosen], `${folder}:${bin}:${process.env.PATH}`);
  if (!fs.existsSync(output)) throw new Error(`halmos reported nothing about ${contract}:\n${log.slice(-2000)}`);
  const { test_results: results } = JSON.parse(fs.readFileSync(output, 'utf8')) as {
    test_results: Record<string, Result[]>;
  };
  const verdicts = Object.values(results).flat().map(verdictOf);
  if (verdicts.length === 0) throw new Error(`halmos could not set up ${contract}:\n${log.slice(-2000)}`);
  return verdicts;
};

const verdictOf = ({ name, exitcode, num_bounded_loops: loops, time }: Result): Verdict => {
  const reason =
    exitcode !== 0 ? (reasons[exitcode] ?? `exit code ${exitcode}`) : loops > 0 ? 'a loop was cut off' : undefined;
  return { name: name.split('(')[0]!, held: reason === undefined, reason, seconds: time[0] ?? 0 };
};

/** Halmos exits with 1 when a property is broken, so only its result file counts. */
const run = (command: string, args: string[], PATH: string): Promise<string> =>
  new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { env: { ...process.env, PATH }, maxBuffer: 2 ** 28, timeout: 900_000 },
      (_error, stdout, stderr) => {
        process.removeListener('exit', end);
        resolve(stdout + stderr);
      },
    );
    const end = (): void => void child.kill();
    process.once('exit', end);
  });
