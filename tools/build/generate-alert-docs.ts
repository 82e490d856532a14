/**
 * Writes from `domain/alerts` the tables of docs/operations/alerts.md, of the waiting reasons in docs/operations/follow-a-payment.md, of the
 * faults with an alert in docs/operations/faults.md, and the rules of install/monitoring/rules.yml that have a condition.
 * With `--check` nothing is written, and a file that would change fails.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { conditions, type ConditionRow } from '../../domain/alerts/condition.ts';
import { alertRows, type AlertKind } from '../../domain/alerts/alert.ts';
import { incidents } from '../../domain/alerts/incident.ts';
import { signs, type Sign } from '../../domain/alerts/sign.ts';
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

const rowsOfSigns = Object.entries(signs) as [AlertKind, Sign][];

/** The page of a remedy, else the table with the alert. */
const pageOf = (kind: AlertKind): string => {
  const place = kind in conditions ? 'alerts.md#conditions' : 'alerts.md#incidents';
  const page = /\]\(([^)]+)\)/.exec(alertRows[kind].remedy)?.[1] ?? place;
  return `[${page.split('#')[0]}](${page})`;
};

/** The rules that report a fault as soon as the alert does. */
const rulesOf = ({ rule }: Sign): string => (rule === undefined || rule.for !== undefined ? '' : code(rule.name));

const rules = rowsOfSigns.flatMap(([, { rule }]) => {
  if (rule === undefined) return [];
  const lines = (text: string, start: string): string[] => text.split('\n').map((line) => `${start}${line}`);
  return [
    [
      `- alert: ${rule.name}`,
      ...(rule.why === undefined ? [] : lines(rule.why, '  # ')),
      ...(rule.expr.includes('\n') ? ['  expr: |', ...lines(rule.expr, '    ')] : [`  expr: ${rule.expr}`]),
      ...(rule.for === undefined ? [] : [`  for: ${rule.for}`]),
      `  labels: { severity: ${rule.severity} }`,
      `  annotations: { summary: ${JSON.stringify(rule.summary)} }`,
    ]
      .map((line) => `      ${line}`)
      .join('\n'),
  ];
});

const sections = {
  faults: tableOf(
    ['fault', 'metric', 'rule', 'alert', 'page', 'command'],
    rowsOfSigns.flatMap(([kind, sign]) =>
      (sign.faults ?? []).map(({ fault, metric, with: others = [], command = 'carat alerts' }) => [
        fault,
        code(metric ?? `carat_alerts_open{kind="${kind}"} > 0`),
        rulesOf(sign),
        [kind, ...others].map(code).join(' '),
        pageOf(kind),
        code(command),
      ]),
    ),
  ),
  rules: rules.join('\n\n'),
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

/** Replaces the sections between their marks in a file. */
const fill = async (file: string, ...names: (keyof typeof sections)[]): Promise<void> => {
  const mark = (text: string): string => (file.endsWith('.yml') ? `      # ${text}` : `<!-- ${text} -->`);
  let text = readFileSync(path.join(root, file), 'utf8');
  for (const name of names) {
    const [begin, end] = [mark(`${name}: written by tools/build/generate-alert-docs.ts`), mark(`end of ${name}`)];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`${file} has no place for ${name}`);
    text = `${text.slice(0, from)}${begin}\n\n${sections[name]}\n\n${text.slice(to)}`;
  }
  await writeGenerated(file, text, 'tools/build/generate-alert-docs.ts');
};

await fill('docs/operations/alerts.md', 'conditions', 'incidents');
await fill('docs/operations/follow-a-payment.md', 'waiting');
await fill('docs/operations/faults.md', 'faults');
await fill('install/monitoring/rules.yml', 'rules');
