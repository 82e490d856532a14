import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../../tools/paths.ts';
import { mutants } from '../../tools/prove/halmos.ts';
import { digestOfInputs, passedBefore, rememberPassed } from '../../tools/prove/tools.ts';

const folder = path.join(root, 'test/proofs');
const properties = fs
  .readdirSync(folder)
  .filter((file) => file.endsWith('.t.sol'))
  .flatMap((file) => {
    const text = fs.readFileSync(path.join(folder, file), 'utf8');
    const contract = /^contract (\w+)/m.exec(text)![1]!;
    return [...text.matchAll(/function (check_\w+)/g)].map(([, name]) => ({ contract, name: name! }));
  });

describe('the proofs', () => {
  it.each(properties)('$name is broken by a mutant', ({ contract, name }) => {
    expect(mutants.filter(({ proofs, breaks }) => proofs === contract && breaks.includes(name))).not.toEqual([]);
  });

  it('are all in the documentation', () => {
    const page = fs.readFileSync(path.join(root, 'docs/contracts/proofs.md'), 'utf8');
    const described = [...page.matchAll(/^\| `(check_\w+)`/gm)].map(([, name]) => name);
    expect(new Set(described)).toEqual(new Set(properties.map(({ name }) => name)));
  });

  it.each(properties)('$name is documented with the mutants that break it', ({ contract, name }) => {
    const page = fs.readFileSync(path.join(root, 'docs/contracts/proofs.md'), 'utf8');
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``))!;
    const broken = mutants.filter(({ proofs, breaks }) => proofs === contract && breaks.includes(name));
    expect(row.split(' | ').at(-1)).toBe(`${broken.map((mutant) => mutant.name).join('; ')} |`);
  });
});

describe('the mutants', () => {
  it.each(mutants.map((mutant) => ({ ...mutant })))('$name', ({ edits, proofs, breaks }) => {
    for (const name of breaks) expect(properties).toContainEqual({ contract: proofs, name });
    for (const { file, search, replace } of edits) {
      const text = fs.readFileSync(path.join(root, 'contracts', file), 'utf8');
      expect(text.split(search)).toHaveLength(2);
      expect(replace).not.toBe(search);
    }
  });
});

describe('a run that passed', () => {
  const tree = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-passed-'));
  afterAll(() => fs.rmSync(tree, { recursive: true, force: true }));

  const inputs = [
    'contracts/Registry.sol',
    'test/proofs/Deal.t.sol',
    'tools/prove/halmos.ts',
    'tools/build/contracts/settings.ts',
    'foundry.toml',
  ];

  it('is recorded until a contract, a proof, the runner or the compiler settings change', () => {
    for (const file of inputs) {
      fs.mkdirSync(path.join(tree, path.dirname(file)), { recursive: true });
      fs.writeFileSync(path.join(tree, file), file);
    }
    const record = path.join(tree, 'proved.json');
    const before = (): string | null => passedBefore(digestOfInputs(tree), record);
    const remember = (): void => rememberPassed(digestOfInputs(tree), 'proofs: 2 held', record);
    expect(before()).toBeNull();
    remember();
    expect(before()).toBe('proofs: 2 held');
    for (const file of inputs) {
      fs.appendFileSync(path.join(tree, file), ' ');
      expect(before()).toBeNull();
      fs.writeFileSync(path.join(tree, file), file);
      expect(before()).toBe('proofs: 2 held');
    }
    // Slither reads its settings where it runs, and the compiler follows links.
    const outside = path.join(tree, 'More.sol');
    fs.writeFileSync(outside, '');
    for (const add of [
      () => fs.writeFileSync(path.join(tree, 'slither.db.json'), '[]'),
      () => fs.symlinkSync(outside, path.join(tree, 'contracts/More.sol')),
    ]) {
      remember();
      add();
      expect(before()).toBeNull();
    }
  });
});
