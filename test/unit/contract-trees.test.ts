import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/paths.ts';

const folder = path.join(root, 'test/contracts');
const trees = fs.readdirSync(folder).filter((file) => file.endsWith('.tree'));
const read = (file: string): string => fs.readFileSync(path.join(folder, file), 'utf8');
const testsIn = (text: string): string[] => [...text.matchAll(/\btest(?:Fuzz)?_\w+/g)].map(([name]) => name);

describe('the branches of the contracts', () => {
  it('has a tree for each test file except those of attacks, gas, frozen words, the release and invariants', () => {
    const others = ['attackOffers', 'frozen', 'gas', 'invariants', 'release'];
    const files = fs.readdirSync(folder).filter((file) => file.endsWith('.t.sol'));
    const operations = files.map((file) => file.replace('.t.sol', '')).filter((name) => !others.includes(name));
    expect(trees).toEqual(operations.map((name) => `${name}.tree`));
  });

  it.each(trees)('%s has each test of its operation once', (tree) => {
    const tests = read(tree.replace('.tree', '.t.sol')).match(/function test\w+/g) ?? [];
    expect(testsIn(read(tree)).toSorted()).toEqual(tests.map((line) => line.replace('function ', '')).toSorted());
  });
});
