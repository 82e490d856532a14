import { readBatchers, serves } from '../chain/deploy/batchers.ts';
import { withoutRole } from '../chain/deploy/roles.ts';
import { actOf } from '../domain/ports/lane.ts';
import { RpcError } from '../chain/rpc/error.ts';
import { keysInUse, nameKey } from '../db/lane/holders.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import { changeRole } from '../chain/deploy/registry-changes.ts';
import { isRole, roleIds } from '../chain/pure/roles.ts';
import { changeCommand, oneAddress } from './change.ts';
import { refuseNobody, UsageError } from './command/command.ts';
import type { Database } from './command/database.ts';
import { rpcOf } from './command/networks.ts';

const roleCommand = (enabled: boolean) =>
  changeCommand(([role, ...words]) => {
    if (!isRole(role)) throw new UsageError(`the roles are ${Object.keys(roleIds).join(', ')}`);
    const account = oneAddress(words);
    if (enabled) refuseNobody(account);
    return (at) => changeRole(at, role, account, enabled);
  });

/** Gives a key a role in the registry of a network, before the catalogue names it. */
export const roleGive = roleCommand(true);

/** Takes a role from a key in the registry of a network; a guardian's key may do it too. */
export const roleTake = roleCommand(false);

/** Warnings about these networks: keys of the catalogue without their role, and older batchers in use. */
export const warnOfRegistries = async (knex: Database, networkIds: readonly string[]): Promise<string[]> => {
  const keys = await keysInUse(knex);
  const networks = (await watchedNetworks(knex)).filter(({ id, isAtRest }) => networkIds.includes(id) && !isAtRest);
  const warnings = networks.map(async (network): Promise<string[]> => {
    const own = keys.filter(({ networkId }) => networkId === network.id);
    try {
      const at = { network, rpc: rpcOf(network) };
      const lacking = await withoutRole(
        at,
        own.map((key) => ({ ...key, account: key.address })),
      );
      const [newest, ...older] = await readBatchers(at);
      const isBehind = !serves(newest) && older.some(serves);
      return [
        ...lacking.map(
          (key) =>
            `${nameKey(key)} cannot ${actOf(key.role)}: ${key.role === 'operator' ? 'it or the batcher' : 'it'} lacks the role`,
        ),
        ...(isBehind
          ? [`${network.name} still uses an older batcher: carat network prepare ${network.name} brings the newest`]
          : []),
      ];
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return [`${network.name}: the roles of its keys are unknown: ${error.message}`];
    }
  });
  return (await Promise.all(warnings)).flat();
};
