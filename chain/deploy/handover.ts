import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import { contracts } from '../pure/contracts.ts';
import { registryAddress } from '../pure/platform.ts';
import { agreedViews } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** A network of the catalogue, and its client. */
export interface ReachableNetwork {
  readonly network: Pick<WatchedNetwork, 'name' | 'platform' | 'root' | 'quorum'>;
  readonly rpc: Rpc;
}

/**
 * The current root of the network's registry as the quorum reports it, lower-case; null without a registry.
 * @param why appended to the error: why the preparation of another network reads this one
 * @throws Error that names the network when it gives no usable response
 */
const rootOf = async ({ network, rpc }: ReachableNetwork, why = ''): Promise<string | null> => {
  const to = registryAddress(network.platform);
  const asked = { to, interface: contracts.registry.interface, name: 'root' };
  try {
    const [root] = await agreedViews(rpc, network.quorum, [asked]);
    return root === undefined ? null : String(root).toLowerCase();
  } catch (error) {
    throw new Error(`${network.name} gives no usable response: ${(error as Error).message}${why}`, { cause: error });
  }
};

/**
 * Refuses a network whose registry has another root, and a new registry that a former root could create as well.
 * Anybody can create the same registry on every network, and its root is always the chain's first root. Once root was
 * handed over on any network of the chain, by the catalogue or by its registry, the chain gets no new registry.
 * @param others the other networks of the chain
 * @throws Error with the remedy, or with the network that does not respond
 */
export const refuseForeignRoot = async (own: ReachableNetwork, others: readonly ReachableNetwork[]): Promise<void> => {
  const { name, root, platform } = own.network;
  const found = await rootOf(own);
  if (found === root.toLowerCase()) return;
  if (found !== null) {
    throw new Error(
      `${name}: the root of its registry is ${found}, but the catalogue expects ${root}. If root was handed over there, ` +
        `write root: '${found}' at this network of the catalogue and apply it; if it is only offered so far, ${root} must ` +
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
  // The catalogue is compared first, because that needs no response from a network.
  for (const one of [own, ...others]) {
    const next = one.network.root.toLowerCase();
    if (next !== firstRoot) refuse(one, next);
  }
  const why = `. ${name} has no registry yet; it gets one once every other network of its chain shows that root was not handed over there`;
  for (const one of others) {
    const next = await rootOf(one, why);
    if (next !== null && next !== firstRoot) refuse(one, next);
  }
};
