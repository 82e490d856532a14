import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import { frameOriginsOf } from '../../db/branding/branding.ts';
import { isUuid } from '../../domain/tools/is-uuid.ts';
import { pinnedName } from '../../widget/view/pinned-name.ts';
import { staticAnswer, type StaticAnswer } from '../answers/static.ts';
import { ApiError } from '../errors/errors.ts';
import type { HandlerDeps, Handlers } from '../http/handler.ts';

const folder = fileURLToPath(new URL('../../widget/', import.meta.url));

/** Seconds for which a cache uses a file whose content may change, and one that has its hash in its name. */
const [CURRENT_MAX_AGE, PINNED_MAX_AGE] = [300, 31_536_000];

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

const isPinned = (name: string): boolean => /-\w{12}\.\w+$/.test(name);

const answerOf = (name: string, body: Buffer): StaticAnswer =>
  staticAnswer(body, {
    maxAge: isPinned(name) ? PINNED_MAX_AGE : CURRENT_MAX_AGE,
    headers: {
      'Content-Type': types[path.extname(name)]!,
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  });

const filesOf = (subfolder: string): [string, Buffer][] => {
  const place = path.join(folder, subfolder);
  return readdirSync(place)
    .filter((name) => path.extname(name) in types)
    .map((name) => [name, readFileSync(path.join(place, name))]);
};

/** The script of the hosted page. It stands in the page itself. */
const pageScript = (): string => readFileSync(path.join(folder, 'built/page.js'), 'utf8').trim();

/**
 * Every file that pages may load, by name: the current element, its languages, and the files of released versions, which
 * pages may have pinned by subresource integrity.
 */
const widgetFiles = (): ReadonlyMap<string, StaticAnswer> => {
  const built = filesOf('built').filter(([name]) => name !== 'page.js');
  const [name, element] = built.find(([file]) => file === 'carat-pay.js')!;
  const digest = createHash('sha256').update(element).digest('base64');
  const pinned: [string, Buffer] = [pinnedName(name, digest), element];
  return new Map([...filesOf('releases'), ...built, pinned].map(([file, body]) => [file, answerOf(file, body)]));
};

/** The same for everyone: only the browser knows the payment and the token that opens it. */
const style = `body{margin:0;min-height:100vh;background:#eef1f6;font:1rem/1.5 system-ui,sans-serif;color:#14171f}
main{padding:clamp(0px,4vmin,3rem) clamp(0px,4vw,1rem)}
@media(prefers-color-scheme:dark){body{background:#0e1015;color:#f1f3f8}}`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const html = (script: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Payment</title>
<style>${style}</style>
<script type="module" src="../widget/v1/carat-pay.js"></script>
</head>
<body>
<main><noscript>This page needs JavaScript to talk to your wallet.</noscript></main>
<script type="module">${script}</script>
</body>
</html>
`;

const policyOf = (script: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    // Wallets announce their icons as data (EIP-6963).
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ');

/** Most sets of origins whose answers are kept. Most pages allow none. */
const KEPT = 100;

/**
 * The hosted page of a payment or checkout. Rendered and compressed once for each set of origins.
 * @param frameOrigins origins whose pages may frame it
 */
const createPage = (script: string): ((frameOrigins: readonly string[]) => StaticAnswer) => {
  const [body, policy] = [Buffer.from(html(script)), policyOf(script)];
  const render = (ancestors: string): StaticAnswer =>
    staticAnswer(body, {
      maxAge: 0,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': `${policy}; frame-ancestors ${ancestors}`,
        'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      },
    });
  const answers = new LRUCache<string, StaticAnswer>({ max: KEPT, memoMethod: render });
  return (frameOrigins) => answers.memo(frameOrigins.length === 0 ? "'none'" : frameOrigins.join(' '));
};

/** The buyer's page, and the element that it and merchants' own pages show. */
export const createPageHandlers = ({ knex }: HandlerDeps): Pick<Handlers, 'getPayPage' | 'getWidgetFile'> => {
  const files = widgetFiles();
  const page = createPage(pageScript());
  return {
    // The page itself is the same for every id, known or not.
    getPayPage: async ({ params }) => page(isUuid(params.id) ? await frameOriginsOf(knex, params.id) : []),

    getWidgetFile: ({ params }) => {
      const file = files.get(params.file);
      if (file === undefined) throw new ApiError('route_not_found', 'No version of the element has this file');
      return Promise.resolve(file);
    },
  };
};
