import { changeRole } from '../chain/deploy/registry-changes.ts';
import { isRole, roleIds } from '../chain/pure/roles.ts';
import { changeCommand, oneAddress, refuseNobody } from './change.ts';
import { UsageError } from './command.ts';

const roleCommand = (enabled: boolean) =>
  changeCommand(([role, ...words]) => {
    if (!isRole(role)) throw new UsageError(`the roles are ${Object.keys(roleIds).join(', ')}`);
    const account = oneAddress(words);
    if (enabled) refuseNobody(account);
    return (at) => changeRole(at, role, account, enabled);
  });

/** Gives a key a role in the registry of a network, before the catalogue names it. */
export const roleGive = roleCommand(true);

/** Takes a role from a key in the registry of a network; a guardian's key can do it too. */
export const roleTake = roleCommand(false);
