import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../paths.ts';
import { buildProofs } from './build.ts';
import { prove } from './halmos.ts';

/** One small change of a contract that must not go unnoticed. */
export interface Mutant {
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
