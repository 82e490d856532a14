/**
 * The first file that runs in a fresh clone: plain JavaScript without packages.
 *
 *   node dev/bootstrap.mjs FILE [ARGUMENT...]
 *
 * checks the version of Node, installs the packages when they are missing or not those of package-lock.json, and then
 * runs the TypeScript file in this same process, so that a signal reaches it exactly once.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { takeLock } from './process/lock.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const say = (message) => {
  process.stderr.write(`carat: ${message}\n`);
};

const fail = (message) => {
  say(message);
  process.exit(1);
};

const checkNode = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(`Node ${process.versions.node} is too old: Carat needs Node 20.19 or newer (https://nodejs.org)`);
};

const readPackages = (file) => {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
};

/** True when node_modules holds every package of package-lock.json in its version (other platforms' ones excepted). */
const isInstalled = () => {
  const wanted = readPackages(path.join(root, 'package-lock.json'));
  const present = readPackages(path.join(root, 'node_modules', '.package-lock.json'));
  if (!wanted) fail('package-lock.json is missing or broken');
  if (!present) return false;
  return Object.entries(wanted).every(
    ([name, { version, optional }]) => name === '' || optional || present[name]?.version === version,
  );
};

/** Runs `npm ci` on this terminal and answers its exit code or the signal that ended it. */
const runNpm = () => {
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund'];
  const [command, full] = npm?.endsWith('js') ? [process.execPath, [npm, ...args]] : ['npm', args];
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  return new Promise((resolve, reject) => {
    const child = spawn(command, full, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    // It would go on alone, beside the npm of the next start.
    const pass = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, pass);
    const settled = (settle) => (outcome) => {
      for (const signal of signals) process.removeListener(signal, pass);
      settle(outcome);
    };
    child.on('error', settled(reject));
    child.on('exit', (code, signal) => settled(resolve)(code ?? signal));
  });
};

const install = async () => {
  if (isInstalled()) return;
  const release = await takeLock(path.join(root, '.carat', 'install.lock'), (pid) =>
    say(`process ${pid} is installing the packages, waiting for it`),
  );
  if (isInstalled()) return release();
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  say('installing the packages of package-lock.json (npm ci), about a minute');
  const ticker = setInterval(() => say(`still installing, ${seconds()}`), 10_000);
  try {
    const outcome = await runNpm();
    if (outcome !== 0) fail(`npm ci failed (${outcome}); its output is above`);
  } catch (error) {
    fail(`npm could not be started: ${error.message}`);
  } finally {
    clearInterval(ticker);
    release();
  }
  say(`packages installed in ${seconds()}`);
};

checkNode();
const [file, ...rest] = process.argv.slice(2);
if (!file) fail('usage: node dev/bootstrap.mjs FILE [ARGUMENT...]');
await install();

const entry = path.resolve(root, file);
process.argv = [process.argv[0], entry, ...rest];
const { register } = await import('tsx/esm/api');
register();
await import(pathToFileURL(entry).href);
