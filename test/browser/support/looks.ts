import fs from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { root } from '../../../tools/paths.ts';

/** A way to look at a page. */
interface Look {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
}

const leftToRight: readonly Look[] = [
  { name: 'light', colorScheme: 'light', width: 1024, height: 900 },
  { name: 'dark', colorScheme: 'dark', width: 1024, height: 900 },
  { name: 'phone', colorScheme: 'light', width: 390, height: 844 },
];
const rightToLeft: readonly Look[] = [
  { name: 'rtl', colorScheme: 'light', width: 1024, height: 900 },
  { name: 'rtl-phone', colorScheme: 'dark', width: 390, height: 844 },
];
/** The narrowest page that must not scroll sideways. */
const NARROW = { width: 320, height: 640 };

/** Folder that `npm run screenshots` fills; null in an ordinary run. */
const folder = process.env.CARAT_SCREENSHOTS ? path.join(root, '.carat/screenshots') : null;

/** Rules of WCAG 2.2 AA, and those that are good practice. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Violations that axe finds, one a line. */
const violationsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (tags) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run({
        runOnly: tags,
        // A page that has one sentence and nothing else needs none.
        rules: { 'page-has-heading-one': { enabled: false } },
      }),
    rules,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  );
};

/** Pixels by which the page is wider than its window. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/**
 * Looks at a state of a page in all ways. Resolves to everything that is wrong: violations that axe finds, and a page that is wider
 * than a narrow window.
 * @param state name of the screenshots
 */
export const lookAt = async (page: Page, state: string, isRightToLeft = false): Promise<string[]> => {
  const wrong: string[] = [];
  for (const { name, colorScheme, width, height } of isRightToLeft ? rightToLeft : leftToRight) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height });
    const violations = await violationsOf(page);
    wrong.push(...violations.map((line) => `${state}, ${name}: ${line}`));
    if (folder === null) continue;
    fs.mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: path.join(folder, `${state}.${name}.png`), fullPage: true });
  }
  await page.setViewportSize(NARROW);
  const excess = await overflow(page);
  return excess === 0 ? wrong : [...wrong, `${state}: ${excess} px wider than ${NARROW.width} px`];
};
