import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/paths.ts';
import { actionOf } from '../../chain/lane/state.ts';
import { conditionKinds } from '../../domain/alerts/condition.ts';
import { incidentKinds } from '../../domain/alerts/incident.ts';
import { circlesOf, freeFolders, importsOf, sourcesIn } from '../support/imports.ts';

const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8');
const architecture = fs.readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
const security = fs.readFileSync(path.join(root, 'docs/security.md'), 'utf8');

/** Rows of the tables of a section, as texts of their cells. */
const rowsOf = (text: string, heading: string): string[][] => {
  const section = text.split(new RegExp(`^#+ ${heading}$`, 'm'))[1]?.split(/^#+ /m)[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .slice(1)
    .map((line) => line.split('|').slice(1, -1));
};

const namesIn = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

/** Folders of sources, without folders of data, generated files or files that Git ignores. */
const foldersIn = (folder: string): string[] =>
  fs
    .readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => path.join(folder, name));

const sizeOf = (folder: string): number =>
  fs.readdirSync(path.join(root, folder), { withFileTypes: true }).filter((entry) => entry.isFile()).length;

describe('the map of the folders', () => {
  const top = foldersIn('.');

  it('names every folder of the top level, and no other', () => {
    const named = rowsOf(architecture, 'Floors').flatMap(([place]) => namesIn(place));
    const folders = named.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1));
    expect(folders.toSorted()).toEqual(top.toSorted());
    for (const name of named) expect(fs.existsSync(path.join(root, name))).toBe(true);
  });

  it('names every room, and no other', () => {
    const rooms = ['api', 'chain', 'contracts', 'db', 'domain', 'install', 'test', 'tools', 'workers'].flatMap(
      foldersIn,
    );
    const named = rowsOf(architecture, 'Rooms').flatMap(([place]) => namesIn(place));
    expect(named.toSorted()).toEqual(rooms.map((room) => `${room}/`).toSorted());
  });

  it('has at most 16 files in a folder of sources, except migrations, which stay forever', () => {
    const sources = top.filter((folder) => !['docs', 'test'].includes(folder));
    const all = sources
      .flatMap((folder) => [folder, ...foldersIn(folder)])
      .filter((folder) => folder !== 'db/migrations');
    expect(all.map((folder) => [folder, sizeOf(folder)] as const).filter(([, size]) => size > 16)).toEqual([]);
  });
});

/* Circles of imports: of a circle, no part can be understood, moved or tested without all others. Types count as values do. */
describe('imports', () => {
  const floors = foldersIn('.').filter((folder) => !freeFolders.includes(folder));
  const imports = floors.flatMap(sourcesIn).flatMap((file) =>
    importsOf(file, fs.readFileSync(path.join(root, file), 'utf8'))
      .map(({ target }) => ({ file, target }))
      .filter(({ target }) => target.endsWith('.ts')),
  );

  /** A folder of a floor, such as `db/payments`, with those below it; the files at the top of a floor are a room together. */
  const roomOf = (file: string): string => path.dirname(file).split(path.sep).slice(0, 2).join('/');

  const graphOf = (nameOf: (file: string) => string): Map<string, Set<string>> => {
    const edges = new Map<string, Set<string>>();
    for (const { file, target } of imports) {
      const [from, to] = [nameOf(file), nameOf(target)];
      if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
    }
    return edges;
  };

  it('go from room to room without a circle', () => {
    const rooms = graphOf(roomOf);
    expect(rooms.get('db/payments')).toContain('db/intents');
    expect(circlesOf(rooms)).toEqual([]);
  });

  it('go from file to file without a circle', () => {
    expect(circlesOf(graphOf((file) => file))).toEqual([]);
  });

  it('form a circle also through other rooms and by types', () => {
    const edges = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['c', 'd'],
      ['d', 'e'],
    ] as const;
    const graph = new Map(
      edges.map(([from]) => [
        from as string,
        new Set(edges.filter(([own]) => own === from).map(([, to]) => to as string)),
      ]),
    );
    expect(circlesOf(graph)).toEqual([['a', 'b', 'c']]);
    const [found] = importsOf('db/lane/store.ts', "import type { X } from '../payments/read.ts';");
    expect(found).toEqual({ target: 'db/payments/read.ts', typeOnly: true });
  });
});

/** The sections of a document whose table is a trace: numbered steps, each with a file and the names in it. */
const tracesIn = (text: string): [title: string, text: string][] =>
  text.split(/^#+ /m).flatMap((section): [string, string][] => {
    const [title = ''] = section.split('\n');
    return section.includes('\n| # | where |') ? [[title, text]] : [];
  });

/** Files that read the clock, because they compare it with a date from elsewhere: of a block, a response, a key, a poller of Temporal. */
const readDate = [
  'chain/deploy/fitness.ts',
  'chain/rpc/compare.ts',
  'chain/rpc/exchange.ts',
  'chain/watcher/judge.ts',
  'db/webhooks/webhooks.ts',
  'domain/tools/outside-clock.ts',
  'outbox/sign-of-life.ts',
  'workers/connect.ts',
];

it('intervals are measured by performance.now(), because a clock may be set', () => {
  const folders = ['activities', 'chain', 'db', 'delivery', 'domain', 'metrics', 'outbox', 'workers'];
  const reading = folders.flatMap(sourcesIn).filter((file) => {
    // The Temporal client takes a deadline as a date.
    const text = fs.readFileSync(path.join(root, file), 'utf8').replaceAll('withDeadline(Date.now()', '');
    return /\bDate\.now\b/.test(text);
  });
  expect(reading.toSorted()).toEqual(readDate);
});

it('docs/architecture.md has eleven traces', () => {
  expect(tracesIn(architecture)).toHaveLength(11);
});

it('docs/architecture.md has every state of a transaction in a lane, in the order in which they count', () => {
  const states = rowsOf(architecture, 'Transactions of a lane').flatMap(([state]) => namesIn(state));
  expect(states).toEqual(Object.keys(actionOf));
});

it('the short map of README.md names places that exist, and README.md stays short', () => {
  const places = rowsOf(readme, 'Map').flatMap(([place]) => namesIn(place));
  expect(places.length).toBeGreaterThan(10);
  for (const place of places) expect([place, fs.existsSync(path.join(root, place))]).toEqual([place, true]);
  expect(readme.split('\n').length).toBeLessThanOrEqual(151);
});

describe.each(tracesIn(architecture))('%s', (title, text) => {
  const steps = rowsOf(text, title);

  it.each(steps.map(([, where]) => namesIn(where)))('%s %s', (file, ...names) => {
    const source = fs.readFileSync(path.join(root, file), 'utf8');
    expect(names.length).toBeGreaterThan(0);
    const declared = (name: string): boolean =>
      file.endsWith('.ts')
        ? new RegExp(`^export (async )?(const|function|class|interface|type) ${name}\\b`, 'm').test(source)
        : new RegExp(`\\b(operationId:|function) ${name}\\b`).test(source);
    expect(names.filter((name) => !declared(name))).toEqual([]);
  });

  it('has each step once, and in order', () => {
    expect(steps.map(([number]) => Number(number))).toEqual(steps.map((_, index) => index + 1));
    const places = steps.map(([, where]) => where);
    expect(new Set(places).size).toBe(places.length);
  });
});

it('every word of docs/architecture.md names one to three files that own it, and has one sense', () => {
  const words = rowsOf(architecture, 'Words');
  const owners = words.map(([word, , files]) => [word!.trim(), namesIn(files)] as const);
  expect(owners.length).toBeGreaterThan(30);
  expect(owners.filter(([, files]) => files.length < 1 || files.length > 3)).toEqual([]);
  expect(owners.flatMap(([, files]) => files).filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
  const names = owners.flatMap(([word]) => word.split(', '));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('docs/security.md names for each threat the place that stops it', () => {
  const places = rowsOf(security, 'Threats and what stops them').map(([, , where]) => namesIn(where));
  expect(places.length).toBeGreaterThan(20);
  expect(places.filter((files) => files.length === 0)).toEqual([]);
  expect(places.flat().filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
});

it('docs/security.md names for the thief of each key the stop, and its place', () => {
  const thieves = rowsOf(security, 'The thief of each key');
  const keys = [
    "nobody's",
    "an operator's",
    "a signer's",
    "an upgrader's",
    "a guardian's",
    "root's",
    "root's, as a contract",
  ];
  expect(thieves.map(([key]) => key!.trim())).toEqual(keys);
  for (const cells of thieves) expect(cells.filter((cell) => cell.trim() === '')).toEqual([]);
  const places = thieves.map((cells) => namesIn(cells.at(-1)));
  expect(places.filter((files) => files.length === 0)).toEqual([]);
  expect(places.flat().filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
});

it('docs/operations/alerts.md says what to do about every kind of alert', () => {
  const alerts = fs.readFileSync(path.join(root, 'docs/operations/alerts.md'), 'utf8');
  const kindsOf = (title: string) => rowsOf(alerts, title).flatMap(([kind]) => namesIn(kind));
  expect([kindsOf('Conditions'), kindsOf('Incidents')]).toEqual([[...conditionKinds], [...incidentKinds]]);
});
