import fs from 'node:fs';
import path from 'node:path';
import { startChain, type Chain } from './chain.ts';
import { requireFreePorts } from '../process/ports.ts';
import { reachableDir, postgresStopSignal, startPostgres, type Postgres } from './postgres.ts';
import { forgetProcess, recordProcess } from '../process/records.ts';
import { devNetworks, type DevNetwork, type Ports } from './settings.ts';
import { startTemporal, type Temporal } from './temporal.ts';

export interface InfrastructureOptions {
  /** Folder of data, logs and records. */
  readonly stateDir: string;
  /** Folder of the records of processes. */
  readonly records: string;
  readonly ports: Ports;
  readonly postgresPassword: string;
  /** Address of a running Temporal server to use instead of starting one. */
  readonly temporalAddress?: string;
  readonly report: (line: string) => void;
  /** Called when a service ends unexpectedly. */
  readonly onEnd: (line: string) => void;
}

/** The services below api and worker. */
export interface Infrastructure {
  readonly postgres: Postgres;
  readonly temporal: Temporal;
  readonly chains: { network: DevNetwork; chain: Chain }[];
  stop(): Promise<void>;
}

/** Folder of PostgreSQL's data: inside the state folder, or elsewhere if PostgreSQL's account cannot reach it. */
export const postgresDir = (stateDir: string): Promise<string> => reachableDir(path.join(stateDir, 'postgres'));

/**
 * Deletes PostgreSQL's data outside the state folder if that folder was deleted by hand, because its password is lost
 * too.
 */
export const clearStrayData = async (stateDir: string): Promise<void> => {
  if (fs.existsSync(path.join(stateDir, 'secrets.json'))) return;
  const place = await postgresDir(stateDir);
  if (!place.startsWith(stateDir + path.sep)) fs.rmSync(place, { recursive: true, force: true });
};

/** Starts PostgreSQL, both chains and Temporal in parallel, and waits until all of them answer. */
export const startInfrastructure = async (options: InfrastructureOptions): Promise<Infrastructure> => {
  const { ports, temporalAddress } = options;
  const used = Object.entries(ports).filter(([key]) => !(temporalAddress && key.startsWith('temporal')));
  await requireFreePorts(used.map(([, port]) => port));

  const services = createServices(options);
  const at = (port: number): string => `127.0.0.1:${port}`;
  const postgres = services.begin('PostgreSQL', at(ports.postgres.port), () => beginPostgres(options));
  const temporal = services.begin('Temporal', temporalAddress || at(ports.temporal.port), () => beginTemporal(options));
  const chains = devNetworks.map(async (network) => {
    const where = at(ports[network.name].port);
    const chain = await services.begin(`the chain ${network.name}`, where, () => beginChain(options, network));
    return { network, chain };
  });
  // If one fails, the others are stopped after they have started.
  await Promise.allSettled([postgres, temporal, ...chains]);
  try {
    return {
      postgres: await postgres,
      temporal: await temporal,
      chains: await Promise.all(chains),
      stop: services.stop,
    };
  } catch (error) {
    await services.stop();
    throw error;
  }
};

interface Service {
  readonly pid?: number;
  readonly exited?: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts, reports, watches and stops services. */
const createServices = ({ records, report, onEnd }: InfrastructureOptions) => {
  const started: Service[] = [];
  let stopping = false;
  return {
    begin: async <Started extends Service>(
      name: string,
      where: string,
      start: () => Promise<Started>,
    ): Promise<Started> => {
      const startedAt = Date.now();
      const service = await start();
      started.push(service);
      report(`${name} is ready on ${where} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
      void service.exited?.then((outcome) => {
        if (service.pid) forgetProcess(records, service.pid);
        if (!stopping)
          onEnd(`${name} (process ${service.pid}) ended (${String(outcome)}); stop and run npm start again`);
      });
      return service;
    },
    stop: async (): Promise<void> => {
      stopping = true;
      await Promise.all(started.map((service) => service.stop()));
    },
  };
};

const logFile = (stateDir: string, name: string): string => path.join(stateDir, 'logs', `${name}.log`);

const beginPostgres = async (options: InfrastructureOptions): Promise<Postgres> =>
  startPostgres({
    dataDir: await postgresDir(options.stateDir),
    port: options.ports.postgres.port,
    password: options.postgresPassword,
    logFile: logFile(options.stateDir, 'postgres'),
    report: options.report,
    onSpawn: (pid) => recordProcess(options.records, 'postgres', pid, postgresStopSignal),
  });

const beginTemporal = ({ stateDir, records, ports, temporalAddress, report }: InfrastructureOptions) =>
  startTemporal({
    port: ports.temporal.port,
    uiPort: ports.temporalUi.port,
    databaseFile: path.join(stateDir, 'temporal.db'),
    logFile: logFile(stateDir, 'temporal'),
    address: temporalAddress,
    report,
    onSpawn: (pid) => recordProcess(records, 'temporal', pid),
  });

const beginChain = (
  { stateDir, records, ports }: InfrastructureOptions,
  { name, eip155, blockTime }: (typeof devNetworks)[number],
): Promise<Chain> =>
  startChain({
    name: `the chain ${name}`,
    port: ports[name].port,
    chainId: eip155,
    blockTime,
    logFile: logFile(stateDir, name),
    stateFile: path.join(stateDir, `chain-${name}.json`),
    cacheDir: path.join(stateDir, 'anvil', name),
    onSpawn: (pid) => recordProcess(records, name, pid),
  });
