import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { describeConfig } from '../../../config.ts';
import { root } from '../../../dev/paths.ts';

type Condition = 'service_healthy' | 'service_completed_successfully' | 'service_started';

interface Service {
  image: string;
  build?: string;
  command?: string[];
  restart: string;
  profiles?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: Condition }>;
  healthcheck?: { test: string[]; interval: string; retries: number };
  ports?: string[];
  volumes?: string[];
  secrets?: string[];
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
}

const text = fs.readFileSync(path.join(root, 'docker-compose.yml'), 'utf8');
const { services, volumes, secrets } = parse(text, { merge: true }) as Compose;
const list = Object.entries(services);
const named = (name: string): Service => {
  const service = services[name];
  if (!service) throw new Error(`docker-compose.yml has no service ${name}`);
  return service;
};

/** A job runs once and is waited for; the operators' command is run by hand. */
const isJob = ({ restart }: Service): boolean => restart.startsWith('on-failure') || restart === 'no';
const required = /^\$\{[A-Z_]+:\?[^}]+\}$/;

describe('docker-compose.yml', () => {
  it('has PostgreSQL, Temporal with schema job and UI, api, worker, migrations and a development chain', () => {
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining([
        ...['postgres', 'temporal-postgres', 'temporal-schema', 'temporal', 'temporal-namespace', 'temporal-ui'],
        ...['migrate', 'api', 'worker', 'chain'],
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

  it.each(list)('%s waits for what it needs in the right way', (_name, { depends_on: dependencies = {} }) => {
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

  it.each(['api', 'worker'] as const)('%s is given every variable it requires, and none it does not know', (name) => {
    const given = Object.keys(named(name).environment ?? {});
    const known = describeConfig(name);
    expect(given).toEqual(expect.arrayContaining(known.filter((entry) => entry.required).map((entry) => entry.name)));
    expect(known.map((entry) => entry.name)).toEqual(expect.arrayContaining(given));
  });

  it.each(['api', 'worker'] as const)('%s has no secret with a default', (name) => {
    const environment = named(name).environment ?? {};
    const values = describeConfig(name)
      .filter((entry) => entry.secret)
      .map((entry) => environment[entry.name]);
    expect(values.length).toBeGreaterThan(0);
    for (const value of values)
      expect(value).toMatch(/^(postgres:\/\/carat:)?\$\{[A-Z_]+:\?[^}]+\}(@postgres:5432\/carat)?$/);
  });

  it('takes every password, key and passphrase from the environment, without a default', () => {
    const sensitive = list.flatMap(([service, { environment = {} }]) =>
      Object.entries(environment)
        .filter(([name]) => /PASSWORD|PWD|PASSPHRASE|SECRET|MASTER_KEY/.test(name))
        .map(([name, value]) => `${service} ${name}=${value}`),
    );
    expect(sensitive.length).toBeGreaterThanOrEqual(7);
    for (const entry of sensitive) expect(entry.slice(entry.indexOf('=') + 1)).toMatch(required);
    expect(text).not.toMatch(/\$\{[A-Z_]*(PASSWORD|PASSPHRASE|MASTER_KEY)[A-Z_]*:-/);
  });

  it('hands the keystore to the worker as a file, lets the operator make it, and never shows it to the api', () => {
    expect(secrets.keystore?.file).toMatch(required);
    expect(list.filter(([, service]) => service.secrets?.includes('keystore')).map(([name]) => name)).toEqual([
      'worker',
    ]);
    expect(named('carat').volumes).toEqual(['./operator:/operator']);
    expect(named('worker').environment?.CARAT_KEYSTORE).toBe('/run/secrets/keystore');
    expect(Object.keys(named('api').environment ?? {}).filter((name) => name.startsWith('CARAT_KEYSTORE'))).toEqual([]);
  });

  it('publishes ports on this machine only, and keeps what must be kept in named volumes', () => {
    for (const port of list.flatMap(([, { ports = [] }]) => ports)) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    const used = list.flatMap(([, service]) => (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? ''));
    const named = used.filter((volume) => volume !== './operator');
    expect(new Set(named)).toEqual(new Set(Object.keys(volumes)));
  });

  it.each(list.filter(([, { build }]) => build))(
    '%s runs a file that is there',
    (_name, { command = [], healthcheck }) => {
      const files = [...command, ...(healthcheck?.test ?? [])].filter((word) => /^[\w./-]+\.ts$/.test(word));
      for (const file of files) expect(fs.existsSync(path.join(root, file))).toBe(true);
    },
  );
});

describe('Dockerfile', () => {
  const dockerfile = fs.readFileSync(path.join(root, 'Dockerfile'), 'utf8');

  it('starts from a pinned Node that the project allows, installs from the lock file and drops root', () => {
    const [, major, minor] = /^FROM node:(\d+)\.(\d+)\.\d+-\S+$/m.exec(dockerfile) ?? [];
    expect([Number(major), Number(minor) >= 19]).toEqual([20, true]);
    expect(dockerfile).toContain('npm ci --omit=dev');
    expect(dockerfile).toMatch(/^USER node$/m);
  });

  it('keeps secrets, data and history out of the image', () => {
    const ignored = fs.readFileSync(path.join(root, '.dockerignore'), 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.carat', '.git', 'node_modules']));
  });
});
