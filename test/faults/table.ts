import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/paths.ts';

/** A row of the table in docs/operations/faults.md. */
export interface FaultRow {
  readonly fault: string;
  /** Expressions of PromQL, which have results while the fault lasts. */
  readonly metrics: readonly string[];
  /** Names of rules in install/monitoring/rules.yml. */
  readonly rules: readonly string[];
  /** Kinds of Carat's alerts. */
  readonly alerts: readonly string[];
  /** Files, from docs/operations/, perhaps with an anchor. */
  readonly pages: readonly string[];
  /** A command that names the fault, such as `carat doctor`. Words in capitals are filled in. */
  readonly command: string;
}

const page = path.join(root, 'docs/operations/faults.md');

const codesOf = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

/** The table of the page. @throws Error for a row with other columns */
export const faultTable = (): FaultRow[] =>
  fs
    .readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:fault|---) \|/.test(line))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      const [, fault = '', metric = '', rule = '', alert = '', pages = '', command = ''] = cells;
      if (cells.length !== 8) throw new Error(`the table of faults has a row of ${cells.length - 2} columns: ${line}`);
      return {
        fault,
        metrics: codesOf(metric),
        rules: codesOf(rule),
        alerts: codesOf(alert),
        pages: [...pages.matchAll(/\]\(([^)]+)\)/g)].map(([, file]) => file!),
        command: codesOf(command)[0] ?? '',
      };
    });

/** The row of a fault. @throws Error when the page has none */
export const faultRow = (fault: string): FaultRow => {
  const found = faultTable().find((row) => row.fault === fault);
  if (found === undefined) throw new Error(`docs/operations/faults.md has no row "${fault}"`);
  return found;
};
