/** The folder of a backup: its manifest, its files, and their checksums in the format of `sha256sum`. */
import { createHmac, randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, open, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { digestOfFile, type Dump } from '../../db/backup/dump.ts';
import { succeeds } from '../../domain/tools/succeeds.ts';

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
  /** The operator's files in the backup, by kind. */
  readonly copies: Readonly<Partial<Record<'catalogue' | 'keystore', string>>>;
  /** SHA-256 of each of these files, in hexadecimal; absent in backups of earlier versions. */
  readonly copy_sums?: Readonly<Record<string, string>>;
}

const isOfTable = (file: string): boolean => file.endsWith('.copy.gz');

/** Identifies a master key without telling anything about it. */
export const fingerprintOf = (masterKey: Uint8Array): string =>
  createHmac('sha256', masterKey).update('carat backup').digest('hex').slice(0, 16);

/** Also for a link that leads nowhere. */
const isThere = (file: string): Promise<boolean> => succeeds(lstat(file));

/** Makes writes durable: those of a folder's entries, or of a file. */
const flush = async (file: string): Promise<void> => {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Name of a folder that is being written, or was when its writer was killed. */
const PARTIAL = /[.][0-9a-f]{8}[.]partial$/;
/** The same in earlier versions, where a folder of somebody else may have it, too. */
const EARLIER = /[.]partial$/;
const OF_BACKUP = /^(.+[.]copy[.]gz|manifest[.]json|SHA256SUMS|catalogue[.]yaml|keystore[.]json)$/;
/** Milliseconds after which a folder without a sign of its writer is dead, and between two signs. */
const DEAD_MS = 3_600_000;
const SIGN_MS = 30_000;

/** Whether nobody has written to a folder for long, which has nothing but files of a backup. */
const isDead = async (folder: string): Promise<boolean> => {
  const files = await readdir(folder);
  if (!PARTIAL.test(folder) && !(files.some(isOfTable) && files.every((file) => OF_BACKUP.test(file)))) return false;
  const seen = await Promise.all([folder, ...files.map((file) => path.join(folder, file))].map((one) => lstat(one)));
  return Date.now() - Math.max(...seen.map(({ mtimeMs }) => mtimeMs)) > DEAD_MS;
};

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
const isForbidden = (error: unknown): boolean => ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code!);

/** Removes the folders of killed commands beside a backup, as far as this user may: a backup does not fail by another one. */
const removeDead = async (parent: string, report: (line: string) => void): Promise<void> => {
  const attempt = async (work: () => Promise<void>, what: string): Promise<void> =>
    work().catch((error: Error) => {
      // Another command may have removed it.
      if (!isAbsent(error)) report(`${what}: ${error.message}`);
    });
  await attempt(async () => {
    for (const entry of await readdir(parent, { withFileTypes: true })) {
      if (!entry.isDirectory() || !EARLIER.test(entry.name)) continue;
      const folder = path.join(parent, entry.name);
      await attempt(async () => {
        if (await isDead(folder)) await rm(folder, { recursive: true, force: true });
      }, `cannot look after ${folder}, which a killed backup may have left`);
    }
  }, `cannot look for what killed backups left in ${parent}`);
};

/** Lets a folder show that its writer lives. @returns ends it */
const keepAlive = (folder: string): (() => void) => {
  const sign = (): void => void utimes(folder, new Date(), new Date()).catch(() => {});
  const timer = setInterval(sign, SIGN_MS);
  return () => clearInterval(timer);
};

/** Moves the folder to its place. */
const place = async (partial: string, dir: string): Promise<void> => {
  try {
    await rename(partial, dir);
  } catch (error) {
    if (await isThere(dir)) throw taken(dir, error);
    throw error;
  }
};

const taken = (dir: string, cause?: unknown): Error => new Error(`${dir} exists; a backup is a new folder`, { cause });

/**
 * Writes a backup beside its place and moves it there when it is complete, so that a command that was killed leaves nothing that
 * looks like one. Each command has a folder of its own, so that two never mix, and removes those of commands that were killed an hour
 * ago or earlier. Only the owner can read it.
 * @param fill writes the files, and returns the manifest
 * @param report called for each folder that cannot be removed
 * @throws Error when the place is taken
 */
export const writeBackup = async (
  dir: string,
  fill: (pathOf: (file: string) => string) => Promise<Manifest>,
  report: (line: string) => void = () => {},
): Promise<Manifest> => {
  // Without the slash that a shell appends.
  const target = path.resolve(dir);
  const parent = path.dirname(target);
  if (await isThere(target)) throw taken(dir);
  await mkdir(parent, { recursive: true });
  await removeDead(parent, report);
  const partial = `${target}.${randomBytes(4).toString('hex')}.partial`;
  await mkdir(partial, { mode: 0o700 });
  const end = keepAlive(partial);
  try {
    // An umask may not have left it to the owner alone.
    await chmod(partial, 0o700);
    const manifest = await complete(partial, fill);
    await place(partial, target);
    // A user may be allowed to write to a folder, and not to read it.
    await flush(parent).catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
    });
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  } finally {
    end();
  }
};

/** Fills a folder, and adds manifest and checksums. */
const complete = async (
  folder: string,
  fill: (pathOf: (file: string) => string) => Promise<Manifest>,
): Promise<Manifest> => {
  const pathOf = (file: string): string => path.join(folder, file);
  const filled = await fill(pathOf);
  const copies = await Promise.all(
    Object.values(filled.copies).map(async (file) => [file, (await digestOfFile(pathOf(file))).sha256]),
  );
  const manifest: Manifest = { ...filled, copy_sums: Object.fromEntries(copies) as Record<string, string> };
  await writeFile(pathOf(MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  const sums: string[] = [];
  for (const file of (await readdir(folder)).sort())
    sums.push(`${(await digestOfFile(pathOf(file))).sha256}  ${file}\n`);
  await writeFile(pathOf(SUMS), sums.join(''), { mode: 0o600, flush: true });
  await flush(folder);
  return manifest;
};

/**
 * Reads the manifest of a backup, and checks every file against its checksum, and that all tables and copies are those of the manifest:
 * files of two backups in one folder are none.
 * @param report called for each checked file
 * @throws Error that names a file that is missing, unlisted, changed or of another backup
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
    const found = await digestOfFile(path.join(dir, file)).catch(() => null);
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
  const strange =
    manifest.tables.find(({ file, sha256 }) => sums.get(file) !== sha256)?.file ??
    Object.entries(manifest.copy_sums ?? {}).find(([file, sha256]) => sums.get(file) !== sha256)?.[0] ??
    [...sums.keys(), ...(await readdir(dir)).filter(isOfTable)].find((file) => file !== SUMS && !needed.includes(file));
  if (strange !== undefined) throw new Error(`${strange} is not of this backup: the folder has files of two`);
  return manifest;
};
