import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { Log } from '../domain/ports/log.ts';
import { succeeds } from '../domain/tools/succeeds.ts';

const root = path.dirname(import.meta.dirname);
/** Folders whose code can be part of a workflow. */
const sources = ['workflows', 'domain'];

const filesBelow = async (folder: string): Promise<string[]> => {
  const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
};

/** A hash of the inputs of a bundle: Carat's sources and the version of the SDK. */
const contentHash = async (): Promise<string> => {
  const hash = createHash('sha256');
  const sdk = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string };
  hash.update(sdk.version);
  for (const file of (await Promise.all(sources.map(filesBelow))).flat()) {
    hash.update(`\0${file}\0`).update(await readFile(path.join(root, file)));
  }
  return hash.digest('hex').slice(0, 20);
};

/** Bundles the workflows into `file`, written atomically. */
export const writeWorkflowBundle = async (file: string, log: Log): Promise<void> => {
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(root, 'workflows', 'index.ts'),
    // The bundler's statistics are of no use to operators.
    logger: { ...log, info: log.debug, trace: log.debug, log: (_level, message, meta) => log.debug(message, meta) },
  });
  await mkdir(path.dirname(file), { recursive: true });
  const partial = `${file}.${process.pid}.partial`;
  await writeFile(partial, code);
  await rename(partial, file);
};

/**
 * The path of a bundle of exactly this code. It is kept for restarts, because bundling takes two seconds.
 */
export const workflowBundle = async (folder: string, log: Log): Promise<string> => {
  const file = path.join(folder, `workflows-${await contentHash()}.js`);
  if (!(await succeeds(stat(file)))) await writeWorkflowBundle(file, log);
  return file;
};
