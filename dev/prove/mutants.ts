import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../paths.ts';
import { buildProofs } from './build.ts';
import { prove } from './halmos.ts';

/** One small change of a contract that must not go unnoticed. */
export interface Mutant {
  /** What the change breaks, in a few words. */
  readonly name: string;
  /** It takes longer than others, so that CI, which has five minutes for all, leaves it out. */
  readonly slow?: boolean;
  readonly edits: { file: string; search: string; replace: string }[];
  /** The contract of proofs, and the properties in it that must all break. */
  readonly proofs: string;
  readonly breaks: string[];
}

/** What became of a mutant: an empty list of properties means that all that must break did. */
export interface Outcome {
  readonly mutant: Mutant;
  readonly survived: string[];
  readonly seconds: number;
}

/** The list that is kept. */
export const mutants = JSON.parse(
  fs.readFileSync(path.join(root, 'test/proofs/mutants.json'), 'utf8'),
) as readonly Mutant[];

/**
 * Makes one mutant in a copy of the sources and runs the properties that must break.
 *
 * @param bin folder of halmos
 * @param built folder of {@link buildProofs} for the sources as they are
 * @returns with a text to replace that is not there exactly once, or a mutant that does not compile, as what survived
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
    // Only a counterexample is a catch: a solver that gives up says nothing.
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
    throw new Error(`«${search}» is ${parts.length - 1} times in ${path.basename(file)}, not once`);
  fs.writeFileSync(file, parts.join(replace));
};
