import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { StaticAnswer } from '../http/handler.ts';
import { problems } from '../errors/problems.ts';
import type { Specification } from '../request/specification.ts';

/**
 * Redoc writes style sheets into the page and searches in a worker that it makes by itself. Nothing comes from elsewhere:
 * the one thing that it asks for, a logo of its makers, is refused by the browser.
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

/** Of the two parts one is seen: the errors when the URL names one, as the `type` of each problem does, else Redoc. */
const style = `body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#1b1b1f;background:#fff}
nav{padding:.5rem 1rem;background:#263238}nav a{color:#fff;margin-right:1.5rem}
main{display:none;max-width:60rem;margin:0 auto;padding:0 1rem}
body:has(main:target,main :target) main{display:block}body:has(main:target,main :target) redoc{display:none}
table{border-collapse:collapse;font-size:.9rem}td,th{border:1px solid #ddd;padding:.25rem .5rem;text-align:left;vertical-align:top}
tr:target{background:#fff3c4}`;

const page = (title: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style></head>
<body>
<nav><a href="docs">Operations</a><a href="#errors">Errors</a><a href="openapi.json">For programs</a></nav>
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

/** The page that shows the specification to people, and its script: Redoc, from this origin. */
export const createDocs = (specification: Specification): { page: StaticAnswer; script: StaticAnswer } => {
  const { title } = specification.document().info as { title: string };
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': contentSecurityPolicy };
  const script = readFileSync(createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js'));
  return {
    page: { status: 200, body: Buffer.from(page(`${escape(title)} API`)), headers },
    script: { status: 200, body: script, headers: { 'Content-Type': 'text/javascript; charset=utf-8' } },
  };
};
