import { Connection } from '@temporalio/client';
import { isOpen } from '../process/ports.ts';
import { startProcess, type RunningProcess } from '../process/process.ts';
import { addSearchAttributes, missingSearchAttributes } from '../../outbox/search-attributes.ts';
import { searchAttributes } from '../../workflows/messages.ts';
import { temporalBinary } from './temporal-binary.ts';

/** Names of the types of search attributes on Temporal's command line. */
const typeNames = { TEXT: 'Text', KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' } as const;

/** Options of a Temporal server to find or start. */
export interface TemporalOptions {
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
