/**
 * Writes `client/operations.ts`, one typed method for every operation of `openapi.yaml`. With `--check` nothing is written,
 * and a file that would change fails.
 */
import { lastPart, operationsOf, readOpenApi, typeOf, type Parameter, type ResolvedOperation } from './openapi.ts';
import { writeGenerated } from './write-generated.ts';

const document = readOpenApi();
const operations = operationsOf(document);

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const camelCase = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const of = ({ parameters }: ResolvedOperation, place: string): Parameter[] =>
  parameters.filter((parameter) => parameter.in === place);
const queryType = ({ operationId }: ResolvedOperation): string => `${capitalised(operationId)}Query`;

/** Codes that nearly every operation has; docs/errors.md tells of them. */
const everywhere = new Set([
  ...['invalid_request', 'malformed_json', 'missing_token', 'invalid_token', 'permission_denied', 'payload_too_large'],
  ...['unsupported_media_type', 'idempotency_key_reused', 'rate_limited', 'internal_error', 'unavailable'],
]);

const docOf = (operation: ResolvedOperation): string => {
  const { summary, description, method, path, responses } = operation;
  const codes = Object.values(responses).flatMap((response) => response['x-codes'] ?? []);
  const own = [...new Set(codes)].filter((code) => !everywhere.has(code));
  const permission = operation['x-permission'];
  const lines = [
    `${summary}.${description === undefined ? '' : ` ${description.trim().replace(/\.?$/, '.')}`}`,
    '',
    `\`${method} ${path}\`${permission === undefined ? '' : `, permission \`${permission}\``}`,
    ...(own.length === 0 ? [] : [`@throws CaratError ${own.map((code) => `\`${code}\``).join(', ')}`]),
  ];
  return `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */\n`;
};

const queries = operations
  .filter((operation) => of(operation, 'query').length > 0)
  .map((operation) => {
    const fields = of(operation, 'query').map(({ name, required, description, schema }) => {
      const text = description ?? (schema.$ref === undefined ? schema.description : undefined);
      return `${text === undefined ? '' : `/** ${text.trim()} */\n`}${name}${required === true ? '' : '?'}: ${typeOf(schema)};`;
    });
    return `/** Query of {@link CaratOperations.${operation.operationId}}. */\nexport interface ${queryType(operation)} {\n${fields.join('\n')}\n}`;
  });

const describe = (operation: ResolvedOperation) => {
  const { operationId, method, path, access, requestBody, responses } = operation;
  const ids = of(operation, 'path').map(({ name }) => camelCase(name));
  const query = of(operation, 'query');
  const optionalQuery = query.every(({ required }) => required !== true);
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => typeOf(schema));
  const keyed = of(operation, 'header').some(({ name }) => name === 'Idempotency-Key');
  const [success] = Object.entries(responses).filter(([status]) => Number(status) < 300);
  const schema = Object.values(success?.[1].content ?? {})[0]?.schema;
  const result = schema === undefined ? 'void' : typeOf(schema);
  const target = schema?.$ref === undefined ? schema : document.components.schemas[lastPart(schema.$ref)];
  const isList = target?.properties?.next_cursor !== undefined && target.properties.items !== undefined;

  const parameters = [
    ...ids.map((name) => [name, `${name}: string`]),
    ...(access === 'widget' ? [['accessToken', 'accessToken: string']] : []),
    ...(bodies.length === 0 ? [] : [['body', `body: ${[...new Set(bodies)].join(' | ')}`]]),
    ...(query.length === 0 ? [] : [['query', `query${optionalQuery ? '?' : ''}: ${queryType(operation)}`]]),
    ['options', `options?: ${keyed ? 'PostOptions' : 'CallOptions'}`],
  ];
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${${camelCase(name)}}`);
  const auth = access === 'integration' ? "'integration'" : access === 'widget' ? '{ token: accessToken }' : "'none'";
  const fields = [
    `method: '${method}'`,
    `path: ${ids.length === 0 ? `'${url}'` : `fillPath\`${url}\``}`,
    `auth: ${auth}`,
    // A request for a token changes nothing.
    `repeatable: ${method !== 'POST' || keyed || access === 'public'}`,
    ...(keyed ? ['keyed: true'] : []),
    ...(bodies.length === 0 ? [] : ['body']),
    ...(query.length === 0 ? [] : [isList ? 'query: page' : 'query']),
  ];
  const call = `send<${result}>({ ${fields.join(', ')} }, options)`;
  const names = parameters.map(([name]) => (name === 'query' && optionalQuery ? 'query = {}' : name)).join(', ');
  return {
    declaration: `${docOf(operation)}${operationId}(${parameters.map(([, text]) => text).join(', ')}): ${isList ? `Pages<${result}>` : `Promise<${result}>`};`,
    // What an argument is wrong about is thrown like everything else: by the promise.
    definition: isList
      ? `${operationId}: (${names}) => pages(query, async (page) => ${call})`
      : `${operationId}: async (${names}) => ${call}`,
  };
};

const described = operations.map(describe);
const code = `
${queries.join('\n\n')}

/** One method for every operation of the API. */
export interface CaratOperations {
${described.map(({ declaration }) => declaration).join('\n\n')}
}

/** The operations over a transport. */
export const createOperations = (send: Send): CaratOperations => ({
${described.map(({ definition }) => definition).join(',\n')}
});
`;
const types = Object.keys(document.components.schemas).filter((name) => new RegExp(String.raw`\b${name}\b`).test(code));

const script = 'scripts/generate-client.ts';
await writeGenerated(
  'client/operations.ts',
  `// Written by ${script} from openapi.yaml. Do not edit.
import type { ${types.join(', ')} } from '../api/generated/openapi-types.ts';
import { pages, type Pages } from './pages.ts';
import { fillPath, type CallOptions, type PostOptions, type Send } from './transport.ts';
${code}`,
  script,
);
