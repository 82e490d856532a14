import { AbiCoder, HDNodeWallet, concat, type Authorization, type Wallet } from 'ethers';
import { devMnemonic, type Chain } from '../../../tools/stack/chain.ts';
import { RpcError } from '../../../chain/rpc/error.ts';
import { createRpc, type Rpc } from '../../../chain/rpc/rpc.ts';
import { startTestChain } from '../../support/chain.ts';

/** A transaction of an account. */
export interface Sent {
  readonly to: string | null;
  readonly data?: string;
  readonly value?: bigint;
  readonly authorizationList?: Authorization[];
}

/** Its outcome. */
export interface Receipt {
  readonly status: string;
  readonly transactionHash: string;
  readonly contractAddress: string | null;
  readonly gasUsed: string;
  readonly logs: readonly { address: string; topics: string[]; data: string }[];
}

/** A real node that mines each transaction at once. */
export interface AttackedNode {
  readonly chain: Chain;
  readonly rpc: Rpc;
  /** The mined transaction, reverted or not. */
  send(from: Account, sent: Sent): Promise<Receipt>;
  /** The bytes that a call reverts with; null when it does not. */
  revertOf(from: Account, sent: Sent): Promise<string | null>;
  /** Deploys creation code and answers the address, lower-case. */
  deploy(from: Account, initCode: string, types?: readonly string[], args?: readonly unknown[]): Promise<string>;
  codeOf(address: string): Promise<string>;
  /** Lets seconds pass, as far as the chain can tell. */
  pass(seconds: number): Promise<void>;
}

/** A key of the development phrase. */
export type Account = HDNodeWallet | Wallet;

export const accountAt = (index: number): Account =>
  HDNodeWallet.fromPhrase(devMnemonic, '', `m/44'/60'/0'/0/${index}`);

const GAS = 8_000_000n;

export const startAttackedNode = async (): Promise<AttackedNode> => {
  const chain = await startTestChain();
  const rpc = createRpc({ urls: [chain.url], eip155: chain.chainId });
  await rpc.call('evm_setAutomine', [true]);
  const send = async (from: Account, { to, data = '0x', value = 0n, authorizationList }: Sent): Promise<Receipt> => {
    const nonce = Number(await rpc.call('eth_getTransactionCount', [from.address, 'pending']));
    const raw = await from.signTransaction({
      type: authorizationList ? 4 : 2,
      chainId: chain.chainId,
      to,
      data,
      value,
      nonce,
      gasLimit: GAS,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 0n,
      ...(authorizationList && { authorizationList }),
    });
    return (await rpc.call('eth_sendRawTransactionSync', [raw])) as Receipt;
  };
  return {
    chain,
    rpc,
    send,
    revertOf: async (from, { to, data = '0x', value = 0n }) => {
      const call = { from: from.address, to, data, value: `0x${value.toString(16)}`, gas: `0x${GAS.toString(16)}` };
      try {
        await rpc.call('eth_call', [call, 'latest']);
        return null;
      } catch (error) {
        if (error instanceof RpcError && error.revertData !== null) return error.revertData;
        throw error;
      }
    },
    deploy: async (from, initCode, types = [], args = []) => {
      const data = concat([initCode, AbiCoder.defaultAbiCoder().encode([...types], [...args])]);
      const receipt = await send(from, { to: null, data });
      if (Number(receipt.status) !== 1) throw new Error('the deployment reverted');
      return receipt.contractAddress!.toLowerCase();
    },
    codeOf: async (address) => (await rpc.call('eth_getCode', [address, 'latest'])) as string,
    pass: async (seconds) => {
      await rpc.call('evm_increaseTime', [seconds]);
      await rpc.call('evm_mine');
    },
  };
};
