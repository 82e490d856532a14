import { prepareNetwork } from '../../chain/deploy/prepare.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';
import type { Product } from './product.ts';

/** Root gives a network of a product the newest release; its diamonds stay as they are. */
export const releaseNewest = async ({ dev }: Product, name: string): Promise<void> => {
  const { rpc: url, eip155 } = dev.networks[name]!;
  const { firstRoot: root } = devPlatform;
  const settings = { name, eip155, platform: devPlatform, quorum: 1, confirmations: 1 };
  await prepareNetwork({
    network: { ...settings, root, guardian: devAccounts.guardian.address },
    rpc: createRpc({ urls: [url], eip155 }),
    rootSigner: createKeySigner(devAccounts.root.privateKey),
    operators: [devAccounts.operator.address],
    upgraders: [devAccounts.upgrader.address],
    signers: [devAccounts.signer.address],
  });
};
