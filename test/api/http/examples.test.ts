import { randomBytes } from 'node:crypto';
import { createEncryption } from '../../../api/auth/encryption.ts';
import { operationsOf, readOpenApi, type ResolvedOperation } from '../../../scripts/openapi.ts';
import { startApi, type Answer } from '../support/api-under-test.ts';
import { exampleAdmin, exampleCatalogue, makeExampleWorld, settleCatalogue } from '../support/example-world.ts';

/*
 * Every example request of openapi.yaml is sent as it is written, in the world that the examples tell of, and must be
 * answered as its example answer says.
 */

const masterKey = randomBytes(32);
const encryption = createEncryption(masterKey);
const api = await startApi({
  catalogue: exampleCatalogue,
  masterKey,
  temporalReachable: true,
  webhookHosts: 'public',
});
let adminToken = '';
beforeAll(async () => {
  await settleCatalogue(api.knex);
  await api.knex('integrations').insert(exampleAdmin);
  const { body: grant } = await api.call('POST', '/api/v1/auth/token', {
    json: { grant_type: 'client_credentials', client_id: exampleAdmin.api_key, client_secret: 'cs_operator' },
  });
  adminToken = (grant as { access_token: string }).access_token;
});

/** Answers that are no data: the document itself and its page. */
const withoutExample = ['getDocs', 'getDocsScript', 'getSpecification'];

/** What every installation chooses for itself. */
const generated = ['access_token', 'kid', 'x'];
/** What the service chooses when it writes; only at the top of an answer, what is below was there before. */
const generatedByWrites = [
  ...['id', 'created_at', 'updated_at', 'address', 'deal_id', 'api_key', 'secret', 'signing_secret'],
  'previous_secret_expires_at',
];

/**
 * The examples stand in a far year; the times that must lie in the near future, also as the chain counts them, are moved
 * by whole days. Nothing else of an example is replaced but the tokens, which are no part of it.
 */
const future = ['2099-03-01T13:00:00', '2099-03-04T12:00:00'];
const day = 86_400_000;
const shift = Math.ceil((Date.now() - Date.parse(`${future[0]}Z`)) / day + 1) * day;
const later = (time: string): string => new Date(Date.parse(time) + shift).toISOString();
const moved = (text: string): string =>
  future.reduce((changed, time) => {
    const unix = Date.parse(`${time}Z`) / 1_000;
    return changed
      .replaceAll(time, later(`${time}Z`).slice(0, 19))
      .replaceAll(`"${unix}"`, `"${unix + shift / 1_000}"`);
  }, text);
const inTime = (example: unknown): unknown => JSON.parse(moved(JSON.stringify(example)));

/** The example answer with the values of the real one where they are generated. */
const expected = (example: unknown, real: unknown, isTop: boolean, writes: boolean): unknown => {
  if (Array.isArray(example)) {
    return example.map((entry, index) => expected(entry, (real as unknown[] | undefined)?.[index], false, writes));
  }
  if (typeof example !== 'object' || example === null) return example;
  const actual = (real ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => {
      const isGenerated = generated.includes(name) || (writes && isTop && generatedByWrites.includes(name));
      if (isGenerated && value !== null && typeof actual[name] === typeof value) return [name, actual[name]];
      return [name, expected(value, actual[name], false, writes)];
    }),
  );
};

interface Success {
  readonly status: number;
  readonly example: unknown;
}

const successOf = ({ responses }: ResolvedOperation): Success => {
  const [[status, { content = {} }]] = Object.entries(responses).filter(([key]) => Number(key) < 400) as [
    [string, (typeof responses)[string]],
  ];
  return { status: Number(status), example: Object.values(content)[0]?.example };
};

/** The path with the examples of its parameters. */
const targetOf = ({ path, parameters, operationId }: ResolvedOperation): string => {
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: place, required, example } of parameters) {
    if (required !== true) continue;
    if (example === undefined) throw new Error(`${operationId}: the parameter ${name} has no example`);
    if (place === 'path') target = target.replace(`{${name}}`, String(example));
    if (place === 'query') query.set(name, String(example));
  }
  return query.size === 0 ? target : `${target}?${query.toString()}`;
};

const tokenOf = async ({ access, path }: ResolvedOperation, target: string): Promise<{ token?: string }> => {
  if (access === 'integration') return { token: adminToken };
  if (access === 'public') return {};
  // The widget's token is the payment's own.
  const payment = await api.call('GET', target.replace('/widget', ''), { token: adminToken });
  if (payment.status !== 200) throw new Error(`there is no payment for ${path}`);
  return { token: (payment.body as { access_token: string }).access_token };
};

const send = async (operation: ResolvedOperation, mediaType?: string, example?: unknown): Promise<Answer> => {
  const target = targetOf(operation);
  const options = await tokenOf(operation, target);
  if (mediaType === undefined) return api.call(operation.method, target, options);
  const body = moved(JSON.stringify(example));
  const raw =
    mediaType === 'application/json'
      ? body
      : new URLSearchParams(JSON.parse(body) as Record<string, string>).toString();
  return api.call(operation.method, target, { ...options, raw, headers: { 'content-type': mediaType } });
};

interface Case {
  readonly name: string;
  readonly operation: ResolvedOperation;
  /** Absent for operations without a body. */
  readonly mediaType?: string;
  readonly body?: unknown;
}

const cases = operationsOf(readOpenApi())
  .filter(({ operationId }) => !withoutExample.includes(operationId))
  .flatMap((operation): Case[] => {
    const bodies = Object.entries(operation.requestBody?.content ?? {});
    const name = operation.operationId;
    if (bodies.length === 0) return [{ name, operation }];
    return bodies.map(([mediaType, { example }]) => ({
      name: bodies.length === 1 ? name : `${name} (${mediaType})`,
      operation,
      mediaType,
      body: example,
    }));
  });

describe('the examples', () => {
  it.each(cases)('$name', async ({ operation, mediaType, body }) => {
    const { status, example } = successOf(operation);
    if (mediaType !== undefined) expect(body).toBeDefined();
    if (status !== 204) expect(example).toBeDefined();
    const made = (example as { id?: string } | undefined)?.id;
    const creates = status === 201 && made !== undefined;
    await makeExampleWorld(api.knex, encryption, { without: creates ? [made] : [], later });

    const answer = await send(operation, mediaType, body);
    expect(answer.body?.errors ?? []).toEqual([]);
    expect(answer.status).toBe(status);
    if (status === 204) expect(answer.text).toBe('');
    else expect(answer.body).toEqual(expected(inTime(example), answer.body, true, operation.method !== 'GET'));
  });

  it('tell of different things by different ids', () => {
    const seen = new Map<string, string>();
    const walk = (value: unknown): void => {
      if (Array.isArray(value)) return value.forEach(walk);
      if (typeof value !== 'object' || value === null) return;
      const { id, ...rest } = value as Record<string, unknown>;
      // Members of one kind have the same names, whatever their state.
      const kind = Object.keys(rest)
        .filter((name) => !/secret|_at$/.test(name))
        .sort()
        .join();
      if (typeof id === 'string' && kind !== '') {
        expect([id, seen.get(id) ?? kind]).toEqual([id, kind]);
        seen.set(id, kind);
      }
      Object.values(value).forEach(walk);
    };
    for (const { operation } of cases) walk(successOf(operation).example);
    expect(seen.size).toBeGreaterThan(10);
  });
});
