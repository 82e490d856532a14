import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from '../paths.ts';
import { cacheDir } from '../process/cache.mjs';

/** Folders that decide the outcome, besides the compiler and the Python tools. */
const folders = ['contracts', 'test/proofs', 'tools/prove', 'tools/build/contracts'];
/** Files that slither reads where they exist. */
const settings = ['foundry.toml', 'slither.config.json', 'slither.conf.json', 'slither.db.json'];

const filesIn = (tree: string, folder: string): string[] =>
  fs
    .readdirSync(path.join(tree, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => fs.statSync(path.join(tree, file)).isFile())
    .sort();

/** A hash of everything in the repository, with the version of the compiler, that decides the outcome. */
export const digestOfInputs = (tree = root): string => {
  const solc = createRequire(import.meta.url)('solc/package.json') as { version: string };
  const hash = createHash('sha256').update(solc.version);
  const present = settings.filter((file) => fs.existsSync(path.join(tree, file)));
  for (const file of [...present, ...folders.flatMap((folder) => filesIn(tree, folder))])
    hash.update(`\0${file}\0`).update(fs.readFileSync(path.join(tree, file)));
  return hash.digest('hex');
};

/**
 * The file in the user's cache that records a run in which everything passed.
 * @param tools folder of the Python tools, whose name is a hash of their versions
 */
export const passedFile = (tools: string, digest: string): string =>
  path.join(cacheDir(), `proved-${digest.slice(0, 32)}-${path.basename(tools)}`);

/** The last line of a run in which everything passed with the same inputs; null when this machine remembers none. */
export const passedBefore = (file: string): string | null =>
  fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;

/** Records a run in which everything passed. */
export const rememberPassed = (file: string, line: string): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.${process.pid}`, line);
  fs.renameSync(`${file}.${process.pid}`, file);
};
