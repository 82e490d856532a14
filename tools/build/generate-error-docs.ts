/**
 * Writes `docs/errors.md`, the table of all problem codes, from `api/errors/problems.ts` and `openapi.yaml`. With `--check`
 * it writes nothing and fails if the file would change.
 */
import { problems } from '../../api/errors/problems.ts';
import { operationsOf, readOpenApi, type ResolvedOperation } from './openapi.ts';
import { writeGenerated } from './write-generated.ts';

const operations = operationsOf(readOpenApi());

/** Groups with a name, the widest first. */
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
  return names.length === 0 ? 'requests that match no operation' : names.join(', ');
};

const rows = Object.entries(problems).map(
  ([code, { status, title, explanation }]) =>
    `| ${status} | <a id="${code}"></a>\`${code}\` | **${title}.** ${explanation} | ${whereOf(code)} |`,
);

const script = 'tools/build/generate-error-docs.ts';
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

Programs decide by \`code\`, which never changes its meaning; \`title\` and \`detail\` are for people. \`request_id\`, also the
header \`X-Request-Id\`, finds the request in the log. \`errors\` names at least one field or parameter that broke a rule, or
the one whose value was not found; a corrected request may show further ones. For most other refusals it is empty. A 409
for something that exists has \`existing_id\` if that helps the client.

\`POST /api/v1/auth/token\` answers in the form of RFC 6749 section 5.2 instead, \`{error, error_description, code,
request_id}\`. Its \`error\` is \`invalid_request\` for every error without a code in that RFC (413, 415 and 429 too), and so is its
\`code\`, except for \`rate_limited\`. Malformed HTTP gets \`invalid_request\` with the status 400, 408 (too slow) or 431 (the head is too large).

| status | code | when, and what to do | answered by |
| --- | --- | --- | --- |
${rows.join('\n')}
`,
  script,
);
