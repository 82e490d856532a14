/**
 * Writes `api/generated/openapi-types.ts`, the types of what handlers get and give, from `openapi.yaml`. With `--check` nothing is
 * written, and a file that would change fails.
 */
import { comment, operationsOf, readOpenApi, typeOf, type Parameter } from './openapi.ts';
import { writeGenerated } from './write-generated.ts';

const document = readOpenApi();

const declarations = Object.entries(document.components.schemas).map(([name, schema]) => {
  const type = typeOf(schema);
  const head = comment(schema.description);
  return schema.type === 'object' ? `${head}export interface ${name} ${type}` : `${head}export type ${name} = ${type};`;
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

const operations = operationsOf(document).map((operation) => {
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
    access: '${operation.access}';
    params: ${parametersType(operation.parameters, 'path')};
    query: ${parametersType(operation.parameters, 'query')};
    body: ${bodies.length === 0 ? 'undefined' : [...new Set(bodies)].join(' | ')};
    result: ${results.join(' | ')};
  };`;
});

const script = 'scripts/generate-api-types.ts';
await writeGenerated(
  'api/generated/openapi-types.ts',
  `// Written by ${script} from openapi.yaml. Do not edit.\n\n${declarations.join('\n\n')}\n\n` +
    `/** What the handler of each operation gets, and what it may answer besides a thrown problem. */\n` +
    `export interface Operations {\n${operations.join('\n')}\n}\n`,
  script,
);
