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

/**
 * Who is root of the network's registry now, as the quorum has it, lower-case; null where there is no registry yet.
 * @param why it is asked, where the network is another one than that which is prepared
 * @throws Error that names the network where that gives no usable answer
 */
const rootOf = async ({ network, rpc }: ReachableNetwork, why = ''): Promise<string | null> => {
  const to = registryAddress(network.platform);
  const asked = { to, interface: contracts.registry.interface, name: 'root' };
  try {
    const [root] = await agreedViews(rpc, network.quorum ?? 1, [asked]);
    return root === undefined ? null : String(root).toLowerCase();
  } catch (error) {
    throw new Error(`${network.name} gives no usable answer: ${(error as Error).message}${why}`, { cause: error });
  }
};

/**
 * Refuses a network whose registry is another root's, and a registry that whoever was root before could make as well.
 * The same registry can be made on every network, and who made it there first is not seen: its root is the first root.
 * Once that is another one on any network of the chain, by the catalogue or by its registry, the chain is closed.
 * @param others the other networks of the chain
 * @throws Error that says what to do, or names the network that does not answer
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
  const refuse = (where: ReachableNetwork, next: string): never => {
    throw new Error(
      `${name} has no registry yet, and root of its chain was handed over on ${where.network.name}: ${firstRoot} could make ` +
        `the same registry on ${name} and be its root. Give ${name} a new chain in the catalogue, with ` +
        `first_root: '${next}' and a platform_id of its own, and apply it`,
    );
  };
  // What the catalogue knows needs no answer of a network.
  for (const one of [own, ...others]) {
    const next = one.network.root.toLowerCase();
    if (next !== firstRoot) refuse(one, next);
  }
  const why = `. ${name} has no registry yet; it gets one once every other network of its chain says that root was not handed over there`;
  for (const one of others) {
    const next = await rootOf(one, why);
    if (next !== null && next !== firstRoot) refuse(one, next);
  }
};
