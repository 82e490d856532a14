import fs from 'node:fs';
import path from 'node:path';
import { guards } from '../../db/payments/guards.ts';
import { transitionByWatcher } from '../../db/payments/transition.ts';
import { root } from '../../tools/paths.ts';
import { transitions, type Transition, type TransitionName, type Writer } from '../../domain/payment.ts';

/** The folders whose code may write decisions of merchants, chain and workflows. */
const sources = ['activities', 'api', 'chain', 'cli', 'db', 'delivery', 'outbox', 'workers', 'workflows']
  .flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => path.join(folder, file)),
  )
  .map((file) => ({ file, text: fs.readFileSync(path.join(root, file), 'utf8') }));

const table: [TransitionName, Transition][] = Object.entries<Transition>(transitions).map(([name, row]) => [
  name as TransitionName,
  row,
]);

/** The one statement, and the doors to it. */
const STATEMENT = 'db/payments/transition.ts';
/** The creation is a statement of its own, which stores the payment. */
const CREATION = 'db/payments/insert.ts';
const doors: Partial<Record<Writer, string>> = {
  api: 'transitionByApi',
  watcher: 'transitionByWatcher',
  workflow: 'transitionByWorkflow',
  signer: 'transitionBySigner',
  checkout: 'transitionByCheckout',
};

interface Part {
  readonly file: string;
  /** Of the exported function, or of one that its file alone calls. */
  readonly name: string;
  readonly text: string;
}

/** The top-level declarations of the sources of `db/`. */
const parts: Part[] = sources
  .filter(({ file }) => file.startsWith('db/') && file !== STATEMENT)
  .flatMap(({ file, text }) =>
    text
      .split(/^(?=(?:export )?(?:const|type|interface) )/m)
      .map((part) => ({ file, name: /^(?:export )?const (\w+)/.exec(part)?.[1] ?? '', text: part })),
  );

/** The parts that go through a door. */
const through = (door: string): Part[] => parts.filter(({ text }) => text.includes(`${door}(`));

/** The files that import a part. */
const importersOf = ({ file, name }: Part): string[] =>
  sources
    .filter(({ file: other, text }) =>
      [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '([^']+)';/gm)].some(
        ([, names = '', from = '']) =>
          path.join(path.dirname(other), from) === file && new RegExp(`\\b${name}\\b`).test(names),
      ),
    )
    .map(({ file: other }) => other);

describe('the guards of the table', () => {
  const named = new Set(table.flatMap(([, { guard }]) => guard ?? []));

  it('each have a condition and a sentence, and each condition has a row', () => {
    expect(Object.keys(guards).toSorted()).toEqual([...named].toSorted());
    for (const { means, sql } of Object.values(guards)) {
      expect(means).toMatch(/^[A-Z].*\.$/);
      expect(sql).toMatch(/\bp\./);
    }
  });

  it('are added to the statement by every door, and only the statement writes a status', () => {
    const { text } = sources.find(({ file }) => file === STATEMENT)!;
    for (const door of Object.values(doors)) expect(text).toMatch(new RegExp(`export const ${door}: .*= guarded;`));
    expect(parts.filter((part) => /\btransition\(/.test(part.text))).toEqual([]);
    expect(
      parts.filter((part) => /UPDATE payments(?: \w+)? SET (?:(?!WHERE|FROM)[^`])*\bstatus =/.test(part.text)),
    ).toEqual([]);
  });
});

describe('the statement of a row', () => {
  /** Takes the statement down instead of running it. */
  const statementOf = async (name: TransitionName) => {
    const taken: { text: string; bindings: Record<string, unknown> }[] = [];
    const raw = (text: string, bindings: Record<string, unknown>) => {
      taken.push({ text, bindings });
      return { options: () => Promise.resolve({ rows: [] }) };
    };
    const request = { name, where: 'p.id = :id', bindings: { id: 'one' }, actor: { type: 'system' }, data: `'{}'` };
    await transitionByWatcher({ raw } as never, request as never);
    return taken[0]!;
  };

  it.each(table.filter(([, { from }]) => !from.includes(null)))('%s agrees with the table', async (name, row) => {
    const { text, bindings } = await statementOf(name);
    const condition = row.guard === null ? 'p.id = :id' : `(p.id = :id) AND (${guards[row.guard].sql})`;
    expect(text).toContain(`WHERE p.status = ANY(:from_statuses) AND (${condition})`);
    expect(text.includes('status_detail = p.status_detail,')).toBe(row.detail === 'keep');
    expect(text.includes(`'${row.webhook}'`)).toBe(row.webhook !== null);
    expect(bindings).toMatchObject({ from_statuses: row.from, to_status: row.to, event_type: row.log });
    if (!['keep', 'clear'].includes(row.detail)) expect(bindings.status_detail).toBe(row.detail);
    if (row.detail === 'clear') expect(bindings.status_detail).toBeNull();
  });
});

/** That no door takes a transition of another layer is a matter of types: `WrittenBy` in domain/payment.ts. */
describe('the writers of the table', () => {
  /** The layer of a file that calls a part; the watcher's parts are called within `db/`, by its store. */
  const layerOf = (file: string): Writer | 'store' => {
    if (file.startsWith('api/')) return 'api';
    // Orders are canceled, and their buyers choose, over the API.
    if (file.startsWith('db/checkouts/')) return 'checkout';
    if (file === 'workers/main.ts') return 'workflow';
    if (file === 'workers/look-after.ts') return 'recovery';
    return 'store';
  };

  it.each(table.filter(([, { from }]) => !from.includes(null)))(
    '%s is written through the doors of its layers',
    (name, row) => {
      const naming = parts.filter(({ text }) => new RegExp(`'${name}'`).test(text));
      const used = Object.entries(doors).filter(([, door]) =>
        naming.some((part) => parts.some(({ file, text }) => file === part.file && text.includes(`${door}(`))),
      );
      const writers = row.writer.filter((writer) => writer !== 'recovery');
      expect(naming).not.toEqual([]);
      for (const writer of writers) expect(used.map(([layer]) => layer)).toContain(writer);
    },
  );

  it('the creation is written by the API', () => {
    const [creation] = table.find(([, { from }]) => from.includes(null))!;
    expect(transitions[creation].writer).toEqual(['api']);
    const naming = parts.filter(({ text }) => text.includes(`transitions.${creation}.`));
    expect([...new Set(naming.map(({ file }) => file))]).toEqual([CREATION]);
  });

  it('only a request of the API goes through the door of the API', () => {
    const importers = through(doors.api!).flatMap(importersOf);
    expect(importers.length).toBeGreaterThan(2);
    expect(new Set(importers.map(layerOf))).toEqual(new Set(['api', 'checkout']));
  });

  it('only the watcher goes through the door of the watcher', () => {
    const files = through(doors.watcher!).map(({ file }) => file);
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => !file.startsWith('db/watcher/'))).toEqual([]);
    const importers = through(doors.watcher!).flatMap(importersOf);
    expect(importers.filter((file) => !file.startsWith('db/watcher/'))).toEqual([]);
  });

  it('only steps of workflows, and the recovery of the workers, go through the door of the workflows', () => {
    const own = through(doors.workflow!);
    // A function of the same file that calls one of them is of their kind.
    const callers = parts.filter(({ file, name, text }) =>
      own.some((part) => part.file === file && part.name !== name && text.includes(`${part.name}(`)),
    );
    const layers = new Set([...own, ...callers].flatMap(importersOf).map(layerOf));
    expect(layers).toEqual(new Set(['workflow', 'recovery']));
    const named = new Set(
      table
        .filter(([, { writer }]) => writer.includes('workflow'))
        .flatMap(([, { writer }]) => writer.filter((one) => one !== 'checkout')),
    );
    expect(named).toEqual(layers);
  });

  it('the lane writes none', () => {
    const lane = sources.filter(({ file }) => file.startsWith('db/lane/') || file.startsWith('chain/'));
    expect(lane.filter(({ text }) => /transition(By\w+)?\(/.test(text))).toEqual([]);
  });
});

it('lists of statuses are in domain/payment.ts alone', () => {
  const list =
    /'(?:pending|awaiting_payment|processing|canceling)', '(?:pending|awaiting_payment|processing|canceling)'/;
  const found = sources.filter(({ file, text }) => !file.startsWith('db/migrations/') && list.test(text));
  expect(found.map(({ file }) => file)).toEqual([]);
});
