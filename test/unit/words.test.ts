import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from '../../tools/paths.ts';

/** A word with one sense, and the places of its sense or the places where another word has won. Places are beginnings of paths. */
interface Rule {
  /** A whole part of a name: `misfit` is a part of `isMisfit`, `MAX_MISFITS` and `misfit.ts`. */
  readonly word: RegExp;
  readonly only?: readonly string[];
  readonly never?: readonly string[];
}

/* The table of words in docs/architecture.md has the senses. */
const rules: readonly Rule[] = [
  { word: /^misfits?$/, only: ['chain/watcher/', 'db/watcher/', 'domain/', 'test/chain/watcher/', 'test/db/watcher/'] },
  {
    word: /^prob(e|es|ed|ing)$/,
    only: ['chain/lane/', 'db/intents/', 'db/lane/', 'domain/ports/lane.ts', 'test/chain/lane/', 'test/db/intents/'],
  },
  // The contract's function is called by commands and by tests of the chain.
  { word: /^(sweeps?|sweeping|swept)$/, only: ['cli/', 'contracts/', 'test/chain/'] },
  {
    word: /^orders?$/,
    never: ['api/checkouts/', 'db/checkouts/', 'db/choices/', 'domain/checkouts/'],
  },
  {
    word: /^(borne|ears?|rehears(e|al|als|ed|ing)?)$/,
    never: ['api/', 'chain/', 'db/', 'delivery/', 'domain/', 'outbox/'],
  },
  { word: /^(spells?|crowds?)$/, never: ['api/', 'db/', 'domain/', 'outbox/', 'workers/'] },
  { word: /^seal(s|ed|ing)?$/, only: [] },
  { word: /^houses?$/, only: [] },
  { word: /^(blam|doubt|trust)(e|s|es|ed|ing)?$/, never: ['chain/'] },
  { word: /^(rest|rests|rested|resting|awake|asleep)$/, never: ['chain/rpc/'] },
  { word: /^answer(s|ed|ing)?$/, never: ['chain/', 'delivery/', 'domain/tools/', 'outbox/', 'workers/', 'workflows/'] },
  {
    word: /^releas(e|es|ed|ing)$/,
    never: [
      'api/limits/',
      'chain/rpc/',
      'chain/signing/',
      'db/intents/',
      'db/outbox/',
      'delivery/',
      'tools/process/',
      'domain/tools/',
      'outbox/',
    ],
  },
];

/** The parts of a name in camelCase, snake_case or kebab-case, in lower case. */
const partsOf = (name: string): string[] =>
  name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((part) => part.toLowerCase());

const isWrong = (file: string, name: string): boolean =>
  rules.some(({ word, only, never }) => {
    if (!partsOf(name).some((part) => word.test(part))) return false;
    const isIn = (place: string): boolean => file.startsWith(place);
    return only !== undefined ? !only.some(isIn) : never!.some(isIn);
  });

/** The identifiers of a source; comments and texts have none. */
const identifiersOf = (file: string, text: string): Set<string> => {
  const names = new Set<string>();
  const collect = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, collect);
  };
  collect(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return names;
};

/** Names of a file with a word that has another sense, or that lost to another word. */
const wrongIn = (file: string, text: string): string[] =>
  [...file.split('/'), ...identifiersOf(file, text)]
    .filter((name) => isWrong(file, name))
    .map((name) => `${file}: ${name}`);

/** Folders whose exported names have one meaning each. */
const floors = [
  'activities',
  'api',
  'chain',
  'cli',
  'db',
  'delivery',
  'domain',
  'metrics',
  'outbox',
  'runtime',
  'workers',
  'workflows',
];

/** Names that a source exports by a declaration of its own. */
const exportedBy = (file: string, text: string): string[] =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    if (!isExported) return [];
    const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
    return declared.flatMap((one) => {
      const { name } = one as ts.NamedDeclaration;
      return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
    });
  });

/** Exported names of several files, with these files. */
const sharedNames = (sources: readonly (readonly [file: string, text: string])[]): string[] => {
  const filesOf = new Map<string, string[]>();
  for (const [file, text] of sources)
    for (const name of new Set(exportedBy(file, text))) filesOf.set(name, [...(filesOf.get(name) ?? []), file]);
  return [...filesOf].filter(([, files]) => files.length > 1).map(([name, files]) => `${name}: ${files.join(', ')}`);
};

const isOurs = (file: string): boolean => /\.(ts|mts|mjs)$/.test(file) && !/node_modules|generated/.test(file);

it('every word of identifiers and file names has one sense', () => {
  const folders = fs
    .readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => name);
  const files = folders.flatMap((folder) =>
    fs.readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  );
  const sources = files.filter(isOurs);
  expect(sources.length).toBeGreaterThan(500);
  expect(sources.flatMap((file) => wrongIn(file, fs.readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
});

it('an exported name means one thing', () => {
  const files = floors.flatMap((floor) =>
    fs.readdirSync(path.join(root, floor), { recursive: true, encoding: 'utf8' }).map((file) => `${floor}/${file}`),
  );
  const sources = files.filter(isOurs).map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')] as const);
  expect(sources.length).toBeGreaterThan(300);
  expect(sharedNames(sources)).toEqual([]);
});

it('names that two files declare and export are found', () => {
  const one = "export const limitOf = 1;\nexport interface Page {}\nexport { found } from './c.ts';\nconst own = 1;";
  const other = 'export const limit = 1, limitOf = 2;\nexport type Page = 1;\nconst own = 1;';
  expect(sharedNames([['a.ts', one]])).toEqual([]);
  const found = sharedNames([
    ['a.ts', one],
    ['b.ts', other],
  ]);
  expect(found).toEqual(['limitOf: a.ts, b.ts', 'Page: a.ts, b.ts']);
});

it.each([
  ['chain/rpc/compare.ts', 'const misfitsOf = 1;', ['misfitsOf']],
  ['chain/watcher/seek.ts', 'const misfitsOf = 1;', []],
  ['outbox/breaker.ts', 'interface Deps { readonly FIRST_PROBE_MS: number }', ['FIRST_PROBE_MS']],
  ['workers/sweep.ts', '// A sweep, and "a sweep".', ['sweep.ts']],
  ['db/auth/keys.ts', 'row.sealed_secret; row.encrypted_secret;', ['sealed_secret']],
  ['api/service/housekeeping.ts', 'keepHouse(HOUSEKEEPING_EVERY_MS);', ['keepHouse']],
  ['db/choices/settle.ts', 'settleOrders(trx);', ['settleOrders']],
  ['chain/rpc/member.ts', 'const { staysAtRest, restart } = blame();', ['staysAtRest', 'blame']],
])('in %s, "%s" has the wrong names %j', (file, text, names) => {
  expect(wrongIn(file, text)).toEqual(names.map((name) => `${file}: ${name}`));
});
