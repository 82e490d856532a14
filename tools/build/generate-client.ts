/**
 * Writes `client/operations.ts`, one typed method per operation of `openapi.yaml`. With `--check` nothing is written,
 * and a stale file fails.
 */
import {
  lastPart,
  operationsOf,
  readOpenApi,
  type Content,
  type Parameter,
  type ResolvedOperation,
} from './openapi.ts';
import { permissionText } from '../../api/request/specification.ts';
import { writeGenerated } from './write-generated.ts';

const document = readOpenApi();
const operations = operationsOf(document);

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const camelCase = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const of = ({ parameters }: ResolvedOperation, place: string): Parameter[] =>
  parameters.filter((parameter) => parameter.in === place);
const queryType = ({ operationId }: ResolvedOperation): string => `${capitalised(operationId)}Query`;

/** Codes of nearly every operation, which docs/errors.md describes. */
const everywhere = new Set([
  'invalid_request',
  'malformed_json',
  'missing_token',
  'invalid_token',
  'permission_denied',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_key_reused',
  'rate_limited',
  'internal_error',
  'unavailable',
]);

const docOf = (operation: ResolvedOperation): string => {
  const { summary, description, method, path, responses } = operation;
  const codes = Object.values(responses).flatMap((response) => response['x-codes'] ?? []);
  const own = [...new Set(codes)].filter((code) => !everywhere.has(code));
  const permission = permissionText(operation.operationId, operation['x-permission']);
  const lines = [
    `${summary}.${description === undefined ? '' : ` ${description.trim().replace(/\.?$/, '.')}`}`,
    '',
    `\`${method} ${path}\`${permission === '' ? '' : `, permission ${permission}`}`,
    ...(own.length === 0 ? [] : [`@throws CaratError ${own.map((code) => `\`${code}\``).join(', ')}`]),
  ];
  return `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */\n`;
};

/** The media type of lists as files, which have separate methods. */
const CSV = 'text/csv';

/** The media types that methods of the client do not return: files, and events that end with the connection. */
const streamed: readonly string[] = [CSV, 'text/event-stream'];

/** Type names of the contents of a body, without streams. */
const typesOf = (content: Content = {}): string[] => [
  ...new Set(
    Object.entries(content).flatMap(([type, { schema }]) => {
      if (streamed.includes(type)) return [];
      return schema.$ref === undefined ? 'string' : lastPart(schema.$ref);
    }),
  ),
];

const queries = operations
  .filter((operation) => of(operation, 'query').length > 0)
  .map(
    (operation) => `/** Query of {@link CaratOperations.${operation.operationId}}. */
export type ${queryType(operation)} = NonNullable<operations['${operation.operationId}']['parameters']['query']>;`,
  );

/** The arguments of a method: ids, token, body, query, options. */
const argumentsOf = (operation: ResolvedOperation): { name: string; type: string; isOptional?: boolean }[] => {
  const query = of(operation, 'query');
  const bodies = typesOf(operation.requestBody?.content);
  return [
    ...of(operation, 'path').map(({ name }) => ({ name: camelCase(name), type: 'string' })),
    ...(operation.access === 'widget' ? [{ name: 'accessToken', type: 'string' }] : []),
    ...(bodies.length === 0
      ? []
      : [{ name: 'body', type: bodies.join(' | '), isOptional: operation.requestBody?.required !== true }]),
    ...(query.length === 0
      ? []
      : [{ name: 'query', type: queryType(operation), isOptional: query.every(({ required }) => required !== true) }]),
    { name: 'options', type: isKeyed(operation) ? 'PostOptions' : 'CallOptions', isOptional: true },
  ];
};

const isKeyed = (operation: ResolvedOperation): boolean =>
  of(operation, 'header').some(({ name }) => name === 'Idempotency-Key');

/** The call for the transport. */
const callOf = (operation: ResolvedOperation, isList: boolean): string => {
  const { method, path, access, requestBody } = operation;
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${${camelCase(name)}}`);
  const auth = { integration: "'integration'", widget: '{ token: accessToken }', public: "'none'" }[access];
  const fields = [
    `method: '${method}'`,
    `path: ${url === path ? `'${url}'` : `fillPath\`${url}\``}`,
    `auth: ${auth}`,
    // A token request has no side effects.
    `repeatable: ${method !== 'POST' || isKeyed(operation) || access === 'public'}`,
    ...(isKeyed(operation) ? ['keyed: true'] : []),
    ...(requestBody === undefined ? [] : ['body']),
    ...(of(operation, 'query').length === 0 ? [] : [isList ? 'query: page' : 'query']),
  ];
  return `{ ${fields.join(', ')} }`;
};

const describe = (operation: ResolvedOperation) => {
  const { operationId, responses } = operation;
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 300);
  const results = [...new Set(successes.flatMap(([, { content }]) => typesOf(content)))];
  const result = results.join(' | ') || 'void';
  const isList = document.components.schemas[result]?.properties?.next_cursor !== undefined;
  const call = `send<${result}>(${callOf(operation, isList)}, options)`;
  const given = argumentsOf(operation);
  const declared = given.map(({ name, type, isOptional }) => `${name}${isOptional === true ? '?' : ''}: ${type}`);
  const names = given.map(({ name, isOptional }) => (name === 'query' && isOptional === true ? 'query = {}' : name));
  return {
    declaration: `${docOf(operation)}${operationId}(${declared.join(', ')}): ${isList ? 'Pages' : 'Promise'}<${result}>;`,
    // The promise also reports invalid arguments.
    definition: isList
      ? `${operationId}: (${names.join(', ')}) => pages(query, async (page) => ${call})`
      : `${operationId}: async (${names.join(', ')}) => ${call}`,
  };
};

/** The method of an operation's list as a file. */
const describeFile = (operation: ResolvedOperation) => {
  const { operationId, summary } = operation;
  const query = `Omit<${queryType(operation)}, 'page' | 'per_page' | 'cursor'>`;
  return {
    declaration: `/**
 * ${summary}, all of them as a file. Reading it throws where it ends too early; \`timeoutMs\` is for its head.
 *
 * \`${operation.method} ${operation.path}\` with \`Accept: ${CSV}\`, permission ${permissionText(operation.operationId, operation['x-permission'])}
 */
${operationId}Csv(query: ${query}, options?: CallOptions): Promise<ReadableStream<Uint8Array>>;`,
    definition: `${operationId}Csv: async (query, options) => stream('${CSV}', ${callOf(operation, false)}, options)`,
  };
};

const hasFile = ({ responses }: ResolvedOperation): boolean => responses['200']?.content?.[CSV] !== undefined;
const described = operations.flatMap((operation) => [
  describe(operation),
  ...(hasFile(operation) ? [describeFile(operation)] : []),
]);
const code = `
${queries.join('\n\n')}

/** One method for every operation of the API, and one more for each list that can be a file. */
export interface CaratOperations {
${described.map(({ declaration }) => declaration).join('\n\n')}
}

/** The operations over a transport. */
export const createOperations = ({ send, stream }: Transport): CaratOperations => ({
${described.map(({ definition }) => definition).join(',\n')}
});
`;
const types = Object.keys(document.components.schemas).filter((name) => new RegExp(String.raw`\b${name}\b`).test(code));

const script = 'tools/build/generate-client.ts';
await writeGenerated(
  'client/operations.ts',
  `// Written by ${script} from openapi.yaml. Do not edit.
import type { operations, ${types.join(', ')} } from '../api/generated/openapi-types.ts';
import { pages, type Pages } from './pages.ts';
import { fillPath, type CallOptions, type PostOptions, type Transport } from './transport.ts';
${code}`,
  script,
);
