import fs from 'node:fs';
import path from 'node:path';
import { type ErrorFragment, type EventFragment, type Fragment, Interface } from 'ethers';
import { root } from '../../tools/paths.ts';

const folder = path.join(root, 'docs/contracts');
const read = (file: string): string => fs.readFileSync(path.join(folder, file), 'utf8');
const readme = read('README.md');

/** The column `of` in the docs: a diamond is its own code and that of the facets. */
const contracts = {
  registry: ['Registry'],
  batcher: ['Batcher'],
  diamond: ['Diamond', 'DiamondCutFacet', 'DiamondLoupeFacet', 'DealFacet', 'OfferFacet'],
};
type Contract = keyof typeof contracts;
const contractNames = Object.keys(contracts) as Contract[];

const interfaceOf = (name: string): Interface => {
  const file = fs.readFileSync(path.join(root, `contracts/abi/${name}.json`), 'utf8');
  return new Interface((JSON.parse(file) as { abi: [] }).abi);
};
const interfaces = Object.fromEntries(
  Object.values(contracts)
    .flat()
    .map((name) => [name, interfaceOf(name)]),
);
const fragmentsOf = (contract: Contract): Fragment[] =>
  contracts[contract].flatMap((name) => [...interfaces[name]!.fragments]);

type Named = EventFragment | ErrorFragment;
const isEvent = (fragment: Fragment): fragment is EventFragment => fragment.type === 'event';
const isError = (fragment: Fragment): fragment is ErrorFragment => fragment.type === 'error';
const titleOf = ({ name, inputs }: Named): string =>
  `${name}(${inputs.map((input) => (input.indexed ? `${input.name} indexed` : input.name)).join(', ')})`;

/** Each title, and of which contracts it is. */
const tableOf = (isKind: (fragment: Fragment) => fragment is Named): string[] => {
  const rows = new Map<string, Contract[]>();
  for (const contract of contractNames) {
    for (const title of new Set(fragmentsOf(contract).filter(isKind).map(titleOf))) {
      rows.set(title, [...(rows.get(title) ?? []), contract]);
    }
  }
  return [...rows].map(([title, of]) => `${title} of ${of.toSorted().join(', ')}`).toSorted();
};

const cellsOf = (line: string): string[] => line.split('|').slice(1, -1);
/** The first two cells of each row. */
const rowsOf = (heading: string): string[] =>
  readme
    .split(`\n## ${heading}\n`)[1]!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => cellsOf(line).map((cell) => cell.trim().replaceAll('`', '')))
    .map(([title, of]) => `${title} of ${of}`)
    .toSorted();

interface Page {
  readonly file: string;
  readonly functions: (readonly [name: string, signature: string])[];
  readonly events: string[];
  readonly errors: string[];
}

const namesIn = (text: string): string[] => [...text.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name!);
const pageOf = (file: string): Page => {
  const rows = read(file)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map(cellsOf);
  const named = (title: string): string[] => rows.filter(([first]) => first!.trim() === title).map(([, cell]) => cell!);
  return {
    file,
    functions: named('Function').map((cell) => {
      const [, name, signature] = /^ `(\w+)` `([^`]+)` $/.exec(cell)!;
      return [name!, signature!] as const;
    }),
    events: named('Events').flatMap(namesIn),
    errors: ['Errors', 'Reasons'].flatMap((title) => named(title).flatMap(namesIn)),
  };
};

const files = fs
  .readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .toSorted();
const pages = files.map(pageOf).filter(({ functions }) => functions.length > 0);
const contractOf = ({ functions }: Page): Contract =>
  contractNames.find((contract) => contracts[contract].includes(functions[0]![0]))!;

describe('docs/contracts', () => {
  it('is linked from its first page, file by file', () => {
    const linked = [...readme.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file]) => file!);
    expect(files.filter((file) => file !== 'README.md' && !linked.includes(file))).toEqual([]);
  });

  it('has one page for each function that changes state, and no other pages', () => {
    const writes = Object.entries(interfaces).flatMap(([name, abi]) => {
      const signatures: string[] = [];
      abi.forEachFunction((own) => {
        if (own.stateMutability !== 'view' && own.stateMutability !== 'pure') signatures.push(own.format());
      });
      return signatures.map((signature) => `${name} ${signature}`);
    });
    const written = pages.flatMap(({ functions }) => functions.map((own) => own.join(' ')));
    expect(written.toSorted()).toEqual(writes.toSorted());
  });

  it.each(pages.map((page) => [page.file, page] as const))('%s agrees with the other pages', (file, page) => {
    const titles = read(file)
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map((line) => cellsOf(line)[0]!.trim())
      .filter((title) => title !== 'Function' && title !== 'Reasons');
    expect(titles.slice(0, 6)).toEqual(['', 'Who', 'Before', 'After', 'Events', 'Errors']);
    expect(read(file)).toContain('\n## What can go wrong\n- ');
    const known = contractNames.flatMap((contract) => fragmentsOf(contract).filter(isEvent)).map(({ name }) => name);
    expect(page.events.filter((name) => !known.includes(name))).toEqual([]);
    const own = fragmentsOf(contractOf(page)).filter(isError);
    const errors = own.map(({ name }) => name);
    expect(page.errors.filter((name) => !errors.includes(name))).toEqual([]);
  });

  it('has every event of the ABI in its table, and no other', () => {
    expect(rowsOf('Events')).toEqual(tableOf(isEvent));
  });

  it('has every error of the ABI in its table, and no other', () => {
    expect(rowsOf('Errors')).toEqual(tableOf(isError));
  });

  it('names for every event and error its operation', () => {
    const told = contractNames.map((contract) => {
      const own = pages.filter((page) => contractOf(page) === contract);
      return [contract, new Set(own.flatMap(({ events, errors }) => [...events, ...errors]))] as const;
    });
    // Cases without a function: coins without a call, an unknown selector, a constructor, a read.
    const others = ['NativeRefused', 'FunctionNotFound', 'InvalidRoot', 'InvalidDelay', 'LengthMismatch'];
    for (const [contract, names] of told) {
      const all = fragmentsOf(contract).filter((own): own is Named => isEvent(own) || isError(own));
      const missing = all.map(({ name }) => name).filter((name) => !names.has(name) && !others.includes(name));
      expect([contract, missing]).toEqual([contract, []]);
    }
  });
});
