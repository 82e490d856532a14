import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../../tools/paths.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * The content of the Dockerfile's image, in a folder: the files that .dockerignore leaves, and the production packages
 * without the files that no process loads. A payment completes with nothing else.
 */

/** Bytes of the production packages at most. */
const packagesLimit = 150 * 1_000_000;

interface Installed {
  readonly packages: Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>;
}

/** The files here that .dockerignore leaves. Each of its lines is a name, a folder, `*.ending` or an exception. */
const filesOfImage = (): string[] => {
  const lines = fs.readFileSync(path.join(root, '.dockerignore'), 'utf8').trim().split('\n');
  const covers = (line: string, file: string): boolean =>
    path.matchesGlob(file, line) || file.startsWith(`${line.replace(/\/\*$/, '')}/`);
  const isLeft = (file: string): boolean => {
    const last = lines.findLast((line) => covers(line.replace(/^!/, ''), file));
    return last === undefined || last.startsWith('!');
  };
  const below = (folder: string): string[] =>
    fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const file = path.posix.join(folder, entry.name);
      if (!isLeft(file)) return [];
      return entry.isDirectory() ? below(file) : [file];
    });
  return below('');
};

const sizeOf = (folder: string): number =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + fs.statSync(path.join(parentPath, name)).size, 0);

/** Copies the packages that `npm ci --omit=dev` installs. */
const installProduction = (folder: string): void => {
  const lock = JSON.parse(fs.readFileSync(path.join(root, 'node_modules/.package-lock.json'), 'utf8')) as Installed;
  const kept = Object.entries(lock.packages).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  for (const [place] of kept) {
    fs.mkdirSync(path.dirname(path.join(folder, place)), { recursive: true });
    execFileSync('cp', ['-a', path.join(root, place), path.join(folder, path.dirname(place))]);
  }
  const text = JSON.stringify({ ...lock, packages: Object.fromEntries(kept) });
  fs.writeFileSync(path.join(folder, 'node_modules/.package-lock.json'), text);
};

let folder: string;
let product: Product;
let shop: Shop;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-image-'));
  for (const file of filesOfImage()) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.copyFileSync(path.join(root, file), path.join(folder, file));
  }
  installProduction(folder);
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe' });
  node('install/prune-packages.ts', 'node_modules');
  const bundle = path.join(folder, 'workflows.js');
  node('tools/build/bundle-workflows.ts', bundle);
  product = await createProduct({ ownRole: true, folder, environment: { CARAT_WORKFLOW_BUNDLE: bundle } });
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

it('the image has at most 150 MB of packages', () => {
  const bytes = sizeOf(path.join(folder, 'node_modules'));
  expect(bytes).toBeGreaterThan(50 * 1_000_000);
  expect(bytes).toBeLessThanOrEqual(packagesLimit);
});

it('the image completes a payment', async () => {
  await shop.deployed('alpha');
  const payment = await shop.create('alpha');
  await shop.pay('alpha', payment);
  expect(await shop.reached(payment, 'completed')).toMatchObject({ payer: expect.stringMatching(/^0x/) });
});

it.each([
  ['docs', 'text/html'],
  ['docs/redoc.js', 'text/javascript'],
  ['docs/guides/webhooks', 'text/html'],
  ['openapi.json', 'application/json'],
  ['pay/01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f71', 'text/html'],
  ['widget/v1/carat-pay.js', 'text/javascript'],
])('the image serves /%s', async (target, type) => {
  const answer = await fetch(`${product.dev.api}/${target}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining(type)]);
});
