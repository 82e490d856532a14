import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from '../paths.ts';
import { cacheDir } from '../process/cache.mjs';

/** Folders and files that decide the outcome, besides the compiler and the Python tools. */
const inputs = ['contracts', 'test/proofs', 'dev/prove', 'scripts/contracts'];

const filesIn = (tree: string, folder: string): string[] =>
  fs
    .readdirSync(path.join(tree, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(path.relative(tree, entry.parentPath), entry.name))
    .sort();

/**
 * The file in the user's cache that records a run in which everything passed. Its name is a hash of all inputs of the run.
 * @param tools folder of the Python tools, whose name is a hash of their versions
 * @param tree the repository
 */
export const passedFile = (tools: string, tree = root): string => {
  const solc = createRequire(import.meta.url)('solc/package.json') as { version: string };
  const hash = createHash('sha256').update(`${solc.version}\0${tools}`);
  for (const file of inputs.flatMap((folder) => filesIn(tree, folder)))
    hash.update(`\0${file}\0`).update(fs.readFileSync(path.join(tree, file)));
  return path.join(cacheDir(), `proved-${hash.digest('hex').slice(0, 32)}`);
};

/** The last line of a run in which everything passed with the same inputs; null when this machine remembers none. */
export const passedBefore = (file: string): string | null =>
  fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;

/** Records a run in which everything passed. */
export const rememberPassed = (file: string, line: string): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.${process.pid}`, line);
  fs.renameSync(`${file}.${process.pid}`, file);
};
