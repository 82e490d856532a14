import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import leftOut from '../../test/left-out.json' with { type: 'json' };
import seconds from '../../test/support/seconds.json' with { type: 'json' };
import { importsOf, sourcesIn } from '../../test/support/imports.ts';
import { root } from '../paths.ts';

/*
 * npm run test:changed [-- COMMIT]
 *
 * Runs the test files nearest to what has changed since COMMIT (HEAD by default), as far as about a minute allows: those of the table below
 * for what imports cannot show, and those that import it, from the folder of the same name first, then directly. A hint, never a gate.
 */

/** Seconds of test files, of which four run at once. */
const BUDGET = 200;
/** Seconds of a file that seconds.json does not name. */
const SHORT = 4;

/** What imports cannot show: statements in files of data, documents, and programs that tests start. */
const table: readonly (readonly [changed: RegExp, tests: readonly string[]])[] = [
  [/^openapi\.yaml$/, ['api/http/specification', 'api/http/examples', 'unit/samples']],
  [/^db\/migrations\//, ['db/schema', 'db/migrate', 'db/migration-effects', 'db/roles']],
  [/^api\/server\.ts$/, ['api/http/server']],
  [/^workers\//, ['workers/main', 'workers/networks']],
  [/^workflows\//, ['workflows/replay', 'workflows/create-payment']],
  [/^cli\//, ['cli/cli', 'cli/doctor']],
  [
    /^(docs\/|\w+\.md$|test\/README\.md$)/,
    ['unit/samples', 'unit/decisions', 'unit/architecture', 'unit/wording', 'unit/words'],
  ],
  [/^(docker-compose\.yml|install\/(composition\/|Dockerfile))/, ['tools/composition', 'tools/stack/compose']],
  [/^install\/charts\//, ['tools/chart']],
  [
    /^(package(-lock)?\.json|(tools|test\/support)\/.*(requirements\.txt|package.*\.json))$/,
    ['unit/downloads', 'tools/bootstrap'],
  ],
  [/^(widget|client)\//, ['client/client', 'unit/generators']],
  [/^(domain|db|chain|api|delivery|outbox|metrics|activities)\//, ['unit/architecture']],
];

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);

const [since = 'HEAD'] = process.argv.slice(2);
const changed = [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')];

const folders = fs
  .readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
  .map(({ name }) => name);
/** The files that import each file. */
const importers = new Map<string, string[]>();
for (const file of folders.flatMap(sourcesIn)) {
  if (file.includes('node_modules')) continue;
  for (const { target } of importsOf(file, fs.readFileSync(path.join(root, file), 'utf8')))
    importers.set(target, [...(importers.get(target) ?? []), file]);
}

const isTest = (file: string): boolean => file.endsWith('.test.ts');

/** The number of imports from each test file to the nearest changed file. */
const distances = (): ReadonlyMap<string, number> => {
  const found = new Map<string, number>(changed.map((file) => [file, 0]));
  const open = [...found.keys()];
  for (let file = open.shift(); file !== undefined; file = open.shift()) {
    for (const next of importers.get(file) ?? []) {
      if (found.has(next)) continue;
      found.set(next, found.get(file)! + 1);
      open.push(next);
    }
  }
  return new Map([...found].filter(([file]) => isTest(file) && fs.existsSync(path.join(root, file))));
};

const near = distances();
const listed = changed.flatMap((file) =>
  table.filter(([pattern]) => pattern.test(file)).flatMap(([, tests]) => tests.map((test) => `test/${test}.test.ts`)),
);
const ownFolders = new Set(changed.map((file) => path.join('test', path.dirname(file))));
/** The names of changed files and of their folders: a test is often called like its subject. */
const subjects = new Set(changed.flatMap((file) => [path.parse(file).name, path.basename(path.dirname(file))]));
/** Changed tests, those of the table, importers of the same name or folder, then all others by distance. */
const candidates = [
  ...[...near.keys()].filter((file) => near.get(file) === 0),
  ...listed,
  ...[...near.keys()].filter((file) => subjects.has(path.basename(file, '.test.ts'))),
  ...[...near.keys()].filter((file) => ownFolders.has(path.dirname(file))),
  ...[...near].toSorted(([, a], [, b]) => a - b).map(([file]) => file),
];
/** Folders that `npm test` leaves out as a whole. */
const isFurther = (file: string): boolean =>
  [...leftOut.folders, ...leftOut.separate].some((folder) => file.startsWith(`test/${folder}/`));

const secondsOf = (file: string): number => (seconds as Record<string, number>)[file] ?? SHORT;
const chosen: string[] = [];
let sum = 0;
for (const file of new Set(candidates)) {
  const isChanged = near.get(file) === 0;
  // A file that takes long, or that `npm test` leaves out, is for whoever asks for it.
  if (!isChanged && (sum + secondsOf(file) > BUDGET || file in leftOut.files || isFurther(file))) continue;
  chosen.push(file);
  sum += secondsOf(file);
}

const unmapped = changed.filter(
  (file) => !isTest(file) && !importers.has(file) && !table.some(([pattern]) => pattern.test(file)),
);
console.error(
  `${changed.length} files have changed since ${since}; ${new Set(candidates).size} test files concern them, the nearest ${chosen.length} run now`,
);
if (changed.some((file) => /^(test\/)?contracts\//.test(file)))
  console.error('contracts have changed: npm run test:contracts');
if (unmapped.length > 0) console.error(`no test is known for: ${unmapped.join(', ')}`);
if (chosen.length === 0) console.log('tests: 0 passed, 0 failed');
else {
  const child = spawn(process.execPath, [path.join(root, 'tools/check/test.ts'), ...chosen], {
    cwd: root,
    stdio: 'inherit',
  });
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
