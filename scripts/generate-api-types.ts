/**
 * Writes `api/openapi-types.ts`, the types of what handlers get and give, from `openapi.yaml`. With `--check` nothing is
 * written, and a file that would change fails.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { parse } from 'yaml';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
  default?: unknown;
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

type Content = Record<string, { schema: Schema }>;

interface Operation {
  operationId: string;
  summary: string;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { $ref?: string; content?: Content }>;
}

interface Specification {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

const root = new URL('..', import.meta.url);
const source = new URL('openapi.yaml', root);
const target = fileURLToPath(new URL('api/openapi-types.ts', root));
const specification = parse(readFileSync(source, 'utf8'), { maxAliasCount: -1 }) as Specification;

const lastPart = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);
const comment = (text: string | undefined): string => (text === undefined ? '' : `/** ${text} */\n`);

const primitives: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

const objectType = (schema: Schema): string => {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const optional = schema.required?.includes(name) ? '' : '?';
    return `${comment(field.description)}${name}${optional}: ${typeOf(field)};`;
  });
  if (schema.additionalProperties !== false) fields.push('[name: string]: unknown;');
  return `{\n${fields.join('\n')}\n}`;
};

/** The TypeScript type of a schema, for the part of JSON Schema that the specification uses. */
const typeOf = (schema: Schema): string => {
  if (schema.$ref !== undefined) return lastPart(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.oneOf !== undefined) return schema.oneOf.map(typeOf).join(' | ');
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return 'unknown';
  return types
    .map((type) => {
      if (type === 'object') return objectType(schema);
      if (type === 'array') return `Array<${typeOf(schema.items ?? {})}>`;
      const primitive = primitives[type];
      if (primitive === undefined) throw new Error(`no TypeScript type for ${type}`);
      return primitive;
    })
    .join(' | ');
};

const declarations = Object.entries(specification.components.schemas).map(([name, schema]) => {
  const type = typeOf(schema);
  const head = comment(schema.description);
  return type.startsWith('{') ? `${head}export interface ${name} ${type}` : `${head}export type ${name} = ${type};`;
});

const parametersType = (parameters: readonly Parameter[], place: string): string => {
  const fields = parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, required, schema }) => {
      // The validator fills in defaults, so the handler always finds them.
      const optional = required === true || schema.default !== undefined ? '' : '?';
      return `${name}${optional}: ${typeOf(schema)};`;
    });
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('\n')}\n}`;
};

const accessOf = (security: readonly Record<string, unknown>[] = [{ integrationToken: [] }]): string => {
  if (security.some((option) => 'integrationToken' in option)) return 'integration';
  return security.some((option) => 'widgetToken' in option) ? 'widget' : 'public';
};

const operations = Object.values(specification.paths)
  .flatMap((methods) => Object.values(methods))
  .map((operation) => {
    const parameters = (operation.parameters ?? []).map((parameter) =>
      parameter.$ref === undefined ? parameter : specification.components.parameters[lastPart(parameter.$ref)]!,
    );
    const bodies = Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => typeOf(schema));
    const results = Object.entries(operation.responses).flatMap(([status, { content }]) =>
      status === '204'
        ? ['{ status: 204; body: null }']
        : Object.entries(content ?? {})
            // Problems are thrown, not returned.
            .filter(([mediaType]) => mediaType !== 'application/problem+json')
            .map(([, { schema }]) => `{ status: ${status}; body: ${typeOf(schema)} }`),
    );
    return `${comment(operation.summary)}${operation.operationId}: {
      access: '${accessOf(operation.security)}';
      params: ${parametersType(parameters, 'path')};
      query: ${parametersType(parameters, 'query')};
      body: ${bodies.length === 0 ? 'undefined' : [...new Set(bodies)].join(' | ')};
      result: ${results.join(' | ')};
    };`;
  });

const text = await format(
  `// Written by scripts/generate-api-types.ts from openapi.yaml. Do not edit.\n\n${declarations.join('\n\n')}\n\n` +
    `/** What the handler of each operation gets, and what it may answer besides a thrown problem. */\n` +
    `export interface Operations {\n${operations.join('\n')}\n}\n`,
  { ...(await resolveConfig(target)), parser: 'typescript' },
);

let current = '';
try {
  current = readFileSync(target, 'utf8');
} catch {
  // Not written yet.
}
if (current === text) {
  console.log('api/openapi-types.ts is fresh.');
} else if (process.argv.includes('--check')) {
  console.error(
    'api/openapi-types.ts is not what openapi.yaml says. Run: node --import tsx scripts/generate-api-types.ts',
  );
  process.exitCode = 1;
} else {
  writeFileSync(target, text);
  console.log('Written: api/openapi-types.ts');
}
