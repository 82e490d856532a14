import fs from 'node:fs';

const copyOf = (file: string): string => `${file}.copy`;

/** anvil writes this field last, so a file that ends with it was written to its end. */
const lastField = /"historical_states":.*\}\s*$/s;

/** True when the saved chain was written to its end. */
function isWhole(file: string): boolean {
  let handle: number;
  try {
    handle = fs.openSync(file, 'r');
  } catch {
    return false;
  }
  try {
    const { size } = fs.fstatSync(handle);
    const end = Buffer.alloc(Math.min(size, 256));
    fs.readSync(handle, end, 0, end.length, size - end.length);
    return lastField.test(end.toString('latin1'));
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * Prepares the file of a saved chain for the next start. anvil overwrites it in place, so a kill at the wrong moment
 * leaves half a file; then the last whole copy takes its place.
 *
 * @throws Error when there is a file but neither it nor the copy is whole
 */
export function usableState(file: string): void {
  if (!fs.existsSync(file) || isWhole(file)) return;
  const copy = copyOf(file);
  if (!isWhole(copy)) throw new Error(`the saved chain ${file} is broken and can not be read; run: npm run reset`);
  fs.copyFileSync(copy, file);
}

/** Copies the file of a chain that is running every second once it changed; answers the function that ends it. */
export function keepCopy(file: string): () => void {
  const copy = copyOf(file);
  const next = `${copy}.new`;
  let copied = 0;
  const timer = setInterval(() => {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    // Large files are copied less often: 1 s more for each 8 MiB.
    if (!stat || stat.mtimeMs - copied < 900 + stat.size / 8_000) return;
    fs.copyFileSync(file, next);
    if (!isWhole(next)) return;
    fs.renameSync(next, copy);
    copied = stat.mtimeMs;
  }, 1_000);
  timer.unref();
  return () => clearInterval(timer);
}
