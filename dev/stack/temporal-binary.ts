import fs from 'node:fs';
import path from 'node:path';
import { buildGo, cachedProgram, pinnedVersion, which, type GoModule, type Report } from './program.ts';

/** The Go module that `temporal` is built from. */
export const temporalModule: GoModule = {
  name: 'Temporal',
  folder: 'dev/temporal',
  module: 'github.com/temporalio/cli',
  package: 'github.com/temporalio/cli/cmd/temporal',
  seconds: 300,
};

/** Options of the search for the `temporal` program. */
export interface BinaryOptions {
  readonly report?: Report;
  readonly env?: NodeJS.ProcessEnv;
  /** Fetches the program into a folder. Default: the SDK's own download. */
  readonly download?: (folder: string, version: string) => Promise<void>;
}

/**
 * Finds Temporal's command-line program: on the PATH, in the user's cache, by the SDK's download, or by building the
 * pinned Go module, which takes about five minutes once.
 * @returns path of the program
 * @throws Error that names every way to get one
 */
export const temporalBinary = async (options: BinaryOptions = {}): Promise<string> => {
  const { report = () => {}, env = process.env, download = sdkDownload } = options;
  const onPath = await which('temporal', env);
  if (onPath) return onPath;
  const version = pinnedVersion(temporalModule);
  const ways = [
    (target: string) => fetchInto(target, version, download, report),
    (target: string) => buildGo(target, temporalModule, env, report),
  ];
  const explainAll = (problems: readonly string[]): string => explain(version, problems);
  return cachedProgram({ name: 'temporal', version, proof: ['--version'], ways, explain: explainAll }, env, report);
};

const explain = (version: string, [download, build]: readonly string[]): string =>
  [
    'Temporal is not available. Do one of the following:',
    '  1. set TEMPORAL_ADDRESS to the host:port of a running server',
    `  2. put the temporal program (${version} or newer, https://docs.temporal.io/cli) on the PATH`,
    `  3. let the Temporal SDK download it; tried now: ${download}`,
    `  4. install Go (https://go.dev/dl) so that it is built from dev/temporal; tried now: ${build}`,
  ].join('\n');

const fetchInto = async (
  target: string,
  version: string,
  download: NonNullable<BinaryOptions['download']>,
  report: Report,
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

/** The SDK downloads only as part of starting a server, so this starts one in memory and stops it. */
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
