import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../../dev/paths.ts';

interface Snippet {
  /** Where in the repository the file is supposed to stand. */
  file: string;
  content: string;
}

/**
 * Lints each snippet as if it stood in the repository, all in one run, and answers the rules that each one breaks.
 * Every snippet has a folder with the project's rules of its own, because two may be the same file.
 */
async function lint(snippets: Snippet[]): Promise<string[][]> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-lint-'));
  try {
    snippets.forEach(({ file, content }, index) => {
      const place = path.join(dir, String(index), file);
      fs.mkdirSync(path.dirname(place), { recursive: true });
      fs.copyFileSync(path.join(root, '.oxlintrc.json'), path.join(dir, String(index), '.oxlintrc.json'));
      fs.writeFileSync(place, content);
    });
    const output = await new Promise<string>((resolve) => {
      const oxlint = path.join(root, 'node_modules/.bin/oxlint');
      execFile(oxlint, ['--format', 'json'], { cwd: dir, maxBuffer: 1 << 26 }, (_error, stdout) => resolve(stdout));
    });
    const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string; filename: string }[] };
    return snippets.map((_, index) =>
      diagnostics.filter(({ filename }) => filename.split('/')[0] === String(index)).map(({ code }) => code),
    );
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

const importOf = (from: string): string => `import { thing } from '${from}';\nexport const used = thing;\n`;
const typeOf = (from: string): string => `import type { Thing } from '${from}';\nexport type Used = Thing;\n`;

const refused: [file: string, content: string][] = [
  ['domain/payment.ts', importOf('node:crypto')],
  ['domain/payment.ts', importOf('ethers')],
  ['domain/payment.ts', typeOf('../db/payments.ts')],
  ['domain/payment.ts', importOf('../config.ts')],
  ['workflows/payment.ts', importOf('node:fs')],
  ['workflows/payment.ts', importOf('ethers')],
  ['workflows/payment.ts', importOf('../db/payments.ts')],
  ['workflows/payment.ts', typeOf('../db/payments.ts')],
  ['workflows/payment.ts', importOf('../activities/payment.ts')],
  ['workflows/payment.ts', importOf('@temporalio/client')],
  ['activities/payment.ts', importOf('../db/payments.ts')],
  ['activities/payment.ts', importOf('../chain/lane.ts')],
  ['activities/payment.ts', importOf('../config.ts')],
  ['activities/payment.ts', importOf('../api/app.ts')],
  ['activities/payment.ts', importOf('ethers')],
  ['api/payments.ts', importOf('../activities/payment.ts')],
  ['api/payments.ts', importOf('../chain/lane.ts')],
  ['api/payments.ts', typeOf('../chain/lane.ts')],
  ['api/payments.ts', importOf('../config.ts')],
  ['api/payments.ts', importOf('@temporalio/client')],
  ['api/payments.ts', importOf('../workflows/payment.ts')],
  ['api/server.ts', importOf('../activities/payment.ts')],
  ['outbox/dispatcher.ts', importOf('../chain/rpc.ts')],
  ['outbox/dispatcher.ts', importOf('../config.ts')],
  ['db/payments.ts', importOf('../chain/rpc.ts')],
  ['db/payments.ts', typeOf('../chain/pure/deal.ts')],
  ['db/models/payment.ts', importOf('../../chain/rpc.ts')],
  ['db/payments.ts', importOf('ethers')],
  ['chain/lane.ts', importOf('../db/lane-store.ts')],
  ['chain/lane.ts', typeOf('../db/lane-store.ts')],
  ['chain/lane.ts', importOf('knex')],
  ['chain/pure/deal.ts', importOf('../rpc.ts')],
  ['chain/pure/deal.ts', importOf('../../db/payments.ts')],
  ['workers/lanes.ts', importOf('../config.ts')],
  ['workers/main.ts', importOf('../api/app.ts')],
  ['workers/main.ts', importOf('../workflows/payment.ts')],
  ['cli/catalogue.ts', importOf('../config.ts')],
  ['cli/main.ts', importOf('../test/support/chain.ts')],
  ['widget/page.ts', importOf('../domain/money.ts')],
  ['client/client.ts', importOf('node:crypto')],
  ['client/client.ts', importOf('../api/openapi-types.ts')],
  ['client/client.ts', typeOf('../domain/errors.ts')],
];

const accepted: [file: string, content: string][] = [
  ['domain/payment.ts', importOf('./money.ts')],
  ['workflows/payment.ts', importOf('@temporalio/workflow')],
  ['workflows/payment.ts', importOf('../domain/payment.ts')],
  ['workflows/payment.ts', typeOf('../activities/payment.ts')],
  ['activities/payment.ts', typeOf('../db/payments.ts')],
  ['activities/payment.ts', typeOf('../chain/lane.ts')],
  ['activities/payment.ts', importOf('@temporalio/activity')],
  ['api/payments.ts', importOf('../db/payments.ts')],
  ['api/payments.ts', importOf('../chain/pure/deal.ts')],
  ['api/payments.ts', importOf('../workflows/messages.ts')],
  ['api/server.ts', importOf('../config.ts')],
  ['outbox/dispatcher.ts', importOf('@temporalio/client')],
  ['db/models/payment.ts', importOf('../../domain/payment.ts')],
  ['chain/lane.ts', importOf('./rpc.ts')],
  ['chain/pure/deal.ts', importOf('../../domain/deal.ts')],
  ['workers/main.ts', importOf('../config.ts')],
  ['cli/main.ts', importOf('../config.ts')],
  ['client/client.ts', typeOf('../api/openapi-types.ts')],
  ['client/client.ts', importOf('./pages.ts')],
];

const folders = ['domain', 'workflows', 'activities', 'api', 'outbox', 'db', 'chain', 'workers'];

describe('who may import whom', () => {
  let broken: string[][] = [];
  const environment: [file: string, content: string][] = folders.map((folder) => [
    `${folder}/thing.ts`,
    'export const home = process.env.HOME;\n',
  ]);
  const all = [...refused, ...accepted, ...environment];
  const rulesOf = (entry: [string, string]): string[] | undefined => broken[all.indexOf(entry)];

  beforeAll(async () => {
    broken = await lint(all.map(([file, content]) => ({ file, content })));
  });

  test.each(refused.map((entry) => [...entry, entry] as const))('%s may not say %j', (_file, _content, entry) => {
    expect(rulesOf(entry)).toEqual(['eslint(no-restricted-imports)']);
  });

  test.each(accepted.map((entry) => [...entry, entry] as const))('%s may say %j', (_file, _content, entry) => {
    expect(rulesOf(entry)).toEqual([]);
  });

  test.each(environment.map((entry) => [entry[0], entry] as const))(
    '%s may not read the environment',
    (_file, entry) => {
      expect(rulesOf(entry)).toEqual(['node(no-process-env)']);
    },
  );
});
