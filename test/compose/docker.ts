import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cacheDir } from '../../tools/process/cache.mjs';
import { which } from '../../tools/stack/program.ts';
import { eventually, type Bench } from './bench.ts';
import { composePlugin } from './go-programs.ts';

/** A Docker daemon. */
export interface Daemon {
  /** Stops and starts it, as a restart of the machine does; null for a daemon that others use too. */
  readonly restart: (() => Promise<void>) | null;
  stop(): Promise<void>;
}

/** Milliseconds for which the daemon may stop its containers. */
const STOP_MS = 90_000;

const answers = (env: NodeJS.ProcessEnv): boolean =>
  spawnSync('docker', ['info'], { env, stdio: 'ignore' }).status === 0;

/** Gives Docker the command `compose`, built from its Go module where the machine lacks it. */
const withCompose = async (env: NodeJS.ProcessEnv, scratch: string, report: (line: string) => void) => {
  if (spawnSync('docker', ['compose', 'version'], { env, stdio: 'ignore' }).status === 0) return env;
  const config = path.join(scratch, 'docker-config');
  fs.mkdirSync(path.join(config, 'cli-plugins'), { recursive: true });
  fs.symlinkSync(await composePlugin(report), path.join(config, 'cli-plugins/docker-compose'));
  return { ...env, DOCKER_CONFIG: config };
};

/** Starts a daemon of our own. Its images stay in the user's cache for the next run. */
const startOwn = async (scratch: string, env: NodeJS.ProcessEnv): Promise<Daemon> => {
  const folder = path.join(scratch, 'docker');
  fs.mkdirSync(folder, { recursive: true });
  const log = fs.openSync(path.join(scratch, 'dockerd.log'), 'a');
  const args = ['--data-root', path.join(cacheDir(), 'compose-docker'), '--exec-root', path.join(folder, 'exec')];
  args.push('--pidfile', path.join(folder, 'pid'), '--host', env.DOCKER_HOST!);
  const ask = (): Promise<true | undefined> => Promise.resolve(answers(env) || undefined);
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = spawn('dockerd', args, { stdio: ['ignore', log, log], detached: true });
    await eventually('the Docker daemon', ask, 60_000);
  };
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  };
  await start();
  return {
    restart: async () => {
      await stop();
      await start();
    },
    stop,
  };
};

/**
 * Finds the daemon of this machine, or starts one.
 * @returns it, and the environment in which `docker` and `docker compose` use it
 * @throws Error that names what is missing
 */
export const findDaemon = async (
  scratch: string,
  report: Bench['report'],
): Promise<{ daemon: Daemon; env: NodeJS.ProcessEnv }> => {
  if (!(await which('docker', process.env)))
    throw new Error('docker is not on the PATH (Debian: apt-get install docker.io)');
  if (answers(process.env)) {
    const env = await withCompose(process.env, scratch, report);
    report('using the Docker daemon of this machine, so it is not restarted');
    return { daemon: { restart: null, stop: async () => {} }, env };
  }
  if (process.getuid?.() !== 0 || !(await which('dockerd', process.env))) {
    throw new Error('no Docker daemon runs here, and only root with dockerd and iptables on the PATH can start one');
  }
  const socket = `unix://${path.join(scratch, 'docker.sock')}`;
  const env = await withCompose({ ...process.env, DOCKER_HOST: socket }, scratch, report);
  report('starting a Docker daemon');
  return { daemon: await startOwn(scratch, env), env };
};
