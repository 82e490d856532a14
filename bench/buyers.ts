import { ethers } from 'ethers';
import type { WidgetPayment } from '../api/generated/openapi-types.ts';
import { createKeySigner } from '../chain/signing/signer.ts';
import { devMnemonic } from '../dev/stack/chain.ts';

/** Buyers with separate accounts, who pay in the native coin by the widget's data. */
export interface Buyers {
  pay(data: readonly WidgetPayment[]): Promise<void>;
}

const GAS = 150_000n;

/** @param count number of buyers, at most the chain's funded accounts minus 20 */
export const createBuyers = (url: string, eip155: number, count: number): Buyers => {
  const mnemonic = ethers.Mnemonic.fromPhrase(devMnemonic);
  const accounts = Array.from({ length: count }, (_, index) => {
    const { privateKey } = ethers.HDNodeWallet.fromMnemonic(mnemonic, `m/44'/60'/0'/0/${index + 20}`);
    return { signer: createKeySigner(privateKey), nonce: 0 };
  });
  let next = 0;
  const interfaces = new Map<string, ethers.Interface>();

  const sign = async (data: WidgetPayment): Promise<string> => {
    const account = accounts[next++ % accounts.length]!;
    const { abi, function_name: name, arguments: args, value } = data.contract;
    const contract = interfaces.get(name) ?? new ethers.Interface(abi as unknown as ethers.InterfaceAbi);
    interfaces.set(name, contract);
    const { raw } = await account.signer.sign({
      eip155,
      nonce: account.nonce++,
      to: data.diamond_address,
      data: contract.encodeFunctionData(name, args),
      value: BigInt(value),
      gasLimit: GAS,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    });
    return raw;
  };

  return {
    pay: async (data) => {
      const signed = await Promise.all(data.map(sign));
      const requests = signed.map((raw, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'eth_sendRawTransaction',
        params: [raw],
      }));
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(requests),
      });
      const answers = (await response.json()) as { error?: unknown }[];
      const refused = answers.find((answer) => answer.error !== undefined);
      if (refused !== undefined) throw new Error(`the chain refused a buyer: ${JSON.stringify(refused.error)}`);
    },
  };
};
