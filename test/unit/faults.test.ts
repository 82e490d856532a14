import fs from 'node:fs';
import path from 'node:path';
import { entries } from '../../cli/entries.ts';
import { alertKinds } from '../../domain/alerts/alert.ts';
import { root } from '../../tools/paths.ts';
import { faultTable } from '../faults/table.ts';
import { alertRules } from '../support/prometheus.ts';

/* docs/operations/faults.md against rules, alerts, metrics, pages, commands, and the tests that play its rows. */

const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');
const table = faultTable();

it('each row is played by one test in test/faults, and each test plays a row', () => {
  const played = fs
    .readdirSync(path.join(root, 'test/faults'))
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => [...read(`test/faults/${file}`).matchAll(/\bnamed\(\s*['"`]([^'"`]+)['"`]/g)])
    .map(([, fault]) => fault!);
  expect(played.toSorted()).toEqual(table.map(({ fault }) => fault).toSorted());
  expect(new Set(played).size).toBe(played.length);
});

it('each row names a metric, a rule or an alert, a page and a command', () => {
  const incomplete = table.filter(
    ({ metrics, rules, alerts, pages, command }) =>
      metrics.length === 0 || rules.length + alerts.length === 0 || pages.length === 0 || command === '',
  );
  expect(incomplete).toEqual([]);
});

it('everything in the table exists', () => {
  const known = [...read('docs/operations/monitoring.md').matchAll(/\bcarat_\w+/g)].map(([name]) => name);
  const unknownMetrics = table
    .flatMap(({ metrics }) => metrics.flatMap((expr) => expr.match(/\b(?:carat|temporal)_\w+/g) ?? []))
    .filter((name) => name.startsWith('carat_') && !known.includes(name.replace(/_(?:bucket|sum|count)$/, '')));
  const rules = new Set(alertRules().map(({ alert }) => alert));
  const commands = entries.map(({ name }) => name);
  expect({
    metrics: unknownMetrics,
    rules: table.flatMap((row) => row.rules.filter((rule) => !rules.has(rule))),
    alerts: table.flatMap((row) => row.alerts.filter((kind) => !(alertKinds as readonly string[]).includes(kind))),
    pages: table.flatMap((row) =>
      row.pages.filter((page) => !fs.existsSync(path.join(root, 'docs/operations', page.split('#')[0]!))),
    ),
    commands: table
      .map(({ command }) => command.replace(/^carat /, ''))
      .filter((command) => !commands.some((name) => `${command} `.startsWith(`${name} `))),
  }).toEqual({ metrics: [], rules: [], alerts: [], pages: [], commands: [] });
});
