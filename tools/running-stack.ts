import fs from 'node:fs';
import { devFile, shown, stateDir } from './paths.ts';
import { runningStarter } from './process/starter.ts';
import type { DevFile } from './stack/dev-file.ts';

/** The running stack of `npm start`, if any. A file left by a killed stack does not count. */
export const runningStack = (): DevFile | undefined => {
  if (!fs.existsSync(devFile) || runningStarter(stateDir) === undefined) return undefined;
  return JSON.parse(fs.readFileSync(devFile, 'utf8')) as DevFile;
};

/** The running stack of `npm start`; exits with a message if none runs. */
export const requireRunningStack = (): DevFile => {
  const stack = runningStack();
  if (stack) return stack;
  console.error(`There is no running stack in ${shown(stateDir)}: run npm start in another terminal first.`);
  return process.exit(1);
};
