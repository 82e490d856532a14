import { agreedNonce } from '../../chain/rpc/calls.ts';
import { RpcError } from '../../chain/rpc/error.ts';
import { endCounting, lanesToCount, recordCount, type LaneToCount, type Mark } from '../../db/backup/mark.ts';
import { watchedNetworks } from '../../db/watcher/networks.ts';
import type { CommandCall } from '../command/command.ts';
import type { ConfigKey } from '../../runtime/config.ts';
import type { Database } from '../command/database.ts';
import { rpcOf } from '../command/networks.ts';

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
export const countTransactions = async ({ knex, print, report }: Counting, mark: Pick<Mark, 'id'>): Promise<void> => {
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
