import { requireRole } from '../chain/deploy/roles.ts';
import { isAddress } from '../chain/pure/address.ts';
import { agreedNonce } from '../chain/rpc/calls.ts';
import { moveLane, warnOfKeyless } from '../db/catalogue/dismiss.ts';
import { resumeAccount, roleOf } from '../db/lane/accounts.ts';
import { defineCommand, UsageError, yesOption, readWords } from './command/command.ts';
import { onNetwork } from './command/networks.ts';

/** Resumes a paused lane at the nonce that the chain expects, once its key is no longer used elsewhere. */
export const laneResume = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const [name, address, ...rest] = args;
    if (name === undefined || address === undefined || !isAddress(address) || rest.length > 0) {
      throw new UsageError('a network and the address of a lane are needed');
    }
    await onNetwork(config, name, async ({ knex, network, rpc }) => {
      const role = await roleOf(knex, network.id, address);
      if (role === null || role === 'signer') {
        throw new Error(`${name} has no lane of ${address}: carat lane list shows the lanes`);
      }
      const nonce = await agreedNonce(rpc, network.quorum, address);
      const next = await resumeAccount(knex, { networkId: network.id, address, nextNonce: nonce });
      print(
        next === null
          ? `The lane of the ${role} ${address} on ${name} is not paused; nothing changed`
          : `The lane of the ${role} ${address} on ${name} resumes at nonce ${next}`,
      );
    });
  },
});

/** Replaces the key of a lane with another one, which must have the role already. */
export const laneMove = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const { values, positionals } = readWords(args, yesOption);
    const [name = '', from = '', to = '', ...rest] = positionals;
    if (!isAddress(from) || !isAddress(to) || rest.length > 0) {
      throw new UsageError('a network, the address of a lane and its new address are needed');
    }
    if (from.toLowerCase() === to.toLowerCase()) throw new UsageError('the two addresses are the same');
    await onNetwork(config, name, async ({ knex, network, rpc }) => {
      const role = await roleOf(knex, network.id, from);
      if (role === null) throw new Error(`${name} has no lane of ${from}`);
      await requireRole({ network, rpc }, role, to);
      const old = await moveLane(knex, { networkId: network.id, from, to, isWanted: values.yes === true });
      if (old === null) throw new Error(`${to} and ${from} have different roles on ${name}`);
      const left = old.open === 0 ? 'nothing is in flight' : `${old.open} transactions are in flight, keep its key`;
      print(`${role} ${to} of ${name} has replaced ${from}: ${left}`);
      for (const warning of await warnOfKeyless(knex)) print(`warning: ${warning}`);
      print(`Replace ${from} with ${to} in the catalogue file before you apply it again`);
    });
  },
});
