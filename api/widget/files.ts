import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinnedName } from '../../widget/view/pinned-name.ts';
import { staticAnswer, type StaticAnswer } from '../answers/static.ts';

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
export const pageScript = (): string => readFileSync(path.join(folder, 'built/page.js'), 'utf8').trim();

/**
 * Every file that pages may load, by name: the current element, its languages, and the files of released versions, which
 * pages may have pinned by subresource integrity.
 */
export const widgetFiles = (): ReadonlyMap<string, StaticAnswer> => {
  const built = filesOf('built').filter(([name]) => name !== 'page.js');
  const [name, element] = built.find(([file]) => file === 'carat-pay.js')!;
  const digest = createHash('sha256').update(element).digest('base64');
  const pinned: [string, Buffer] = [pinnedName(name, digest), element];
  return new Map([...filesOf('releases'), ...built, pinned].map(([file, body]) => [file, answerOf(file, body)]));
};
