import path from 'node:path';
import { agreedNonce } from '../../chain/rpc/calls.ts';
import { RpcError } from '../../chain/rpc/error.ts';
import { assertLoadable, load } from '../../db/backup/load.ts';
import {
  endCounting,
  lanesToCount,
  recordCount,
  newestMark,
  markRestored,
  type LaneToCount,
  type Mark,
  lossesOf,
  type Losses,
} from '../../db/backup/mark.ts';
import { assertMigrated } from '../../db/migrate.ts';
import { readServer } from '../../db/operator/server.ts';
import { grantRole } from '../../db/roles.ts';
import { watchedNetworks } from '../../db/watcher/networks.ts';
import type { ConfigKey } from '../../runtime/config.ts';
import { known, defineCommand, UsageError, jsonOption, readWords, type CommandCall } from '../command/command.ts';
import { withDatabase, assertStopped, type Database } from '../command/database.ts';
import { rpcOf } from '../command/networks.ts';
import { jsonText, table, timeText } from '../command/text.ts';
import { fingerprintOf, readBackup, type Manifest } from './files.ts';

interface Counting extends Pick<CommandCall<ConfigKey>, 'print' | 'report'> {
  readonly knex: Database;
}

/** The future of a lane whose chain has so many transactions more than the database. */
const findingOf = ({ nextNonce }: LaneToCount, lost: number): string => {
  if (lost <= 0) return 'the database has all of its transactions';
  if (nextNonce === 0) return `the chain has ${lost} transactions, and this database none; the lane begins after them`;
  return `the chain has ${lost} transactions that this database lacks; the lane examines them, and goes on by itself if they are Carat's`;
};

/**
 * Counts the transactions of every lane on its chain, as the quorum reports them, and stores the counts at the mark. A lane whose
 * chain cannot be asked gets none, and pauses like in any other database.
 */
const countTransactions = async ({ knex, print, report }: Counting, mark: Pick<Mark, 'id'>): Promise<void> => {
  const networks = new Map((await watchedNetworks(knex)).map((network) => [network.id, network]));
  const silent = new Set<string>();
  for (const lane of await lanesToCount(knex)) {
    const network = networks.get(lane.networkId);
    if (network === undefined) continue;
    const who = `${lane.role} ${lane.address} on ${network.name}`;
    try {
      const nonce = await agreedNonce(rpcOf(network), network.quorum, lane.address);
      await recordCount(knex, mark.id, lane, nonce);
      const lost = nonce - lane.nextNonce;
      print(`${who}: ${findingOf(lane, lost)}`);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      silent.add(network.name);
      report(`${who}: its transactions cannot be counted: ${error.message}`);
    }
  }
  if (silent.size > 0) {
    throw new Error(
      `the lanes of ${[...silent].join(', ')} are not counted and will pause; run carat restored once their endpoints respond, before api and workers start`,
    );
  }
  await endCounting(knex, mark.id);
  print('Start api and workers now; carat restored --show lists what the restore has lost');
};

/** Refuses a master key that is not the backup's, and a server that is older than the backup's. */
const assertFits = async (knex: Database, manifest: Manifest, masterKey: Uint8Array | null): Promise<void> => {
  assertLoadable(manifest);
  if (masterKey !== null && manifest.master_key !== null && fingerprintOf(masterKey) !== manifest.master_key) {
    throw new Error(
      `CARAT_MASTER_KEY is not the master key of the backup, whose fingerprint is ${manifest.master_key}`,
    );
  }
  const major = Math.floor((await readServer(knex)).version / 10_000);
  if (major < Number.parseInt(manifest.postgres)) {
    throw new Error(`the backup is of PostgreSQL ${manifest.postgres}, and this server is the older version ${major}`);
  }
};

/** The mark of this backup in a database where a killed command has loaded it. */
const begunMark = async (knex: Database, { id }: Manifest): Promise<Mark | undefined> => {
  const mark = await newestMark(knex);
  return mark?.backup_id === id && mark.counted_at === null ? mark : undefined;
};

/** Loads a backup into an empty database, as its owner, and marks the database as restored. */
export const restore = defineCommand({
  config: ['databaseUrl', 'databaseOwnerUrl'],
  run: async ({ args, config, need, print, report }) => {
    const [dir, ...rest] = args;
    if (dir === undefined || rest.length > 0) throw new UsageError('the folder of one backup is needed');
    const manifest = await readBackup(dir, report);
    const { databaseUrl, databaseOwnerUrl } = config;
    await withDatabase({ databaseUrl: databaseOwnerUrl || databaseUrl }, async (knex) => {
      await assertFits(knex, manifest, known(need, 'masterKey'));
      const mark =
        (await begunMark(knex, manifest)) ??
        (await load(
          knex,
          manifest,
          (file) => path.join(dir, file),
          ({ name, rows }, index, count) => report(`loaded ${index} of ${count} tables: ${name}, ${rows} rows`),
        ));
      if (databaseOwnerUrl !== '') await grantRole(databaseOwnerUrl, databaseUrl);
      print(`The database has the state of ${manifest.at}, and is marked as restored`);
      await countTransactions({ knex, print, report }, mark);
    });
  },
});

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
    const { values, positionals } = readWords(args, {
      ...jsonOption,
      show: { type: 'boolean', default: false },
      node: { type: 'string' },
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
