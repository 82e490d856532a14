/** The folder of a backup: its manifest, its files, and their checksums in the format of `sha256sum`. */
import { createHmac } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { digestOf } from '../../db/backup/copy.ts';
import type { Dump } from '../../db/backup/dump.ts';

/** The version of this format. A reader refuses any other. */
const FORMAT = 1;
const MANIFEST = 'manifest.json';
const SUMS = 'SHA256SUMS';

/** The description of a backup. Has no secret. */
export interface Manifest extends Dump {
  readonly format: typeof FORMAT;
  readonly id: string;
  /** Version of Carat. */
  readonly carat: string;
  /** Identifies the master key whose secrets the backup holds; null when the command did not have it. */
  readonly master_key: string | null;
  /** The operator's files in the backup, by what they are. */
  readonly copies: Readonly<Partial<Record<'catalogue' | 'keystore', string>>>;
}

/** Identifies a master key without telling anything about it. */
export const fingerprintOf = (masterKey: Uint8Array): string =>
  createHmac('sha256', masterKey).update('carat backup').digest('hex').slice(0, 16);

const isThere = async (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Makes what was written durable: a folder's entries, or a file. */
const flush = async (file: string): Promise<void> => {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/**
 * Writes a backup beside its place and moves it there when it is complete, so that a command that was killed leaves nothing that
 * looks like one. Only the owner can read it.
 * @param fill writes the files, and returns the manifest
 * @throws Error when the place is taken
 */
export const writeBackup = async (
  dir: string,
  fill: (pathOf: (file: string) => string) => Promise<Manifest>,
): Promise<Manifest> => {
  if (await isThere(dir)) throw new Error(`${dir} exists; a backup is a new folder`);
  const partial = `${dir}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  // An umask may not have left it to the owner alone.
  await chmod(partial, 0o700);
  const pathOf = (file: string): string => path.join(partial, file);
  const manifest = await fill(pathOf);
  await writeFile(pathOf(MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  const sums: string[] = [];
  for (const file of (await readdir(partial)).sort()) sums.push(`${(await digestOf(pathOf(file))).sha256}  ${file}\n`);
  await writeFile(pathOf(SUMS), sums.join(''), { mode: 0o600, flush: true });
  await flush(partial);
  await rename(partial, dir);
  await flush(path.dirname(path.resolve(dir)));
  return manifest;
};

/**
 * Reads the manifest of a backup, and checks every file against its checksum.
 * @param report is told of each checked file
 * @throws Error that names a file that is missing, unlisted or changed
 */
export const readBackup = async (dir: string, report: (line: string) => void): Promise<Manifest> => {
  if (!(await isThere(path.join(dir, SUMS)))) throw new Error(`${dir} is no complete backup: it has no ${SUMS}`);
  const sums = new Map(
    (await readFile(path.join(dir, SUMS), 'utf8')).split('\n').flatMap((line): [string, string][] => {
      const [, sum, file] = /^([0-9a-f]{64}) {2}([\w.-]+)$/.exec(line) ?? [];
      return sum === undefined || file === undefined ? [] : [[file, sum]];
    }),
  );
  for (const [index, [file, sum]] of [...sums].entries()) {
    const found = await digestOf(path.join(dir, file)).catch(() => null);
    if (found === null) throw new Error(`${file} of the backup is missing`);
    if (found.sha256 !== sum) throw new Error(`${file} of the backup was changed: its checksum differs`);
    report(`checked ${index + 1} of ${sums.size} files: ${file}`);
  }
  const manifest = JSON.parse(await readFile(path.join(dir, MANIFEST), 'utf8')) as Manifest;
  const format = Number(manifest.format);
  if (format !== FORMAT) throw new Error(`the backup has format ${format}; this version reads format 1`);
  const needed = [MANIFEST, ...manifest.tables.map(({ file }) => file), ...Object.values(manifest.copies)];
  const unlisted = needed.find((file) => !sums.has(file));
  if (unlisted !== undefined) throw new Error(`${SUMS} of the backup does not list ${unlisted}`);
  return manifest;
};
