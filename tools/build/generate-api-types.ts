/**
 * Writes `api/generated/openapi-types.ts`, the types of requests and answers, from `openapi.yaml`. With `--check`
 * nothing is written, and a stale file fails.
 */
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { operationsOf, readOpenApi } from './openapi.ts';
import { writeGenerated } from './write-generated.ts';

const document = readOpenApi();
// Webhook events are not operations with handlers; the schemas of their bodies have types already.
const { webhooks: _, ...answered } = document as unknown as OpenAPI3;
const types = await openapiTS(answered, {
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  // The service fills in defaults, so clients need not send these fields.
  defaultNonNullable: false,
});
const access = operationsOf(document).map(({ operationId, access: kind }) => `${operationId}: '${kind}';`);
const turns = operationsOf(document).map(({ operationId, 'x-turns': kind = 'single' }) => `${operationId}: '${kind}';`);
const script = 'tools/build/generate-api-types.ts';
await writeGenerated(
  'api/generated/openapi-types.ts',
  `// Written by ${script} from openapi.yaml. Do not edit.\n\n${astToString(types)}\n` +
    `/** Whose token each operation needs. */\nexport interface Access {\n${access.join('\n')}\n}\n\n` +
    `/** With which others of its node each operation takes turns. */\nexport interface Turns {\n${turns.join('\n')}\n}\n`,
  script,
);
