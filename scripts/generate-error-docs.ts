/**
 * Writes `docs/errors.md`, the table of all problem codes, from `api/errors/problems.ts` and `openapi.yaml`. With `--check` nothing
 * is written, and a file that would change fails.
 */
import { problems } from '../api/errors/problems.ts';
import { operationsOf, readOpenApi, type ResolvedOperation } from './openapi.ts';
import { writeGenerated } from './write-generated.ts';

const operations = operationsOf(readOpenApi());

/** Groups that are shorter to name than to list, widest first. */
const groups: [string, (operation: ResolvedOperation) => boolean][] = [
  ['every operation', () => true],
  ['every operation with a token', ({ access }) => access !== 'public'],
  ['every operation with a permission', (operation) => operation['x-permission'] !== undefined],
  ['every operation with a body', ({ requestBody }) => requestBody !== undefined],
  [
    'every operation with a token and a body',
    ({ access, requestBody }) => access !== 'public' && requestBody !== undefined,
  ],
  ['every POST with a token', ({ access, method }) => access !== 'public' && method === 'POST'],
];

const whereOf = (code: string): string => {
  const all = operations.filter(({ responses }) =>
    Object.values(responses).some((response) => response['x-codes']?.includes(code)),
  );
  const group = groups.find(([, belongs]) => operations.filter(belongs).every((operation) => all.includes(operation)));
  const rest = all.filter((operation) => group === undefined || !group[1](operation));
  const names = [...(group === undefined ? [] : [group[0]]), ...rest.map(({ operationId }) => `\`${operationId}\``)];
  return names.length === 0 ? 'requests without an operation' : names.join(', ');
};

const rows = Object.entries(problems).map(
  ([code, { status, title, explanation }]) =>
    `| ${status} | <a id="${code}"></a>\`${code}\` | **${title}.** ${explanation} | ${whereOf(code)} |`,
);

const script = 'scripts/generate-error-docs.ts';
await writeGenerated(
  'docs/errors.md',
  `<!-- Written by ${script} from api/errors/problems.ts and openapi.yaml. Do not edit. -->

# Errors

Every refusal is \`application/problem+json\` (RFC 9457):

\`\`\`json
{
  "type": "/docs#invalid_request",
  "title": "The request is not valid",
  "status": 400,
  "detail": "/body/paid_price must be greater than 0",
  "code": "invalid_request",
  "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11",
  "errors": [{ "path": "/body/paid_price", "message": "must be greater than 0" }]
}
\`\`\`

Programs decide by \`code\`, whose meaning never changes; \`title\` and \`detail\` are for people. \`request_id\`, also sent as the
header \`X-Request-Id\`, identifies the request in the log. \`errors\` names at least one invalid field or parameter (others may appear
once it is valid), or the field that refers to a missing resource; for most other codes it is empty. A 409 for a resource that
already exists has \`existing_id\` where that helps.

\`POST /api/v1/auth/token\` answers in the form of RFC 6749 section 5.2 instead, \`{error, error_description, code,
request_id}\`. Its \`error\` is \`invalid_request\` where that RFC has no code, and so is its \`code\`, except for \`rate_limited\`.
Malformed HTTP gets \`invalid_request\` with the status 400, 408 (too slow) or 431 (its head is too large).

| status | code | when, and what to do | answered by |
| --- | --- | --- | --- |
${rows.join('\n')}
`,
  script,
);
