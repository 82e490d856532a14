import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../tools/paths.ts';
import { startApi } from '../api/support/api-under-test.ts';

const run = promisify(execFile);

/** A merchant's program over the generated code: a token, a wallet, a payment sent twice, a list, a refusal. */
const merchant = `
import { AccessService, ApiError, MembersService, OpenAPI, PaymentsService, WalletsService } from './api/index';
import type { PaymentRequest } from './api/index';
const [url, apiKey, secret, payment, chainId] = process.argv.slice(2) as [string, string, string, string, string];
const body: PaymentRequest = JSON.parse(payment);
OpenAPI.BASE = url;
const main = async () => {
  const { access_token } = await AccessService.issueToken({
    requestBody: { grant_type: 'client_credentials', client_id: apiKey, client_secret: secret },
  });
  OpenAPI.TOKEN = access_token;
  const nodeId = body.node_id;
  const wallet = await WalletsService.createWallet({ requestBody: { node_id: nodeId, chain_id: chainId, name: 'w' } });
  await WalletsService.updateWallet({ id: wallet.id, requestBody: { name: 'main' } });
  const { id: member_id } = await MembersService.createMember({
    requestBody: { node_id: nodeId, external_id: 'c-1', name: 'Ada' },
  });
  const requestBody = { ...body, wallet_id: wallet.id, member_id };
  const first = await PaymentsService.createPayment({ requestBody, idempotencyKey: 'k' });
  const second = await PaymentsService.createPayment({ requestBody, idempotencyKey: 'k' });
  const page = await PaymentsService.listPayments({ nodeId, status: 'pending', perPage: 5 });
  const refused = await PaymentsService.createPayment({ requestBody }).catch((error: ApiError) => error.body.code);
  const { name } = await WalletsService.getWallet({ id: wallet.id });
  console.log(JSON.stringify({ same: first.id === second.id, total: page.total, name, refused, method: first.payment_method }));
};
void main();
`;

describe("a client from another project's generator", () => {
  it('type-checks and makes a payment', async () => {
    const api = await startApi();
    const shop = await api.actor('shop');
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-generated-'));
    try {
      const document = path.join(folder, 'openapi.json');
      fs.writeFileSync(document, (await api.call('GET', '/openapi.json')).text);
      const generator = path.join(root, 'node_modules/openapi-typescript-codegen/bin/index.js');
      const options = ['--input', document, '--output', path.join(folder, 'api'), '--useOptions', '--useUnionTypes'];
      await run(process.execPath, [generator, ...options]);
      fs.writeFileSync(path.join(folder, 'merchant.ts'), merchant);
      const types = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')];
      const modules = [
        '--module',
        'commonjs',
        '--moduleResolution',
        'node10',
        '--target',
        'es2022',
        '--lib',
        'es2023,dom',
      ];
      const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
      await run(process.execPath, [tsc, 'merchant.ts', '--strict', '--skipLibCheck', ...modules, ...types], {
        cwd: folder,
      });
      const { apiKey, secret } = shop.credentials;
      const body = JSON.stringify(api.paymentBody());
      const { stdout } = await run(
        process.execPath,
        ['merchant.js', api.url, apiKey, secret, body, api.ids.chains.Main!],
        {
          cwd: folder,
        },
      );
      expect(JSON.parse(stdout)).toEqual({
        same: true,
        total: 1,
        name: 'main',
        refused: 'payment_exists',
        method: 'web3',
      });
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });
});
