import { createRpc } from '../../chain/rpc/rpc.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';

/** The network of the development platform on a chain of this URL, its endpoint and its keys. */
export const alphaAt = (url: string) => ({
  network: {
    name: 'alpha',
    eip155: 31_337,
    platform: devPlatform,
    quorum: 1,
    confirmations: 1,
    root: devPlatform.firstRoot,
    guardian: devAccounts.guardian.address,
  },
  rpc: createRpc({ urls: [url], eip155: 31_337 }),
  operators: [devAccounts.operator.address],
  upgraders: [devAccounts.upgrader.address],
});
