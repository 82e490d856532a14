import path from 'node:path';
import { testTokenAddress } from './demo/funds.ts';
import { devAccounts } from './demo/accounts.ts';
import { removeDevFile, writeDevFile, type DevFile } from './stack/dev-file.ts';
import { clearStrayData, startInfrastructure } from './stack/infrastructure.ts';
import { stateDir } from './paths.ts';
import { prepare, type Prepared } from './stack/prepare.ts';
import { apiUrl, startApi, startWorker, type ProcessSettings } from './process/services.ts';
import { loadSecrets } from './stack/secrets.ts';
import { devNetworks, networksAt, readPorts, type Ports } from './stack/settings.ts';
import { endLeftovers, takePlace } from './process/starter.ts';
import { supervise } from './process/supervise.ts';
import { devTokens } from './demo/tokens.ts';
import { welcome } from './stack/welcome.ts';

/*
 * npm start [-- --no-restart]
 *
 * Brings the whole stack up on this machine and keeps it up until Ctrl-C or SIGTERM.
 */

const startedAt = Date.now();
const devFile = path.join(stateDir, 'dev.json');
const restart = !process.argv.includes('--no-restart');

function report(line: string): void {
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1).padStart(6);
  process.stdout.write(`${seconds} s  ${line}\n`);
}

/** What to stop, in the order in which it was started. */
const running: { stop(): Promise<void> }[] = [];
let stopped: Promise<void> | undefined;
let leave = (): void => {};
let finish = (): Promise<void> => Promise.resolve();

function stop(why: string, exitCode: number): Promise<void> {
  stopped ??= (async () => {
    report(why);
    leave();
    removeDevFile(devFile);
    for (const part of running.toReversed()) await part.stop();
    await finish();
    report('everything is stopped; the data is kept in .carat');
    process.exit(exitCode);
  })();
  return stopped;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void stop(`${signal}: stopping`, 0));
}
process.on('uncaughtException', (error) => void stop(`unexpected: ${error.stack}`, 1));
process.on('unhandledRejection', (error) => void stop(`unexpected: ${(error as Error).stack}`, 1));
if (process.env.npm_lifecycle_event) {
  // npm may be killed in a way that it can not pass on.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void stop('npm is gone: stopping', 0);
  }, 250).unref();
}

interface Parts {
  ports: Ports;
  prepared: Prepared;
  settings: ProcessSettings;
  /** Origin of Temporal's UI, empty where the server was not started here. */
  temporalUi: string;
  pids: Record<string, number>;
}

function describe({ ports, prepared, settings, temporalUi, pids }: Parts): DevFile {
  const { buyer } = devAccounts;
  const tokens = (address: string | null, decimals: number) =>
    Object.fromEntries(devNetworks.map(({ name }) => [name, { address, decimals }]));
  const { currencies } = prepared.catalogue;
  const chainId = prepared.catalogue.chains.devnet ?? '';
  return {
    api: apiUrl(ports.api.port),
    docs: `${apiUrl(ports.api.port)}/docs`,
    temporal: { ...settings.temporal, ui: temporalUi },
    database: settings.databaseUrl,
    admin: settings.secrets.admin,
    nodes: { ...prepared.catalogue.nodes },
    chains: { ...prepared.catalogue.chains },
    networks: Object.fromEntries(
      networksAt(ports).map(({ name, eip155, url }) => [
        name,
        { id: prepared.catalogue.networks[name] ?? '', chain_id: chainId, eip155, rpc: url },
      ]),
    ),
    currencies: {
      ETH: { id: currencies.ETH ?? '', tokens: tokens(null, 18) },
      ...Object.fromEntries(
        devTokens.map((token) => [
          token.symbol,
          { id: currencies[token.symbol] ?? '', tokens: tokens(testTokenAddress(token), token.decimals) },
        ]),
      ),
    },
    buyer: { address: buyer.address, private_key: buyer.privateKey },
    pids,
  };
}

async function up(): Promise<void> {
  const ports = readPorts(process.env);
  const place = await takePlace(stateDir, report);
  leave = place.leave;
  finish = async () => {
    await endLeftovers(place.records);
    place.free();
  };
  removeDevFile(devFile);
  report('starting PostgreSQL, two chains and Temporal');
  await clearStrayData(stateDir);
  const secrets = loadSecrets(path.join(stateDir, 'secrets.json'));
  const infrastructure = await startInfrastructure({
    stateDir,
    records: place.records,
    ports,
    postgresPassword: secrets.postgresPassword,
    temporalAddress: process.env.TEMPORAL_ADDRESS,
    report,
    onEnd: (line) => {
      if (!stopped) report(line);
    },
  });
  running.push(infrastructure);
  const { postgres, temporal, chains } = infrastructure;
  const prepared = await prepare({ databaseUrl: postgres.url, networks: networksAt(ports), secrets, stateDir, report });

  const settings: ProcessSettings = {
    stateDir,
    records: place.records,
    databaseUrl: postgres.url,
    temporal: { address: temporal.address, namespace: temporal.namespace },
    apiPort: ports.api.port,
    keystoreFile: prepared.keystoreFile,
    secrets,
  };
  const pids: Record<string, number> = {
    starter: process.pid,
    ...(temporal.pid ? { temporal: temporal.pid } : {}),
    postgres: postgres.pid,
    ...Object.fromEntries(chains.map(({ network, chain }) => [network.name, chain.pid])),
  };
  const parts: Parts = { ports, prepared, settings, temporalUi: temporal.ui ?? '', pids };
  let isUp = false;
  const write = (): void => {
    if (isUp && !stopped) writeDevFile(devFile, describe(parts));
  };
  report('starting api and worker');
  const children = await Promise.all(
    (['api', 'worker'] as const).map((name) =>
      supervise({
        name: `the ${name}`,
        start: () => (name === 'api' ? startApi(settings) : startWorker(settings)),
        restart,
        report,
        onStart: (pid) => {
          pids[name] = pid;
          write();
        },
      }),
    ),
  );
  running.push({ stop: async () => void (await Promise.all(children.map((child) => child.stop()))) });
  if (stopped) return;
  isUp = true;
  write();
  report('ready');
  process.stdout.write(welcome(describe(parts)));
}

try {
  await up();
} catch (error) {
  if (!stopped) await stop((error as Error).message, 1);
}
