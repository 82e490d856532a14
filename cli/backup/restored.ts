import { parseArgs } from 'node:util';
import { lossesOf, type Losses } from '../../db/backup/lost.ts';
import { markRestored, newestMark, type Mark } from '../../db/backup/mark.ts';
import { assertMigrated } from '../../db/migrate.ts';
import { defineCommand, jsonOption, UsageError } from '../command/command.ts';
import { withDatabase } from '../command/database.ts';
import { assertStopped } from '../command/stopped.ts';
import { jsonText, table, timeText } from '../command/text.ts';
import { countTransactions } from './count.ts';

const linesOf = (mark: Mark, { lanes, deals, networks_behind, offers_until }: Losses): string[] => [
  `Restored ${timeText(mark.marked_at)}, to the state of ${mark.state_of === null ? 'an unknown time' : timeText(mark.state_of)}`,
  `Offers that buyers got in the lost time can be paid until ${offers_until.toISOString()}`,
  '',
  ...table(
    ['network', 'role', 'address', 'nonce', 'lane'],
    lanes.map(({ network, role, address, nonce, outcome }) => [
      network,
      role,
      address,
      String(nonce),
      outcome ?? 'not judged yet',
    ]),
  ),
  '',
  ...networks_behind.map(
    (name) => `The watcher of ${name} has not read all blocks of the lost time yet: cancels wait for it`,
  ),
  ...(deals.length === 0
    ? ['No deal that this database does not know has been seen']
    : table(
        ['node', 'network', 'wallet', 'deal', 'seen'],
        deals.map(({ node, network, wallet_id, deal_id, events }) => [
          node,
          network,
          wallet_id,
          deal_id,
          events.map(({ event, transaction_hash }) => `${event} ${transaction_hash ?? ''}`.trim()).join(', '),
        ]),
      )),
];

/** Marks a database that was restored by other means than `carat restore`, or shows what the restore has lost. */
export const restored = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print, report }) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...jsonOption, show: { type: 'boolean', default: false }, node: { type: 'string' } },
    });
    if (positionals.length > 0) throw new UsageError('restored takes no argument');
    if (!values.show && (values.json || values.node !== undefined))
      throw new UsageError('--json and --node need --show');
    await withDatabase(config, async (knex) => {
      await assertMigrated(knex);
      if (values.show) {
        const mark = await newestMark(knex);
        if (mark === undefined) return print(values.json ? 'null' : 'This database is not marked as restored');
        const losses = await lossesOf(knex, mark, values.node ?? null);
        for (const line of values.json ? [jsonText({ ...mark, ...losses })] : linesOf(mark, losses)) print(line);
        return;
      }
      await assertStopped(knex);
      const mark = await knex.transaction((trx) => markRestored(trx, { backupId: null, stateOf: null }));
      print('The database is marked as restored');
      await countTransactions({ knex, print, report }, mark);
    });
  },
});
