import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processIdentity } from './identity.mjs';
import { takeLock } from './lock.mjs';
import { endRecorded, type ProcessRecord } from './records.ts';
import { writeSecretFile } from '../stack/secrets.ts';

interface StarterRecord {
  readonly pid: number;
  readonly identity: string;
  readonly stopping: boolean;
}

/** The place of a clone's starter: at most one runs at a time. */
export interface StarterPlace {
  /** Folder of the records of this starter's processes. */
  readonly records: string;
  /** Tells later starts that this one is stopping. */
  leave(): void;
  /** Gives the place back after everything has stopped. */
  free(): void;
}

/**
 * Takes the starter's place: refuses while another starter runs, waits for one that is stopping, and ends the leftovers
 * of a killed one.
 * @throws Error that tells how to stop the running one
 */
export const takePlace = async (stateDir: string, report: (line: string) => void): Promise<StarterPlace> => {
  const file = path.join(stateDir, 'starter.json');
  const records = path.join(stateDir, 'processes');
  const identity = processIdentity(process.pid) ?? '';
  // The second of two simultaneous starts must see the first.
  const unlock = await takeLock(path.join(stateDir, 'starter.lock'));
  try {
    await waitForOther(file, report);
    writeSecretFile(file, { pid: process.pid, identity, stopping: false } satisfies StarterRecord);
  } finally {
    unlock();
  }
  const ended = await endLeftovers(records);
  if (ended.length > 0) {
    report(`ended leftovers of an earlier start: ${ended.map(({ name, pid }) => `${name} (${pid})`).join(', ')}`);
  }
  return {
    records,
    leave: () => writeSecretFile(file, { pid: process.pid, identity, stopping: true } satisfies StarterRecord),
    free: () => fs.rmSync(file, { force: true }),
  };
};

/** Ends the recorded processes: api and worker first, because they cannot finish their work without the services. */
export const endLeftovers = async (records: string): Promise<ProcessRecord[]> => [
  ...(await endRecorded(records, undefined, ['api', 'worker'])),
  ...(await endRecorded(records)),
];

const readRecord = (file: string): StarterRecord | undefined => {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as StarterRecord;
  } catch {
    return undefined;
  }
};

/** Process id of the running starter; undefined when none runs, even if a killed one left its file. */
export const runningStarter = (stateDir: string): number | undefined => {
  const record = readRecord(path.join(stateDir, 'starter.json'));
  return record && processIdentity(record.pid) === record.identity ? record.pid : undefined;
};

const waitForOther = async (file: string, report: (line: string) => void): Promise<void> => {
  const noticed = Date.now();
  for (let told = false; ;) {
    const other = readRecord(file);
    if (!other || processIdentity(other.pid) !== other.identity) return;
    const stopping = other.stopping;
    // A starter that lost its terminal needs a moment to notice.
    if (!stopping && Date.now() - noticed > 2_000) {
      throw new Error(
        `a stack of this clone is already running (process ${other.pid}); stop it with Ctrl-C or: kill ${other.pid}`,
      );
    }
    if (stopping && !told) {
      told = true;
      report(`waiting for process ${other.pid}, which is stopping`);
    }
    if (Date.now() - noticed > 60_000) throw new Error(`process ${other.pid} does not stop; end it and start again`);
    await delay(100);
  }
};
