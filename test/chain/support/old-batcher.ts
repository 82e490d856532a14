import { batcherAddress, batchersOf } from '../../../chain/pure/platform.ts';
import { deployCall } from '../../../chain/deploy/deployer.ts';
import { missingOf, planNetwork, type PrepareOptions } from '../../../chain/deploy/prepare.ts';
import { setRoleCall } from '../../../chain/deploy/registry.ts';
import { sendCalls } from '../../../chain/deploy/send-calls.ts';
import type { Platform } from '../../../domain/platform.ts';

/** The batcher of the first version. */
export const firstBatcher = (platform: Platform): string => batchersOf(platform).at(-1)!.address;

/** Prepares a network as the first version did: with its batcher, and without the newest. Root's key is needed. */
export const prepareAsBefore = async (options: PrepareOptions): Promise<void> => {
  const { network, rpc, rootSigner } = options;
  const { registry, contracts, rootCalls } = await planNetwork(options);
  const newest = batcherAddress(network.platform);
  const { address, initCode } = batchersOf(network.platform).at(-1)!;
  const role = (account: string) => setRoleCall(registry, 'operator', account, true);
  await sendCalls(rpc, rootSigner, network.eip155, [
    ...missingOf(contracts.filter((contract) => contract.address !== newest)),
    { what: `deploy the first batcher at ${address}`, ...deployCall(initCode) },
    ...rootCalls.filter(({ data }) => data !== role(newest).data),
    { ...role(address), gasLimit: 200_000n },
  ]);
};
