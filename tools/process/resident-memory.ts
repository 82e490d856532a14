import fs from 'node:fs';

/** Resident memory of a process in MiB. */
export const residentMemory = (pid: number): number => {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
};
