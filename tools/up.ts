import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createMerchant, openCheckout, openWallets } from './demo/merchant.ts';
import { describeStack, welcome, type DevFile, type StackParts } from './stack/dev-file.ts';
import { clearStrayData, startInfrastructure, type Infrastructure } from './stack/infrastructure.ts';
import { devFile, shown, stateDir } from './paths.ts';
import { prepare } from './stack/prepare.ts';
import { startApi, startWorker, type ProcessSettings } from './process/services.ts';
import { loadSecrets, writeSecretFile, type DevSecrets } from './stack/secrets.ts';
import { networksAt, readPorts, type Ports } from './stack/settings.ts';
import { endLeftovers, takePlace } from './process/starter.ts';
import { supervise } from './process/supervise.ts';

/*
 * npm start [-- --no-restart]
 *
 * Starts the whole stack on this machine and keeps it running until Ctrl-C or SIGTERM.
 */

const startedAt = Date.now();
const restart = !process.argv.includes('--no-restart');

const report = (line: string): void => {
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1).padStart(6);
  process.stdout.write(`${seconds} s  ${line}\n`);
};

/** The seconds of each phase so far. */
const phases: string[] = [];
let phaseBegan = startedAt;
const endPhase = (name: string): void => {
  phases.push(`${name} ${((Date.now() - phaseBegan) / 1000).toFixed(1)} s`);
  phaseBegan = Date.now();
};

/** Started parts, in order. */
const running: { stop(): Promise<void> }[] = [];
let stopped: Promise<void> | undefined;
/** Steps before and after stopping, set once this start has its place; before that nothing needs them. */
let leave = (): void => {};
let finish = (): Promise<void> => Promise.resolve();

const stop = (why: string, exitCode: number): Promise<void> => {
  stopped ??= (async () => {
    report(why);
    leave();
    for (const part of running.toReversed()) await part.stop();
    await finish();
    process.exit(exitCode);
  })();
  return stopped;
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void stop(`${signal}: stopping`, 0));
}
process.on('uncaughtException', (error) => void stop(`unexpected: ${error.stack}`, 1));
process.on('unhandledRejection', (error) => void stop(`unexpected: ${(error as Error).stack}`, 1));
if (process.env.npm_lifecycle_event) {
  // npm may be killed by a signal that it cannot forward.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void stop('npm is gone: stopping', 0);
  }, 250).unref();
}

/** Milliseconds for which a stop waits for an interrupted start. */
const interruptedMs = 3_000;

/** Ends the recorded processes, including those that a start in progress still adds. */
const endWhatStarts = async (records: string): Promise<void> => {
  let isOver = false;
  void starting.catch(() => {}).finally(() => (isOver = true));
  const deadline = Date.now() + interruptedMs;
  do {
    await endLeftovers(records);
    await delay(20);
  } while (!isOver && Date.now() < deadline);
};

/** Takes the starter's place and starts the services below api and worker. */
const startBelow = async (
  ports: Ports,
): Promise<{ infrastructure: Infrastructure; secrets: DevSecrets; records: string }> => {
  const place = await takePlace(stateDir, report);
  const { records } = place;
  leave = () => {
    place.leave();
    fs.rmSync(devFile, { force: true });
  };
  finish = async () => {
    await endWhatStarts(records);
    place.free();
    report(`everything is stopped; the data is kept in ${shown(stateDir)}`);
  };
  fs.rmSync(devFile, { force: true });
  report('starting PostgreSQL, two chains and Temporal');
  await clearStrayData(stateDir);
  const secrets = loadSecrets(path.join(stateDir, 'secrets.json'));
  const infrastructure = await startInfrastructure({
    stateDir,
    records,
    ports,
    postgresPassword: secrets.postgresPassword,
    temporalAddress: process.env.TEMPORAL_ADDRESS,
    report,
    onEnd: (line) => {
      if (!stopped) report(line);
    },
  });
  running.push(infrastructure);
  return { infrastructure, secrets, records };
};

const pidsOf = ({ temporal, postgres, chains }: Infrastructure): Record<string, number> => ({
  starter: process.pid,
  ...(temporal.pid ? { temporal: temporal.pid } : {}),
  postgres: postgres.pid,
  ...Object.fromEntries(chains.map(({ network, chain }) => [network.name, chain.pid])),
});

/** Starts api and worker and keeps them running. */
const startProcesses = async (
  settings: ProcessSettings,
  onStart: (name: string, pid: number) => void,
): Promise<void> => {
  report('starting api and worker');
  const children = await Promise.all(
    Object.entries({ api: startApi, worker: startWorker }).map(([name, start]) =>
      supervise({
        name: `the ${name}`,
        start: () => start(settings),
        restart,
        report,
        onStart: (pid) => onStart(name, pid),
      }),
    ),
  );
  running.push({ stop: async () => void (await Promise.all(children.map((child) => child.stop()))) });
};

const up = async (): Promise<void> => {
  const ports = readPorts(process.env);
  const { infrastructure, secrets, records } = await startBelow(ports);
  endPhase('PostgreSQL, chains and Temporal');
  const { postgres, temporal } = infrastructure;
  const prepared = await prepare({ databaseUrl: postgres.url, networks: networksAt(ports), secrets, stateDir, report });
  endPhase('database and contracts');
  const settings: ProcessSettings = {
    stateDir,
    records,
    databaseUrl: postgres.url,
    temporal: { address: temporal.address, namespace: temporal.namespace },
    apiPort: ports.api.port,
    keystoreFile: prepared.keystoreFile,
    secrets: { ...secrets, admin: prepared.admin },
  };
  const parts: StackParts = { ports, prepared, settings, temporalUi: temporal.ui ?? '', pids: pidsOf(infrastructure) };
  let write = (): void => {};
  await startProcesses(settings, (name, pid) => {
    parts.pids[name] = pid;
    write();
  });
  endPhase('api and worker');
  report('deploying a wallet of each deal mode, unless they are there');
  const stack = describeStack(parts);
  const merchant = createMerchant(stack);
  const wallets = await openWallets(merchant, stack);
  const checkout_url = await openCheckout(merchant, stack, wallets.offered);
  if (stopped) return;
  write = () => {
    if (!stopped) writeSecretFile(devFile, { ...describeStack(parts), wallets, checkout_url } satisfies DevFile);
  };
  write();
  endPhase('wallets');
  report(`took: ${phases.join(', ')}`);
  report('ready');
  process.stdout.write(welcome({ ...stack, checkout_url }));
};

const starting = up();
try {
  await starting;
} catch (error) {
  if (!stopped) await stop((error as Error).message, 1);
}
