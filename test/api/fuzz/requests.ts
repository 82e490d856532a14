import type { OpenApi, Parameter, ResolvedOperation, Schema } from '../../../tools/build/openapi.ts';
import { writeJson, type JsonMembers, type JsonValue } from './json-text.ts';
import { kindOf, type KnownIds } from './known-ids.ts';
import type { Random } from './random.ts';
import { createValues, type Values } from './values.ts';
import type { WireRequest } from './wire-request.ts';

/** The sources of requests besides the document. */
export interface Surroundings {
  readonly ids: KnownIds;
  /** Good tokens of integrations; the first one may do everything. */
  readonly tokens: readonly string[];
  /** The tokens of operations for which the first one does not suffice, by `operationId`. */
  readonly tokensOf: Readonly<Record<string, string>>;
  /** Tokens that open nothing. */
  readonly badTokens: readonly string[];
  /** Payments, or orders, with their widget tokens. */
  readonly widgetTokens: (kind: string) => readonly (readonly [id: string, token: string])[];
  /** Values of fields that no generator can guess, by name, such as credentials. */
  readonly fields: Readonly<Record<string, string>>;
  /** How often an operation has succeeded so far. */
  readonly succeeded: (operation: ResolvedOperation) => number;
}

/** Probability of any valid value in place of the document's example; none for a request that keeps to the example. */
const NOISE = 0.2;
const noiseOf = (fault: string): number => (fault === 'example' ? 0 : NOISE);

/** The depth of a value: the deeper, the more values of a request must be right at once. */
interface Place {
  readonly path: string;
  /** Probability of a value other than the example's. */
  readonly noise: number;
}

/** Successes below which an operation is tried more often. */
const RARE = 30;

/** A request and the operation that it is meant for. */
export interface FuzzRequest {
  readonly operation: ResolvedOperation;
  readonly wire: WireRequest;
}

const lengths = [0, 1, 2, 3, 10, 300];

const encode = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\uFFFD'));

/** Makes requests of all operations: good ones, ones with one fault, and ones that no client would send. */
export const createRequests = (
  document: OpenApi,
  operations: readonly ResolvedOperation[],
  surroundings: Surroundings,
  random: Random,
): ((onlyRare?: boolean) => FuzzRequest) => {
  const values: Values = createValues(document, random);
  const { ids, tokens, tokensOf, badTokens, widgetTokens, fields, succeeded } = surroundings;

  const idOf = (name: string, path: string): string => ids.pick(random, kindOf(name, path));

  /** A good value of a field: ids that exist, what the example says, or any valid value. */
  const goodField = (name: string, schema: Schema, example: unknown, place: Place): JsonValue => {
    const { format, items } = values.resolve(schema);
    const given = fields[name];
    if (given !== undefined) return given;
    if (format === 'uuid') return idOf(name, place.path);
    // Unique where it must be, the same often enough to be refused for it.
    if (/^(external_id|name)$/.test(name) && random.chance(0.7)) return `f-${random.below(1_000_000)}`;
    if (example === undefined || format === 'date-time' || random.chance(place.noise)) return values.good(schema);
    const inside = { ...place, noise: place.noise / 10 };
    if (Array.isArray(example)) return example.map((element) => goodField(name, items ?? {}, element, inside));
    return typeof example === 'object' && example !== null ? goodBody(inside, schema, example) : (example as JsonValue);
  };

  const goodBody = (place: Place, schema: Schema, example: unknown): JsonMembers => {
    const { properties = {}, required = [] } = values.resolve(schema);
    const shown = (typeof example === 'object' && example !== null ? example : {}) as Record<string, unknown>;
    const chosen = Object.entries(properties).filter(
      ([name]) =>
        required.includes(name) || (place.noise === 0 ? name in shown : random.chance(name in shown ? 0.8 : 0.08)),
    );
    return {
      members: chosen.map(([name, field]) => [name, goodField(name, field, shown[name], place)]),
    };
  };

  /** Breaks one thing in a body. */
  const breakBody = (body: JsonMembers, schema: Schema): JsonValue => {
    const { properties = {} } = values.resolve(schema);
    const names = Object.keys(properties);
    const place = random.below(Math.max(1, body.members.length));
    const [name = 'x'] = body.members[place] ?? [];
    switch (random.below(8)) {
      case 0:
        body.members.splice(place, 1);
        break;
      case 1:
        body.members.push([
          random.pick(['__proto__', 'constructor', 'id', 'status', 'secret', values.text()]),
          values.odd({}),
        ]);
        break;
      case 2:
        body.members.push([name, values.odd(properties[name] ?? {})]);
        break;
      case 3: {
        const added = names.length === 0 ? 'x' : random.pick(names);
        body.members = [
          ...body.members.filter(([known]) => known !== added),
          [added, values.odd(properties[added] ?? {})],
        ];
        break;
      }
      default:
        if (body.members.length > 0) body.members[place] = [name, values.odd(properties[name] ?? {})];
    }
    return body;
  };

  /** Bytes that are not JSON, or barely. */
  const oddBytes = (good: string): Buffer => {
    const cut = random.below(good.length + 1);
    return random.pick<() => Buffer>([
      () => Buffer.from(good.slice(0, cut)),
      () => Buffer.from(`${good.slice(0, cut)}${values.text()}${good.slice(cut)}`),
      () =>
        Buffer.concat([
          Buffer.from(good.slice(0, cut)),
          Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80].slice(random.below(6))),
          Buffer.from(good.slice(cut)),
        ]),
      () => Buffer.from(`\uFEFF${good}`),
      () => Buffer.from(good, 'utf16le'),
      () => Buffer.from(`${good}${good}`),
      () => Buffer.from(writeJson(values.nested())),
      () => Buffer.from(writeJson(values.odd({}))),
      () => Buffer.from(`${' '.repeat(random.pick([10, 1_000, 500_000]))}${good}`),
      () => Buffer.from(`{"x":"${'x'.repeat(random.pick([524_277, 524_280, 524_281, 600_000]))}"}`),
      () => Buffer.from(values.text()),
      () => Buffer.alloc(0),
    ])();
  };

  const bodyOf = (operation: ResolvedOperation, fault: string): { type: string; bytes: Buffer } | null => {
    const contents = Object.entries(operation.requestBody?.content ?? {});
    const [type, media] = contents.length === 0 ? [] : random.pick(contents);
    if (type === undefined || media === undefined) {
      return fault === 'body' ? { type: 'application/json', bytes: oddBytes('{}') } : null;
    }
    const good = goodBody({ path: operation.path, noise: noiseOf(fault) }, media.schema, media.example);
    const broken = fault === 'field' ? breakBody(good, media.schema) : good;
    if (
      type === 'application/x-www-form-urlencoded' &&
      typeof broken === 'object' &&
      broken !== null &&
      'members' in broken
    ) {
      const pairs = broken.members.map(
        ([name, value]) => `${encode(name)}=${typeof value === 'string' ? encode(value) : encode(writeJson(value))}`,
      );
      const text = pairs.join(random.chance(0.95) ? '&' : random.pick(['&&', ';', '&=&', '%26']));
      return { type, bytes: fault === 'body' ? oddBytes(text) : Buffer.from(text) };
    }
    const text = writeJson(broken);
    return { type, bytes: fault === 'body' ? oddBytes(text) : Buffer.from(text) };
  };

  const queryOf = (operation: ResolvedOperation, fault: string): string => {
    const known = operation.parameters.filter((parameter) => parameter.in === 'query');
    const valueOf = ({ name, schema }: Parameter): string =>
      String(goodField(name, schema, undefined, { path: operation.path, noise: NOISE }));
    const pairs = known
      .filter(({ required, name }) => required === true || (name !== 'cursor' && random.chance(0.15)))
      .map((parameter) => `${parameter.name}=${encode(valueOf(parameter))}`);
    if (fault === 'query') {
      const { name, schema } = known.length === 0 ? { name: 'page', schema: {} } : random.pick(known);
      const odd = values.odd(schema);
      const text = typeof odd === 'string' ? odd : writeJson(odd).slice(0, 2_000);
      const extra = random.pick<() => string[]>([
        () => [`${name}=${encode(text.slice(0, 2_000))}`],
        () => [`${name}=${encode(text.slice(0, 2_000))}`],
        () => [`${name}=1`, `${name}=2`],
        () => [`${name}[]=1`],
        () => [`${name}[x]=1`, `${name}[__proto__][y]=1`],
        () => [`${encode(random.pick(['__proto__', 'constructor', 'x', values.text()]))}=1`],
        () => [`${name}=${random.pick(['%00', '%ff', '%zz', '%', '+', '%ED%A0%80', '&', '=', ';', '#', '%26a=b'])}`],
        () => [name, '', '=', '==', '&'],
        () => [`${name}=${values.number()}`],
        () => [`cursor=${encode(random.pick([text.slice(0, 200), 'AAAA', '%', btoa('[]'), btoa('{"t":"x"}')]))}`],
      ])();
      for (const pair of extra) {
        const place = pairs.findIndex((existing) => existing.startsWith(`${name}=`));
        if (place >= 0 && random.chance(0.5)) pairs[place] = pair;
        else pairs.push(pair);
      }
    }
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  };

  const oddSegments = [
    '%00',
    '..',
    '.',
    '%2e%2e',
    '%2F',
    '%E0%A4%A',
    '%zz',
    '%',
    ';a=b',
    '*',
    'null',
    '{id}',
    '%ED%A0%80',
    '%F0%9F%92%8E',
  ];

  const targetOf = (operation: ResolvedOperation, fault: string, id: string | null): string => {
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const last = id ?? idOf(names.at(-1) ?? '', operation.path);
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (fault === 'path' && random.chance(0.7)) {
        return random.pick([...oddSegments, encode(values.text()), 'a'.repeat(random.pick([37, 4_000]))]);
      }
      if (name === names.at(-1)) return last;
      return (random.chance(0.8) ? ids.ownerOf(last) : undefined) ?? idOf(name, operation.path);
    });
    if (fault !== 'path' || operation.path.includes('{')) return path + queryOf(operation, fault);
    return random.pick([
      `${path}/`,
      `/${path}`,
      path.toUpperCase(),
      path.replaceAll('/', '//'),
      `${path}/${random.pick(oddSegments)}`,
      `${path}%20`,
      path.replace(/\w$/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      `${path}?`,
      `${path}#x`,
    ]);
  };

  const credentialsOf = (operation: ResolvedOperation, fault: string, widget: string | null): string | null => {
    if (fault === 'token') {
      return random.pick([
        null,
        ...[...badTokens, ...tokens.slice(1)].map((token) => `Bearer ${token}`),
        'Bearer',
        'Bearer ',
        'bearer x',
        'Basic Og==',
        'Basic !!!',
        `Bearer ${'a'.repeat(8_000)}`,
        'Digest x',
        'Bearer a.b.c',
        `Bearer ${tokens[0]!.slice(0, -2)}`,
        `Bearer ${tokens[0]} x`,
        `Basic ${btoa('a:b')}`,
        'Bearer \u00e9',
      ]);
    }
    if (operation.access === 'integration') return `Bearer ${tokensOf[operation.operationId] ?? tokens[0]}`;
    return widget === null ? null : `Bearer ${widget}`;
  };

  const oddHeader = (): [string, string] =>
    random.pick<() => [string, string]>([
      () => [
        'Content-Type',
        random.pick([
          '',
          'text/plain',
          'application/json;charset=utf-16',
          `a/b${random.below(1e9)}`,
          'application/json; boundary=x',
          'multipart/form-data; boundary=x',
          'APPLICATION/JSON',
          'application/json,application/json',
        ]),
      ],
      () => ['Content-Encoding', random.pick(['gzip', 'br', 'identity', 'x'])],
      () => [
        'Idempotency-Key',
        random.pick(['', 'x'.repeat(255), 'x'.repeat(256), `${random.below(5)}`, '\u00ff\u00fe', '"quoted"', ' a ']),
      ],
      () => ['X-Request-Id', random.pick(['', 'a b', '"', 'x'.repeat(129), 'fine-1', '\u00ff'])],
      () => ['Accept', random.pick(['', 'text/xml', '*/*;q=0', `${'a/b,'.repeat(500)}c/d`])],
      () => ['X-Forwarded-For', random.pick(['1.2.3.4', 'x', '::1, 10.0.0.1', ','.repeat(500)])],
      () => ['Origin', random.pick(['https://shop.example', 'null', ''])],
      () => [`X-${'a'.repeat(random.pick([1, 100]))}`, 'b'.repeat(random.pick([1, 1_000, 7_000, 20_000]))],
      () => ['Cookie', 'a=b; '.repeat(random.pick([1, 1_000]))],
      () => ['Range', 'bytes=0-1'],
      () => ['If-None-Match', '*'],
    ])();

  /** Faults that only a socket can send. */
  const oddWire = (wire: WireRequest): WireRequest => {
    const raw = { piece: 65_536, missing: 0, chunked: false };
    const target = wire.target;
    const withHeader = (...headers: [string, string][]): WireRequest => ({
      ...wire,
      raw,
      headers: [...wire.headers, ...headers],
    });
    const body = wire.body ?? Buffer.from('{}');
    return random.pick<() => WireRequest>([
      () => ({
        ...wire,
        body,
        raw: { ...raw, chunked: true, piece: body.length > 2_000 ? 65_536 : 1 },
        ...(body.length > 20_000 ? { body: Buffer.from('{') } : {}),
      }),
      () => ({ ...wire, raw: { ...raw, piece: (wire.body?.length ?? 0) > 2_000 ? 1_000 : 1 } }),
      () => ({ ...wire, body, raw: { ...raw, missing: 1 + random.below(body.length) } }),
      () => ({ ...wire, raw: { ...raw, missing: (wire.body?.length ?? 0) + 1 + random.below(30) } }),
      () => withHeader(['Expect', '100-continue']),
      () => withHeader(['Expect', random.pick(['', '200-ok', 'x'])]),
      () => withHeader(['Transfer-Encoding', random.pick(['gzip', 'chunked, chunked', 'identity', 'xchunked', ''])]),
      () => ({
        ...withHeader(['Transfer-Encoding', 'chunked'], ['Content-Length', '4']),
        body: Buffer.from('0\r\n\r\n'),
      }),
      () => ({
        ...withHeader(['Transfer-Encoding', 'chunked']),
        body: Buffer.from(
          random.pick([
            'zz\r\n{}\r\n0\r\n\r\n',
            '2\r\n{}\r\n0\r\nX: y\r\n\r\n',
            '2;ext=1\r\n{}\r\n0\r\n\r\n',
            'fffffffffffffffff\r\n{}',
          ]),
        ),
      }),
      () => withHeader(['Content-Length', random.pick(['-1', '1e3', '0x10', '99999999999999999999', '2, 2', ''])]),
      () => withHeader(['Content-Length', '3'], ['Content-Length', '4']),
      () => withHeader(['Authorization', 'Bearer x']),
      () => withHeader(['Host', 'a'], ['Host', 'b']),
      () => withHeader(['Upgrade', random.pick(['websocket', 'h2c'])], ['Connection', 'Upgrade']),
      () => withHeader(['Bad Name', 'x']),
      () => withHeader(['X-Nul', 'a\0b']),
      () => withHeader(['X-Fold', 'a\r\n b']),
      () => ({ ...wire, raw: { ...raw, line: `${wire.method} ${target}` } }),
      () => ({ ...wire, raw: { ...raw, line: `${wire.method} ${target} HTTP/1.0` } }),
      () => ({
        ...wire,
        raw: { ...raw, line: `${wire.method} ${target} HTTP/${random.pick(['2.0', '1.2', '0.9', '9', '1.1.1'])}` },
      }),
      () => ({ ...wire, raw: { ...raw, line: `${wire.method}  ${target} HTTP/1.1` } }),
      () => ({
        ...wire,
        raw: {
          ...raw,
          line: `${random.pick(['get', 'G\u00e9T', 'GET\t', '', 'FOO', 'A'.repeat(300)])} ${target} HTTP/1.1`,
        },
      }),
      () => ({ ...wire, raw: { ...raw, line: `${wire.method} http://other.example${target} HTTP/1.1` } }),
      () => ({
        ...wire,
        raw: {
          ...raw,
          line: `${wire.method} ${random.pick(['*', '', 'x', '//', '/\u00e9', '/\t', '/a b', `/${'a'.repeat(20_000)}`, '/?', '/..', 'http://', 'http://[', '/%', 'healthz'])} HTTP/1.1`,
        },
      }),
      () => ({ ...wire, raw: { ...raw, line: 'PRI * HTTP/2.0' } }),
      () => ({
        ...wire,
        body: null,
        raw: { ...raw, line: `CONNECT ${random.pick(['example.com:443', target])} HTTP/1.1` },
      }),
    ])();
  };

  const faults = [
    'none',
    'none',
    'none',
    'field',
    'field',
    'field',
    'body',
    'query',
    'path',
    'token',
    'header',
    'method',
    'wire',
  ];

  return (onlyRare = false) => {
    // Requests that rarely succeed, because they need the results of others, are sent without a fault more often, or as in the example.
    const rare = onlyRare || random.chance(0.15) ? operations.filter((operation) => succeeded(operation) < RARE) : [];
    const operation = random.pick(rare.length > 0 ? rare : operations);
    let fault = random.pick(rare.length > 0 ? ['none', 'example'] : faults);
    if (fault === 'field' && operation.requestBody === undefined) fault = 'query';
    const opened = operation.access === 'widget' ? widgetTokens(kindOf('id', operation.path)) : [];
    const [id, widget] = opened.length > 0 ? random.pick(opened) : [null, null];
    const body = bodyOf(operation, fault);
    const authorization = credentialsOf(operation, fault, widget);
    const headers: [string, string][] = [
      ...(authorization === null ? [] : [['Authorization', authorization] as [string, string]]),
      ...(body === null ? [] : [['Content-Type', body.type] as [string, string]]),
      ...(operation.method === 'POST' && random.chance(0.3)
        ? [['Idempotency-Key', `k-${random.below(random.pick(lengths) + 1)}-${random.below(1e6)}`] as [string, string]]
        : []),
    ];
    if (fault === 'header') headers.push(oddHeader());
    const method =
      fault === 'method'
        ? random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])
        : operation.method;
    const wire: WireRequest = { method, target: targetOf(operation, fault, id), headers, body: body?.bytes ?? null };
    return { operation, wire: fault === 'wire' ? oddWire(wire) : wire };
  };
};
