import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../paths.ts';
import { buildProofs } from './build.ts';

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
  '1200s',
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

/** Only ends a run that hangs, in milliseconds: a group of properties takes a minute. */
const HANGING_MS = 7_200_000;

/** Halmos exits with 1 when a property is broken, so only its result file counts. */
const run = (command: string, args: string[], PATH: string): Promise<string> =>
  new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { env: { ...process.env, PATH }, maxBuffer: 2 ** 28, timeout: HANGING_MS },
      (_error, stdout, stderr) => {
        process.removeListener('exit', end);
        resolve(stdout + stderr);
      },
    );
    const end = (): void => void child.kill();
    process.once('exit', end);
  });

/** One small change of a contract that must not go unnoticed. */
interface Mutant {
  /** Short description of the defect. */
  readonly name: string;
  /** True for a slow mutant, which CI leaves out because it has five minutes for all. */
  readonly slow?: boolean;
  readonly edits: { file: string; search: string; replace: string }[];
  /** The contract of proofs, and its properties that must all break. */
  readonly proofs: string;
  readonly breaks: string[];
}

/** Result of a mutant; `survived` lists the properties that did not break. */
export interface Outcome {
  readonly mutant: Mutant;
  readonly survived: string[];
  readonly seconds: number;
}

export const mutants = JSON.parse(
  fs.readFileSync(path.join(root, 'test/proofs/mutants.json'), 'utf8'),
) as readonly Mutant[];

/**
 * Makes one mutant in a copy of the sources and runs the properties that must break.
 * @param bin folder of halmos
 * @param built folder of {@link buildProofs} for the unchanged sources
 * @returns `survived` also holds the error of an edit whose text does not occur exactly once, or of a failed
 * compilation
 */
export const tryMutant = async (bin: string, built: string, mutant: Mutant): Promise<Outcome> => {
  const started = Date.now();
  const tree = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-mutant-'));
  try {
    fs.cpSync(path.join(root, 'contracts'), path.join(tree, 'contracts'), { recursive: true });
    fs.cpSync(path.join(built, 'out'), path.join(tree, 'out'), { recursive: true });
    for (const { file, search, replace } of mutant.edits) edit(path.join(tree, 'contracts', file), search, replace);
    const changed = mutant.edits.map(({ file }) => `contracts/${file}`);
    await buildProofs(tree, path.join(tree, 'out'), changed);
    const verdicts = await prove(bin, tree, mutant.proofs, mutant.breaks, true);
    // Only a counterexample catches a mutant; a solver timeout proves nothing.
    const broken = new Set(verdicts.filter(({ reason }) => reason === 'counterexample').map(({ name }) => name));
    const survived = mutant.breaks.filter((name) => !broken.has(name));
    return { mutant, survived, seconds: (Date.now() - started) / 1000 };
  } catch (error) {
    return { mutant, survived: [(error as Error).message], seconds: (Date.now() - started) / 1000 };
  } finally {
    fs.rmSync(tree, { recursive: true, force: true });
  }
};

const edit = (file: string, search: string, replace: string): void => {
  const parts = fs.readFileSync(file, 'utf8').split(search);
  if (parts.length !== 2)
    throw new Error(`«${search}» occurs ${parts.length - 1} times in ${path.basename(file)}, not once`);
  fs.writeFileSync(file, parts.join(replace));
};
