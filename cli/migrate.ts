import { release } from '../chain/pure/releases.ts';
import {
  diamondCounts,
  livingProcesses,
  readFloor,
  tableSizes,
  type Floor,
  type DiamondCount,
  type LivingProcess,
  type TableSize,
} from '../db/operator/server.ts';
import { BASELINE_LEVEL, LEVEL } from '../db/level.ts';
import {
  migrateSteps,
  appliedMigrations,
  newerMigrations,
  baselineRefusal,
  isFormer,
  migrations,
  type Effect,
  type Migration,
  type TableWork,
} from '../db/migrate.ts';
import { defineCommand, UsageError, jsonOption, readOptions } from './command/command.ts';
import { withReader, type Database } from './command/database.ts';
import { columns, countText, jsonText, spanText } from './command/text.ts';

/** Migrates the database to the newest schema, as its owner, and gives the processes' role its privileges. */
export const migrate = defineCommand({
  config: ['databaseUrl', 'databaseOwnerUrl'],
  run: async ({ args, config, print }) => {
    if (args.length > 0) throw new UsageError('migrate takes no argument');
    const { databaseUrl, databaseOwnerUrl } = config;
    const owner = databaseOwnerUrl || databaseUrl;
    const { applied, waiting, created } = await migrateSteps(owner, migrations, databaseUrl);
    print(applied.length === 0 ? 'The schema is up to date' : `Applied ${applied.join(', ')}`);
    if (waiting.length > 0)
      print(`Left out ${waiting.join(', ')}: stop the processes of the older version, then run carat migrate again`);
    if (created !== null) print(`Created the role ${created}`);
  },
});

/** Megabytes of a table, its indexes included, that PostgreSQL works through in a second, as measured: docs/operations/upgrade.md. */
const MEGABYTES_A_SECOND: Readonly<Record<TableWork, number>> = { read: 500, index: 200, rewrite: 30 };

interface Pending {
  readonly name: string;
  readonly kind: Effect['kind'];
  /** Tables that nobody can write meanwhile. */
  readonly locks: readonly TableSize[];
  /** PostgreSQL's work on all their rows meanwhile; empty: none, and the lock lasts a moment. */
  readonly work: readonly TableWork[];
  /** How long that takes, estimated by the sizes of these tables. */
  readonly seconds: number;
  /** Of a contract step: older code no longer starts. */
  readonly level: number | null;
}

/** The effects and needs of an upgrade of this database to this version. */
interface Upgrade {
  readonly version: { readonly schema: string; readonly level: number; readonly release: string };
  readonly database: {
    readonly schema: string | null;
    /** The lowest level of code that may run, and the lowest to which this floor can sink again; null in a database without levels. */
    readonly floor: number | null;
    readonly lowest_floor: number | null;
  };
  readonly pending: readonly Pending[];
  readonly processes: readonly LivingProcess[];
  /** Releases other than this version's newest. */
  readonly diamonds: readonly DiamondCount[];
  /** Obstacles to `carat migrate`. */
  readonly problems: readonly string[];
  /** Tasks around `carat migrate`, and the steps that it leaves out. */
  readonly needs: readonly string[];
  /** Reasons why the version before cannot be started again after the upgrade; empty: none. */
  readonly forbids_going_back: readonly string[];
}

const pendingOf = async (knex: Database, steps: readonly Migration[]): Promise<Pending[]> => {
  const sizes = await tableSizes(knex, [...new Set(steps.flatMap(({ effect }) => effect.locks))]);
  return steps.map(({ name, effect }) => {
    const locks = sizes.filter((size) => effect.locks.includes(size.name));
    const work = effect.work ?? [];
    const megabytes = locks.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
    return {
      name,
      kind: effect.kind,
      locks,
      work,
      seconds: Math.ceil(work.reduce((sum, kind) => sum + megabytes / MEGABYTES_A_SECOND[kind], 0)),
      level: effect.kind === 'contract' ? effect.level : null,
    };
  });
};

const named = (processes: readonly LivingProcess[]): string =>
  processes.map(({ kind, name, level }) => `${kind} ${name} (level ${level ?? 'unknown'})`).join(', ');

/** The obstacles. @param refusal why the database cannot have the baseline; null: it can */
const problemsOf = (newer: readonly string[], refusal: string | null, floor: Floor | null) => [
  ...(newer.length > 0
    ? [`the database has the schema of a newer version (${newer.join(', ')}): run carat upgrade check of that version`]
    : []),
  ...(refusal === null ? [] : [refusal]),
  ...(floor !== null && floor.level > LEVEL
    ? [`this version does not start: its level is ${LEVEL}, and the database has the floor ${floor.level}`]
    : []),
];

const needsOf = (
  pending: readonly Pending[],
  processes: readonly LivingProcess[],
  diamonds: readonly DiamondCount[],
) => {
  const old = (below: number) => processes.filter(({ level }) => (level ?? 0) < below);
  const waits = pending.filter(({ level }) => level !== null && old(level).length > 0);
  return [
    ...(pending.length > 0 ? ['a backup of the database, then carat migrate of this version'] : []),
    ...waits.map(
      ({ name, level }) => `${name} waits for the end of ${named(old(level!))}: run carat migrate again then`,
    ),
    ...(diamonds.length > 0
      ? [`nothing for the diamonds: each keeps its release until it is updated (docs/operations/update-a-wallet.md)`]
      : []),
  ];
};

const forbidding = (applied: readonly string[], pending: readonly Pending[], floor: Floor | null): string[] => [
  ...(floor !== null && floor.lowest > 1
    ? [`versions below level ${floor.lowest} no longer start: a contract step is applied`]
    : []),
  ...(floor !== null && floor.level > floor.lowest
    ? [`versions below level ${floor.level} do not start while offers or orders need that level`]
    : []),
  ...pending.flatMap(({ name, kind, level }) =>
    kind === 'contract' ? [`${name}: versions below level ${level} no longer start`] : [],
  ),
  ...(applied.some(isFormer)
    ? [`versions below level ${BASELINE_LEVEL} no longer start once carat migrate has found none that runs`]
    : []),
];

/** Reads the effects and needs of an upgrade to these steps. */
export const readUpgrade = async (knex: Database, steps: readonly Migration[] = migrations): Promise<Upgrade> => {
  const applied = await appliedMigrations(knex);
  const pending = await pendingOf(
    knex,
    steps.filter(({ name }) => !applied.includes(name)),
  );
  const refusal = await baselineRefusal(knex, applied);
  const hasSchema = refusal === null && applied.length > 0;
  const floor = hasSchema ? await readFloor(knex) : null;
  const processes = hasSchema ? await livingProcesses(knex) : [];
  const diamonds = hasSchema ? await diamondCounts(knex) : [];
  const older = diamonds.filter((one) => one.release !== release.version);
  return {
    version: { schema: steps.at(-1)!.name, level: LEVEL, release: release.version },
    database: {
      schema: applied.toSorted().at(-1) ?? null,
      floor: floor?.level ?? null,
      lowest_floor: floor?.lowest ?? null,
    },
    pending,
    processes,
    diamonds: older,
    problems: problemsOf(newerMigrations(applied, steps), refusal, floor),
    needs: needsOf(pending, processes, older),
    forbids_going_back: forbidding(applied, pending, floor),
  };
};

const sizeText = ({ name, rows, bytes }: TableSize): string =>
  `${name} (${rows === null ? 'rows not counted yet' : countText(rows, 'row')}, ${Math.ceil(bytes / 1e6)} MB)`;

/** The description of each work, for people. */
const workText: Readonly<Record<TableWork, string>> = {
  read: 'its rows are read',
  index: 'an index is built',
  rewrite: 'it is written anew',
};

const doesText = ({ locks, work, seconds }: Pending): string => {
  if (locks.length === 0) return 'locks nothing';
  const during = `nobody writes ${locks.map(sizeText).join(', ')} for`;
  if (work.length === 0) return `${during} a moment`;
  const rates = work.map((one) => `${workText[one]}, ${MEGABYTES_A_SECOND[one]} MB a second`);
  return `${during} about ${spanText(seconds)} (${rates.join('; ')})`;
};

const listed = (title: string, lines: readonly string[], none: string): string[] =>
  lines.length === 0 ? [`${title}: ${none}`] : [`${title}:`, ...lines.map((line) => `  ${line}`)];

/** The lines that people read. */
export const linesOf = ({ version, database, pending, processes, diamonds, ...rest }: Upgrade): string[] => [
  `This version: schema ${version.schema}, level ${version.level}, contracts ${version.release}`,
  `The database: schema ${database.schema ?? 'none'}, floor ${database.floor ?? 'none'}`,
  ...listed('Pending migrations', columns(pending.map((step) => [step.name, step.kind, doesText(step)])), 'none'),
  ...listed(
    'Processes that run',
    processes.map((one) => named([one])),
    'none',
  ),
  ...listed(
    'Diamonds of older contracts',
    diamonds.map(
      (one) => `${countText(one.diamonds, 'diamond')} of ${one.release ?? 'an unknown release'} on ${one.network}`,
    ),
    'none',
  ),
  ...listed('In the way', rest.problems, 'nothing; no process has to be stopped'),
  ...listed('It needs', rest.needs, 'nothing'),
  ...listed('Going back to the version before', rest.forbids_going_back, 'possible, without carat migrate'),
];

/** Reports the effects and needs of an upgrade of the database to this version, and the reasons against going back. Changes nothing. */
export const upgradeCheck = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const { values } = readOptions(args, jsonOption);
    const upgrade = await withReader(config, (knex) => readUpgrade(knex));
    if (values.json) print(jsonText(upgrade));
    else for (const line of linesOf(upgrade)) print(line);
    return upgrade.problems.length > 0 ? 'bad' : undefined;
  },
});
