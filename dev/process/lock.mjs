// Plain JavaScript without packages, because dev/bootstrap.mjs needs it before anything is installed.
import fs from 'node:fs';
import path from 'node:path';

export const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

const readOwner = (file) => {
  try {
    return Number(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

export const takeLock = async (file, onWait = () => {}) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  // Written beside and linked into place, so that a lock never stands without its owner.
  const own = `${file}.${process.pid}`;
  fs.writeFileSync(own, String(process.pid));
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
      if (!isAlive(owner)) {
        fs.rmSync(file, { force: true });
        continue;
      }
      if (!told) onWait(owner);
      told = true;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } finally {
    fs.rmSync(own, { force: true });
  }
  const release = () => {
    if (readOwner(file) === process.pid) fs.rmSync(file, { force: true });
    process.removeListener('exit', release);
  };
  process.on('exit', release);
  return release;
};
