import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../dev/paths.ts';
import { startApi } from '../api/support/api-under-test.ts';

const run = promisify(execFile);

/** A shop in another project: knows the built package and nothing of this repository. */
const shop = `
import { createCaratClient, CaratError, type CaratOptions } from 'carat-client';
const [url, apiKey, secret] = process.argv.slice(2) as [string, string, string];
const options: CaratOptions = { url, apiKey, secret };
const carat = createCaratClient(options);
const names: string[] = [];
for await (const node of carat.listNodes()) names.push(node.name);
// @ts-expect-error a name is a text
const refused = await carat.createWallet({ node_id: 'x', chain_id: 'x', name: 1 }).catch((error: CaratError) => error.code);
console.log(JSON.stringify({ names: names.sort(), refused }));
`;

describe('the built client', () => {
  it('type-checks and runs in another project, without this repository', async () => {
    const api = await startApi();
    const { credentials } = await api.actor('shop');
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-client-'));
    try {
      const built = path.join(folder, 'node_modules/carat-client');
      await run(process.execPath, ['scripts/build-client.ts', built], { cwd: root });
      fs.writeFileSync(path.join(folder, 'shop.mts'), shop);
      const tsc = path.join(root, 'node_modules/typescript-7/bin/tsc');
      const types = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')];
      await run(tsc, ['shop.mts', '--strict', '--target', 'es2022', '--module', 'nodenext', ...types], { cwd: folder });
      const { apiKey, secret } = credentials;
      const { stdout } = await run(process.execPath, ['shop.mjs', api.url, apiKey, secret], { cwd: folder });
      expect(JSON.parse(stdout)).toEqual({ names: ['branch', 'shop'], refused: 'invalid_request' });
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });
});
