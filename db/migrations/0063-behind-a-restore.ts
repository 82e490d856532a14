import type { Knex } from 'knex';

/** Which watchers have yet to read the blocks of the time that a restore has lost. */
export const behindARestore = {
  name: '0063-behind-a-restore',
  effect: { kind: 'expand', locks: ['watch_cursors'] },
  up: (knex: Knex) =>
    // true from a mark on, until the watcher has read all blocks that the network had at the mark
    knex.raw('ALTER TABLE watch_cursors ADD COLUMN is_behind_restore boolean NOT NULL DEFAULT false'),
} as const;
