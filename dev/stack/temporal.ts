import { Connection } from '@temporalio/client';
import { isOpen } from '../process/ports.ts';
import { startProcess, type RunningProcess } from '../process/process.ts';
import { addSearchAttributes, missingSearchAttributes } from '../../workers/search-attributes.ts';
import { searchAttributes } from '../../workflows/messages.ts';
import { temporalBinary } from './temporal-binary.ts';

/** How Temporal's command line names the types of search attributes. */
const typeNames = { TEXT: 'Text', KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' } as const;

/** How a Temporal server is found or started. */
export interface TemporalOptions {
  /** Port of the gRPC service on 127.0.0.1. */
  readonly port: number;
  /** Port of the web UI on 127.0.0.1; without it there is none. */
  readonly uiPort?: number;
  /** File that workflows are kept in. Without it they are gone when the server stops. */
  readonly databaseFile?: string;
  readonly logFile: string;
  /** Address of a server that runs already, usually `TEMPORAL_ADDRESS`; nothing is started then. */
  readonly address?: string;
  /** More flags of `temporal server start-dev`, such as `--dynamic-config-value`. */
  readonly flags?: string[];
  /** Says what it is doing while that takes long. */
  readonly report?: (line: string) => void;
  readonly onSpawn?: (pid: number) => void;
}

/** A Temporal server that answers. */
export interface Temporal {
  /** `host:port` of the gRPC service. */
  readonly address: string;
  readonly namespace: string;
  /** Origin of the web UI, where it is known. */
  readonly ui?: string;
  /** Process id, or undefined for a server that was running already. */
  readonly pid?: number;
  readonly exited?: RunningProcess['exited'];
  stop(): Promise<void>;
}

const namespace = 'default';

/**
 * Uses the server at `address`, or starts Temporal's dev server on 127.0.0.1 and waits until its namespace answers.
 *
 * @throws Error that names every way to get a server when there is none
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
      ...(options.flags ?? []),
    ],
    logFile: options.logFile,
    // gRPC waits a second before it tries again, so it is asked only once the port is open.
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

/** True when the namespace is there and knows all search attributes; those of a newer version are added to data that is kept. */
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
    throw new Error(`the Temporal server at TEMPORAL_ADDRESS=${address} can not be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
};
