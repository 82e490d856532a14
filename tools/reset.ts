import fs from 'node:fs';
import path from 'node:path';
import { postgresDir } from './stack/infrastructure.ts';
import { root, stateDir } from './paths.ts';
import { takePlace } from './process/starter.ts';

/*
 * npm run reset
 *
 * Deletes everything that npm start keeps: database, chains, workflows, secrets, logs. Refuses while a stack runs.
 */

/** True when `npm start` created this folder, so that a wrong CARAT_STATE_DIR deletes nothing else. */
const isOurs = (folder: string): boolean => {
  const entries = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return folder === path.join(root, '.carat') || entries.length === 0 || entries.includes('secrets.json');
};

try {
  if (!isOurs(stateDir)) throw new Error(`${stateDir} was not created by npm start and is left unchanged`);
  await takePlace(stateDir, console.log);
  const data = await postgresDir(stateDir);
  // Outside the state folder only if PostgreSQL's account cannot reach that folder.
  if (!data.startsWith(stateDir + path.sep)) fs.rmSync(path.dirname(data), { recursive: true, force: true });
  fs.rmSync(stateDir, { recursive: true, force: true });
  console.log('the local stack is reset; the next npm start begins from nothing');
} catch (error) {
  console.error(`reset: ${(error as Error).message}`);
  process.exitCode = 1;
}
