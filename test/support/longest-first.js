import Sequencer from '@jest/test-sequencer';
import path from 'node:path';
import seconds from './seconds.json' with { type: 'json' };

/**
 * Starts the longest test files first, so that no worker is alone with one at the end. Without a cache, as in a fresh clone, Jest
 * orders by size. `seconds.json` holds the seconds of the files that take 15 or more, rounded; only their order counts.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const secondsOf = ({ path: file, context }) => seconds[path.relative(context.config.rootDir, file)] ?? 0;
    return [...tests].sort((a, b) => secondsOf(b) - secondsOf(a) || a.path.localeCompare(b.path));
  }
}
