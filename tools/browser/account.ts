import { ethers } from 'ethers';
import { WalletError, type InstalledWallet, type WalletRequest } from './provider.ts';

/** A chain that a wallet knows. */
export interface WalletChain {
  /** EIP-155 chain id. */
  readonly eip155: number;
  readonly rpc: string;
}

/** A browser wallet with one real key. Whoever asks gets what they ask for, as from a buyer who approves everything. */
export interface WalletAccount extends InstalledWallet {
  /** With checksum. */
  readonly address: string;
  readonly signer: ethers.Wallet;
  /** Chain id of the wallet's present chain. */
  chain(): number;
  /** Changes the chain, as by the wallet's own menu. */
  choose(eip155: number): Promise<void>;
  /** Makes a chain known or forgotten. */
  learn(chain: WalletChain): void;
  forget(eip155: number): void;
  /** Sends an event to all pages. */
  emit(event: string, value: unknown): Promise<void>;
  /** JSON-RPC to the present chain. */
  rpc(method: string, params: readonly unknown[]): Promise<unknown>;
}

export interface AccountOptions {
  readonly name?: string;
  readonly privateKey: string;
  /** The first is the present one. */
  readonly chains: readonly WalletChain[];
}

interface TransactionParams {
  readonly from?: string;
  readonly to?: string;
  readonly data?: string;
  readonly value?: string;
  readonly gas?: string;
  readonly chainId?: string;
}

const hex = (id: number): string => `0x${id.toString(16)}`;

/** Methods that a wallet passes on to the present chain's endpoint. */
const passed = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
]);

/** Makes a JSON-RPC call; its errors are those that wallets hand on. */
const callEndpoint = async (url: string, method: string, params: readonly unknown[]): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  }).catch((error: unknown) => {
    throw new WalletError(-32_603, 'Internal JSON-RPC error: failed to fetch', { cause: String(error) });
  });
  const answer = (await response.json()) as { result?: unknown; error?: WalletError };
  if (answer.error) throw new WalletError(answer.error.code, answer.error.message, answer.error.data);
  return answer.result;
};

/** Creates a wallet with a real key, whose transactions go to real endpoints. */
export const createAccount = ({ name = 'Wallet', privateKey, chains }: AccountOptions): WalletAccount => {
  const signer = new ethers.Wallet(privateKey);
  const known = new Map(chains.map((chain) => [chain.eip155, chain]));
  const permitted = new Set<string>();
  let present = chains[0]!.eip155;
  let emit: (event: string, value: unknown) => Promise<void> = async () => {};

  const rpc = (method: string, params: readonly unknown[]): Promise<unknown> =>
    callEndpoint(known.get(present)!.rpc, method, params);

  const choose = async (eip155: number): Promise<void> => {
    if (!known.has(eip155))
      throw new WalletError(4902, `Unrecognized chain ID "${hex(eip155)}". Try adding the chain.`);
    if (eip155 === present) return;
    present = eip155;
    await emit('chainChanged', hex(eip155));
  };

  const add = async ({ chainId, rpcUrls }: { chainId: string; rpcUrls?: string[] }): Promise<null> => {
    const [url] = rpcUrls ?? [];
    if (!url) throw new WalletError(-32_602, 'Expected an array with at least one valid string URL "rpcUrls"');
    const claimed = (await callEndpoint(url, 'eth_chainId', [])) as string;
    if (BigInt(claimed) !== BigInt(chainId)) throw new WalletError(-32_602, 'The endpoint has another chain ID');
    known.set(Number(chainId), { eip155: Number(chainId), rpc: url });
    await choose(Number(chainId));
    return null;
  };

  const send = async (tx: TransactionParams): Promise<string> => {
    const { rpc: url, eip155 } = known.get(present)!;
    if (tx.from?.toLowerCase() !== signer.address.toLowerCase()) throw new WalletError(4100, 'Unknown account');
    if (tx.chainId !== undefined && Number(tx.chainId) !== eip155)
      throw new WalletError(-32_602, 'Another chain is active');
    const provider = new ethers.JsonRpcProvider(url, eip155, {
      staticNetwork: true,
      cacheTimeout: -1,
      batchMaxCount: 1,
    });
    try {
      const gas = tx.gas ?? ((await rpc('eth_estimateGas', [{ ...tx, chainId: undefined }])) as string);
      const response = await signer.connect(provider).sendTransaction({
        to: tx.to,
        data: tx.data,
        value: tx.value,
        gasLimit: gas,
      });
      return response.hash;
    } catch (error) {
      if (error instanceof WalletError) throw error;
      throw new WalletError(-32_603, (error as Error).message);
    } finally {
      provider.destroy();
    }
  };

  const signTyped = (from: string, json: string): Promise<string> => {
    if (from.toLowerCase() !== signer.address.toLowerCase()) throw new WalletError(4100, 'Unknown account');
    const { domain, types, message } = JSON.parse(json) as {
      domain: ethers.TypedDataDomain;
      types: Record<string, ethers.TypedDataField[]>;
      message: Record<string, unknown>;
    };
    if (domain.chainId !== undefined && Number(domain.chainId) !== present) {
      throw new WalletError(
        -32_602,
        `Provided chainId "${String(domain.chainId)}" must match the active chainId "${present}"`,
      );
    }
    const { EIP712Domain: _, ...own } = types;
    return signer.signTypedData(domain, own, message);
  };

  const handle = async ({ method, params }: WalletRequest, origin: string): Promise<unknown> => {
    if (passed.has(method)) return rpc(method, params);
    switch (method) {
      case 'eth_chainId':
        return hex(present);
      case 'net_version':
        return String(present);
      case 'eth_accounts':
        return permitted.has(origin) ? [signer.address.toLowerCase()] : [];
      case 'eth_requestAccounts':
        permitted.add(origin);
        return [signer.address.toLowerCase()];
      case 'wallet_switchEthereumChain':
        await choose(Number((params[0] as { chainId: string }).chainId));
        return null;
      case 'wallet_addEthereumChain':
        return add(params[0] as { chainId: string; rpcUrls?: string[] });
      default:
        if (!permitted.has(origin)) {
          throw new WalletError(4100, 'The requested account and/or method has not been authorized by the user.');
        }
        if (method === 'eth_sendTransaction') return send(params[0] as TransactionParams);
        if (method === 'eth_signTypedData_v4') return signTyped(params[0] as string, params[1] as string);
        throw new WalletError(4200, `The method "${method}" does not exist / is not available.`);
    }
  };

  return {
    name,
    rdns: `test.${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`,
    address: signer.address,
    signer,
    handle,
    connect: (tell) => {
      emit = tell;
    },
    chain: () => present,
    choose,
    learn: (chain) => void known.set(chain.eip155, chain),
    forget: (eip155) => void known.delete(eip155),
    emit: (event, value) => emit(event, value),
    rpc,
  };
};
