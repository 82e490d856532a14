import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheDir } from '../process/cache.mjs';
import { takeLock } from '../process/lock.mjs';
import { root } from '../paths.ts';

const run = promisify(execFile);

/** Receives progress lines. */
export type Report = (line: string) => void;

/** A program that is made once per user and kept in the cache folder. */
export interface Program {
  /** Name in the cache folder. */
  readonly name: string;
  readonly version: string;
  /** Arguments of a test run. */
  readonly proof: string[];
  /** Each way writes the program to a file; if it fails, the next one is tried. */
  readonly ways: readonly ((target: string) => Promise<void>)[];
  /** Describes the failures of all ways. */
  readonly explain: (problems: readonly string[]) => string;
}

/**
 * Path of a program in the user's cache, where it is created first if missing.
 * @throws Error of `explain` when every way failed
 */
export const cachedProgram = async (program: Program, env: NodeJS.ProcessEnv, report: Report): Promise<string> => {
  const cached = path.join(cacheDir(env), `${program.name}-${program.version}-${process.platform}-${process.arch}`);
  if (fs.existsSync(cached)) return cached;
  const unlock = await takeLock(`${cached}.lock`, (pid) =>
    report(`process ${pid} is fetching ${program.name}, waiting for it`),
  );
  const partial = `${cached}.partial-${process.pid}`;
  try {
    if (fs.existsSync(cached)) return cached;
    const problems: string[] = [];
    for (const obtain of program.ways) {
      try {
        await obtain(partial);
        await run(partial, program.proof);
        fs.renameSync(partial, cached);
        return cached;
      } catch (error) {
        problems.push((error as Error).message);
      }
    }
    throw new Error(program.explain(problems));
  } finally {
    fs.rmSync(partial, { recursive: true, force: true });
    unlock();
  }
};

/** Path of a program on the PATH, if any. */
export const which = async (program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> => {
  for (const folder of (env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
    const file = path.join(folder, process.platform === 'win32' ? `${program}.exe` : program);
    try {
      await fs.promises.access(file, fs.constants.X_OK);
      if (fs.statSync(file).isFile()) return file;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
};

/** A program built from a Go module in this repository, which pins all its dependencies. */
export interface GoModule {
  /** Display name. */
  readonly name: string;
  /** Folder of go.mod, relative to the repository. */
  readonly folder: string;
  /** Module whose version is the program's. */
  readonly module: string;
  readonly package: string;
  /** Arguments of a test run. Default `version`. */
  readonly proof?: string[];
  /** Approximate build time on two cores, in seconds. */
  readonly seconds: number;
}

/** Version of the program in its go.mod, without the leading v. */
export const pinnedVersion = ({ folder, module }: GoModule): string => {
  const text = fs.readFileSync(path.join(root, folder, 'go.mod'), 'utf8');
  // A replacement stands behind an arrow.
  const version = text.split(/\s+/).find((word, index, words) => words[index - 1] === module && /^v\d/.test(word));
  if (version === undefined) throw new Error(`${folder}/go.mod does not name ${module}`);
  return version.slice(1);
};

/** Builds the program of a Go module into a file. */
export const buildGo = async (
  target: string,
  module: GoModule,
  env: NodeJS.ProcessEnv,
  report: Report,
): Promise<void> => {
  const go = await which('go', env);
  if (!go) throw new Error('go is not on the PATH');
  const { name, seconds } = module;
  const started = Date.now();
  const took = (): string => `${Math.round((Date.now() - started) / 1000)} s`;
  report(
    `building ${name} from its Go module: about ${Math.ceil(seconds / 60)} minutes on 2 cores, once for this user`,
  );
  const ticker = setInterval(() => report(`still building ${name}, ${took()} of about ${seconds} s`), 10_000);
  try {
    const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', target, module.package];
    await collect(go, args, path.join(root, module.folder), env);
  } finally {
    clearInterval(ticker);
  }
  report(`${name} was built in ${took()}`);
};

/** Runs the build and fails with its last lines of output. The build is killed if this process exits first. */
const collect = (command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...env, GOFLAGS: '' }, stdio: ['ignore', 'pipe', 'pipe'] });
    const end = (): void => void child.kill();
    process.once('exit', end);
    let output = '';
    const add = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-2_000));
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    child.once('error', reject);
    child.once('close', (code) => {
      process.removeListener('exit', end);
      if (code === 0) resolve();
      else reject(new Error(`go build failed (${code}): ${output.trim().split('\n').slice(-3).join(' / ')}`));
    });
  });
