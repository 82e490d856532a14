/**
 * Bundles `widget/` into `widget/built/`, which the api serves: the element, its languages, and the script of the hosted
 * page. Files have the hash of their content in their names. With `--check` nothing is written, and a stale file makes the
 * process fail. With `--release` the files are also kept in `widget/releases/`, so that pages that pin them go on working.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { pinnedName } from '../../widget/view/pinned-name.ts';

const folder = fileURLToPath(new URL('../../widget/', import.meta.url));
const [isCheck, isRelease] = [process.argv.includes('--check'), process.argv.includes('--release')];

/** Brotli bytes that a payment in English may take, all scripts together. */
const BUDGET = 20.5 * 1_024;

const digestOf = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest('base64');

const bundle = async (
  entry: string,
  define: Record<string, string> = {},
): Promise<{ script: string; licenses: string }> => {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['chrome116', 'firefox118', 'safari17'],
    charset: 'utf8',
    legalComments: 'external',
    define,
    write: false,
    outdir: 'built',
  });
  const text = (suffix: string): string => outputFiles.find(({ path: file }) => file.endsWith(suffix))?.text ?? '';
  // The indentation of templates and styles shows nowhere.
  return { script: text('.js').replaceAll(/\n {2,}/g, ' '), licenses: text('.LEGAL.txt') };
};

/** All files of this build, by name. */
const buildAll = async (): Promise<Map<string, string>> => {
  const files = new Map<string, string>();
  /** Adds a file under the name that never changes, and returns its digest. */
  const add = (name: string, text: string): string => {
    const digest = digestOf('sha256', text);
    files.set(pinnedName(name, digest), text);
    return digest;
  };
  const languages: Record<string, string> = {};
  for (const source of readdirSync(path.join(folder, 'locales')).sort()) {
    const language = path.basename(source, '.json');
    if (language === 'en') continue;
    const texts: unknown = JSON.parse(readFileSync(path.join(folder, 'locales', source), 'utf8'));
    languages[language] = add(`texts-${source}`, JSON.stringify(texts));
  }
  const qr = add('qr.js', (await bundle('view/qr.ts')).script);
  const define = { TEXT_DIGESTS: JSON.stringify(languages), QR_DIGEST: JSON.stringify(qr) };
  const { script, licenses } = await bundle('carat-pay.ts', define);
  files.set('carat-pay.js', `${script.trim()}\n//! licenses.txt\n`);
  files.set('licenses.txt', licenses);
  files.set('page.js', (await bundle('page.ts')).script);
  return files;
};

const built = path.join(folder, 'built');
const files = await buildAll();
const compressed = (name: string): number => brotliCompressSync(files.get(name)!).length;
const size = compressed('carat-pay.js') + compressed('page.js');
if (size > BUDGET) {
  console.error(`The element and the page's script take ${size} bytes in brotli, ${size - BUDGET} too many`);
  process.exitCode = 1;
}

const present = existsSync(built) ? readdirSync(built) : [];
const isFresh =
  present.length === files.size &&
  [...files].every(([name, text]) => present.includes(name) && readFileSync(path.join(built, name), 'utf8') === text);
if (isFresh) console.log(`widget/built is up to date: ${size} bytes in brotli.`);
else if (isCheck) {
  console.error('widget/built is stale. Run: node tools/build/build-widget.ts');
  process.exitCode = 1;
} else {
  rmSync(built, { recursive: true, force: true });
  mkdirSync(built, { recursive: true });
  for (const [name, text] of files) writeFileSync(path.join(built, name), text);
  console.log(`Written: widget/built, ${size} bytes in brotli.`);
}

if (isRelease) {
  const releases = path.join(folder, 'releases');
  mkdirSync(releases, { recursive: true });
  const element = files.get('carat-pay.js')!;
  const pinned = pinnedName('carat-pay.js', digestOf('sha256', element));
  const kept = [...files].filter(([name]) => /-\w{12}\./.test(name));
  for (const [name, text] of [[pinned, element] as const, ...kept]) writeFileSync(path.join(releases, name), text);
  console.log(`Released: ${pinned} with integrity="sha384-${digestOf('sha384', element)}"`);
}
