import fs from 'node:fs';
import path from 'node:path';
import { readDocument } from '../../api/request/specification.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');

const rows = [...read('test/README.md').matchAll(/^\| `(§[^`]+)` \| (.+) \|$/gm)].map(([, clause, files]) => ({
  clause: clause!,
  files: files!.split(', ').map((file) => file.replaceAll('`', '')),
}));
const endpoints = rows.flatMap((row) => {
  const [, method, route] = /^§4 ([A-Z]+) (\S+)$/.exec(row.clause) ?? [];
  return method === undefined || route === undefined ? [] : [{ ...row, method: method.toLowerCase(), route }];
});
const sources = fs
  .readdirSync(path.join(root, 'test/interface'))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => ({ file: `interface/${name}`, source: read(`test/interface/${name}`) }));

/** The clauses that texts of a test file begin with, up to the colon. */
const clausesOf = (source: string): string[] => [
  ...new Set([...source.matchAll(/['"`](§[^'"`:$]+)(?=[:'"`$])/g)].map(([, clause]) => clause!)),
];
/** The first characters of the title of each test. */
const titlesOf = (source: string): string[] =>
  [...source.matchAll(/\bit(?:\.each[\s\S]*?\))?\(\s*['"`]([\s\S]{1,2})/g)].map(([, start]) => start!);

const paths = (readDocument(path.join(root, 'openapi.yaml')) as { paths: Record<string, Record<string, unknown>> })
  .paths;
const isThere = (route: string, method: string): boolean => Object.hasOwn(paths[route] ?? {}, method);

describe('the table of the interface contract', () => {
  it('has every section, and each clause once', () => {
    expect(rows.length).toBeGreaterThan(60);
    const sections = new Set(rows.map(({ clause }) => clause.slice(0, 2)));
    expect([...sections]).toEqual(['§1', '§2', '§3', '§4', '§5', '§6', '§7', '§8', '§9']);
    expect(rows.map(({ clause }) => clause)).toEqual([...new Set(rows.map(({ clause }) => clause))]);
  });

  it('names for each clause the files whose titles begin with it, and no others', () => {
    const tested = rows.map(({ clause }) => ({
      clause,
      files: sources.filter(({ source }) => clausesOf(source).includes(clause)).map(({ file }) => file),
    }));
    expect(tested).toEqual(rows);
  });

  it('has the clause of every title', () => {
    const known = rows.map(({ clause }) => clause);
    for (const { file, source } of sources) {
      expect([file, clausesOf(source).filter((clause) => !known.includes(clause))]).toEqual([file, []]);
    }
  });

  it('covers every test: each title begins with a clause', () => {
    for (const { file, source } of sources) {
      const titles = titlesOf(source);
      expect([file, titles.filter((start) => !start.startsWith('§') && start !== '${')]).toEqual([file, []]);
      expect([file, titles.length > 0]).toEqual([file, true]);
    }
  });

  it('has the 29 endpoints of the contract, which are all in the specification', () => {
    expect(endpoints).toHaveLength(29);
    for (const { clause, route, method } of endpoints) expect([clause, isThere(route, method)]).toEqual([clause, true]);
  });
});
