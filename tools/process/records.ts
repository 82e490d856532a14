import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processIdentity } from './identity.mjs';

/** Record of a process, by which a later start can recognise and end it. */
export interface ProcessRecord {
  readonly name: string;
  readonly pid: number;
  /** From `processIdentity`: distinguishes the process from a later one with the same id. */
  readonly identity: string;
  readonly stopSignal: NodeJS.Signals;
}

/** Records a process in a folder, one file each, so that several processes may do so at once. */
export const recordProcess = (
  folder: string,
  name: string,
  pid: number,
  stopSignal: NodeJS.Signals = 'SIGTERM',
): void => {
  const identity = processIdentity(pid);
  if (identity === undefined) return;
  const record: ProcessRecord = { name, pid, identity, stopSignal };
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${pid}.json`);
  fs.writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
};

/** Removes the record of a process that was stopped normally. */
export const forgetProcess = (folder: string, pid: number): void => {
  fs.rmSync(path.join(folder, `${pid}.json`), { force: true });
};

/** The recorded processes that still run; removes stale records. */
export const livingProcesses = (folder: string): ProcessRecord[] => {
  if (!fs.existsSync(folder)) return [];
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.flatMap((name) => {
    const record = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as ProcessRecord;
    if (processIdentity(record.pid) === record.identity) return [record];
    fs.rmSync(path.join(folder, name), { force: true });
    return [];
  });
};

/**
 * Ends the recorded processes that still run: first the stop signal, after the grace SIGKILL.
 * @param graceMs milliseconds between the two. Default 10,000
 * @param names ends only processes with these names. Default: all
 * @returns the ended processes
 */
export const endRecorded = async (folder: string, graceMs = 10_000, names?: string[]): Promise<ProcessRecord[]> => {
  const remaining = (): ProcessRecord[] => livingProcesses(folder).filter(({ name }) => names?.includes(name) ?? true);
  const told = new Map<number, ProcessRecord>();
  const deadline = Date.now() + graceMs;
  let killed = false;
  for (let left = remaining(); left.length > 0; left = remaining()) {
    // Includes processes recorded meanwhile.
    for (const record of left.filter(({ pid }) => !told.has(pid))) {
      told.set(record.pid, record);
      sendSignal(record.pid, record.stopSignal);
    }
    if (Date.now() > deadline && !killed) {
      killed = true;
      for (const { pid } of left) sendSignal(pid, 'SIGKILL');
    }
    await delay(20);
  }
  return [...told.values()];
};

/** Sends a signal to a process that may have ended meanwhile. */
export const sendSignal = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in the meantime.
  }
};
