import {
  ConfigError,
  configKeys,
  describeConfig,
  loadApiConfig,
  loadConfig,
  loadWorkerConfig,
} from '../../runtime/config.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const env = {
  CARAT_DATABASE_URL: 'postgres://carat:db-secret@127.0.0.1:5432/carat',
  CARAT_TEMPORAL_ADDRESS: '127.0.0.1:7233',
  CARAT_PUBLIC_URL: 'https://pay.example/',
  CARAT_MASTER_KEY: key,
  CARAT_KEYSTORE: '/etc/carat/keys.json',
  CARAT_KEYSTORE_PASSPHRASE: 'pass-secret',
};

const problemsOf = (load: () => unknown): readonly string[] => {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('the configuration', () => {
  it('is read, completed with defaults, and frozen', () => {
    const config = loadApiConfig(env);
    expect(config).toMatchObject({
      profile: 'production',
      databasePool: 10,
      temporalNamespace: 'default',
      taskQueue: 'carat',
      apiHost: '127.0.0.1',
      apiPort: 3000,
      publicUrl: 'https://pay.example',
      maxOpenPayments: 10_000,
      rateLimit: 100,
      rateBurst: 1_000,
      ipRateLimit: 10,
      ipRateBurst: 100,
      trustedProxies: [],
      webhookHosts: 'public',
      silenceSeconds: 30,
      aliveSeconds: 0,
    });
    expect(config.masterKey).toEqual(new Uint8Array(32).fill(7));
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('reads proxies as addresses and networks, and refuses to trust the whole internet', () => {
    const read = (value: string): unknown => loadConfig({ CARAT_TRUSTED_PROXIES: value }, ['trustedProxies']);
    expect(read('10.0.0.1, 10.1.0.0/16,2001:db8::/32')).toEqual({
      trustedProxies: ['10.0.0.1', '10.1.0.0/16', '2001:db8::/32'],
    });
    for (const wrong of [
      'everybody',
      '10.0.0.0/0',
      '::/0',
      '10.0.0.0/33',
      '2001:db8::/129',
      '10.0.0.0/8/8',
      '10.0.0.1,',
      '10.0.0.0/',
    ]) {
      expect(problemsOf(() => read(wrong))).toEqual([expect.stringMatching(/^CARAT_TRUSTED_PROXIES must list/)]);
    }
  });

  it('gives each process its own part: the api no keystore, and the worker no address of the api', () => {
    expect(Object.keys(loadApiConfig(env))).not.toContain('keystorePassphrase');
    expect(Object.keys(loadWorkerConfig(env))).not.toContain('publicUrl');
    expect(loadConfig(env, ['databaseUrl'])).toEqual({ databaseUrl: env.CARAT_DATABASE_URL });
  });

  it("takes the URL of the operator's webhook unchanged, and refuses unreadable users and passwords", () => {
    const read = (url: string) => loadWorkerConfig({ ...env, CARAT_ALERT_WEBHOOK: url }).alertWebhook;
    for (const url of ['https://u:p%25@hooks.example/in/', 'https://hooks.example/?to=/']) expect(read(url)).toBe(url);
    for (const url of ['hooks.example', 'ftp://hooks.example', 'https://u:100%@hooks.example']) {
      expect(problemsOf(() => read(url))).toEqual([expect.stringMatching(/^CARAT_ALERT_WEBHOOK must be an http/)]);
    }
  });

  it('reports all missing variables at once', () => {
    expect(problemsOf(() => loadApiConfig({ CARAT_MASTER_KEY: ' ' }))).toEqual([
      'CARAT_DATABASE_URL is missing',
      'CARAT_TEMPORAL_ADDRESS is missing',
      'CARAT_MASTER_KEY is missing',
      'CARAT_PUBLIC_URL is missing',
    ]);
  });

  it('reports all wrong variables at once, without the value of a secret', () => {
    const problems = problemsOf(() =>
      loadApiConfig({
        ...env,
        CARAT_DATABASE_URL: 'mysql://carat:db-secret@x',
        CARAT_MASTER_KEY: 'short-secret',
        CARAT_API_PORT: '70000',
        CARAT_DATABASE_POOL: '-1',
        CARAT_PROFILE: 'fast',
        CARAT_TEMPORAL_ADDRESS: 'temporal',
        CARAT_PUBLIC_URL: 'pay.example',
      }),
    );
    expect(problems).toEqual([
      'CARAT_PROFILE must be one of production, test',
      'CARAT_DATABASE_URL must be a postgres:// URL',
      'CARAT_DATABASE_POOL must be a whole number from 1 to 500',
      'CARAT_TEMPORAL_ADDRESS must be host:port',
      'CARAT_MASTER_KEY must be 32 bytes in base64',
      'CARAT_API_PORT must be a whole number from 0 to 65535',
      'CARAT_PUBLIC_URL must be an http:// or https:// URL',
    ]);
    expect(problems.join()).not.toMatch(/secret/);
  });

  it('takes retention in days, from a week for deliveries to ten years', () => {
    expect(loadApiConfig(env)).toMatchObject({ retentionWebhooks: 60, retentionAnswers: 1, retentionClientIps: 90 });
    const read = (name: string, value: string) => () => loadApiConfig({ ...env, [`CARAT_RETENTION_${name}`]: value });
    for (const value of ['6', '3651', '-1', '1.5', 'forever', '60d']) {
      expect(problemsOf(read('WEBHOOKS', value))).toEqual([
        'CARAT_RETENTION_WEBHOOKS must be a whole number of days from 7 to 3650',
      ]);
    }
    expect(read('WEBHOOKS', '3650')()).toMatchObject({ retentionWebhooks: 3650 });
  });

  it('has no default for a secret, except none for an optional one', () => {
    const optional = ['CARAT_ALERT_WEBHOOK', 'CARAT_ALERT_WEBHOOK_SECRET', 'CARAT_TEMPORAL_API_KEY'];
    const secrets = (Object.keys(configKeys) as (keyof typeof configKeys)[])
      .flatMap(describeConfig)
      .filter((entry) => entry.secret);
    expect(new Set(secrets.map((entry) => entry.name))).toEqual(
      new Set(['CARAT_DATABASE_URL', 'CARAT_MASTER_KEY', 'CARAT_KEYSTORE_PASSPHRASE', ...optional]),
    );
    expect(new Set(secrets.filter((entry) => !entry.required).map((entry) => entry.name))).toEqual(new Set(optional));
    for (const load of [loadApiConfig, loadWorkerConfig])
      expect(load(env)).toMatchObject({ alertWebhook: '', alertWebhookSecret: '' });
  });
});
