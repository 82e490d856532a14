/**
 * Writes `api/generated/openapi-types.ts`, the types of what the API takes and gives, from `openapi.yaml`. With `--check`
 * nothing is written, and a file that would change fails.
 */
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { operationsOf, readOpenApi } from './openapi.ts';
import { writeGenerated } from './write-generated.ts';

const document = readOpenApi();
// What is sent to webhooks is no operation that handlers answer; the schemas of the bodies have their types.
const { webhooks: _, ...answered } = document as unknown as OpenAPI3;
const types = await openapiTS(answered, {
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  // A default is the service's to fill in, so a client need not send the field.
  defaultNonNullable: false,
});
const access = operationsOf(document).map(({ operationId, access: kind }) => `${operationId}: '${kind}';`);
const turns = operationsOf(document).map(({ operationId, 'x-turns': kind = 'single' }) => `${operationId}: '${kind}';`);
const script = 'scripts/generate-api-types.ts';
await writeGenerated(
  'api/generated/openapi-types.ts',
  `// Written by ${script} from openapi.yaml. Do not edit.\n\n${astToString(types)}\n` +
    `/** Whose token each operation needs. */\nexport interface Access {\n${access.join('\n')}\n}\n\n` +
    `/** With which others of its node each operation takes turns. */\nexport interface Turns {\n${turns.join('\n')}\n}\n`,
  script,
);
