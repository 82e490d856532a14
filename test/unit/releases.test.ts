import fs from 'node:fs';
import path from 'node:path';
import { id } from 'ethers';
import { releases } from '../../chain/pure/releases.ts';
import { root } from '../../dev/paths.ts';

/**
 * The hash of each file as it was released. Diamonds are recognised by these files, and root approves what they say, so a
 * failure here is a bug in the change, never in the test: what differs is a new release.
 */
const released: Readonly<Record<string, string>> = {
  '1.0.0': '0xe302acf818ad9f7f27a6a48dfb9d2d24e58a42828f9e59d57f2643b3fdba526b',
  '1.1.0': '0xb0421edecbaea22b7cb7f351080123c3077fd56ba48f8444b0ecbc7923ed5da3',
  '1.2.0': '0x82776dceb5410c8cfee0b8dd9fd65b755a505bc0d2db45f63e5809ee491b6ad6',
};

const folder = path.join(root, 'contracts/releases');

it('every release is what it was when it was released, to the byte, and known', () => {
  const files = fs.readdirSync(folder).sort();
  const found = files.map((file) => [
    path.basename(file, '.json'),
    id(fs.readFileSync(path.join(folder, file), 'utf8')),
  ]);
  expect(Object.fromEntries(found)).toEqual(released);
  expect(releases.map(({ version }) => version)).toEqual(Object.keys(released));
});
