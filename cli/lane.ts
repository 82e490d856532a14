import { createRpc } from '../chain/rpc/rpc.ts';
import { resumeAccount } from '../db/lane/accounts.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import { defineCommand, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

/** Lets a paused lane go on from the nonce that the chain expects, after its key is no longer used elsewhere. */
export const laneResume = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const [name, address, ...rest] = args;
    if (name === undefined || address === undefined || rest.length > 0) {
      throw new UsageError('a network and the address of a lane are needed');
    }
    await withDatabase(config, async (knex) => {
      const network = (await watchedNetworks(knex)).find((candidate) => candidate.name === name);
      if (network === undefined) throw new Error(`the catalogue has no network ${name}`);
      const rpc = createRpc({ urls: network.rpcUrls, eip155: network.eip155 });
      const pending = Number(await rpc.call('eth_getTransactionCount', [address, 'pending']));
      const next = await resumeAccount(knex, { networkId: network.id, address, nextNonce: pending });
      if (next === null) throw new Error(`${name} has no lane of ${address}`);
      print(`The lane of ${address} on ${name} goes on with nonce ${next}`);
    });
  },
});
