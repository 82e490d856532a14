import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { root } from '../../tools/paths.ts';
import type { Prepared, PrepareOptions } from '../../tools/stack/prepare.ts';

/** The files of the version before; pack-former.ts writes them. */
export const formerFile = path.join(import.meta.dirname, 'former.tar.br');

/** The version before, as files. */
export interface Former {
  readonly folder: string;
  /** The level of its code; see db/level.ts. */
  readonly level: number;
  /** Migrates the database and prepares chains, catalogue and keystore as that version does. */
  prepare(options: Omit<PrepareOptions, 'report'>): Promise<Prepared>;
  /** Runs its `carat`. */
  carat(args: readonly string[], env: Record<string, string>): Promise<Outcome>;
  /** Path of the bundle of its workflows. */
  bundle(): Promise<string>;
}

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

type Lock = { readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>> };

const lockIn = (folder: string): Lock => JSON.parse(fs.readFileSync(path.join(folder, 'package-lock.json'), 'utf8'));

/** True when every package that the former version runs with is installed here in the same version. */
const hasPackagesOf = (folder: string): boolean => {
  const { packages: here } = lockIn(root);
  return Object.entries(lockIn(folder).packages).every(
    ([name, { version, dev }]) => name === '' || dev === true || here[name]?.version === version,
  );
};

const run = (folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { out: '', err: '' };
    child.stdout.on('data', (part: Buffer) => (texts.out += part.toString()));
    child.stderr.on('data', (part: Buffer) => (texts.err += part.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...texts }));
  });

/** Puts the files of the version before into a folder. */
export const unpackArchive = (folder: string): void => {
  fs.mkdirSync(folder, { recursive: true });
  const archive = zlib.brotliDecompressSync(fs.readFileSync(formerFile));
  execFileSync('tar', ['-x', '-C', folder], { input: archive, stdio: ['pipe', 'ignore', 'inherit'] });
};

/** Puts the version before into a new folder, with this repository's packages where they are the same, else with its own. */
export const unpackFormer = (folder: string): Former => {
  unpackArchive(folder);
  if (hasPackagesOf(folder)) fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  else execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  const done = async (args: readonly string[]): Promise<string> => {
    const { code, out, err } = await run(folder, args, process.env);
    if (code !== 0) throw new Error(`the former version failed: ${args[0]}: ${err}`);
    return out;
  };
  const script = path.join(root, 'test/upgrade/prepare-former.ts');
  return {
    folder,
    level: Number(/^export const LEVEL = (\d+);$/m.exec(fs.readFileSync(path.join(folder, 'db/level.ts'), 'utf8'))![1]),
    prepare: async (options) => JSON.parse(await done([script, folder, JSON.stringify(options)])) as Prepared,
    carat: (args, env) => run(folder, ['cli/main.ts', ...args], { ...process.env, ...env }),
    bundle: async () =>
      (await done(['tools/build/bundle-workflows.ts', path.join(folder, 'former-workflows.js')])).trim(),
  };
};
