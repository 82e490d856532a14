import fs from 'node:fs';
import path from 'node:path';
import { startChain, type Chain } from './chain.ts';
import { requireFreePort } from '../process/ports.ts';
import { reachableDir } from './postgres-account.ts';
import { postgresStopSignal, startPostgres, type Postgres } from './postgres.ts';
import { forgetProcess, recordProcess } from '../process/records.ts';
import { devNetworks, type DevNetwork, type Ports } from './settings.ts';
import { startTemporal, type Temporal } from './temporal.ts';

/** What the services of the stack are started with. */
export interface InfrastructureOptions {
  /** Folder of data, logs and records. */
  stateDir: string;
  /** Folder of the records of processes. */
  records: string;
  ports: Ports;
  postgresPassword: string;
  /** Address of a Temporal that runs already, if one shall be used. */
  temporalAddress?: string;
  report: (line: string) => void;
  /** Called when a service ends that nobody stopped. */
  onEnd: (line: string) => void;
}

/** The services below api and worker. */
export interface Infrastructure {
  postgres: Postgres;
  temporal: Temporal;
  chains: { network: DevNetwork; chain: Chain }[];
  stop(): Promise<void>;
}

/** What has been started so far: also a start that fails half-way leaves nothing behind. */
export interface Stoppable {
  stop(): Promise<void>;
}

/** Folder of PostgreSQL's data: inside the state folder, or elsewhere where its account can not reach that. */
export function postgresDir(stateDir: string): Promise<string> {
  return reachableDir(path.join(stateDir, 'postgres'));
}

/**
 * Forgets PostgreSQL's data that lies outside of the state folder when that folder was deleted by hand: the password went
 * with it.
 */
export async function clearStrayData(stateDir: string): Promise<void> {
  if (fs.existsSync(path.join(stateDir, 'secrets.json'))) return;
  const place = await postgresDir(stateDir);
  if (!place.startsWith(stateDir + path.sep)) fs.rmSync(place, { recursive: true, force: true });
}

/** File of a chain's saved state. */
export const chainFile = (stateDir: string, name: string): string => path.join(stateDir, `chain-${name}.json`);

/** Starts PostgreSQL, both chains and Temporal side by side and waits until all of them answer. */
export async function startInfrastructure(options: InfrastructureOptions): Promise<Infrastructure> {
  const { stateDir, ports, report } = options;
  const used = Object.entries(ports).filter(([key]) => !(options.temporalAddress && key.startsWith('temporal')));
  for (const [, { port, service, variable }] of used) await requireFreePort(port, service, variable);

  const logFile = (name: string): string => path.join(stateDir, 'logs', `${name}.log`);
  const record =
    (name: string, signal?: NodeJS.Signals) =>
    (pid: number): void =>
      recordProcess(options.records, name, pid, signal);
  const started: Stoppable[] = [];
  let stopping = false;
  const stop = async (): Promise<void> => {
    stopping = true;
    await Promise.all(started.map((service) => service.stop()));
  };

  /** Starts one service, says so, and watches it. */
  const begin = async <T extends Stoppable & { pid?: number; exited?: Promise<unknown> }>(
    name: string,
    where: string,
    start: () => Promise<T>,
  ): Promise<T> => {
    const startedAt = Date.now();
    const service = await start();
    started.push(service);
    report(`${name} is ready on ${where} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
    void service.exited?.then((outcome) => {
      if (service.pid) forgetProcess(options.records, service.pid);
      if (!stopping)
        options.onEnd(`${name} (process ${service.pid}) ended (${String(outcome)}); stop and run npm start again`);
    });
    return service;
  };

  const outcomes = await Promise.allSettled([
    begin('PostgreSQL', `127.0.0.1:${ports.postgres.port}`, async () =>
      startPostgres({
        dataDir: await postgresDir(stateDir),
        port: ports.postgres.port,
        password: options.postgresPassword,
        logFile: logFile('postgres'),
        report,
        onSpawn: record('postgres', postgresStopSignal),
      }),
    ),
    begin('Temporal', options.temporalAddress ?? `127.0.0.1:${ports.temporal.port}`, () =>
      startTemporal({
        port: ports.temporal.port,
        uiPort: ports.temporalUi.port,
        databaseFile: path.join(stateDir, 'temporal.db'),
        logFile: logFile('temporal'),
        address: options.temporalAddress,
        report,
        onSpawn: record('temporal'),
      }),
    ),
    ...devNetworks.map((network) =>
      begin(`the chain ${network.name}`, `127.0.0.1:${ports[network.name].port}`, () =>
        startChain({
          name: `the chain ${network.name}`,
          port: ports[network.name].port,
          chainId: network.eip155,
          blockTime: network.blockTime,
          logFile: logFile(network.name),
          stateFile: chainFile(stateDir, network.name),
          cacheDir: path.join(stateDir, 'anvil', network.name),
          onSpawn: record(network.name),
        }),
      ),
    ),
  ]);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const [postgres, temporal, ...chains] = outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value);
  return {
    postgres: postgres as Postgres,
    temporal: temporal as Temporal,
    chains: devNetworks.map((network, index) => ({ network, chain: chains[index] as Chain })),
    stop,
  };
}
