import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, stateDir } from './paths.ts';
import { requireRunningStack } from './running-stack.ts';

/*
 * npm run shop
 *
 * Runs client/example on the stack of `npm start`, with the client as a shop would install it. SHOP_URL moves it to another
 * port of this machine.
 */

const dev = requireRunningStack();
const folder = path.join(stateDir, 'shop');
fs.cpSync(path.join(root, 'client/example'), folder, { recursive: true });
const built = path.join(folder, 'node_modules/carat-client');
execFileSync(process.execPath, [path.join(root, 'tools/build/build-client.ts'), built], { stdio: 'pipe' });
Object.assign(process.env, {
  CARAT_URL: dev.api,
  CARAT_API_KEY: dev.admin.api_key,
  CARAT_SECRET: dev.admin.secret,
  CARAT_NODE: dev.nodes.merchant,
  CARAT_NETWORK: dev.networks.alpha!.id,
  CARAT_WALLET: dev.wallets.offered,
  CARAT_CURRENCY: dev.currencies.USDC!.id,
  CARAT_PAYEE: '0x00000000000000000000000000000000000C0DE1',
  SHOP_URL: process.env.SHOP_URL ?? 'http://127.0.0.1:4000',
});
process.chdir(folder);
const secret = execFileSync(process.execPath, ['webhook.js'], { encoding: 'utf8' });
process.env.CARAT_WEBHOOK_SECRET = secret.trim().split('=').slice(1).join('=');
await import(pathToFileURL(path.join(folder, 'shop.js')).href);
