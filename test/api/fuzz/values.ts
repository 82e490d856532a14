import { lastPart, type OpenApi, type Schema } from '../../../tools/build/openapi.ts';
import { toJsonValue, type JsonValue } from './json-text.ts';
import type { Random } from './random.ts';

const hour = 3_600_000;

/** Texts that have broken programs before. */
const texts = [
  '',
  ' ',
  'a\0b',
  '\u0000',
  '\uFEFF',
  '\u202Eabc',
  'é',
  'e\u0301',
  '日本語',
  '💎',
  '👩‍👩‍👧',
  '\u2028',
  '\u{10FFFF}',
  '\\',
  '"',
  "' OR 1=1 --",
  '%s%n',
  '${jndi:ldap://x}',
  '../../etc/passwd',
  '<script>',
  '{{7*7}}',
  '%00',
  '\r\nX-Evil: 1',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
  'NaN',
  '-0',
  '1e400',
  '0x10',
  '9007199254740993',
  '0x0000000000000000000000000000000000000000',
  `0x${'G'.repeat(40)}`,
  '0X90F79BF6EB2C4F870365E785982E1F101E93B906',
  'urn:uuid:00000000-0000-0000-0000-000000000000',
  '{00000000-0000-4000-8000-000000000000}',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '2026-02-30T00:00:00Z',
  '2099-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999-23:59',
  '2030-01-01',
  'infinity',
  'epoch',
  '2030-01-01T00:00:00+14:00',
  '2030-01-01t00:00:00z',
  'now',
  'a@b',
  `${'a'.repeat(64)}@${'b'.repeat(180)}.example`,
  '"a b"@example.com',
  '255.255.255.256',
  '::1',
  '1.2.3',
  '01.02.03.04',
  'http://[::1]:1/',
  'https://user:pass@host/',
  'https://shop.example:99999',
  'file:///etc/passwd',
  '//evil.example',
  '/\\evil.example',
  'https://xn--e1aybc.example',
  'https://127.0.0.1',
  'http://localhost:1',
  'https://\u0000.example',
  '/a/../../b',
  '/%2e%2e/',
];

/** Numbers that JavaScript cannot write itself stand as text. */
const numbers = [
  '0',
  '-0',
  '-1',
  '1',
  '0.1',
  '1e-400',
  '1e400',
  '-1e400',
  '1e308',
  '1.7976931348623159e308',
  '5e-324',
  '1e39',
  '1.0000000000000001e39',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '340282366920938463463374607431768211456',
  '12.5000000000000001',
  '0.30000000000000004',
  '123456789012345.6',
  '1E+2',
  '0e0',
  '-0.0',
  '2147483648',
  '4294967296',
  '1e21',
];

/** Texts that are no JSON, some of which parsers accept. */
const tokens = [
  'NaN',
  'Infinity',
  '-Infinity',
  'undefined',
  '01',
  '+1',
  '.5',
  '1.',
  "'x'",
  '0x10',
  '"\\x41"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\t"',
];

const repeat = (text: string, length: number): string => text.repeat(Math.max(0, length));

/** Values by schema: good ones, and ones that break exactly one rule or common sense. */
export const createValues = (document: OpenApi, random: Random) => {
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (document.components.schemas[lastPart(schema.$ref)] ?? {});

  const typesOf = (schema: Schema): string[] => [schema.type ?? []].flat();

  const nested = (): JsonValue => {
    const depth = random.pick([10, 100, 1_000, 10_000]);
    const [open, close] = random.pick([
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"__proto__":', '}]'],
    ] as const);
    return { raw: `${open.repeat(depth)}1${close.repeat(depth)}` };
  };

  /** A text of so many code points. */
  const textOf = (length: number): string =>
    random.pick([repeat('x', length), repeat('💎', length), repeat('é', length), repeat('日', length)]);

  const good = (schema: Schema): JsonValue => {
    const { enum: values, const: only, format, minLength = 0, maxLength = 20, oneOf } = schema;
    if (schema.$ref !== undefined) return good(resolve(schema));
    if (only !== undefined) return only as JsonValue;
    if (values !== undefined) return random.pick(values) as JsonValue;
    if (oneOf !== undefined) return good(random.pick(oneOf));
    const type = random.pick(typesOf(schema).length === 0 ? ['string'] : typesOf(schema));
    switch (type) {
      case 'null':
        return null;
      case 'boolean':
        return random.chance(0.5);
      case 'integer': {
        const { minimum = 0, maximum = 1_000 } = schema;
        return random.pick([minimum, maximum, Math.min(maximum, minimum + random.below(100))]);
      }
      case 'number':
        return random.pick([0.01, 1, 12.5, 99.99, 1_000_000]);
      case 'array':
        return Array.from({ length: random.below(Math.min(4, (schema.maxItems ?? 3) + 1)) }, () =>
          good(schema.items ?? {}),
        );
      case 'object':
        return {
          members: Object.entries(schema.properties ?? {})
            .filter(([name]) => schema.required?.includes(name) === true || random.chance(0.3))
            .map(([name, field]) => [name, good(field)]),
        };
      default:
    }
    if (format === 'uuid') return random.uuid();
    if (format === 'date-time') return new Date(Date.now() + hour + random.below(100 * hour)).toISOString();
    if (format === 'email') return `${random.uuid()}@example.com`;
    if (format === 'ipv4') return `203.0.113.${random.below(256)}`;
    return textOf(random.pick([minLength, maxLength, Math.min(maxLength, minLength + random.below(12))]));
  };

  /** A value that the place of a schema must not have, or one at the edge of its rules. */
  const odd = (schema: Schema): JsonValue => {
    const { minLength, maxLength, minimum, exclusiveMinimum, maximum, maxItems, items } = resolve(schema);
    const lower = minimum ?? exclusiveMinimum;
    const edges: JsonValue[] = [
      ...(minLength === undefined ? [] : [textOf(minLength - 1), textOf(minLength)]),
      ...(maxLength === undefined ? [] : [textOf(maxLength), textOf(maxLength + 1)]),
      ...(lower === undefined ? [] : [lower, lower - 1]),
      ...(maximum === undefined ? [] : [maximum, { raw: String(BigInt(Math.trunc(maximum)) + 1n) }]),
      ...(maxItems === undefined
        ? []
        : [0, 1].map((more): JsonValue => Array.from({ length: maxItems + more }, () => good(items ?? {})))),
    ];
    return random.pick<() => JsonValue>([
      () => (edges.length === 0 ? null : random.pick(edges)),
      () => random.pick(texts),
      () => ({ raw: random.pick(numbers) }),
      () => ({ raw: random.pick(numbers) }),
      () => (random.chance(0.2) ? { raw: random.pick(tokens) } : random.pick(texts)),
      () => random.pick<JsonValue>([null, true, false, [], { members: [] }, [[]], [null], ['']]),
      () => toJsonValue({ constructor: { prototype: { admin: true } } }),
      () => ({ members: [['__proto__', { members: [['id', random.uuid()]] }]] }),
      () => ({
        raw: JSON.stringify(random.pick(texts)).replaceAll(
          /[^"\\]/g,
          (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
        ),
      }),
      () => (random.chance(0.2) ? nested() : random.pick(texts)),
      () => textOf(random.pick([1_000, 10_000])),
    ])();
  };

  return { good, odd, resolve, nested, text: () => random.pick(texts), textOf, number: () => random.pick(numbers) };
};

export type Values = ReturnType<typeof createValues>;
