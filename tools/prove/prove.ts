import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../paths.ts';
import { binaryPath } from '../stack/chain.ts';
import { buildProofs } from './build.ts';
import { prove, mutants, tryMutant, type Verdict, type Outcome } from './halmos.ts';
import { analyse } from './slither.ts';
import { digestOfInputs, passedBefore, pythonTools, rememberPassed } from './tools.ts';

/*
 * npm run prove                    all properties, all mutants, slither
 * npm run prove -- ci              the same without the mutants that take long, and only where contracts, proofs or tools differ from
 *                                  those of the recorded run
 * npm run prove -- proofs NAME     the properties with NAME in their name, such as RegistryProofs.check_only, or all of them
 * npm run prove -- mutants NAME    the mutants with NAME in their name, or all of them
 * npm run prove -- slither
 * npm run prove -- invariants      the invariants of forge, with 10 times the runs of npm test
 */

const say = (line: string): void => console.error(`prove: ${line}`);

/** Runs the jobs on all cores; the results keep the order of the jobs. */
const inParallel = async <T>(jobs: (() => Promise<T>)[]): Promise<T[]> => {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < jobs.length; index = next++) results[index] = await jobs[index]!();
  };
  await Promise.all(Array.from({ length: Math.min(os.availableParallelism(), jobs.length) }, lane));
  return results;
};

const proofFiles = fs.readdirSync(path.join(root, 'test/proofs')).filter((file) => file.endsWith('.t.sol'));

/** Number of properties per run of halmos: each run spends a second on the contract's set-up. */
const GROUP = 4;

/** Names of the properties in a file of proofs. */
const propertiesOf = (file: string): string[] =>
  [...fs.readFileSync(path.join(root, 'test/proofs', file), 'utf8').matchAll(/function (check_\w+)/g)].map(
    ([, name]) => name!,
  );

const proofJobs = (bin: string, built: string, filter: string): (() => Promise<Verdict[]>)[] =>
  proofFiles.flatMap((file) => {
    const contract = file.replace('.t.sol', 'Proofs');
    const chosen = propertiesOf(file).filter((name) => `${contract}.${name}`.includes(filter));
    const groups = Array.from({ length: Math.ceil(chosen.length / GROUP) }, (_, index) =>
      chosen.slice(index * GROUP, (index + 1) * GROUP),
    );
    return groups.map((names) => () => proveGroup(bin, built, contract, names));
  });

const proveGroup = async (bin: string, built: string, contract: string, names: string[]): Promise<Verdict[]> => {
  const verdicts = await prove(bin, built, contract, names).catch((error: Error): Verdict[] => {
    say(error.message);
    return [];
  });
  const missing = names.filter((name) => !verdicts.some((verdict) => verdict.name === name));
  const all = [...verdicts, ...missing.map((name) => ({ name, held: false, reason: 'not run', seconds: 0 }))];
  for (const { name, held, reason, seconds } of all) {
    say(`${held ? 'held' : 'BROKEN'} ${name} (${seconds.toFixed(1)} s)${held ? '' : `: ${reason}`}`);
  }
  return all;
};

const mutantJobs = (bin: string, built: string, { filter, quick }: Choice): (() => Promise<Outcome>)[] =>
  mutants
    .filter(({ name, slow }) => name.includes(filter) && !(quick && slow))
    .map((mutant) => async () => {
      const outcome = await tryMutant(bin, built, mutant);
      const { survived, seconds } = outcome;
      const how = survived.length === 0 ? 'caught' : `SURVIVED ${survived.join(', ')}`;
      say(`${how}: ${mutant.name} (${seconds.toFixed(1)} s)`);
      return outcome;
    });

/** The properties that no mutant breaks; they may be vacuous. */
const untested = (): string[] =>
  proofFiles.flatMap(propertiesOf).filter((name) => !mutants.some(({ breaks }) => breaks.includes(name)));

const runInvariants = (): Promise<number> =>
  new Promise((resolve) => {
    const env = { ...process.env, FOUNDRY_INVARIANT_RUNS: '2560', FOUNDRY_INVARIANT_DEPTH: '500' };
    const args = ['test', '--match-contract', 'Invariants'];
    const child = spawn(binaryPath('forge'), args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('exit', (code) => resolve(code ?? 1));
  });

/** Selection of mutants. */
interface Choice {
  /** Part of the name; empty for all. */
  readonly filter: string;
  readonly quick: boolean;
}

/** Result of one part of the run: its counts for the last line, and whether it passed. */
interface Part {
  readonly line: string;
  readonly ok: boolean;
}

const runProofs = async (bin: string, built: string, filter: string): Promise<Part> => {
  const verdicts = (await inParallel(proofJobs(bin, built, filter))).flat();
  const held = verdicts.filter((verdict) => verdict.held).length;
  const broken = verdicts.length - held;
  return { line: `proofs: ${held} held, ${broken} broken`, ok: broken === 0 && held > 0 };
};

const runMutants = async (bin: string, built: string, choice: Choice): Promise<Part> => {
  const idle = choice.filter === '' ? untested() : [];
  for (const name of idle) say(`no mutant breaks ${name}, so it may be vacuous`);
  const outcomes = await inParallel(mutantJobs(bin, built, choice));
  const caught = outcomes.filter(({ survived }) => survived.length === 0).length;
  const survived = outcomes.length - caught;
  return {
    line: `mutants: ${caught} caught, ${survived} survived`,
    ok: survived === 0 && caught > 0 && idle.length === 0,
  };
};

const runSlither = async (bin: string): Promise<Part> => {
  const { findings, explained, unused } = await analyse(bin);
  for (const { check, description } of findings) say(`slither ${check}: ${description.trim()}`);
  for (const place of unused) say(`slither no longer reports an explained finding: ${place}`);
  const line = `slither: ${findings.length} findings unexplained, ${explained} explained`;
  return { line, ok: findings.length + unused.length === 0 };
};

/** Compiles and runs the wanted parts. */
const runParts = async (bin: string, part: string, filter: string): Promise<Part[]> => {
  const built = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-proofs-'));
  process.once('exit', () => fs.rmSync(built, { recursive: true, force: true }));
  const runs = (name: string): boolean => ['all', 'ci', name].includes(part);
  const slither = runs('slither') ? runSlither(bin) : undefined;
  if (part !== 'slither') await buildProofs(root, path.join(built, 'out'));
  const last = await slither;
  const parts = [
    runs('proofs') ? await runProofs(bin, built, filter) : undefined,
    runs('mutants') ? await runMutants(bin, built, { filter, quick: part === 'ci' }) : undefined,
    last,
  ];
  return parts.filter((one) => one !== undefined);
};

/** A whole run, which is recorded when everything passed. That of CI does not prove again what the record shows. */
const runWhole = async (part: 'all' | 'ci'): Promise<Part[]> => {
  const digest = digestOfInputs();
  const before = part === 'ci' ? passedBefore(digest) : null;
  if (before !== null) {
    say('contracts, proofs and tools are those of the run that docs/contracts/proved.json records');
    return [{ line: before, ok: true }];
  }
  const parts = await runParts(await pythonTools(say), part, '');
  // Inputs that changed meanwhile are those of no whole run.
  if (parts.every(({ ok }) => ok) && digestOfInputs() === digest) rememberPassed(digest, lineOf(parts));
  return parts;
};

const lineOf = (parts: readonly Part[]): string => parts.map(({ line }) => line).join('; ');

const main = async ([part = 'all', filter = '']: string[]): Promise<void> => {
  if (!['all', 'ci', 'proofs', 'mutants', 'slither', 'invariants'].includes(part)) {
    throw new Error(`unknown part: ${part}; parts: ci, proofs, mutants, slither, invariants`);
  }
  if (part === 'ci' && filter !== '') throw new Error('ci takes no name; proofs and mutants do');
  if (part === 'invariants') {
    process.exitCode = await runInvariants();
    return;
  }
  const isWhole = part === 'ci' || (part === 'all' && filter === '');
  const parts = isWhole ? await runWhole(part) : await runParts(await pythonTools(say), part, filter);
  if (parts.some(({ ok }) => !ok)) process.exitCode = 1;
  console.log(lineOf(parts));
};

// Child processes end with this process: their `exit` listeners kill them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
await main(process.argv.slice(2)).catch((error: Error) => {
  say(error.message);
  process.exitCode = 1;
});
