import type { Writable } from 'node:stream';

/**
 * Writes lines, those of one turn of the event loop in one call, because each is a call of the kernel that everything
 * waits for. What is left is written when the process exits.
 */
export const createLineWriter = (out: Writable): ((line: string) => void) => {
  let lines = '';
  const flush = (): void => {
    const text = lines;
    lines = '';
    if (text !== '') out.write(text);
  };
  process.once('exit', flush);
  return (line) => {
    if (lines === '') setImmediate(flush);
    lines += line;
  };
};
