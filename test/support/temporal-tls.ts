import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { dump } from 'js-yaml';
import { freePorts } from '../../dev/process/ports.ts';
import { startProcess, type RunningProcess } from '../../dev/process/process.ts';
import { createTemporalClient, temporalAt, type TemporalSettings } from '../../outbox/temporal-client.ts';
import { temporalServer } from '../compose/go-programs.ts';

/** A Temporal server that requires a certificate which it knows. */
export interface TlsTemporal {
  /** What api, worker and commands need to reach it. */
  readonly settings: TemporalSettings;
  /** Folder for more files. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** Paths of a certificate and its key. */
interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** Makes a key and a certificate for localhost. Without `by` it is an authority, which signs itself. */
export const makePair = (folder: string, name: string, by?: Pair): Pair => {
  const pair = { cert: path.join(folder, `${name}.pem`), key: path.join(folder, `${name}-key.pem`) };
  const signed = by ? ['-CA', by.cert, '-CAkey', by.key, '-addext', 'basicConstraints=critical,CA:FALSE'] : [];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', pair.key];
  const subject = ['-days', '2', '-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', ...key, '-out', pair.cert, ...subject, ...signed], { stdio: 'pipe' });
  return pair;
};

/** As one-process servers are configured: data in memory, and TLS with certificates of both sides at the frontend. */
const configOf = (ports: readonly number[], authority: Pair, { cert, key }: Pair) => {
  const names = ['frontend', 'matching', 'history', 'worker'] as const;
  const rpc = (index: number) => ({ grpcPort: ports[index], membershipPort: ports[index + 4], bindOnIP: '127.0.0.1' });
  const store = (databaseName: string) => ({
    sql: {
      pluginName: 'sqlite',
      databaseName,
      connectAddr: 'localhost',
      connectProtocol: 'tcp',
      connectAttributes: { mode: 'memory', cache: 'private', setup: 'true' },
      maxConns: 1,
    },
  });
  const trusted = { serverName: 'localhost', rootCaFiles: [authority.cert] };
  const server = { certFile: cert, keyFile: key, requireClientAuth: true, clientCaFiles: [authority.cert] };
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'data',
      visibilityStore: 'visibility',
      numHistoryShards: 1,
      datastores: { data: store('data'), visibility: store('visibility') },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' },
      tls: {
        frontend: { server, client: trusted },
        systemWorker: { certFile: cert, keyFile: key, client: trusted },
      },
    },
    services: Object.fromEntries(names.map((name, index) => [name, { rpc: rpc(index) }])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: `localhost:${ports[0]}` },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    publicClient: { hostPort: `localhost:${ports[0]}` },
  };
};

/** Starts the server with the namespace `own`. */
export const startTlsTemporal = async (): Promise<TlsTemporal> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-temporal-tls-'));
  const authority = makePair(folder, 'authority');
  const own = makePair(folder, 'client', authority);
  const ports = await freePorts(8);
  fs.writeFileSync(
    path.join(folder, 'tls.yaml'),
    dump(configOf(ports, authority, makePair(folder, 'server', authority))),
  );
  const settings: TemporalSettings = {
    temporalAddress: `localhost:${ports[0]}`,
    temporalNamespace: 'own',
    temporalTls: 'off',
    temporalCa: authority.cert,
    temporalCertificate: own.cert,
    temporalKey: own.key,
    temporalServerName: '',
    temporalApiKey: '',
  };
  const client = createTemporalClient(temporalAt(settings));
  const within = (ms: number, work: () => Promise<unknown>) =>
    client.withDeadline(Date.now() + ms, work).then(
      () => true,
      () => false,
    );
  let running: RunningProcess;
  try {
    running = await startProcess({
      name: 'Temporal with TLS',
      command: await temporalServer(() => {}),
      args: ['--root', folder, '--config', '.', '--env', 'tls', 'start'],
      cwd: folder,
      logFile: path.join(folder, 'server.log'),
      readyMs: 60_000,
      isReady: () => within(1_000, () => client.workflowService.getSystemInfo({})),
    });
    const day = { seconds: 86_400 as never };
    const register = { namespace: 'own', workflowExecutionRetentionPeriod: day };
    await client.withDeadline(Date.now() + 10_000, () => client.workflowService.registerNamespace(register));
  } finally {
    await client.connection.close();
  }
  return {
    settings,
    folder,
    stop: async () => {
      await running.stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
};
