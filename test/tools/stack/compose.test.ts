import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { load } from 'js-yaml';
import {
  type ConfigError,
  configKeys,
  describeConfig,
  loadApiConfig,
  loadConfig,
  loadWorkerConfig,
} from '../../../runtime/config.ts';
import { root } from '../../../tools/paths.ts';
import {
  composeConfig,
  exampleVariables,
  filledExample,
  interpolate,
  readComposition,
} from '../../../tools/stack/compose.ts';
import { carat } from '../../support/carat.ts';

type Condition = 'service_healthy' | 'service_completed_successfully' | 'service_started';

interface Service {
  image: string;
  build?: { target: string };
  command?: string[];
  restart: string;
  profiles?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: Condition }>;
  healthcheck?: { test: string[]; interval: string; retries: number };
  ports?: string[];
  volumes?: string[];
  secrets?: string[];
  networks: string[] | Record<string, { aliases: string[] } | null>;
  read_only: boolean;
  cap_drop: string[];
  cap_add?: string[];
  security_opt: string[];
  logging: { driver: string; options: Record<string, string> };
  mem_limit: string;
  pids_limit: number;
  user?: string;
  tmpfs?: string[];
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
  networks: Record<
    string,
    { internal?: boolean; driver_opts?: Record<string, string>; ipam?: { config: { subnet: string }[] } }
  >;
}

const text = fs.readFileSync(path.join(root, 'docker-compose.yml'), 'utf8');
const { services, volumes, secrets, networks } = readComposition() as Compose;
const list = Object.entries(services);
const named = (name: string): Service => {
  const service = services[name];
  if (!service) throw new Error(`docker-compose.yml has no service ${name}`);
  return service;
};

const networksOf = ({ networks: own }: Service): string[] => (Array.isArray(own) ? own : Object.keys(own));
const membersOf = (network: string): string[] =>
  list
    .filter(([, service]) => networksOf(service).includes(network))
    .map(([name]) => name)
    .toSorted();

/** A job runs once and is waited for; the operators' command is run by hand. */
const isJob = ({ restart }: Service): boolean => restart.startsWith('on-failure') || restart === 'no';
const withoutDefault = /^\$\{[A-Z_]+:-\}$/;

describe('docker-compose.yml', () => {
  it('has PostgreSQL, Temporal with schema job and UI, api, worker, migrations and a development chain', () => {
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining([
        'postgres',
        'temporal-postgres',
        'temporal-schema',
        'temporal',
        'temporal-namespace',
        'temporal-ui',
        'migrate',
        'api',
        'worker',
        'chain',
      ]),
    );
    expect(named('chain').profiles).toEqual(['devchain']);
    expect(text).not.toContain('auto-setup');
  });

  it.each(list)('%s has a pinned image', (_name, { image }) => {
    expect(image).toMatch(/^[a-z0-9./-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
  });

  it.each(list.filter(([, service]) => !isJob(service)))('%s restarts and is checked for health', (_name, service) => {
    expect(service.restart).toBe('unless-stopped');
    expect(service.healthcheck?.test.length).toBeGreaterThan(1);
    expect(service.healthcheck).toMatchObject({
      interval: expect.stringMatching(/^\d+s$/),
      retries: expect.any(Number),
    });
  });

  it.each(list)('%s waits for its dependencies in the right way', (_name, { depends_on: dependencies = {} }) => {
    for (const [name, { condition }] of Object.entries(dependencies)) {
      expect({ name, condition }).toEqual({
        name,
        condition: isJob(named(name)) ? 'service_completed_successfully' : 'service_healthy',
      });
    }
  });

  it('starts in order: database, schema, server, namespace and migrations, then api and worker', () => {
    const needs = (name: string): string[] => Object.keys(named(name).depends_on ?? {});
    expect(needs('temporal-schema')).toEqual(['temporal-postgres']);
    expect(needs('temporal')).toEqual(['temporal-schema']);
    expect(needs('temporal-namespace')).toEqual(['temporal']);
    expect(needs('migrate')).toEqual(['postgres']);
    expect(needs('api')).toEqual(['migrate', 'temporal-namespace']);
    expect(needs('worker')).toEqual(['migrate', 'temporal-namespace']);
  });

  it.each(['api', 'worker'] as const)(
    '%s is given every variable that runtime/config.ts reads for it, and no other',
    (name) => {
      // The profile is for tests; the bundle is in the image.
      const elsewhere = ['CARAT_PROFILE', 'CARAT_WORKFLOW_BUNDLE'];
      const known = describeConfig(name).map((entry) => entry.name);
      expect(Object.keys(named(name).environment ?? {}).toSorted()).toEqual(
        known.filter((variable) => !elsewhere.includes(variable)).toSorted(),
      );
    },
  );

  it.each(['api', 'worker'] as const)('%s has no secret with a default', (name) => {
    const environment = named(name).environment ?? {};
    const values = describeConfig(name)
      .filter((entry) => entry.secret)
      .map((entry) => environment[entry.name]);
    expect(values.length).toBeGreaterThan(0);
    const databaseUrl =
      /^\$\{CARAT_DATABASE_PASSWORD:\+postgres:\/\/carat_app:\$\{CARAT_DATABASE_PASSWORD:-\}@postgres:5432\/carat\}$/;
    for (const value of values) expect([withoutDefault, databaseUrl].some((form) => form.test(value ?? ''))).toBe(true);
  });

  it('takes every password, key and passphrase from the environment, without a default', () => {
    const sensitive = list.flatMap(([service, { environment = {} }]) =>
      Object.entries(environment)
        .filter(([name]) => /PASSWORD|PWD|PASSPHRASE|SECRET|MASTER_KEY/.test(name))
        .map(([name, value]) => `${service} ${name}=${value}`),
    );
    expect(sensitive.length).toBeGreaterThanOrEqual(7);
    for (const entry of sensitive) expect(entry.slice(entry.indexOf('=') + 1)).toMatch(withoutDefault);
  });

  it('gives the keystore to the worker as a file, lets the operator make it, and never shows it to the api', () => {
    expect(secrets.keystore?.file).toBe('${CARAT_KEYSTORE_FILE:-./operator/keystore.json}');
    expect(list.filter(([, service]) => service.secrets?.includes('keystore')).map(([name]) => name)).toEqual([
      'worker',
      'worker-2',
    ]);
    expect(named('carat').volumes).toEqual(['./operator:/operator']);
    expect(named('worker').environment?.CARAT_KEYSTORE).toBe('/run/secrets/keystore');
    expect(Object.keys(named('api').environment ?? {}).filter((name) => name.startsWith('CARAT_KEYSTORE'))).toEqual([]);
  });

  it("publishes ports on this machine only, except Caddy's, and keeps lasting data in named volumes", () => {
    const others = list.filter(([name]) => name !== 'caddy');
    for (const port of others.flatMap(([, { ports = [] }]) => ports)) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    const used = list.flatMap(([, service]) => (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? ''));
    const kept = used.filter((volume) => !volume.startsWith('./'));
    expect(new Set(kept)).toEqual(new Set(Object.keys(volumes)));
  });

  it('has Prometheus and Grafana in a profile, with existing files, and Prometheus scrapes the port of api and worker', () => {
    for (const name of ['prometheus', 'grafana']) {
      expect(named(name).profiles).toEqual(['monitoring']);
      const files = (named(name).volumes ?? []).filter((volume) => volume.startsWith('./'));
      expect(files.map((volume) => fs.existsSync(path.join(root, volume.split(':')[0]!)))).toEqual(
        files.map(() => true),
      );
    }
    const { scrape_configs: jobs } = load(
      fs.readFileSync(path.join(root, 'install/monitoring/prometheus.yml'), 'utf8'),
    ) as {
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    const targets = jobs.flatMap((job) => job.dns_sd_configs).map(({ names: [name = ''], port }) => [name, port]);
    expect(targets).toEqual(
      ['api', 'worker'].map((name) => [name, Number(named(name).environment?.CARAT_METRICS_PORT)]),
    );
  });

  it('names only its own secrets, and mounts only existing files', () => {
    expect(new Set(list.flatMap(([, service]) => service.secrets ?? []))).toEqual(new Set(Object.keys(secrets)));
    const mounted = list.flatMap(([, service]) => (service.volumes ?? []).map((volume) => volume.split(':')[0]!));
    const files = mounted.filter((place) => place.startsWith('./') && !['./operator', './issuers'].includes(place));
    expect(files.filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
  });

  it.each(list)('%s can neither write to its image nor gain rights, and has limits', (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } },
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      pids_limit: expect.any(Number),
    });
    expect(service.cap_add).toEqual(name === 'caddy' ? ['NET_BIND_SERVICE'] : undefined);
  });

  it('has a second api and a second worker in a profile, which differ from the first in ports and names only', () => {
    for (const name of ['api', 'worker']) {
      const { networks: own, ports: _ports, profiles, ...second } = named(`${name}-2`);
      const { networks: first, ports: _firstPorts, ...rest } = named(name);
      expect(profiles).toEqual(['two']);
      expect(second).toEqual(rest);
      expect(Object.keys(own)).toEqual(Object.keys(first));
      const aliases = Object.values(own as Record<string, { aliases: string[] } | null>).flatMap(
        (one) => one?.aliases ?? [],
      );
      expect(new Set(aliases)).toEqual(new Set([name]));
    }
  });

  it('gives the owner of the database to commands only', () => {
    const owners = list.filter(([, { environment }]) => environment?.CARAT_DATABASE_OWNER_URL !== undefined);
    expect(owners.map(([name]) => name)).toEqual(['migrate', 'carat']);
  });

  it('has Caddy in a profile, whose network the api trusts to name clients', () => {
    expect(named('caddy').profiles).toEqual(['caddy']);
    expect(membersOf('caddy-api')).toEqual(['api', 'api-2', 'caddy']);
    const [{ subnet }] = networks['caddy-api']!.ipam!.config as [{ subnet: string }];
    expect(named('api').environment?.CARAT_TRUSTED_PROXIES).toBe(`\${CARAT_TRUSTED_PROXIES:-${subnet}}`);
  });

  it('connects exactly the services that need each other', () => {
    const jobs = ['migrate', 'temporal-namespace', 'carat'];
    const outside = ['outside', 'outside-2'];
    const inside = Object.keys(networks).filter((name) => !outside.includes(name));
    for (const name of outside) {
      expect(networks[name]?.driver_opts).toEqual({ 'com.docker.network.bridge.enable_icc': 'false' });
      // Docker's DNS could name addresses in this network, where containers cannot reach each other.
      const members = membersOf(name);
      for (const other of inside.filter((network) => network !== 'operator')) {
        const kinds = new Set(
          membersOf(other)
            .filter((one) => members.includes(one))
            .map((one) => one.replace('-2', '')),
        );
        expect([other, kinds.size <= 1]).toEqual([other, true]);
      }
    }
    expect(inside.filter((name) => networks[name]?.internal !== true)).toEqual([]);
    expect(Object.fromEntries(inside.map((name) => [name, membersOf(name)]))).toEqual({
      'api-postgres': ['api', 'api-2', 'postgres'],
      'worker-postgres': ['postgres', 'worker', 'worker-2'],
      'temporal-postgres': ['temporal', 'temporal-postgres', 'temporal-schema'],
      'api-temporal': ['api', 'api-2', 'temporal'],
      'worker-temporal': ['temporal', 'worker', 'worker-2'],
      'ui-temporal': ['temporal', 'temporal-ui'],
      'worker-chain': ['chain', 'worker', 'worker-2'],
      operator: [...jobs, 'chain', 'postgres', 'temporal'].toSorted(),
      'caddy-api': ['api', 'api-2', 'caddy'],
      'prometheus-api': ['api', 'api-2', 'prometheus'],
      'prometheus-worker': ['prometheus', 'worker', 'worker-2'],
      'grafana-prometheus': ['grafana', 'prometheus'],
    });
    const published = list.filter(([, { ports = [] }]) => ports.length > 0).map(([name]) => name);
    expect(outside.flatMap(membersOf).toSorted()).toEqual(
      [...published, 'worker', 'worker-2', 'carat', 'temporal-namespace'].toSorted(),
    );
  });

  it.each(list.filter(([, { build }]) => build))('%s runs an existing file', (_name, { command = [], healthcheck }) => {
    const files = [...command, ...(healthcheck?.test ?? [])].filter((word) => /^[\w./-]+\.(ts|bash)$/.test(word));
    for (const file of files) expect(fs.existsSync(path.join(root, file))).toBe(true);
  });
});

it.each([
  ['plain', 'plain'],
  ['$$1 and $${A}', '$1 and ${A}'],
  ['${A}-${EMPTY}-${UNSET}', 'a--'],
  ['${A:-d} ${EMPTY:-d} ${UNSET:-d} ${UNSET:-}', 'a d d '],
  ['${A:+x/${A:-}/y}${EMPTY:+x}${UNSET:+x}', 'x/a/y'],
])('%j is interpolated as %j', (template, result) => {
  expect(interpolate(template, { A: 'a', EMPTY: '' })).toBe(result);
});

it.each(['$A', '${a}', '${A-d}', '${A:?missing}', '${A:-${B:+c}}', '${A', 'a$'])(
  '%j is no interpolation here',
  (template) => {
    expect(() => interpolate(template, { A: 'a' })).toThrow('unknown interpolation');
  },
);

/** As Compose reads it when nothing is left to fill in. */
interface Resolved {
  services: Record<'api' | 'worker' | 'carat', Service & { entrypoint: string[]; environment: Record<string, string> }>;
  secrets: { keystore: { file: string } };
}

describe('docker-compose.yml with its variables', () => {
  const example = fs.readFileSync(path.join(root, '.env.example'), 'utf8');
  let empty: Resolved;
  let filled: Resolved;
  // The schema is downloaded where this user has it not yet.
  beforeAll(async () => {
    empty = (await composeConfig('')) as Resolved;
    filled = (await composeConfig(await filledExample(example))) as Resolved;
  });

  it('needs no variable for: docker compose run --rm carat --help', async () => {
    const { entrypoint, command, environment, depends_on: needs } = empty.services.carat;
    expect([entrypoint, command, needs]).toEqual([['node', 'cli/main.ts'], ['--help'], undefined]);
    expect(await carat(command ?? [], environment)).toMatchObject({ code: 0, err: '' });
  });

  it('leaves it to api and worker to name each required variable that is empty', () => {
    for (const [name, load] of Object.entries({ api: loadApiConfig, worker: loadWorkerConfig } as const)) {
      const { environment } = empty.services[name as 'api' | 'worker'];
      const unset = describeConfig(name as 'api' | 'worker').filter(
        (entry) => entry.required && !environment[entry.name],
      );
      expect(unset.map((entry) => entry.name)).toContain('CARAT_DATABASE_URL');
      let problems: readonly string[] = [];
      try {
        load(environment);
      } catch (error) {
        problems = (error as ConfigError).problems;
      }
      expect(problems).toEqual(unset.map((entry) => `${entry.name} is missing`));
    }
  });

  it('gives api and worker all they need once .env.example is filled in by its commands', () => {
    const { api, worker } = filled.services;
    expect(loadApiConfig(api.environment).databaseUrl).toMatch(
      /^postgres:\/\/carat_app:[0-9a-f]{48}@postgres:5432\/carat$/,
    );
    expect(() => loadWorkerConfig(worker.environment)).not.toThrow();
  });

  it('takes exactly the variables of .env.example, with the defaults named there', () => {
    const used = [...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
    const variables = exampleVariables(example);
    expect(variables.map(({ name }) => name)).toEqual(expect.arrayContaining(used));
    expect(used).toEqual(expect.arrayContaining(variables.map(({ name }) => name)));
    const told = Object.fromEntries(
      [...example.matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    const environment = Object.assign({}, filled.services.api.environment, filled.services.worker.environment);
    const keys = [...configKeys.api, ...configKeys.worker];
    expect(loadConfig({ ...environment, ...told }, keys)).toEqual(loadConfig(environment, keys));
  });

  it("finds the keystore at the place where the header's command has made it", async () => {
    const [, args = ''] = /^# {3}docker compose run --rm carat (keystore create .*)$/m.exec(text) ?? [];
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-operator-'));
    const { environment, volumes: mounts } = filled.services.carat;
    expect(mounts).toEqual(['./operator:/operator']);
    const made = await carat(args.replace('/operator', folder).split(' '), environment);
    expect(made).toMatchObject({ code: 0 });
    const file = path.relative('./operator', filled.secrets.keystore.file);
    expect(fs.existsSync(path.join(folder, file))).toBe(true);
    fs.rmSync(folder, { recursive: true });
  });

  it('has each service named by a command of the header', () => {
    const commands = [...text.matchAll(/^# {3}docker compose (?:run --rm (\w+)|(?:up|build))/gm)];
    expect(commands.map(([, service]) => service)).toEqual([undefined, 'carat', 'carat', 'migrate', undefined]);
  });
});

describe('Dockerfile', () => {
  const dockerfile = fs.readFileSync(path.join(root, 'install/Dockerfile'), 'utf8');

  it('starts from a pinned Node that the project allows, installs from the lock file and drops root', () => {
    const [, major, minor] = /^FROM node:(\d+)\.(\d+)\.\d+-\S+ AS packages$/m.exec(dockerfile) ?? [];
    expect([Number(major), Number(minor) >= 12]).toEqual([24, true]);
    expect(dockerfile).toContain('npm ci --omit=dev');
    expect(dockerfile).toMatch(/^USER node$/m);
  });

  it('has the stages that docker-compose.yml builds', () => {
    const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\w+)$/gm)].map(([, stage]) => stage);
    expect(stages).toEqual(expect.arrayContaining(list.flatMap(([, { build }]) => build?.target ?? [])));
    expect(
      dockerfile
        .split(/^FROM /m)
        .slice(2)
        .every((stage) => /^USER node$/m.test(stage)),
    ).toBe(true);
  });

  it('gives the folder of the development chain to the user that anvil runs as', () => {
    expect(named('chain').volumes).toEqual(['chain:/chain']);
    expect(dockerfile).toContain('RUN mkdir /chain && chown node:node /chain');
    expect(dockerfile).toContain('CMD ["tools/stack/lone-chain.ts", "/chain"]');
  });

  it('keeps secrets, data and history out of the image', () => {
    const ignored = fs.readFileSync(path.join(root, '.dockerignore'), 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.carat', '.git', 'node_modules']));
  });
});
