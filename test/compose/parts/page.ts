import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../../tools/paths.ts';
import type { Bench } from '../bench.ts';

/** The blocks of commands after these words of a page of operations, in order. */
export const blocksAfter = (page: string, words: string): string[] => {
  const text = fs.readFileSync(path.join(root, 'docs/operations', page), 'utf8');
  const blocks = [...text.slice(text.indexOf(words)).matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block);
  if (blocks.length === 0 || !text.includes(words)) throw new Error(`${page} has no commands after "${words}"`);
  return blocks;
};

/** The commands in the first of these blocks, one a line. */
export const commandsAfter = (page: string, words: string): string[] => blocksAfter(page, words)[0]!.trim().split('\n');

/** Runs commands one after another. */
export const runAll = async ({ sh }: Bench, commands: readonly string[]): Promise<void> => {
  for (const command of commands) await sh(command);
};
