import { execFile } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../tools/paths.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { startProcess, type RunningProcess } from '../../tools/process/process.ts';
import { recordProcess } from '../../tools/process/records.ts';
import { prepare } from '../../tools/stack/prepare.ts';
import { healthCheckOf, healthChecks, podOf, renderWith, valuesOf, type PodSpec } from '../support/chart.ts';
import { createProduct, type Product } from '../support/product.ts';
import { samplesOf } from '../support/samples.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { recordsOf, testStack } from '../support/stack.ts';
import { testTemporal } from '../support/temporal.ts';

/*
 * The processes of the chart's pods, started with the arguments and the environment of the rendered containers and nothing
 * else, on the database and the Temporal of the tests. The hook has migrated the database. A payment completes, and
 * the commands of the page run as `kubectl exec` runs them.
 */

const run = promisify(execFile);

/** The cluster's Secrets, by name and key. */
const secrets: Record<string, Record<string, string>> = {};
let product: Product;
let shop: Shop;
let worker: Record<string, string>;
const checks: { name: string; url: string }[] = [];
const processes: RunningProcess[] = [];

/** Folder with the files of a pod's volume. */
const mount = (name: string): string => {
  const folder = path.join(testStack().dir, `chart-${crypto.randomBytes(4).toString('hex')}`);
  fs.mkdirSync(folder);
  for (const [key, value] of Object.entries(secrets[name]!)) fs.writeFileSync(path.join(folder, key), value);
  return folder;
};

/** The environment of a pod's container, whose files are in folders of this machine. */
const environmentOf = ({ containers: [{ env, volumeMounts }], volumes }: PodSpec): Record<string, string> => {
  const places = volumes.flatMap(({ name, secret }) => {
    const at = volumeMounts.find((candidate) => candidate.name === name)?.mountPath;
    return secret === undefined || at === undefined ? [] : [{ at: `${at}/`, folder: `${mount(secret.secretName)}/` }];
  });
  const valueOf = ({ value = '', valueFrom }: (typeof env)[number]): string => {
    if (valueFrom === undefined) {
      const place = places.find(({ at }) => value.startsWith(at));
      return place === undefined ? value : value.replace(place.at, place.folder);
    }
    const { name, key } = valueFrom.secretKeyRef;
    const secret = secrets[name]?.[key];
    if (secret === undefined) throw new Error(`there is no Secret ${name} with ${key}`);
    return secret;
  };
  return { PATH: process.env.PATH ?? '', ...Object.fromEntries(env.map((entry) => [entry.name, valueOf(entry)])) };
};

/** The chart on the stack of the tests. */
const render = async (publicUrl: string) => {
  const { address, namespace, taskQueue } = testTemporal();
  const values = valuesOf('default');
  const config = {
    CARAT_PROFILE: 'test',
    CARAT_PUBLIC_URL: publicUrl,
    CARAT_TEMPORAL_ADDRESS: address,
    CARAT_TEMPORAL_NAMESPACE: namespace,
    CARAT_TASK_QUEUE: taskQueue,
    // The receiver of the shop is on this machine.
    CARAT_WEBHOOK_HOSTS: 'loopback',
    CARAT_API_HOST: '127.0.0.1',
    CARAT_METRICS_HOST: '127.0.0.1',
  };
  const { problems, objects } = await renderWith({ ...values, config });
  expect(problems).toEqual([]);
  return objects;
};

/** Starts the process of a pod on free ports, and waits until it is ready. */
const start = async (name: string, pod: PodSpec, apiPort: number): Promise<Record<string, string>> => {
  const [container] = pod.containers;
  const [metricsPort = 0] = await freePorts(1);
  const ports: Record<string, number> = { http: apiPort, metrics: metricsPort };
  const given = environmentOf(pod);
  const environment = { ...given, CARAT_METRICS_PORT: String(metricsPort) };
  if (given.CARAT_API_PORT !== undefined) Object.assign(environment, { CARAT_API_PORT: String(apiPort) });
  for (const { name: port, containerPort } of container.ports ?? [])
    expect(given[port === 'http' ? 'CARAT_API_PORT' : 'CARAT_METRICS_PORT']).toBe(String(containerPort));
  const urlOf = (kind: (typeof healthChecks)[number]): string => {
    const { httpGet } = healthCheckOf(container, kind);
    return `http://127.0.0.1:${ports[httpGet.port]}${httpGet.path}`;
  };
  for (const kind of healthChecks) checks.push({ name, url: urlOf(kind) });
  const running = await startProcess({
    name: `the ${name} of the chart`,
    command: process.execPath,
    args: container.args,
    cwd: root,
    env: environment,
    logFile: path.join(product.logs, `chart-${name}.log`),
    readyMs: 60_000,
    isReady: async () => (await fetch(urlOf('readiness'), { signal: AbortSignal.timeout(2_000) })).ok,
    onSpawn: (pid) => recordProcess(recordsOf(testStack().dir, process.pid), name, pid),
  });
  processes.push(running);
  return environment;
};

beforeAll(async () => {
  let migrated = '';
  product = await createProduct({
    // The database is empty, and the chain is prepared after the hook.
    prepare: async (options) => {
      const role = new URL(options.databaseUrl);
      [role.username, role.password] = [`app_${crypto.randomBytes(6).toString('hex')}`, 'a-password'];
      secrets['carat-database'] = { url: role.href };
      secrets['carat-database-owner'] = { url: options.databaseUrl };
      const pod = podOf(await render('http://127.0.0.1'), 'carat-migrate');
      const { args } = pod.containers[0];
      migrated = (await run(process.execPath, args, { cwd: root, env: environmentOf(pod) })).stdout;
      return prepare({ ...options, report: () => {} });
    },
  });
  expect(migrated).toContain('Created the role app_');
  const { masterKey, keystorePassphrase } = product.secrets;
  // With the end of the line that files have.
  secrets['carat-master-key'] = { key: `${masterKey}\n` };
  const keystore = fs.readFileSync(path.join(product.logs, '../keystore.json'), 'utf8');
  secrets['carat-keystore'] = { passphrase: `${keystorePassphrase}\n`, 'keystore.json': keystore };
  const objects = await render(product.dev.api);
  const apiPort = Number(new URL(product.dev.api).port);
  await start('api', podOf(objects, 'carat-api'), apiPort);
  worker = await start('worker', podOf(objects, 'carat-worker'), apiPort);
  shop = await openShop(product);
});

afterAll(async () => {
  shop?.close();
  await Promise.all(processes.map((running) => running.stop()));
  await product?.stop();
});

it('completes a payment', async () => {
  await shop.deployed('alpha');
  const payment = await shop.create('alpha');
  await shop.pay('alpha', payment);
  expect(await shop.reached(payment, 'completed')).toMatchObject({ payer: expect.stringMatching(/^0x/) });
});

it('answers each health check of Kubernetes', async () => {
  const answers = await Promise.all(checks.map(async ({ name, url }) => [name, url, (await fetch(url)).status]));
  expect(answers).toHaveLength(6);
  expect(answers.filter(([, , status]) => status !== 200)).toEqual([]);
});

it('runs the commands of the page in a pod of the worker', async () => {
  const text = samplesOf('docs/operations/kubernetes.md')
    .map((sample) => sample.text)
    .join('\n');
  const commands = [...text.matchAll(/exec (?:-i )?deploy\/carat-worker -- node (cli\/main\.ts .+)$/gm)].map(
    ([, command = '']) => command.replace('NETWORK', 'alpha'),
  );
  expect(commands.length).toBeGreaterThan(3);
  const outcomes = await Promise.all(
    commands.map(async (command) => {
      // As with kubectl, standard input is a pipe.
      const line = command.replace(/^(.*) < \S+$/, 'cat "$CATALOGUE" | "$NODE" $1').replace(/^cli/, '"$NODE" cli');
      const env = { ...worker, NODE: process.execPath, CATALOGUE: path.join(product.logs, '../catalogue.yaml') };
      const { code, stderr } = await run('sh', ['-c', line], { cwd: root, env }).then(
        () => ({ code: 0, stderr: '' }),
        (error: { code: number; stderr: string }) => error,
      );
      return { command, code, stderr };
    }),
  );
  // The doctor misses TLS, and on a busy machine something may be late.
  const mayFind = /doctor|status/;
  expect(outcomes.filter(({ command, code }) => code > (mayFind.test(command) ? 1 : 0))).toEqual([]);
  expect(outcomes.filter(({ stderr }) => stderr.includes('CARAT_'))).toEqual([]);
});
