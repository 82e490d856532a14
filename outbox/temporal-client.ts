import { readFileSync } from 'node:fs';
import { Client, Connection, type ConnectionOptions, type ConnectionLike } from '@temporalio/client';
import type { Log } from '../domain/ports/log.ts';
import { searchAttributes } from '../workflows/messages.ts';

/** The address of Temporal, and the way in. */
export interface TemporalAddress {
  /** `host:port` of the gRPC endpoint. */
  readonly address: string;
  readonly namespace: string;
  /** Absent: no TLS. */
  readonly tls?: Exclude<ConnectionOptions['tls'], undefined | null | boolean>;
  readonly apiKey?: string;
}

/** The configuration that leads to Temporal. Empty texts are absent; files are PEM files by their paths. */
export interface TemporalSettings {
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  readonly temporalTls: 'off' | 'on';
  readonly temporalCa: string;
  readonly temporalCertificate: string;
  readonly temporalKey: string;
  readonly temporalServerName: string;
  readonly temporalApiKey: string;
}

const readPem = (variable: string, file: string): Buffer | undefined => {
  if (file === '') return undefined;
  try {
    const pem = readFileSync(file);
    // The native core ends the process at a file without a certificate or key.
    if (pem.includes('-----BEGIN ')) return pem;
  } catch (error) {
    throw new Error(`${variable}: ${(error as Error).message}`, { cause: error });
  }
  throw new Error(`${variable}: ${file} is no PEM file`);
};

/**
 * Reads the files that lead to Temporal.
 * @throws Error that names the variable of a file that cannot be read, or is missing beside another one
 */
export const temporalAt = (settings: TemporalSettings): TemporalAddress => {
  const { temporalAddress: address, temporalNamespace: namespace, temporalServerName: name } = settings;
  const ca = readPem('CARAT_TEMPORAL_CA', settings.temporalCa);
  const certificate = readPem('CARAT_TEMPORAL_CERTIFICATE', settings.temporalCertificate);
  const key = readPem('CARAT_TEMPORAL_KEY', settings.temporalKey);
  if ((certificate === undefined) !== (key === undefined)) {
    throw new Error('CARAT_TEMPORAL_CERTIFICATE and CARAT_TEMPORAL_KEY belong together; one of them is empty');
  }
  const pair = certificate && key ? { clientCertPair: { crt: certificate, key } } : {};
  const tls = {
    ...(name === '' ? {} : { serverNameOverride: name }),
    ...(ca === undefined ? {} : { serverRootCACertificate: ca }),
    ...pair,
  };
  const apiKey = settings.temporalApiKey === '' ? {} : { apiKey: settings.temporalApiKey };
  const isOn = settings.temporalTls === 'on' || Object.keys({ ...tls, ...apiKey }).length > 0;
  return { address, namespace, ...(isOn ? { tls } : {}), ...apiKey };
};

/** Timeout of a ping of Temporal, in milliseconds: it decides everywhere whether Temporal is there. */
export const TEMPORAL_MS = 2_000;

/**
 * Pings the server.
 * @throws Error when it does not respond in time, or cannot take commands
 */
export const askTemporal = async (client: Client, deadlineMs = TEMPORAL_MS): Promise<void> => {
  const { namespace } = client.options;
  await client.withDeadline(Date.now() + deadlineMs, () => client.workflowService.describeNamespace({ namespace }));
};

/**
 * Creates a client, even while the server is down: it connects at the first call. By default a gRPC channel waits up to two
 * minutes between attempts to reconnect; this one reconnects within a second after the server is back.
 */
export const createTemporalClient = ({ namespace, ...access }: TemporalAddress): Client =>
  new Client({
    connection: Connection.lazy({
      ...access,
      channelArgs: {
        'grpc.initial_reconnect_backoff_ms': 100,
        'grpc.min_reconnect_backoff_ms': 100,
        'grpc.max_reconnect_backoff_ms': 500,
        'grpc.keepalive_permit_without_calls': 1,
        'grpc.keepalive_time_ms': 30_000,
        'grpc.keepalive_timeout_ms': 15_000,
      },
      // The dispatcher retries; retries in the client would only outlive its deadline.
      interceptors: [],
    }),
    namespace,
  });

/** `IndexedValueType` of Temporal's API (temporal/api/enums/v1/common.proto), by the SDK's names. */
const indexedValueTypes = { TEXT: 1, KEYWORD: 2, KEYWORD_LIST: 7 } as const;

/** A namespace and its connection. */
export interface NamespaceAt {
  readonly connection: ConnectionLike;
  readonly namespace: string;
}

type SearchAttribute = (typeof searchAttributes)[keyof typeof searchAttributes];

/** The search attributes that the namespace lacks. */
export const missingSearchAttributes = async ({ connection, namespace }: NamespaceAt): Promise<SearchAttribute[]> => {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.values(searchAttributes).filter(({ name }) => !(name in customAttributes));
};

/** Adds search attributes to the namespace. */
export const addSearchAttributes = async (
  { connection, namespace }: NamespaceAt,
  attributes: readonly SearchAttribute[],
): Promise<void> => {
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(attributes.map(({ name, type }) => [name, indexedValueTypes[type]])),
  });
};

/**
 * Adds missing search attributes. Where the API forbids that, as in a managed service, an operator must add them.
 * @returns the names of those that are still missing
 */
export const registerSearchAttributes = async (at: NamespaceAt, log: Log): Promise<string[]> => {
  const missing = await missingSearchAttributes(at);
  if (missing.length === 0) return [];
  const names = missing.map(({ name }) => name);
  try {
    await addSearchAttributes(at, missing);
    log.info('Registered search attributes', { names });
    return [];
  } catch (error) {
    log.error('Search attributes are missing and could not be registered', {
      names,
      reason: (error as Error).message,
    });
    return names;
  }
};
