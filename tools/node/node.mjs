/**
 * Prints the path of the Node that runs Carat: this one if it is new enough, else the one that package-lock.json beside
 * this file pins, fetched once per user. Plain JavaScript for any Node since 20.
 */
import fs from 'node:fs';
import path from 'node:path';
import { cached } from '../process/cache.mjs';
import { installLocked } from '../process/npm.mjs';

/** The first Node that strips types without a warning. */
const NEEDED = [24, 12];

const isNewEnough = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
};

const say = (line) => {
  process.stderr.write(`carat: ${line}\n`);
};

/** Fetches this platform's Node from npm; undefined when npm has none. */
const fetchNode = async () => {
  const here = import.meta.dirname;
  const name = `node-${process.platform}-${process.arch}`;
  const pinned = JSON.parse(fs.readFileSync(path.join(here, 'package.json'), 'utf8')).optionalDependencies;
  if (pinned[name] === undefined) return undefined;
  const folder = await cached(`${name}-${pinned[name]}`, say, async (target) => {
    fs.mkdirSync(target, { recursive: true });
    for (const file of ['package.json', 'package-lock.json'])
      fs.copyFileSync(path.join(here, file), path.join(target, file));
    const outcome = await installLocked(target, ['--ignore-scripts']);
    if (outcome !== 0) throw new Error(`npm ci failed (${outcome}); its output is above`);
  });
  return path.join(folder, 'node_modules', name, 'bin/node');
};

try {
  const node = isNewEnough() ? process.execPath : await fetchNode();
  if (node === undefined) {
    throw new Error(
      `Node ${process.versions.node} is too old: Carat needs Node ${NEEDED.join('.')} or newer (https://nodejs.org)`,
    );
  }
  process.stdout.write(node);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
