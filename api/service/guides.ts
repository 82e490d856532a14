import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Marked, type Tokens } from 'marked';
import { lazily } from '../../domain/tools/lazily.ts';
import { staticAnswer, type StaticAnswer } from '../answers/static.ts';

const folder = fileURLToPath(new URL('../../docs/guides/', import.meta.url));

/** Seconds after which a cache asks for the new version of Carat. */
const MAX_AGE = 300;

const style = `body{margin:0;font:16px/1.6 system-ui,sans-serif;color:#1b1b1f;background:#fff}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;padding:.5rem 1rem;background:#263238}nav a{color:#fff}
nav a[aria-current]{font-weight:700}main{max-width:46rem;margin:0 auto;padding:0 1rem 3rem}h1,h2{line-height:1.25}
a{color:#1746a2}code{font-size:.9em;overflow-wrap:anywhere}pre{padding:.75rem 1rem;overflow:auto;background:#f3f4f6;border-radius:6px}
pre code{overflow-wrap:normal}table{display:block;overflow:auto;border-collapse:collapse}
th code,td code{overflow-wrap:normal}th,td{border:1px solid #ddd;padding:.3rem .6rem;text-align:left;vertical-align:top}`;

const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character]!);

/**
 * The address of a link as the api serves it: another guide, or a code of the errors.
 * @throws Error for a link that leads elsewhere, because the api serves nothing else of the repository
 */
const served = (href: string): string => {
  const [, guide, code] = /^(?:([a-z-]+)\.md|\.\.\/errors\.md(?:#(\w+))?)$/.exec(href) ?? [];
  if (guide !== undefined) return guide;
  if (href.startsWith('../errors.md')) return `../../docs#${code ?? 'errors'}`;
  throw new Error(`The api serves no ${href}`);
};

/** Renders Markdown to HTML. HTML in the text is shown, not rendered. */
export const renderGuide = (markdown: string): string => {
  const marked = new Marked({
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escape(text),
      image: ({ text }) => escape(text),
      link({ href, tokens }) {
        return `<a href="${escape(served(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
};

interface Guide {
  readonly name: string;
  readonly title: string;
}

const page = ({ name, title }: Guide, guides: readonly Guide[], body: string): string => {
  const links = guides.map(
    (one) => `<a href="${one.name}"${one.name === name ? ' aria-current="page"' : ''}>${escape(one.title)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title)}</title>
<style>${style}</style></head>
<body>
<nav aria-label="Guides">${links.join('')}<a href="../../docs">Operations</a></nav>
<main>${body}</main>
</body>
</html>
`;
};

/** Pages of the guides by name, each rendered at its first request. The order is that of the list in docs/guides/README.md. */
export const createGuides = (): ReadonlyMap<string, () => StaticAnswer> => {
  const list = readFileSync(`${folder}README.md`, 'utf8');
  const guides = [...list.matchAll(/^\d+\. \[(.+?)\]\((.+?)\.md\)/gm)].map(([, title = '', name = '']) => ({
    name,
    title,
  }));
  const answerOf = (guide: Guide): StaticAnswer => {
    const body = renderGuide(readFileSync(`${folder}${guide.name}.md`, 'utf8'));
    return staticAnswer(Buffer.from(page(guide, guides, body)), {
      maxAge: MAX_AGE,
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': contentSecurityPolicy },
    });
  };
  return new Map(guides.map((guide) => [guide.name, lazily(() => answerOf(guide))]));
};
