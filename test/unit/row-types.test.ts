import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/paths.ts';

/*
 * A type of rows says null where the column may be null: by db/schema.sql, and by LEFT JOINs of the statements in the same file. Names lead
 * from a property to its columns: those that a statement renames to it, else those of that name in the tables of the file. It is found
 * wrong when none of them always has a value.
 */

/** Columns that the statement's own conditions keep from being null. */
const neverNull: Readonly<Record<string, string>> = {
  'db/choices/settle.ts wallet_id': 'the choices of orders are web3 payments, which have one: payments_check',
  'db/lane/restored.ts number': 'WHERE number IS NOT NULL',
  'db/lane/waiting.ts step_id': 'WHERE step_id IS NOT NULL',
  'db/lane/slots.ts hash': 'found by the number, which comes with a hash: watch_cursors_check',
  'db/lane/slots.ts number': 'found by it',
  'db/offers/store.ts deal_id': 'offers are of web3 payments, which have one: payments_check',
  'db/offers/store.ts diamond_address': 'offers are of web3 payments, which have one: payments_check',
  'db/recovery/signal-again.ts workflow_id': 'the insert gives each row one',
  'db/watcher/judge.ts deal_id': 'deals are of web3 payments, which have one: payments_check',
  'db/watcher/judge.ts diamond_address': 'deals are of web3 payments, which have one: payments_check',
  'db/watcher/judge.ts terms_hash': 'deals are of web3 payments, which have one: payments_check',
  'db/watcher/payees.ts token': 'WHERE token_address IS NOT NULL; alerts of payees are of such payments',
  'db/watcher/stray.ts token': 'WHERE address IS NOT NULL',
};

const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');

/** Whether columns may be null, by table and name. */
const tables = new Map(
  [...read('db/schema.sql').matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+) \(\n([^]*?)\n\)/gm)].map(([, table, body]) => [
    table!,
    new Map(
      [...body!.matchAll(/^ {2}(?!CONSTRAINT)(\w+) (.+)$/gm)].map(([, name, rest]) => [
        name!,
        !/ NOT NULL,?$/.test(rest!),
      ]),
    ),
  ]),
);

const KEYWORDS = 'ON|WHERE|SET|ORDER|GROUP|LEFT|JOIN|USING|LIMIT|FOR|CROSS|UNION|SELECT|RETURNING|VALUES';
const USE = new RegExp(
  `(LEFT JOIN|JOIN|FROM|UPDATE|INTO|USING|,)\\s+(\\w+)(?:\\s+(?:AS\\s+)?(?!(?:${KEYWORDS})\\b)(\\w+))?`,
  'g',
);

interface Use {
  readonly table: string;
  readonly alias: string;
  readonly isLeft: boolean;
}

/** The tables of the statements of a file. */
const usesIn = (text: string): Use[] => [
  ...[...text.matchAll(USE)].map(([, kind, table, alias]) => ({
    table: table!,
    alias: alias ?? table!,
    isLeft: kind === 'LEFT JOIN',
  })),
  ...[...text.matchAll(/(?:knex|trx)(?:<[^>]*>)?\('(\w+)(?: as (\w+))?'\)|tableName = '(\w+)'/g)].map(
    ([, table, alias, of]) => ({
      table: (table ?? of)!,
      alias: alias ?? (table ?? of)!,
      isLeft: false,
    }),
  ),
];

/** The properties that may be null, although their types do not say so. */
const wrongIn = (file: string, text: string): string[] => {
  const uses = usesIn(text).filter(({ table }) => tables.has(table));
  const mayBeNull = ({ table, isLeft }: Use, column: string): boolean | undefined =>
    tables.get(table)!.has(column) ? isLeft || tables.get(table)!.get(column)! : undefined;
  const renamed = [...text.matchAll(/(?:(?<=[\s,(])(\w+)\.(\w+)(?:::\w+)?|.) AS (\w+)/g)];
  const isWrong = (name: string): boolean => {
    const sources = renamed.filter(([, , , to]) => to === name);
    // Computed by the statement.
    if (sources.some(([, alias]) => alias === undefined)) return false;
    const found = (
      sources.length > 0
        ? sources.flatMap(([, alias, column]) =>
            uses.filter((use) => use.alias === alias).map((use) => mayBeNull(use, column!)),
          )
        : uses.map((use) => mayBeNull(use, name))
    ).filter((may) => may !== undefined);
    return found.length > 0 && found.every(Boolean);
  };
  const bodies = [
    ...[...text.matchAll(/(?:interface|class) (\w+)[^{]*\{\n([^]*?)\n\}/g)]
      .filter(
        ([, name, body]) =>
          body!.includes('tableName') ||
          new RegExp(`<(?:\\{ rows: \\[?)?${name}\\b`).test(text.replaceAll(/Promise<\w+/g, '')),
      )
      .map(([, , body]) => body!.replaceAll(/^ *\/\*\*[^]*?\*\/\n/gm, '')),
    ...[...text.matchAll(/(?<!Joined)<(?:\{ rows: \[?)?\{([^<>{}]*)\}/g)].map(([, body]) => body!),
  ];
  return bodies
    .flatMap((body) => [...body.matchAll(/(?:^|[;{\n]) *(?:readonly |declare )?(\w+): ([^;\n]+)/g)])
    .filter(([, name, type]) => !/\bnull\b/.test(type!) && isWrong(name!))
    .map(([, name]) => `${file} ${name}`);
};

const sources = fs
  .readdirSync(path.join(root, 'db'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('migrations'))
  .map((file) => `db/${file}`);

it('types of rows say null where the columns may be null', () => {
  expect([...new Set(sources.flatMap((file) => wrongIn(file, read(file))))].toSorted()).toEqual(
    Object.keys(neverNull).toSorted(),
  );
});

it.each([
  ['SELECT explorer_url FROM networks', 'explorer_url', true],
  ['SELECT n.name, n.eip155 AS chain FROM networks n', 'chain', false],
  ['SELECT n.explorer_url AS url FROM networks n', 'url', true],
  ['SELECT c.name AS chain FROM networks n LEFT JOIN chains c ON c.id = n.chain_id', 'chain', true],
  [`SELECT coalesce(explorer_url, '') AS explorer_url FROM networks`, 'explorer_url', false],
])('%s: the test finds whether %s may be null', (sql, name, isFound) => {
  const rows = `interface Row {\n  readonly ${name}: string;\n}\nknex.raw<{ rows: Row[] }>(\`${sql}\`)`;
  expect(wrongIn('file', rows)).toEqual(isFound ? [`file ${name}`] : []);
  expect(wrongIn('file', rows.replace(': string', ': string | null'))).toEqual([]);
});
