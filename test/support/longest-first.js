import Sequencer from '@jest/test-sequencer';
import path from 'node:path';
import seconds from './seconds.json' with { type: 'json' };

/** Seconds of a file that `seconds.json` does not name. */
const SHORT = 4;

/**
 * Starts the longest test files first, so that no worker is alone with one at the end, and beside them as many seconds of short ones:
 * long files compute most of their time, and short ones often wait. With four workers, two cores idle for a tenth of a whole run.
 * Without a cache, as in a fresh clone, Jest orders by size. `seconds.json` holds the rounded seconds of the files that take 15 or more;
 * only their order and size count.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const secondsOf = ({ path: file, context }) => seconds[path.relative(context.config.rootDir, file)] ?? SHORT;
    const byName = [...tests].sort((a, b) => a.path.localeCompare(b.path));
    const short = byName.filter((test) => secondsOf(test) === SHORT);
    const sorted = [];
    let ahead = 0;
    for (const long of byName.filter((test) => secondsOf(test) !== SHORT).sort((a, b) => secondsOf(b) - secondsOf(a))) {
      sorted.push(long);
      ahead += secondsOf(long);
      const beside = short.splice(0, Math.floor(ahead / SHORT));
      sorted.push(...beside);
      ahead -= beside.length * SHORT;
    }
    return [...sorted, ...short];
  }
}
