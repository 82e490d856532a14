import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../tools/paths.ts';

const run = promisify(execFile);

/** The Nodes of this machine, each version once: the one that runs the tests, and others on the path. */
export const nodes = async (): Promise<readonly { readonly version: string; readonly file: string }[]> => {
  const files = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'node'));
  const versions = new Map<string, string>();
  for (const file of [process.execPath, ...files.filter((one) => fs.existsSync(one))]) {
    const { stdout } = await run(file, ['--version']);
    const version = stdout.trim();
    if (!versions.has(version)) versions.set(version, file);
  }
  return [...versions].map(([version, file]) => ({ version, file }));
};

/** Builds and packs the client into a folder outside the repository; resolves to the file that a shop installs. */
export const packClient = async (): Promise<string> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-packed-'));
  await run(process.execPath, ['tools/build/build-client.ts', path.join(folder, 'built')], { cwd: root });
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder, path.join(folder, 'built')]);
  return path.join(folder, stdout.trim());
};

/** Installs packages into a project without the network. */
export const installOffline = async (project: string, ...packages: string[]): Promise<void> => {
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', ...packages], { cwd: project });
};
