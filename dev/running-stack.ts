import fs from 'node:fs';
import { devFile, shown, stateDir } from './paths.ts';
import { runningStarter } from './process/starter.ts';
import type { DevFile } from './stack/dev-file.ts';

/** The stack of `npm start` that runs, if one does; a killed one has left its file behind. */
export const runningStack = (): DevFile | undefined => {
  if (!fs.existsSync(devFile) || runningStarter(stateDir) === undefined) return undefined;
  return JSON.parse(fs.readFileSync(devFile, 'utf8')) as DevFile;
};

/** The stack of `npm start` that runs; where none does, the program says so and ends. */
export const requireRunningStack = (): DevFile => {
  const stack = runningStack();
  if (stack) return stack;
  console.error(`There is no running stack in ${shown(stateDir)}: run npm start in another terminal first.`);
  return process.exit(1);
};
