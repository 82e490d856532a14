/**
 * Writes the tables of docs/operations/alerts.md and of the waiting reasons in docs/operations/follow-a-payment.md from `domain/alerts`.
 * With `--check` nothing is written, and a file that would change fails.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { conditions, type ConditionRow } from '../../domain/alerts/condition.ts';
import { incidents } from '../../domain/alerts/incident.ts';
import { waiting } from '../../domain/alerts/waiting.ts';
import { root } from '../paths.ts';
import { writeGenerated } from './write-generated.ts';

const code = (text: string): string => `\`${text}\``;

const observers: Record<ConditionRow['observer'], string> = {
  lane: 'the lane',
  watcher: 'the watcher',
  process: 'a process',
  data: 'a pass over the database',
};

const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const tables = {
  conditions: tableOf(
    ['kind', 'about', 'seen by', 'raised after', 'meaning', 'action', 'closed when'],
    Object.entries(conditions).map(([kind, { subject, observer, after, meaning, remedy, ends }]) => [
      code(kind),
      subject,
      observers[observer],
      after,
      meaning,
      remedy,
      ends,
    ]),
  ),
  incidents: tableOf(
    ['kind', 'meaning', 'action'],
    Object.entries(incidents).map(([kind, { meaning, remedy }]) => [code(kind), meaning, remedy]),
  ),
  waiting: tableOf(
    ['`status_detail`', 'alert', 'cause', 'action'],
    Object.entries(waiting).map(([detail, { alert, meaning, remedy }]) => [
      code(detail),
      alert === null ? 'none' : code(alert),
      meaning,
      remedy ?? 'None.',
    ]),
  ),
};

/** Replaces the tables between their marks in a document. */
const fill = async (file: string, ...names: (keyof typeof tables)[]): Promise<void> => {
  let text = readFileSync(path.join(root, file), 'utf8');
  for (const name of names) {
    const [begin, end] = [`<!-- ${name}: written by tools/build/generate-alert-docs.ts -->`, `<!-- end of ${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`${file} has no place for the table of ${name}`);
    text = `${text.slice(0, from)}${begin}\n\n${tables[name]}\n\n${text.slice(to)}`;
  }
  await writeGenerated(file, text, 'tools/build/generate-alert-docs.ts');
};

await fill('docs/operations/alerts.md', 'conditions', 'incidents');
await fill('docs/operations/follow-a-payment.md', 'waiting');
