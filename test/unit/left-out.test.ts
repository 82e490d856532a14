import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/paths.ts';
import leftOut from '../left-out.json' with { type: 'json' };

/* What `npm test` leaves to `npm run test:all` (tools/check/test.ts). */

const files = Object.entries(leftOut.files);
const exists = (file: string): boolean => fs.existsSync(path.join(root, file));

it.each(files)('%s is left out for a file that shows the same promise, and runs', (file, { seconds, shownBy }) => {
  expect([exists(file), exists(shownBy)]).toEqual([true, true]);
  expect(Object.keys(leftOut.files)).not.toContain(shownBy);
  expect(seconds).toBeGreaterThan(0);
});

it('each randomised test with fewer cases in npm test runs again with all of them', () => {
  const using = fs
    .globSync('test/**/*.test.ts', { cwd: root })
    .filter((file) => fs.readFileSync(path.join(root, file), 'utf8').match(/^import \{ cases \}/m));
  const left = new Set(Object.keys(leftOut.files));
  expect(using.filter((file) => !left.has(file)).toSorted()).toEqual(leftOut.again);
});
