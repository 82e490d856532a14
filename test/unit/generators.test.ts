import { Ajv2020 } from 'ajv/dist/2020.js';
import { lastPart, operationsOf, type Schema } from '../../tools/build/openapi.ts';
import { eventOperations } from '../support/event-bodies.ts';
import { openApi as document } from '../support/once/specification.ts';

const ajv = new Ajv2020({ strict: false, formats: { double: true } });

/** Names, in lower case, that generators write beside the models, or that their languages have. */
const reserved = new Set([
  'error',
  'errors',
  'object',
  'configuration',
  'apiclient',
  'apiexception',
  'apiresponse',
  'response',
  'request',
  'pet',
  'any',
  'null',
  'map',
  'list',
  'set',
  'array',
  'string',
  'integer',
  'number',
  'boolean',
  'date',
  'file',
  'type',
  'enum',
  'class',
  'interface',
  'function',
  'event',
  'use',
  'pair',
  'json',
  'exception',
  'client',
  'header',
]);

/** Everything below a value that has one of these keys, with its place. Examples are no schemas. */
const havingOf = (value: unknown, place: string, keys: readonly string[]): [place: string, found: Schema][] => {
  if (typeof value !== 'object' || value === null) return [];
  const own = keys.some((key) => key in value) ? [[place, value as Schema] as [string, Schema]] : [];
  const below = Object.entries(value).filter(([name]) => name !== 'example' && name !== 'x-shared');
  return [...own, ...below.flatMap(([name, entry]) => havingOf(entry, `${place}/${name}`, keys))];
};
const unionsOf = (value: unknown, place: string) => havingOf(value, place, ['oneOf', 'anyOf']);
const referencesOf = (value: unknown, place: string) =>
  havingOf(value, place, ['$ref']).map(
    ([at, found]) => [at, Object.keys(found).filter((key) => key !== '$ref')] as const,
  );

/** True for the types of JSON Schema, not for properties named `type`. */
const isJsonType = (type: unknown): boolean =>
  [type]
    .flat()
    .some((name) => ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].includes(name as string));

/** Every schema with the place where it stands; those below a component too. */
const schemasOf = (value: unknown, place: string): [place: string, schema: Schema][] => {
  if (typeof value !== 'object' || value === null) return [];
  const isSchema = 'type' in value && !('in' in value) && !('flows' in value) && !('scheme' in value);
  return [
    ...(isSchema ? [[place, value as Schema] as [string, Schema]] : []),
    ...Object.entries(value).flatMap(([name, entry]) =>
      name === 'example' ? [] : schemasOf(entry, `${place}/${name}`),
    ),
  ];
};

describe('openapi.yaml, for generators of clients,', () => {
  const { paths, components } = document;
  const schemas = schemasOf({ paths, components }, '').filter(([, { type }]) => isJsonType(type));
  const everySchema = havingOf({ paths, components }, '', ['type']).filter(([, { type }]) => isJsonType(type));
  const isOf = ({ type }: Schema, name: string): boolean => [type ?? []].flat().includes(name);

  it('has numbers in formats that hold their values', () => {
    const wrong = schemas.filter(([, schema]) => {
      const { format, maximum = Infinity } = schema;
      if (isOf(schema, 'number')) return format !== 'double';
      return isOf(schema, 'integer') && format !== (maximum > 2_147_483_647 ? 'int64' : 'int32');
    });
    expect(schemas.filter(([, schema]) => isOf(schema, 'integer')).length).toBeGreaterThan(15);
    expect(wrong.map(([place]) => place)).toEqual([]);
  });

  it('has named objects only', () => {
    const anonymous = schemas.filter(
      ([place, schema]) => isOf(schema, 'object') && !/^\/components\/schemas\/\w+$/.test(place),
    );
    expect(anonymous.map(([place]) => place)).toEqual([]);
  });

  it('has constants of different names', () => {
    const enums = Object.entries(components.schemas).filter(([, schema]) => schema.enum !== undefined);
    const constantOf = (value: unknown): string => String(value).replaceAll('.', '_').toUpperCase();
    const constants = enums.flatMap(([, schema]) => schema['x-enum-varnames'] ?? schema.enum!.map(constantOf));
    expect(enums.length).toBeGreaterThan(5);
    expect(constants.filter((name, index) => constants.indexOf(name) !== index)).toEqual([]);
    for (const [name, schema] of enums) {
      const names = schema['x-enum-varnames'];
      if (names === undefined) continue;
      // A value without its name gives all that follow the name of another.
      const misnamed = schema.enum!.filter((value, index) => names[index]?.endsWith(constantOf(value)) !== true);
      expect([name, misnamed, names.length]).toEqual([name, [], schema.enum!.length]);
    }
  });

  it('has models of different file names, none of which a generator writes for itself', () => {
    const names = Object.keys(components.schemas);
    const own = names.filter((name) => /^Nullable|Of$|Inner$/.test(name) || reserved.has(name.toLowerCase()));
    expect(own).toEqual([]);
    const files = names.map((name) => name.toLowerCase());
    expect(files.filter((file, index) => files.indexOf(file) !== index)).toEqual([]);
  });

  it('has values of one type, which may be null', () => {
    const wrong = everySchema.filter(([, { type }]) => {
      const others = [type ?? []].flat().filter((name) => name !== 'null');
      return Array.isArray(type) && others.length !== 1;
    });
    expect(wrong.map(([place]) => place)).toEqual([]);
    // Null is a type by itself only as the other form of a schema with a name.
    const bare = everySchema.filter(([place, { type }]) => type === 'null' && !place.endsWith('/oneOf/1'));
    expect(bare.map(([place]) => place)).toEqual([]);
  });

  it('has references without a type beside them', () => {
    const wrong = referencesOf(document, '').filter(([, beside]) => beside.some((key) => key !== 'description'));
    expect(wrong).toEqual([]);
  });

  it('has unions with a discriminator', () => {
    const unclear = unionsOf(document, '').filter(([, union]) => {
      const options = union.oneOf ?? union.anyOf ?? [];
      const types = options.map(({ type }) => type);
      const isOptional = options.length === 2 && options[0]!.$ref !== undefined && types[1] === 'null';
      const isOfTypes = types.every((type) => typeof type === 'string') && new Set(types).size === types.length;
      return !isOptional && !isOfTypes && union.discriminator === undefined;
    });
    expect(unclear.map(([place]) => place)).toEqual([]);
  });

  it('has a union of all events, each under the tag of events and typed for Python', () => {
    const { oneOf = [], discriminator } = components.schemas.AnyEvent!;
    const told = [...eventOperations].map(([type, { requestBody }]) => {
      return [type, requestBody!.content['application/json']!.schema.$ref!] as const;
    });
    expect(discriminator).toEqual({ propertyName: 'type', mapping: Object.fromEntries(told) });
    expect(new Set(oneOf.map(({ $ref }) => $ref))).toEqual(new Set(told.map(([, reference]) => reference)));
    for (const { tags, requestBody } of eventOperations.values()) {
      const { schema } = requestBody!.content['application/json']!;
      expect([tags, requestBody!['x-py-typing']]).toEqual([['events'], lastPart(schema.$ref!)]);
    }
    const used = operationsOf(document).flatMap(({ tags = [] }) => tags);
    expect(used).not.toContain('events');
  });

  it('accepts as amounts numbers and texts by their rules', () => {
    const text = { maxLength: 80, pattern: '^(0|[1-9]\\d*)(\\.\\d+)?$' };
    const before = { type: ['number', 'string'], maximum: 1e39, ...text };
    const values = [
      -1,
      -1e-9,
      0,
      1e-18,
      0.1,
      12.5,
      999_999_999_999.999,
      1e39,
      1.1e39,
      '0',
      '0.10',
      '12.5',
      '',
      '-1',
      '.5',
    ];
    const others = [
      '1.',
      '01',
      '1e3',
      ' 1',
      '1\n',
      '1'.repeat(80),
      '1'.repeat(81),
      true,
      null,
      [],
      [1],
      {},
      { price: 1 },
    ];
    const judge = (schema: object) => [...values, ...others].map((value) => [value, ajv.validate(schema, value)]);
    const { AmountRequest, PositiveAmountRequest } = components.schemas;
    expect(judge(AmountRequest!)).toEqual(judge({ ...before, minimum: 0 }));
    expect(judge(PositiveAmountRequest!)).toEqual(judge({ ...before, exclusiveMinimum: 0 }));
  });
});
