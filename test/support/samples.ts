import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/paths.ts';

/** A fenced block of a document. */
export interface Sample {
  /** File, language, and number among the file's samples of that language, such as `README.md sh 1`. */
  readonly name: string;
  readonly text: string;
}

/** Documents for people, from the folder of the repository. */
export const documents: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'test/README.md',
  'tools/bench/README.md',
  'client/README.md',
  'client/example/README.md',
  ...fs
    .readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join('docs', name))
    .toSorted((one, other) => one.localeCompare(other)),
];

/** Text of a document. */
export const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');

/** The fenced blocks of a document, without the indentation of the list that they stand in. */
export const samplesOf = (file: string): readonly Sample[] => {
  const count = new Map<string, number>();
  return [...read(file).matchAll(/^( *)```(\w*)\n([^]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', text = '']) => {
      const number = (count.get(language) ?? 0) + 1;
      count.set(language, number);
      return { name: `${file} ${language} ${number}`, text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
    },
  );
};

/**
 * The runner of each sample. test/start/up.test.ts runs those of `stack` as written, in this order; `guides` in one
 * shell, where a program stands in the file that its first line names; `shop` sells something.
 */
export const samples: Readonly<Record<string, string>> = {
  'README.md sh 2': 'stack',
  'README.md sh 3': 'stack',
  'docs/operations/webhooks.md sh 1': 'stack',
  'docs/operations/alerts.md sh 1': 'stack',
  'docs/operations/branding.md sh 1': 'stack',
  'docs/operations/lock-payouts.md sh 1': 'stack',
  'docs/operations/status.md sh 1': 'stack',
  'docs/operations/commands.md sh 1': 'stack',
  'docs/operations/data.md sh 1': 'stack',
  'docs/operations/data.md sh 2': 'stack',
  'docs/operations/data.md sh 3': 'stack',
  'docs/operations/rate-limits.md sql 1': 'stack',
  'docs/operations/outside-issuer.md yaml 1': 'stack',
  'README.md sh 4': 'stack',
  'README.md ts 1': 'stack',
  'docs/operations/upgrade.md sh 1':
    'npm run test:compose runs it in Docker, test/upgrade and test/cli with two versions and without containers',
  'docs/operations/upgrade.md sh 2':
    'npm run test:compose runs it in Docker, test/upgrade with two versions and without containers',
  'docs/operations/upgrade.md sh 3': 'npm run test:compose -- upgrade runs it in Docker',
  'docs/operations/kubernetes.md sh 1':
    'needs a registry: the image is that of docker-compose.yml, which npm run test:compose runs',
  'docs/operations/kubernetes.md sh 2':
    'needs a cluster: test/tools/chart.test.ts compares its Secrets with those that the chart reads',
  'docs/operations/kubernetes.md sh 3':
    'needs a cluster: test/tools/chart-pods.test.ts starts the processes of the pods',
  'docs/operations/kubernetes.md sh 4': 'test/tools/chart-pods.test.ts, without kubectl',
  'docs/operations/kubernetes.md sh 5': 'needs a cluster',
  'docs/operations/kubernetes.md sh 6': 'needs a cluster: test/upgrade runs the same without pods',
  'docs/operations/kubernetes.md sh 7': 'needs a cluster: test/upgrade runs the same without pods',
  'docs/operations/kubernetes.md sh 8': 'needs a cluster',
  'docs/operations/kubernetes.md yaml 1': 'test/tools/chart.test.ts',
  'docs/operations/kubernetes.md yaml 2': 'test/tools/chart.test.ts',
  'README.md sh 1': 'npm start: test/start/up.test.ts runs it, also from a killed and from an empty state',
  'README.md mermaid 1': 'a picture',
  'README.md sh 5': '.ci/run',
  'CONTRIBUTING.md sh 1': '.ci/run runs the same in full',
  'test/README.md sh 1': '.ci/run runs the same in full',
  'docs/contracts/proofs.md  1': 'forms of one command, of which .ci/run runs one',
  'docs/operations/install.md sh 1': 'npm run test:compose',
  'docs/operations/install.md sh 2': 'npm run test:compose',
  'docs/operations/install.md sh 3': 'npm run test:compose',
  'docs/operations/rotate-keys.md sh 1': 'npm run test:compose',
  'docs/operations/remove.md sh 1': 'npm run test:compose',
  'docs/operations/remove.md sh 2': 'npm run test:compose',
  'docs/operations/remove.md sh 3': 'npm run test:compose',
  'docs/operations/backup.md sh 1': 'test/cli/backup.test.ts',
  'docs/operations/backup.md sh 2': 'test/cli/backup.test.ts',
  'docs/operations/backup.md sh 3': 'npm run test:compose',
  'docs/operations/backup.md sh 4': 'npm run test:compose',
  'docs/operations/backup.md sh 5': 'test/cli/backup.test.ts',
  'docs/operations/backup.md ini 1': 'test/cli/wal.test.ts',
  'docs/operations/backup.md ini 2': 'test/cli/wal.test.ts',
  'docs/operations/stolen-keys.md sh 1': 'test/drills/stolen-keys.test.ts',
  'docs/operations/stolen-keys.md sh 2': 'test/drills/stolen-keys.test.ts',
  'docs/operations/stolen-keys.md sh 3': 'test/drills/stolen-keys.test.ts',
  'docs/operations/stolen-keys.md sh 4': 'test/drills/stolen-keys.test.ts',
  'docs/operations/stolen-keys.md sh 5': 'test/drills/stolen-keys.test.ts',
  'docs/operations/stolen-keys.md sh 6': 'test/drills/stolen-keys.test.ts',
  'docs/operations/stolen-keys.md sh 7': 'test/drills/stolen-keys.test.ts',
  'docs/operations/stolen-keys.md sh 8': 'test/drills/stolen-keys.test.ts',
  'docs/operations/stolen-keys.md sh 9': 'test/drills/stolen-keys.test.ts',
  'docs/operations/stolen-keys.md sh 10': 'test/drills/stolen-keys.test.ts',
  'docs/operations/stolen-keys.md sh 11': 'test/drills/stolen-keys.test.ts',
  'docs/operations/stolen-keys.md sh 12': 'test/drills/stolen-keys.test.ts',
  'docs/operations/stolen-keys.md sql 1': 'test/drills/stolen-keys.test.ts',
  'docs/operations/webhooks.md js 1': 'test/unit/receiver-sample.test.ts',
  'client/README.md js 1': 'test/client/package.test.ts',
  'client/README.md js 2': 'test/client/package.test.ts',
  'client/example/README.md sh 1': 'shop',
  'client/example/README.md sh 2': 'shop',
  'client/example/README.md sh 3': 'shop',
  'docs/guides/take-a-payment.md sh 1': 'guides',
  'docs/guides/take-a-payment.md sh 2': 'guides',
  'docs/guides/take-a-payment.md js 1': 'guides',
  'docs/guides/take-a-payment.md js 2': 'guides',
  'docs/guides/take-a-payment.md sh 3': 'guides',
  'docs/guides/take-a-payment.md sh 4': 'guides',
  'docs/guides/take-a-payment.md js 3': 'guides',
  'docs/guides/take-a-payment.md sh 5': 'guides',
  'docs/guides/webhooks.md js 1': 'guides',
  'docs/guides/webhooks.md sh 1': 'guides',
  'docs/guides/webhooks.md js 2': 'guides',
  'docs/guides/webhooks.md sh 2': 'guides',
  'docs/guides/webhooks.md js 3': 'guides',
  'docs/guides/webhooks.md sh 3': 'guides',
  'docs/guides/checkout.md js 1': 'guides',
  'docs/guides/checkout.md sh 1': 'guides',
  'docs/guides/checkout.md js 2': 'guides',
  'docs/guides/checkout.md sh 2': 'guides',
  'docs/guides/checkout.md js 3': 'guides',
  'docs/guides/checkout.md sh 3': 'guides',
  'docs/guides/checkout.md html 1': 'test/browser/guides.test.ts',
  'docs/guides/checkout.md js 4': 'test/browser/guides.test.ts',
  'docs/guides/checkout.md css 1': 'test/browser/guides.test.ts',
  'docs/guides/checkout.md http 1': 'test/browser/guides.test.ts',
  'docs/guides/checkout.md sh 4': 'guides',
  'docs/guides/testing.md js 1': 'guides',
  'docs/guides/testing.md sh 1': 'guides',
  'docs/guides/testing.md js 2': 'guides',
  'docs/guides/testing.md sh 2': 'guides',
  'docs/guides/going-live.md js 1': 'guides',
  'docs/guides/going-live.md sh 1': 'guides',
  'docs/guides/errors.md js 1': 'guides',
  'docs/guides/errors.md sh 1': 'guides',
  'docs/guides/money.md js 1': 'guides',
  'docs/guides/money.md sh 1': 'guides',
  'docs/errors.md json 1': 'an answer, generated from openapi.yaml',
};
