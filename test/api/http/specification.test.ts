import { problems, type ProblemCode } from '../../../api/errors/problems.ts';
import { permissionsOf } from '../../../api/request/specification.ts';
import { permissions } from '../../../domain/access.ts';
import { deploymentSteps, type DeploymentStepStatus as StepStatus } from '../../../domain/deployment.ts';
import {
  logNotes,
  notes,
  paymentStatuses,
  returnDetails,
  terminalDetails,
  transitions,
  waitingDetails,
} from '../../../domain/payment.ts';
import { lastPart, operationsOf, type ResolvedOperation, type Schema } from '../../../tools/build/openapi.ts';
import { openApi as document } from '../../support/once/specification.ts';

const operations = operationsOf(document);
const named = operations.map((operation) => [operation.operationId, operation] as const);

/** Any valid token opens these: they show the operator's catalogue, and of tenants only the caller's own nodes. */
const withoutPermission = ['listNodes', 'listChains', 'listNetworks', 'listCurrencies', 'getStatus'];
/** Of these, the one that is for nodes without a parent. */
const ofTheOperator = ['getStatus'];
/** Refusals of requests that belong to no operation. */
const routeLevel: ProblemCode[] = ['route_not_found', 'method_not_allowed'];
/** Its page is the same for every id. */
const neverAbsent = ['getPayPage'];
/** They need no database. */
const neverUnavailable = ['getHealth'];
/** Answers that are no data: the document itself and its page. They are cached and need no example. */
const documents = [
  'getDocs',
  'getDocsScript',
  'getGuide',
  'getSpecification',
  'getLogo',
  'getPayPage',
  'getWidgetFile',
];

const codesOf = (operation: ResolvedOperation, status: number): string[] =>
  operation.responses[String(status)]?.['x-codes'] ?? [];

const hasIdempotencyKey = (operation: ResolvedOperation): boolean =>
  operation.parameters.some((parameter) => parameter.name === 'Idempotency-Key' && parameter.in === 'header');

/** The codes that an operation must name because of its kind, by status. */
const needed = (operation: ResolvedOperation): Partial<Record<number, ProblemCode[]>> => {
  const { access, method, path, requestBody, operationId } = operation;
  const oauth = operation['x-errors'] === 'oauth';
  const withToken = access !== 'public';
  return {
    400: requestBody === undefined || oauth ? ['invalid_request'] : ['invalid_request', 'malformed_json'],
    ...(withToken ? { 401: ['missing_token', 'invalid_token'] } : {}),
    ...(withToken || operation['x-rate-limit'] === 'address' ? { 429: ['rate_limited'] } : {}),
    ...(operation['x-permission'] === undefined ? {} : { 403: ['permission_denied'] }),
    ...(path.includes('{') && !neverAbsent.includes(operationId) ? { 404: [] } : {}),
    // A choice is repeated without a key: the option that is chosen now gives the same payment.
    ...(access === 'integration' && method === 'POST' ? { 409: ['idempotency_key_reused'] } : {}),
    ...(requestBody === undefined || oauth ? {} : { 413: ['payload_too_large'], 415: ['unsupported_media_type'] }),
    // RFC 6749 has no other code for them.
    ...(oauth
      ? { 401: ['invalid_client'], 413: ['invalid_request'], 415: ['invalid_request'], 429: ['rate_limited'] }
      : {}),
    500: ['internal_error'],
    // Readiness is its own answer.
    ...(neverUnavailable.includes(operationId) ? {} : { 503: operationId === 'getReadiness' ? [] : ['unavailable'] }),
  };
};

describe.each(named)('%s', (_, operation) => {
  const { method, access, responses, parameters } = operation;
  const statuses = Object.keys(responses).map(Number);
  const bodies = Object.entries(operation.requestBody?.content ?? {});

  it('has a name, a summary, a tag and a permission', () => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(operation.tags).toHaveLength(1);
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags?.[0]);
    const exempt = access !== 'integration' || withoutPermission.includes(operation.operationId);
    if (exempt) expect(operation['x-permission']).toBeUndefined();
    else expect(permissionsOf(operation.operationId, operation['x-permission'])).not.toEqual([]);
  });

  it('has turns of its own where it costs a hundred times as much as others', () => {
    const pages = Object.values(responses).flatMap(({ content = {} }) =>
      Object.values(content).filter(
        ({ schema: { $ref = '' } }) =>
          document.components.schemas[lastPart($ref)]?.properties?.next_cursor !== undefined,
      ),
    );
    if (pages.length > 0) expect(operation['x-turns']).toBe('list');
    else expect(operation['x-turns']).not.toBe('list');
    const changesMany = ['replayDeliveries', 'updateWebhook', 'deleteWebhook'].includes(operation.operationId);
    expect(operation['x-turns'] === 'bulk').toBe(changesMany);
  });

  it('answers with one status of success and every refusal of its kind', () => {
    // A dry run creates nothing, so its answer is no 201. A client may have a cacheable answer already.
    const isTried = parameters.some(({ name }) => name === 'dry_run');
    const isCached = documents.includes(operation.operationId);
    // The option that is chosen now makes nothing.
    const isRepeated = operation.operationId === 'chooseOption';
    expect(statuses.filter((status) => status < 400)).toHaveLength(isTried || isCached || isRepeated ? 2 : 1);
    expect(statuses.includes(304)).toBe(isCached);
    for (const [status, codes] of Object.entries(needed(operation)) as [string, ProblemCode[]][]) {
      expect(statuses).toContain(Number(status));
      expect(codesOf(operation, Number(status))).toEqual(expect.arrayContaining(codes));
    }
    if (operation.requestBody === undefined) {
      expect(statuses.filter((status) => [413, 415].includes(status))).toEqual([]);
      expect(codesOf(operation, 400)).not.toContain('malformed_json');
    }
    const isRefused = operation['x-permission'] !== undefined || ofTheOperator.includes(operation.operationId);
    expect(statuses.includes(403)).toBe(access === 'integration' && isRefused);
    expect(hasIdempotencyKey(operation)).toBe(method === 'POST' && access === 'integration');
    for (const response of Object.values(responses)) expect(response.description).toMatch(/^[A-Z`]/);
  });

  it('names existing codes, under their own status', () => {
    const oauth = operation['x-errors'] === 'oauth';
    for (const status of statuses.filter((value) => value >= 400)) {
      const codes = codesOf(operation, status);
      if (operation.operationId !== 'getReadiness' || status !== 503) expect(codes).not.toEqual([]);
      const expected = codes.map((code) => {
        const known = problems[code as ProblemCode];
        return oauth && code === 'invalid_request' ? status : known?.status;
      });
      expect(expected).toEqual(codes.map(() => status));
    }
  });

  it('refuses in one form', () => {
    for (const status of statuses.filter((value) => value >= 400)) {
      const content = responses[String(status)]?.content ?? {};
      const [[mediaType, media] = []] = Object.entries(content);
      const form = [mediaType, media?.schema.$ref === undefined ? undefined : lastPart(media.schema.$ref)];
      if (operation.operationId === 'getReadiness' && status === 503)
        expect(form).toEqual(['application/json', 'Readiness']);
      else if (operation['x-errors'] === 'oauth' && status < 500)
        expect(form).toEqual(['application/json', 'TokenError']);
      else expect(form).toEqual(['application/problem+json', 'Problem']);
    }
    if (access !== 'public') {
      expect(Object.keys(responses['429']?.headers ?? {})).toEqual([
        'X-Request-Id',
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
      ]);
    }
  });

  it('names the headers of its success', () => {
    const success = Object.entries(responses).findLast(([status]) => Number(status) < 400)![1];
    const isLimited = access === 'integration' || operation['x-rate-limit'] === 'address';
    expect(Object.keys(success.headers ?? {})).toEqual([
      'X-Request-Id',
      ...(isLimited ? ['RateLimit', 'RateLimit-Policy'] : []),
      ...(documents.includes(operation.operationId) ? ['ETag'] : []),
      ...(hasIdempotencyKey(operation) ? ['Idempotent-Replayed'] : []),
    ]);
  });

  it('has an example for every body, answer and required parameter', () => {
    for (const [, media] of bodies) expect(media.example).toBeDefined();
    if (!documents.includes(operation.operationId)) {
      for (const status of statuses.filter((value) => value < 400)) {
        for (const media of Object.values(responses[String(status)]?.content ?? {}))
          expect(media.example).toBeDefined();
      }
    }
    const bare = parameters.filter(({ required, example }) => required === true && example === undefined);
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  it('bounds its whole input and output, and takes nothing else', () => {
    const inParameters = parameters.flatMap(({ name, schema }) => breaches(schema, name, 'request'));
    const inBodies = bodies.flatMap(([, { schema }]) => breaches(schema, 'body', 'request'));
    const inAnswers = Object.entries(responses).flatMap(([status, { content = {}, headers = {} }]) => [
      ...Object.values(content).flatMap(({ schema }) => breaches(schema, status, 'response')),
      ...Object.entries(headers).flatMap(([name, header]) => {
        const schema =
          header.$ref === undefined ? header.schema : document.components.headers[lastPart(header.$ref)]?.schema;
        return breaches(schema ?? {}, `${status} ${name}`, 'response');
      }),
    ]);
    expect([...inParameters, ...inBodies, ...inAnswers]).toEqual([]);
  });
});

/** Where a schema leaves something without a bound. */
const breaches = (schema: Schema, place: string, side: 'request' | 'response', within: string[] = []): string[] => {
  if (schema.$ref !== undefined) {
    const name = lastPart(schema.$ref);
    const target = document.components.schemas[name];
    if (target === undefined) return [`${place}: there is no ${name}`];
    return within.includes(name) ? [] : breaches(target, place, side, [...within, name]);
  }
  const options = schema.oneOf ?? schema.anyOf;
  if (options !== undefined) {
    return options.flatMap((option, index) => breaches(option, `${place}#${index}`, side, within));
  }
  if (schema.enum !== undefined || schema.const !== undefined) return [];
  const missing = (rule: string, isThere: boolean): string[] => (isThere ? [] : [`${place} has no ${rule}`]);
  return [schema.type ?? []].flat().flatMap((type) => {
    switch (type) {
      case 'string':
        return missing('maxLength', schema.maxLength !== undefined);
      case 'number':
      case 'integer':
        return [
          ...missing('minimum', (schema.minimum ?? schema.exclusiveMinimum) !== undefined),
          ...missing('maximum', (schema.maximum ?? schema.exclusiveMaximum) !== undefined),
        ];
      case 'array':
        return [
          ...missing('maxItems', schema.maxItems !== undefined),
          ...breaches(schema.items ?? {}, `${place}[]`, side, within),
        ];
      case 'object':
        return [
          ...missing(
            'additionalProperties: false',
            side === 'request' ? schema.additionalProperties === false : schema.additionalProperties !== undefined,
          ),
          ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
            breaches(field, `${place}.${name}`, side, within),
          ),
        ];
      default:
        return [];
    }
  });
};

describe('the whole document', () => {
  it('has operations of different names', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThan(30);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('uses every code of the table', () => {
    const used = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap((entry) => entry['x-codes'] ?? []),
    );
    const unused = Object.keys(problems).filter(
      (code) => !used.includes(code) && !routeLevel.includes(code as ProblemCode),
    );
    expect(unused).toEqual([]);
  });

  it('explains every code', () => {
    for (const { title, explanation } of Object.values(problems)) {
      expect(title).toMatch(/^[A-Z].*[^.]$/);
      expect(explanation).toMatch(/^[A-Z`][^]*\.$/);
    }
  });

  it('has the permissions as its scopes', () => {
    const { flows } = document.components.securitySchemes.clientCredentials!;
    expect(flows?.clientCredentials.tokenUrl).toBe('/api/v1/auth/token');
    expect(Object.keys(flows?.clientCredentials.scopes ?? {}).sort()).toEqual([...permissions].sort());
  });

  it('knows and explains the values of the domain', () => {
    const { PaymentStatus, Payment, PaymentLog, DeploymentStepKey, DeploymentStepStatus } = document.components.schemas;
    const stepStatuses: StepStatus[] = ['pending', 'started', 'completed', 'failed'];
    const told: [Schema | undefined, readonly (string | null)[]][] = [
      [PaymentStatus, paymentStatuses],
      [Payment?.properties?.status_detail, [...waitingDetails, ...returnDetails, ...terminalDetails, null]],
      [DeploymentStepKey, [...new Set(Object.values(deploymentSteps).flat())]],
      [DeploymentStepStatus, stepStatuses],
    ];
    for (const [schema, values] of told) {
      expect((schema?.enum ?? []).map(String).toSorted()).toEqual(values.map(String).toSorted());
      const explained = [...(schema?.description ?? '').matchAll(/^- `(\w+)`: \S/gm)].map(([, value]) => value!);
      expect(explained.toSorted()).toEqual(values.filter((value) => value !== null).toSorted());
    }
    const names = Object.values(transitions).map(({ log }) => log);
    expect(PaymentLog?.properties?.event_type?.enum).toEqual([
      ...new Set(names),
      ...Object.keys(notes),
      ...Object.keys(logNotes),
    ]);
  });

  it('has no schema, parameter or response that nothing refers to', () => {
    const text = JSON.stringify(document);
    const unused = (['schemas', 'parameters', 'responses', 'headers'] as const).flatMap((kind) =>
      Object.keys(document.components[kind]).filter((name) => !text.includes(`"#/components/${kind}/${name}"`)),
    );
    expect(unused).toEqual([]);
  });
});
