import fs from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { describeConfig } from '../../runtime/config.ts';
import { kubernetesSchemas, type KubernetesObject } from '../support/helm/helm.ts';
import { root } from '../../tools/paths.ts';
import { chartFolder, podOf, renderWith, secretsOf, valuesOf, type Manifest } from '../support/chart.ts';
import { read, samplesOf } from '../support/samples.ts';

/*
 * The chart, linted and rendered by Helm's library with each values file in its folder `ci`. chart-pods.test.ts starts the
 * processes of its pods.
 */

const names = ['default', 'everything', 'least'] as const;
/** The oldest version of Kubernetes that Chart.yaml allows, and the newest that there is. */
const versions = ['1.27', '1.37'] as const;
const parts = ['carat-api', 'carat-worker', 'carat-migrate'] as const;

const rendered = {} as Record<(typeof names)[number], Manifest[]>;
const checks = new Map<string, (object: KubernetesObject) => string[]>();

// Helm and the schemas are downloaded where this user has them not yet.
beforeAll(async () => {
  for (const name of names) {
    const { problems, objects } = await renderWith(valuesOf(name));
    expect([name, problems]).toEqual([name, []]);
    rendered[name] = objects;
  }
  for (const version of versions) checks.set(version, await kubernetesSchemas(version));
});

const named = (objects: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};

const kindsOf = (objects: readonly Manifest[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();

const always = ['Deployment', 'PodDisruptionBudget'].flatMap((kind) => [`${kind} carat-api`, `${kind} carat-worker`]);

describe('the chart', () => {
  it('has the objects that its values ask for, and never a Secret', () => {
    const policies = parts.map((name) => `NetworkPolicy ${name}`);
    const usual = [...always, ...policies, 'Job carat-migrate', 'Service carat-api'];
    expect(kindsOf(rendered.default)).toEqual(usual.toSorted());
    expect(kindsOf(rendered.everything)).toEqual([...usual, 'Ingress carat', 'PodMonitor carat'].toSorted());
    expect(kindsOf(rendered.least)).toEqual([...always, 'Service carat-api'].toSorted());
  });

  it.each(versions)('has objects that are valid for Kubernetes %s', (version) => {
    const check = checks.get(version)!;
    // Its schema belongs to the Prometheus operator.
    const own = names.flatMap((name) => rendered[name]).filter(({ kind }) => kind !== 'PodMonitor');
    expect(own.map((object) => [object.kind, object.metadata.name, check(object)])).toEqual(
      own.map(({ kind, metadata }) => [kind, metadata.name, []]),
    );
    const deployment = named(own, 'Deployment', 'carat-api');
    expect(check({ ...deployment, spec: { ...deployment.spec, replica: 2 } } as KubernetesObject)).toHaveLength(1);
    expect(check({ ...deployment, apiVersion: 'apps/v9' })).toEqual([`${version} has no apps/v9 Deployment`]);
  });

  it('lets the Prometheus operator find api and worker under the jobs of the rules', () => {
    const { spec } = named(rendered.everything, 'PodMonitor', 'carat');
    expect(spec).toEqual({
      jobLabel: 'app.kubernetes.io/name',
      selector: { matchLabels: { 'app.kubernetes.io/part-of': 'carat', 'app.kubernetes.io/instance': 'carat' } },
      podMetricsEndpoints: [
        {
          port: 'metrics',
          interval: '30s',
          relabelings: [{ targetLabel: 'installation', replacement: 'payments/carat' }],
        },
      ],
    });
    const { scrape_configs: jobs } = load(read('install/monitoring/prometheus.yml')) as {
      scrape_configs: { job_name: string }[];
    };
    const labels = ['carat-api', 'carat-worker'].map(
      (name) => named(rendered.everything, 'Deployment', name).spec.template!.metadata.labels,
    );
    expect(labels.map((label) => label['app.kubernetes.io/name'])).toEqual(jobs.map(({ job_name: job }) => job));
    for (const label of labels) expect(label).toMatchObject(spec.selector!.matchLabels!);
  });

  it('has the version of the image that it names', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const chart = load(read('install/charts/carat/Chart.yaml')) as { version: string; appVersion: string };
    expect(chart).toMatchObject({ version, appVersion: version });
    expect(podOf(rendered.default, 'carat-api').containers[0].image).toBe(`registry.example/carat:${version}`);
  });

  it.each([
    ['a missing variable', { config: { CARAT_PUBLIC_URL: 'https://pay.example' } }, 'CARAT_TEMPORAL_ADDRESS'],
    ['a missing image', { image: {} }, 'repository'],
    ['a misspelt variable', { config: { CARAT_RATE_LIMITS: '7' } }, 'CARAT_RATE_LIMITS'],
    ['a number, which Helm may print as 1e+08', { config: { CARAT_MAX_OPEN_PAYMENTS: 100_000_000 } }, 'want string'],
    ['a port, which the probes know', { config: { CARAT_API_PORT: '80' } }, 'CARAT_API_PORT'],
    ['a secret among the variables', { config: { CARAT_MASTER_KEY: 'a2V5' } }, 'CARAT_MASTER_KEY'],
    ['a secret among those of other programs', { env: { CARAT_MASTER_KEY: 'a2V5' } }, 'CARAT_MASTER_KEY'],
    ['the value of a secret', { secrets: { CARAT_MASTER_KEY: 'a2V5' } }, 'want object'],
    ['an ingress without a host', { ingress: { enabled: true } }, 'host'],
    ['an unknown value', { replicas: 3 }, 'replicas'],
  ])('refuses %s', async (_what, values, word) => {
    const { problems } = await renderWith({ ...valuesOf('default'), ...values });
    expect(problems.join('\n')).toContain(word);
  });
});

describe('the pods', () => {
  const containerOf = (objects: readonly Manifest[], name: string) => podOf(objects, name).containers[0];

  it('can be given every variable that runtime/config.ts reads: secrets by reference only, others as texts', () => {
    const { properties } = JSON.parse(read('install/charts/carat/values.schema.json')) as {
      properties: Record<'config' | 'secrets', { properties: Record<string, unknown> }>;
    };
    const known = [...describeConfig('api'), ...describeConfig('worker')];
    const ofChart = ['CARAT_API_PORT', 'CARAT_METRICS_PORT', 'CARAT_KEYSTORE'];
    const texts = known.filter(({ name, secret }) => !secret && !ofChart.includes(name)).map(({ name }) => name);
    expect(Object.keys(properties.config.properties).toSorted()).toEqual(
      [...new Set([...texts, 'CARAT_TEMPORAL_UI'])].toSorted(),
    );
    const secrets = known.filter(({ secret }) => secret).map(({ name }) => name);
    expect(Object.keys(properties.secrets.properties).toSorted()).toEqual(
      [...new Set([...secrets, 'CARAT_DATABASE_OWNER_URL'])].toSorted(),
    );
    const { config } = valuesOf('everything') as { config: Record<string, string> };
    for (const name of parts) {
      const { env } = containerOf(rendered.everything, name);
      expect(env).toEqual(expect.arrayContaining(Object.entries(config).map(([key, value]) => ({ name: key, value }))));
      expect(env).toHaveLength(new Set(env.map((entry) => entry.name)).size);
    }
  });

  it('have the secrets that their process reads, and no other; only migrations have the owner of the database', () => {
    const secretsIn = (process: 'api' | 'worker') =>
      describeConfig(process)
        .filter(({ secret }) => secret)
        .map(({ name }) => name)
        .toSorted();
    const found = parts.map((name) => secretsOf(containerOf(rendered.everything, name)).toSorted());
    const ofDatabase = ['CARAT_DATABASE_OWNER_URL', 'CARAT_DATABASE_URL'];
    expect(found).toEqual([secretsIn('api'), secretsIn('worker'), ofDatabase]);
    const volumes = parts.map((name) => podOf(rendered.everything, name).volumes.map((volume) => volume.name));
    expect(volumes).toEqual([['tmp', 'temporal', 'issuers'], ['tmp', 'temporal', 'keystore'], ['tmp']]);
    expect(secretsOf(containerOf(rendered.least, 'carat-api'))).toEqual(['CARAT_DATABASE_URL', 'CARAT_MASTER_KEY']);
  });

  it.each(parts)(
    '%s may do what the strictest standard of Kubernetes allows, and no more than in the composition',
    (name) => {
      for (const objects of [rendered.default, rendered.everything]) {
        const pod = podOf(objects, name);
        expect(pod).toMatchObject({
          automountServiceAccountToken: false,
          // A Service named carat-api would set CARAT_API_PORT.
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        });
        const [{ securityContext, resources, volumeMounts }] = pod.containers;
        expect(securityContext).toEqual({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        });
        expect(resources.limits.memory).toMatch(/^\d+[MG]i$/);
        expect(volumeMounts.filter(({ readOnly }) => readOnly !== true)).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
      }
    },
  );

  it('start like the services of docker-compose.yml, with existing files', () => {
    const { services } = load(read('docker-compose.yml')) as { services: Record<string, { command: string[] }> };
    for (const part of ['api', 'worker', 'migrate'] as const) {
      const { args } = containerOf(rendered.default, `carat-${part}`);
      expect(args).toEqual(services[part]!.command);
      for (const file of args.filter((word) => word.endsWith('.ts')))
        expect(fs.existsSync(path.join(root, file))).toBe(true);
    }
  });

  it('are selected by service, budgets and policies, which name ports of theirs', () => {
    for (const objects of [rendered.default, rendered.everything]) {
      for (const { kind, metadata, spec } of objects) {
        const selector = spec.podSelector?.matchLabels ?? spec.selector?.matchLabels ?? spec.selector;
        if (!['Service', 'PodDisruptionBudget', 'NetworkPolicy'].includes(kind)) continue;
        const pods = objects.filter(({ spec: own }) => own.template !== undefined);
        const matched = pods.filter(({ spec: own }) =>
          Object.entries(selector as Record<string, string>).every(
            ([label, value]) => own.template!.metadata.labels[label] === value,
          ),
        );
        expect(matched.map((object) => object.metadata.name)).toEqual([metadata.name]);
      }
    }
  });

  it('are migrated before installations and upgrades, and not at a rollback', () => {
    const { metadata } = named(rendered.default, 'Job', 'carat-migrate');
    const policy = named(rendered.default, 'NetworkPolicy', 'carat-migrate');
    for (const { annotations } of [metadata, policy.metadata])
      expect(annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(Number(policy.metadata.annotations?.['helm.sh/hook-weight'])).toBeLessThan(0);
    expect(metadata.annotations?.['helm.sh/hook-weight']).toBeUndefined();
  });
});

describe('the network policies', () => {
  const policyOf = (objects: readonly Manifest[], name: string) => named(objects, 'NetworkPolicy', name).spec;
  const dns = { ports: ['UDP', 'TCP'].map((protocol) => ({ port: 53, protocol })) };
  const at = (port: number, to?: object[]) => ({
    ports: [{ port, protocol: 'TCP' }],
    ...(to === undefined ? {} : { to }),
  });

  it('let everybody reach the api alone by default, and nobody the metrics', () => {
    expect(policyOf(rendered.default, 'carat-api').ingress).toEqual([{ ports: [{ port: 'http', protocol: 'TCP' }] }]);
    for (const name of ['carat-worker', 'carat-migrate'])
      expect(policyOf(rendered.default, name)).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
    for (const name of ['carat-worker', 'carat-migrate'])
      expect(policyOf(rendered.default, name).ingress).toBeUndefined();
    const [clients, prometheus] = policyOf(rendered.everything, 'carat-api').ingress!;
    expect([clients?.from, prometheus]).toEqual([
      [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
      policyOf(rendered.everything, 'carat-worker').ingress![0],
    ]);
  });

  it('let migrations reach the database only, and the processes also Temporal and public addresses', () => {
    const database = [{ ipBlock: { cidr: '10.0.7.12/32' } }];
    expect(policyOf(rendered.default, 'carat-migrate').egress).toEqual([dns, at(5432)]);
    expect(policyOf(rendered.everything, 'carat-migrate').egress).toEqual([dns, at(6432, database)]);
    for (const name of ['carat-api', 'carat-worker']) {
      const [first, second, third, outside, ...more] = policyOf(rendered.everything, name).egress!;
      expect([first, second, third]).toEqual([dns, at(6432, database), at(7233)]);
      expect(more).toEqual([at(8545, [{ ipBlock: { cidr: '10.0.8.0/24' } }])]);
      const except = (outside!.to as { ipBlock: { except: string[] } }[]).flatMap(({ ipBlock }) => ipBlock.except);
      expect(except).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '192.168.0.0/16', 'fc00::/7']));
    }
  });
});

describe('docs/operations/kubernetes.md', () => {
  const page = 'docs/operations/kubernetes.md';
  const shell = samplesOf(page)
    .filter(({ name }) => name.includes(' sh '))
    .map(({ text }) => text)
    .join('\n');

  it('has values that are valid', async () => {
    const samples = samplesOf(page).filter(({ name }) => name.includes(' yaml '));
    expect(samples.length).toBeGreaterThan(0);
    for (const { text } of samples) {
      const values = load(text) as object;
      expect((await renderWith({ ...valuesOf('default'), ...values })).problems).toEqual([]);
    }
  });

  it('creates the Secrets that the chart reads by default', () => {
    const created = [
      ...shell.matchAll(/create secret generic (\S+)((?: \\?\s*--from-(?:file|literal)=\S+)+)/g),
    ].flatMap(([, name, keys = '']) =>
      [...keys.matchAll(/--from-(?:file|literal)=([^=]+)=/g)].map(([, key]) => `${name} ${key}`),
    );
    const { secrets, keystore } = load(fs.readFileSync(path.join(chartFolder, 'values.yaml'), 'utf8')) as {
      secrets: Record<string, { name: string; key: string }>;
      keystore: { name: string; key: string };
    };
    const read = [...Object.values(secrets), keystore].map(({ name, key }) => `${name} ${key}`);
    expect(created.toSorted()).toEqual(read.toSorted());
  });
});
