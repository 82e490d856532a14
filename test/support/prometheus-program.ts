import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startProcess, type RunningProcess } from '../../tools/process/process.ts';
import { cachedProgram, which, type Report } from '../../tools/stack/program.ts';

const run = promisify(execFile);

type Name = 'prometheus' | 'promtool';

/** Takes a program out of Debian's package, without installing it or a change of the machine. */
const fromDebian = async (target: string, name: Name): Promise<void> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-prometheus-'));
  try {
    // Own lists, so that those of the machine may be absent or old, and need not be writable.
    const lists = path.join(folder, 'lists');
    const cache = path.join(folder, 'cache');
    for (const place of [lists, cache]) fs.mkdirSync(path.join(place, 'partial'), { recursive: true });
    const options = ['-qq', '-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${cache}`];
    await run('apt-get', [...options, 'update'], { cwd: folder });
    await run('apt-get', [...options, 'download', 'prometheus'], { cwd: folder });
    const [file = ''] = fs.readdirSync(folder).filter((entry) => entry.endsWith('.deb'));
    await run('dpkg-deb', ['--extract', file, 'package'], { cwd: folder });
    fs.copyFileSync(path.join(folder, 'package/usr/bin', name), target);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * Finds Prometheus or its tool: on the PATH, in the user's cache, else in Debian's package.
 * @returns path of the program
 * @throws Error that names the ways
 */
export const prometheusBinary = async (name: Name, report: Report = () => {}): Promise<string> => {
  const onPath = await which(name, process.env);
  if (onPath !== undefined) return onPath;
  return cachedProgram(
    {
      name,
      version: 'debian',
      proof: ['--version'],
      ways: [(target) => fromDebian(target, name)],
      explain: ([problem]) =>
        `${name} is not available; put it on the PATH (https://prometheus.io/download), or use Debian; tried now: ${problem}`,
    },
    process.env,
    report,
  );
};

export interface PrometheusOptions {
  /** Path of its configuration. */
  readonly config: string;
  readonly port: number;
  /** Folder of its data. */
  readonly folder: string;
  readonly logFile: string;
  readonly onSpawn?: (pid: number) => void;
}

/** Starts Prometheus on this machine alone, and waits until it is ready. */
export const startPrometheus = async (
  options: PrometheusOptions,
): Promise<RunningProcess & { readonly url: string }> => {
  const { config, port, folder, logFile, onSpawn } = options;
  const url = `http://127.0.0.1:${port}`;
  const running = await startProcess({
    name: 'Prometheus',
    command: await prometheusBinary('prometheus'),
    args: [`--config.file=${config}`, `--storage.tsdb.path=${folder}`, `--web.listen-address=127.0.0.1:${port}`],
    logFile,
    isReady: async () => (await fetch(`${url}/-/ready`)).ok,
    onSpawn,
  });
  return { ...running, url };
};
