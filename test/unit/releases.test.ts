import fs from 'node:fs';
import path from 'node:path';
import { id } from 'ethers';
import { releases } from '../../chain/pure/releases.ts';
import { root } from '../../tools/paths.ts';

/**
 * The hash of each file as it was released. Diamonds are recognised by these files, and root approves their facets, so
 * a failure here is a bug in the change, never in the test: different code is a new release.
 */
const released: Readonly<Record<string, string>> = {
  '1.0.0': '0xe302acf818ad9f7f27a6a48dfb9d2d24e58a42828f9e59d57f2643b3fdba526b',
  '1.1.0': '0xb0421edecbaea22b7cb7f351080123c3077fd56ba48f8444b0ecbc7923ed5da3',
  '1.2.0': '0x82776dceb5410c8cfee0b8dd9fd65b755a505bc0d2db45f63e5809ee491b6ad6',
  '1.3.0': '0x2b8c500c63ab7429333a876411fd5c8c38b60e4f35e123c77cf1b5e634cada2c',
};

/**
 * The same of batchers that are on networks: their addresses follow from their code, and their logs are read by their
 * ABI.
 */
const batchers: Readonly<Record<string, string>> = {
  '1': '0x84a9d5cf99df353a76ea76a39eca9621d3d5ed09e3c7c416f4064d8a4d8b985a',
};

const hashesIn = (folder: string): Record<string, string> => {
  const files = fs.readdirSync(path.join(root, folder)).sort();
  const textOf = (file: string): string => fs.readFileSync(path.join(root, folder, file), 'utf8');
  return Object.fromEntries(files.map((file) => [path.basename(file, '.json'), id(textOf(file))]));
};

it('every release has its bytes of the day of its release, and is known', () => {
  expect(hashesIn('contracts/releases')).toEqual(released);
  expect(releases.map(({ version }) => version)).toEqual(Object.keys(released));
});

it('every earlier batcher has its bytes of the day of its release', () => {
  expect(hashesIn('contracts/batchers')).toEqual(batchers);
});
