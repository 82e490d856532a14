import { Contract, Signature, type Wallet } from 'ethers';
import { contracts } from '../../chain/pure/contracts.ts';

/** A buyer's permit: an amount in base units of the token, valid until a time in Unix seconds. */
export interface Permit {
  readonly token: string;
  readonly spender: string;
  readonly value: bigint | number;
  readonly deadline: bigint | number;
}

/** A buyer's signature under a permit of a test token (ERC-2612). The wallet knows its provider. */
export const signPermit = async (buyer: Wallet, { token, spender, value, deadline }: Permit): Promise<Signature> => {
  const asked = new Contract(token, contracts.testToken.interface, buyer);
  const [{ chainId }, name, nonce] = await Promise.all([
    buyer.provider!.getNetwork(),
    asked.getFunction('name')() as Promise<string>,
    asked.getFunction('nonces')(buyer.address) as Promise<bigint>,
  ]);
  const signature = await buyer.signTypedData(
    { name, version: '1', chainId, verifyingContract: token },
    {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    { owner: buyer.address, spender, value, nonce, deadline },
  );
  return Signature.from(signature);
};
