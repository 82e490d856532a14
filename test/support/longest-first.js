import Sequencer from '@jest/test-sequencer';
import path from 'node:path';
import seconds from './seconds.json' with { type: 'json' };

/**
 * Starts the longest test files first, so that no worker is left alone with one at the end. `seconds.json` holds the
 * seconds of each file that took ten or more; `npm test record` measures them anew.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const secondsOf = ({ path: file, context }) => seconds[path.relative(context.config.rootDir, file)] ?? 0;
    return [...tests].sort((a, b) => secondsOf(b) - secondsOf(a) || a.path.localeCompare(b.path));
  }
}
