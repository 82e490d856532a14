import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { staticAnswer, type StaticAnswer } from '../answers/static.ts';
import { problems } from '../errors/problems.ts';
import { accessOf, permissionText } from '../request/specification.ts';

type Json = Record<string, unknown>;

interface ErrorResponse {
  readonly $ref?: string;
  readonly 'x-codes'?: readonly string[];
}

interface Operation extends Json {
  readonly responses: Readonly<Record<string, ErrorResponse>>;
  readonly callbacks?: Readonly<Record<string, Readonly<Record<string, Paths[string]>>>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface Document extends Json {
  readonly security: readonly Json[];
  readonly paths: Paths;
  readonly webhooks: Paths;
  readonly components: { readonly responses: Readonly<Record<string, ErrorResponse>> };
}

const permissionOf = (operation: Operation, access: ReturnType<typeof accessOf>): string => {
  if (access === 'widget') return "none; the payment's `access_token`";
  if (access === 'public') return 'none; no token';
  return permissionText(String(operation.operationId), operation['x-permission']) || 'none; any valid token';
};

/** A list of the statuses with their codes. Each links to its explanation, the `type` of the problem. */
const errorsOf = ({ responses }: Operation, known: Document['components']['responses']): string =>
  Object.entries(responses)
    .flatMap(([status, { $ref, ...own }]) => {
      const { 'x-codes': codes = [] } = $ref === undefined ? own : (known[$ref.split('/').at(-1) ?? ''] ?? {});
      return codes.length === 0
        ? []
        : [`- ${status} ${codes.map((code) => `[\`${code}\`](/docs#${code})`).join(', ')}`];
    })
    .join('\n');

/** Carat sends events, so the tokens of its clients do not apply to them. */
const withoutTokens = (paths: Paths): Paths =>
  Object.fromEntries(
    Object.entries(paths).map(([name, methods]) => [
      name,
      Object.fromEntries(Object.entries(methods).map(([method, event]) => [method, { ...event, security: [] }])),
    ]),
  );

/**
 * The document as the api serves it: with its own URL, and with permission and error codes in the description of each
 * operation, because readers and client generators ignore `x-permission` and `x-codes`. Schemas stay the same.
 */
export const servedDocument = (specification: Json, publicUrl: string): Json => {
  const { security, paths, webhooks, components, ...rest } = specification as Document;
  const described = (operation: Operation): Operation => {
    const access = accessOf((operation.security as Json[] | undefined) ?? security);
    const errors = errorsOf(operation, components.responses);
    const { description, callbacks } = operation;
    const parts = [
      ...(description === undefined ? [] : [String(description).trim()]),
      `**Permission:** ${permissionOf(operation, access)}`,
      ...(errors === '' ? [] : [`**Errors**\n\n${errors}`]),
    ];
    const sent =
      callbacks &&
      Object.fromEntries(Object.entries(callbacks).map(([name, callback]) => [name, withoutTokens(callback)]));
    return { ...operation, description: parts.join('\n\n'), ...(sent && { callbacks: sent }) };
  };
  return {
    ...rest,
    servers: [{ url: publicUrl }],
    security,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, described(operation)])),
      ]),
    ),
    webhooks: withoutTokens(webhooks),
    components,
  };
};

/**
 * Redoc writes style sheets into the page and searches in a separate worker. Nothing comes from another origin: the
 * browser refuses the only such request, for a logo of Redoc's makers.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const codes = Object.entries(problems).map(
  ([code, { status, title, explanation }]) =>
    `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${escape(title)}</td>` +
    `<td>${escape(explanation).replaceAll(/`(.+?)`/g, '<code>$1</code>')}</td></tr>`,
);

/**
 * The page shows the errors if the URL names one, as the `type` of each problem does, else Redoc. On a phone, each row of the
 * table becomes a block, so that nothing is wider than the screen.
 */
const style = `body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#1b1b1f;background:#fff}
nav{padding:.5rem 1rem;background:#263238}nav a{color:#fff;margin-right:1.5rem}
main{display:none;max-width:60rem;margin:0 auto;padding:0 1rem}
body:has(main:target,main :target) main{display:block}body:has(main:target,main :target) redoc{display:none}
main table{border-collapse:collapse;font-size:.9rem}main code{overflow-wrap:anywhere}main tr:target{background:#fff3c4}
main td,main th{border:1px solid #ddd;padding:.25rem .5rem;text-align:left;vertical-align:top}
@media(max-width:50rem){main thead{display:none}main tr,main td{display:block}main td{border:0}main tr{border-bottom:1px solid #ddd}}`;

const page = (title: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
<style>${style}</style></head>
<body>
<nav><a href="docs/guides/take-a-payment">Guides</a><a href="docs">Operations</a><a href="#errors">Errors</a><a href="openapi.json">For programs</a></nav>
<main id="errors">
<h1>Errors</h1>
<table><thead><tr><th>Code</th><th>Status</th><th>Title</th><th>When, and what to do</th></tr></thead>
<tbody>${codes.join('\n')}</tbody></table>
</main>
<redoc spec-url="openapi.json"></redoc>
<script src="docs/redoc.js"></script>
</body>
</html>
`;

/** Seconds after which a cache asks for the new version of Carat. */
const MAX_AGE = 300;

/** The document for programs, the page that shows it to people, and the script of the page: Redoc, from this origin. */
export const createDocs = (
  document: Record<string, unknown>,
): { document: StaticAnswer; page: StaticAnswer; script: StaticAnswer } => {
  const { title } = document.info as { title: string };
  const typed = (type: string) => ({ 'Content-Type': `${type}; charset=utf-8` });
  const script = readFileSync(createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js'));
  return {
    document: staticAnswer(Buffer.from(JSON.stringify(document)), {
      maxAge: MAX_AGE,
      headers: typed('application/json'),
    }),
    page: staticAnswer(Buffer.from(page(`${escape(title)} API`)), {
      maxAge: MAX_AGE,
      headers: { ...typed('text/html'), 'Content-Security-Policy': contentSecurityPolicy },
    }),
    script: staticAnswer(script, { maxAge: MAX_AGE, headers: typed('text/javascript') }),
  };
};
