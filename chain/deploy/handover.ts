import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { contracts } from '../pure/contracts.ts';
import { registryAddress } from '../pure/platform.ts';
import { agreedViews } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** A network of the catalogue, and where it answers. */
export interface ReachableNetwork {
  readonly network: Pick<WatchedNetwork, 'name' | 'platform' | 'root'> & { readonly quorum?: number };
  readonly rpc: Rpc;
}

/** Who is root of the network's registry now, as the quorum has it, lower-case; null where there is no registry yet. */
const rootOf = async ({ network, rpc }: ReachableNetwork): Promise<string | null> => {
  const to = registryAddress(network.platform);
  const asked = { to, interface: contracts.registry.interface, name: 'root' };
  const [root] = await agreedViews(rpc, network.quorum ?? 1, [asked]);
  return root === undefined ? null : String(root).toLowerCase();
};

/**
 * Refuses a network whose registry is another root's, and a registry that whoever was root before could make as well.
 * The same registry can be made on every network, and who made it there first is not seen: its root is the first root.
 * Once that is another one on any network of the chain, by the catalogue or by its registry, the chain is closed.
 * @param others the other networks of the chain
 * @throws Error that says what to do; RpcError when a network does not answer
 */
export const refuseForeignRoot = async (own: ReachableNetwork, others: readonly ReachableNetwork[]): Promise<void> => {
  const { name, root, platform } = own.network;
  const found = await rootOf(own);
  if (found === root.toLowerCase()) return;
  if (found !== null) {
    throw new Error(
      `${name}: the root of its registry is ${found}, but the catalogue expects ${root}. If root was handed over there, ` +
        `write root: '${found}' at this network of the catalogue and apply it; if it is only offered yet, ${root} has to ` +
        'call acceptRoot first',
    );
  }
  const firstRoot = platform.firstRoot.toLowerCase();
  for (const one of [own, ...others]) {
    const roots = [one.network.root.toLowerCase(), one === own ? null : await rootOf(one)];
    const next = roots.find((candidate) => candidate !== null && candidate !== firstRoot);
    if (next == null) continue;
    throw new Error(
      `${name} has no registry yet, and root of its chain was handed over on ${one.network.name}: ${firstRoot} could make ` +
        `the same registry on ${name} and be its root. Give ${name} a new chain in the catalogue, with ` +
        `first_root: '${next}' and a platform_id of its own, and apply it`,
    );
  }
};
