import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { staticAnswer, type StaticAnswer } from '../answers/static.ts';

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
export const createPage = (script: string): ((frameOrigins: readonly string[]) => StaticAnswer) => {
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
