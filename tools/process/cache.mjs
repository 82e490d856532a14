// Plain JavaScript without packages, because tools/node/node.mjs needs it before anything is installed.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { takeLock } from './lock.mjs';

export const cacheDir = (env = process.env) => {
  if (env.CARAT_CACHE) return path.resolve(env.CARAT_CACHE);
  if (env.XDG_CACHE_HOME) return path.join(env.XDG_CACHE_HOME, 'carat');
  return path.join(os.homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'carat');
};

export const cached = async (name, report, make) => {
  const target = path.join(cacheDir(), name);
  if (fs.existsSync(target)) return target;
  fs.mkdirSync(path.dirname(target), { recursive: true });
  const unlock = await takeLock(`${target}.lock`, (pid) =>
    report(`process ${pid} is fetching ${name}, waiting for it`),
  );
  const partial = `${target}.partial-${process.pid}`;
  try {
    if (fs.existsSync(target)) return target;
    report(`fetching ${name}, once for this user`);
    await make(partial);
    fs.renameSync(partial, target);
    return target;
  } finally {
    fs.rmSync(partial, { recursive: true, force: true });
    unlock();
  }
};
