// Plain JavaScript without packages, because tools/bootstrap.mjs needs it before anything is installed.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

const linuxIdentity = (pid) => {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name is in parentheses and may contain anything, so fields count from the last parenthesis.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    const startTicks = fields[18];
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}:${startTicks}`;
  } catch {
    return undefined;
  }
};

const portableIdentity = (pid) => {
  try {
    const options = { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } };
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], options).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
};

export const processIdentity = (pid) => (process.platform === 'linux' ? linuxIdentity(pid) : portableIdentity(pid));
