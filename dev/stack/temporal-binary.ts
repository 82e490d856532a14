import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { takeLock } from '../process/lock.mjs';
import { cacheDir, root } from '../paths.ts';

const run = promisify(execFile);
const moduleDir = path.join(root, 'dev', 'temporal');
const builtPackage = 'github.com/temporalio/cli/cmd/temporal';

/** How the `temporal` program is looked for. */
export interface BinaryOptions {
  /** Says what it is doing while that takes long. */
  readonly report?: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
  /** Fetches the program into a folder; the SDK's own download unless told. */
  readonly download?: (folder: string, version: string) => Promise<void>;
}

/**
 * Finds Temporal's command-line program: on the PATH, in the cache folder of this user, by the SDK's download, or by
 * building the pinned Go module, which takes about five minutes once.
 *
 * @returns path of the program
 * @throws Error that names every way to get one
 */
export const temporalBinary = async (options: BinaryOptions = {}): Promise<string> => {
  const { report = () => {}, env = process.env, download = sdkDownload } = options;
  const onPath = await which('temporal', env);
  if (onPath) return onPath;
  const version = pinnedVersion();
  const cached = path.join(cacheDir(env), `temporal-${version}-${process.platform}-${process.arch}`);
  if (fs.existsSync(cached)) return cached;

  const release = await takeLock(`${cached}.lock`, (pid) =>
    report(`process ${pid} is fetching Temporal, waiting for it`),
  );
  const partial = `${cached}.partial-${process.pid}`;
  try {
    if (fs.existsSync(cached)) return cached;
    const problems: string[] = [];
    for (const obtain of [() => fetchInto(partial, version, download, report), () => buildInto(partial, env, report)]) {
      try {
        await obtain();
        await run(partial, ['--version']);
        fs.renameSync(partial, cached);
        return cached;
      } catch (error) {
        problems.push((error as Error).message);
      }
    }
    throw new Error(explain(version, problems));
  } finally {
    fs.rmSync(partial, { recursive: true, force: true });
    release();
  }
};

const explain = (version: string, [download, build]: string[]): string =>
  [
    'Temporal is not available. There are four ways to get it, any one will do:',
    '  1. set TEMPORAL_ADDRESS to the host:port of a server that runs',
    `  2. put the temporal program (${version} or newer, https://docs.temporal.io/cli) on the PATH`,
    `  3. let the Temporal SDK download it; tried now: ${download}`,
    `  4. install Go (https://go.dev/dl) so that it is built from dev/temporal; tried now: ${build}`,
  ].join('\n');

/** Version of the program in dev/temporal/go.mod, without the leading v. */
export const pinnedVersion = (): string => {
  const match = /github\.com\/temporalio\/cli v(\S+)/.exec(fs.readFileSync(path.join(moduleDir, 'go.mod'), 'utf8'));
  if (!match?.[1]) throw new Error('dev/temporal/go.mod does not name github.com/temporalio/cli');
  return match[1];
};

const which = async (program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> => {
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

const fetchInto = async (
  target: string,
  version: string,
  download: NonNullable<BinaryOptions['download']>,
  report: (line: string) => void,
): Promise<void> => {
  report(`no temporal program on the PATH, trying the SDK's download of ${version}`);
  const folder = `${target}.download`;
  fs.mkdirSync(folder, { recursive: true });
  try {
    await download(folder, version);
    const [file] = fs.readdirSync(folder).filter((name) => name.startsWith('temporal'));
    if (!file) throw new Error('the download left no program behind');
    fs.renameSync(path.join(folder, file), target);
    fs.chmodSync(target, 0o755);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
};

/** The SDK downloads only on the way to a running server, so one is started in memory and stopped again. */
const sdkDownload = async (folder: string, version: string): Promise<void> => {
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const environment = TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir: folder, version: `v${version}` } },
  });
  const tooLong = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('it took longer than 3 minutes')), 180_000).unref();
  });
  await (await Promise.race([environment, tooLong])).teardown();
};

const buildInto = async (target: string, env: NodeJS.ProcessEnv, report: (line: string) => void): Promise<void> => {
  const go = await which('go', env);
  if (!go) throw new Error('there is no go program on the PATH');
  const started = Date.now();
  report('building Temporal from its Go module: about 5 minutes on 2 cores, once for this user');
  const ticker = setInterval(() => {
    report(`still building Temporal, ${Math.round((Date.now() - started) / 1000)} s of about 300 s`);
  }, 10_000);
  try {
    const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', target, builtPackage];
    await collect(go, args, env);
  } finally {
    clearInterval(ticker);
  }
  report(`Temporal was built in ${Math.round((Date.now() - started) / 1000)} s`);
};

/** Runs the build and fails with the last lines it wrote. It is ended when this process exits before it. */
const collect = (command: string, args: string[], env: NodeJS.ProcessEnv): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: moduleDir,
      env: { ...env, GOFLAGS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
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
