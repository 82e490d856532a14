import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/paths.ts';
import { sourcesIn } from '../support/imports.ts';
import { documents, read } from '../support/samples.ts';

const folder = 'docs/decisions';
const decisions = fs
  .readdirSync(path.join(root, folder))
  .filter((file) => file !== 'README.md')
  .toSorted();
const textOf = (file: string): string => read(path.posix.join(folder, file));

describe('docs/decisions', () => {
  it('numbers each decision once', () => {
    const numbers = decisions.map((file) => file.slice(0, 4));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('has at most 50 decisions: a new one takes the place of others, or is written into the one that it changes', () => {
    expect(decisions.length).toBeLessThanOrEqual(50);
  });

  it.each(decisions)('%s has its number in its title, is in force, and has fewer than 60 lines', (file) => {
    const text = textOf(file);
    expect(text).toMatch(new RegExp(`^# ${file.slice(0, 4)}: \\S.*\\n\\nStatus: accepted\\.\\n`));
    expect(text.split('\n').length - 1).toBeLessThan(60);
  });

  it('lists each decision once in its README.md, by its title', () => {
    const listed = [...textOf('README.md').matchAll(/^- \[\d{4}\]\(.+\): .+$/gm)].map(([line]) => line);
    const lines = decisions.map((file) => textOf(file).replace(/^# (\d{4}): (.+)\n[^]*$/, `- [$1](${file}): $2`));
    expect(listed.toSorted()).toEqual(lines);
  });
});

it.each(documents)('%s links to files that exist', (file) => {
  const links = [...read(file).matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, link]) => link!);
  expect(links.filter((link) => !fs.existsSync(path.join(root, path.dirname(file), link)))).toEqual([]);
});

it('is named by its number only where it exists, in every source and document', () => {
  const folders = fs
    .readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules');
  const files = [...documents, ...folders.flatMap(({ name }) => sourcesIn(name))];
  const numbers = new Set(decisions.map((file) => file.slice(0, 4)));
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/\bdecisions?(?:\/|\s+(?:\*\s+)?\[?)(0\d{3})\b/gi)].map(([, number]) => ({
      file,
      number: number!,
    })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ number }) => !numbers.has(number))).toEqual([]);
});
