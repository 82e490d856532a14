import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/paths.ts';
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

  it.each(decisions)('%s has its number in its title, then a status', (file) => {
    expect(textOf(file)).toMatch(new RegExp(`^# ${file.slice(0, 4)}: \\S.*\\n\\nStatus: (accepted|superseded by \\[)`));
  });

  it('lists each decision once in its README.md, by its title', () => {
    const listed = [...textOf('README.md').matchAll(/^- \[\d{4}\]\(.+\): .+$/gm)].map(([line]) => line);
    const lines = decisions.map((file) => textOf(file).replace(/^# (\d{4}): (.+)\n[^]*$/, `- [$1](${file}): $2`));
    expect(listed.toSorted()).toEqual(lines);
  });

  it('links each superseded decision with the one that supersedes it, both ways', () => {
    const pairs = decisions.flatMap((file) => {
      const [, by] = /^Status: superseded by \[\d{4}\]\((.+?)\)/m.exec(textOf(file)) ?? [];
      return by === undefined ? [] : [{ file, by }];
    });
    expect(pairs.length).toBeGreaterThan(0);
    expect(pairs.filter(({ file, by }) => !textOf(by).includes(`](${file})`))).toEqual([]);
  });
});

it.each(documents)('%s links to files that exist', (file) => {
  const links = [...read(file).matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, link]) => link!);
  expect(links.filter((link) => !fs.existsSync(path.join(root, path.dirname(file), link)))).toEqual([]);
});
