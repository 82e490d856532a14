import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/paths.ts';
import { freeFolders, importsOf, sourcesIn } from '../support/imports.ts';

interface Rule {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** The rows of the table in docs/architecture.md, by folder or file. */
const rules = new Map<string, Rule>(
  fs
    .readFileSync(path.join(root, 'docs/architecture.md'), 'utf8')
    .split('## Allowed imports')[1]!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)))
    .map(([, place = [], values = [], types = []]) => [place[0]!, { values, types }]),
);

const covers = (allowed: string, target: string): boolean =>
  allowed === target || target.startsWith(/[:/]$/.test(allowed) ? allowed : `${allowed}/`);

/** The forbidden imports of a file. */
const forbidden = (file: string, text: string): string[] => {
  const place = [...rules.keys()].filter((key) => covers(key, file)).toSorted((a, b) => b.length - a.length)[0]!;
  const { values, types } = rules.get(place)!;
  return importsOf(file, text)
    .filter(
      ({ target, typeOnly }) => ![place, ...values, ...(typeOnly ? types : [])].some((key) => covers(key, target)),
    )
    .map(({ target }) => target);
};

describe('the allowed imports', () => {
  const top = fs.readdirSync(root, { withFileTypes: true });
  const folders = top.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);

  it('have a row for every folder of sources', () => {
    const bound = folders.filter((folder) => folder !== 'node_modules' && !freeFolders.includes(folder));
    expect(bound.filter((folder) => !rules.has(`${folder}/`))).toEqual([]);
  });

  it.each([...rules.keys()])('hold for %s', (place) => {
    const files = place.endsWith('/') ? sourcesIn(place) : [place];
    expect(files.length).toBeGreaterThan(0);
    const found = files.map((file) => [file, forbidden(file, fs.readFileSync(path.join(root, file), 'utf8'))] as const);
    expect(found.filter(([, targets]) => targets.length > 0)).toEqual([]);
  });

  it.each([
    ['domain/payment.ts', "import { x } from 'node:crypto';"],
    ['domain/payment.ts', "import type { X } from '../db/payments/payments.ts';"],
    ['workflows/diamond.ts', "import { x } from '../activities/payment.ts';"],
    ['workflows/diamond.ts', "import {\n  x,\n} from '../db/payments/payments.ts';"],
    ['activities/steps.ts', "export { x } from '../db/payments/payments.ts';"],
    ['api/payments/payments.ts', "import type { X } from '../../chain/lane/lane.ts';"],
    ['api/payments/payments.ts', "import { x } from 'knex';"],
    ['api/payments/payments.ts', "const x = await import('../../runtime/config.ts');"],
    ['db/lane/store.ts', "import { x } from '../../chain/pure/address.ts';"],
    ['chain/pure/address.ts', "import { x } from '../rpc/rpc.ts';"],
    ['workers/chain.ts', "import '../config.ts';"],
    ['client/client.ts', "import { x } from '../api/generated/openapi-types.ts';"],
  ])('do not let %s import %j', (file, text) => {
    expect(forbidden(file, text)).toHaveLength(1);
  });

  it.each([
    ['workflows/diamond.ts', "import type { X } from '../activities/payment.ts';"],
    ['api/payments/payments.ts', "import type { X } from 'knex';"],
    ['chain/lane/lane.ts', "import { x } from '../pure/address.ts';"],
    ['chain/pure/address.ts', "import { x } from 'ethers/address';"],
  ])('let %s import %j', (file, text) => {
    expect(forbidden(file, text)).toEqual([]);
  });
});
