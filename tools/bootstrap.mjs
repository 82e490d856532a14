/**
 * The first file that runs in a fresh clone: plain JavaScript without packages.
 *
 *   node tools/bootstrap.mjs FILE [ARGUMENT...]
 *
 * installs the packages of package-lock.json if they are missing or differ, then runs the TypeScript file in this same
 * process, so that a signal reaches it exactly once. tools/run.sh finds the Node for it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { takeLock } from './process/lock.mjs';
import { installLocked } from './process/npm.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const say = (message) => {
  process.stderr.write(`carat: ${message}\n`);
};

const fail = (message) => {
  say(message);
  process.exit(1);
};

const readPackages = (file) => {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
};

/** True when node_modules holds every package of package-lock.json in its version, except those of other platforms. */
const isInstalled = () => {
  const wanted = readPackages(path.join(root, 'package-lock.json'));
  const present = readPackages(path.join(root, 'node_modules', '.package-lock.json'));
  if (!wanted) fail('package-lock.json is missing or broken');
  if (!present) return false;
  return Object.entries(wanted).every(
    ([name, { version, optional }]) => name === '' || optional || present[name]?.version === version,
  );
};

const install = async () => {
  if (isInstalled()) return;
  const unlock = await takeLock(path.join(root, '.carat', 'install.lock'), (pid) =>
    say(`process ${pid} is installing the packages, waiting for it`),
  );
  if (isInstalled()) return unlock();
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  say('installing the packages of package-lock.json (npm ci), about a minute');
  const ticker = setInterval(() => say(`still installing, ${seconds()}`), 10_000);
  try {
    const outcome = await installLocked(root);
    if (outcome !== 0) fail(`npm ci failed (${outcome}); its output is above`);
  } catch (error) {
    fail(`npm could not be started: ${error.message}`);
  } finally {
    clearInterval(ticker);
    unlock();
  }
  say(`packages installed in ${seconds()}`);
};

// Child processes named node and npm run under this same Node.
process.env.PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
// Caches compiled code: a process that starts again needs two thirds of the time.
process.env.NODE_COMPILE_CACHE ??= path.join(root, '.carat', 'cache', 'compile');
const [file, ...rest] = process.argv.slice(2);
if (!file) fail('usage: node tools/bootstrap.mjs FILE [ARGUMENT...]');
await install();

const entry = path.resolve(root, file);
process.argv = [process.argv[0], entry, ...rest];
await import(pathToFileURL(entry).href);
