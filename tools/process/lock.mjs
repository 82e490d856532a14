// Plain JavaScript without packages, because tools/bootstrap.mjs needs it before anything is installed.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { processIdentity } from './identity.mjs';

const readOwner = (file) => {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    // Unlocked just now, or not a valid lock.
    return error.code === 'ENOENT' ? undefined : {};
  }
};

// After a reboot another process may have the holder's id.
const isHeldBy = ({ pid, identity }) => identity !== undefined && processIdentity(pid) === identity;

export const takeLock = async (file, onWait = () => {}) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  // Written beside and linked into place, so that a lock always names its owner.
  const own = `${file}.${randomUUID()}`;
  fs.writeFileSync(own, JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) }));
  try {
    for (let told = false; ;) {
      try {
        fs.linkSync(own, file);
        break;
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
      const owner = readOwner(file);
      if (owner === undefined) continue;
      if (!isHeldBy(owner)) {
        fs.rmSync(file, { force: true });
        continue;
      }
      if (!told) onWait(owner.pid);
      told = true;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } finally {
    fs.rmSync(own, { force: true });
  }
  const unlock = () => {
    if (readOwner(file)?.pid === process.pid) fs.rmSync(file, { force: true });
    process.removeListener('exit', unlock);
  };
  process.on('exit', unlock);
  return unlock;
};
