import fs from 'node:fs';

/** Resident memory of a process in MiB. */
export const residentMemory = (pid: number): number => {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
};

/** Of the fields of `/proc/PID/stat` (proc_pid_stat(5)). Linux counts 100 ticks a second for user space. */
const TICK_MS = 10;

interface Stat {
  readonly parent: number;
  readonly ms: number;
}

const statOf = (pid: string): Stat | null => {
  try {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    // User and system time of the process itself, and of the children that it has waited for.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ms: ticks * TICK_MS };
  } catch {
    return null;
  }
};

/** Processor nanoseconds of each thread of a process so far. */
type ThreadTimes = ReadonlyMap<string, bigint>;

const threadTimes = (pid: number): ThreadTimes =>
  new Map(
    fs.readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      try {
        const [ran = '0'] = fs.readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
        return [[thread, BigInt(ran)] as const];
      } catch {
        return [];
      }
    }),
  );

/**
 * A clock of the processor time of one process, its kernel time included, without its children. It is a hundred times as fine as
 * `processorTime`; a thread that ends takes along the time that it has used since the last reading.
 * @returns milliseconds since the reading before
 */
export const createThreadClock = (pid: number): (() => number) => {
  let before = threadTimes(pid);
  return () => {
    const now = threadTimes(pid);
    const spent = [...now].reduce((sum, [thread, ran]) => sum + (ran - (before.get(thread) ?? 0n)), 0n);
    before = now;
    return Number(spent) / 1e6;
  };
};

/** Processor milliseconds that a process and all that it started have used so far. */
export const processorTime = (pid: number): number => {
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const stats = new Map(pids.flatMap((name) => [[Number(name), statOf(name)]] as const).filter(([, stat]) => stat));
  const isBelow = (one: number): boolean => one === pid || isBelowParent(stats.get(one)?.parent ?? 0);
  const isBelowParent = (parent: number): boolean => parent > 1 && isBelow(parent);
  return [...stats].reduce((sum, [one, stat]) => (isBelow(one) ? sum + stat!.ms : sum), 0);
};
