import { randomUUID } from 'node:crypto';
import { ethers } from 'ethers';
import { createAccount, type WalletAccount, type WalletChain } from '../../../tools/browser/account.ts';
import { receiptOf } from './receipts.ts';
import { WalletError, type InstalledWallet, type WalletRequest } from '../../../tools/browser/provider.ts';

/**
 * How a wallet answers one request.
 * @param honest answers it as a buyer would who approves everything
 */
export type Behaviour = (honest: () => Promise<unknown>, request: WalletRequest) => Promise<unknown>;

/** Approves. */
export const approve: Behaviour = (honest) => honest();

/** Fails with a wallet's error code. */
export const fail =
  (code: number, message = `Error ${code} of a wallet`, data?: unknown): Behaviour =>
  () =>
    Promise.reject(new WalletError(code, message, data));

/** The buyer presses "Reject". */
export const reject = fail(4001, 'MetaMask Tx Signature: User denied transaction signature.');

/** Never answers, and does nothing. */
export const ignore: Behaviour = () => new Promise(() => {});

/** Does what was asked, but its answer is lost. */
export const loseAnswer: Behaviour = async (honest) => {
  await honest();
  return new Promise(() => {});
};

/** Answers with something else, and does nothing. */
export const claim =
  (answer: unknown): Behaviour =>
  () =>
    Promise.resolve(answer);

/** Answers once the test lets it. */
export interface Held {
  readonly behaviour: Behaviour;
  /** Resolves when the wallet has been asked. */
  readonly asked: Promise<WalletRequest>;
  release(): void;
}

/** Holds an answer back, as a buyer who thinks about it. */
export const hold = (then: Behaviour = approve): Held => {
  const asked = Promise.withResolvers<WalletRequest>();
  const released = Promise.withResolvers<void>();
  return {
    asked: asked.promise,
    release: () => released.resolve(),
    behaviour: async (honest, request) => {
      asked.resolve(request);
      await released.promise;
      return then(honest, request);
    },
  };
};

/** A request and its outcome. */
export interface Asked extends WalletRequest {
  readonly origin: string;
  /** The answer, or the error's code, once there is one. */
  outcome?: { readonly answer?: unknown; readonly code?: number };
}

/** A call of a batch or of a contract wallet. */
export interface BatchCall {
  readonly to: string;
  readonly value?: string;
  readonly data?: string;
}

/** A wallet whose answers a test decides. */
export interface TestWallet extends InstalledWallet {
  readonly account: WalletAccount;
  /** Address of the account that it shows to pages; with checksum. */
  readonly address: string;
  /** All requests of pages, in order. */
  readonly log: readonly Asked[];
  /** Requests of a method. */
  asked(method: string): readonly Asked[];
  /** Answers the next requests of a method like this, one behaviour each; those after them are approved. */
  next(method: string, ...behaviours: Behaviour[]): void;
  /** Answers all further requests of a method like this. */
  always(method: string, behaviour: Behaviour): void;
  /** Requests that lead to transactions. */
  sends(): readonly Asked[];
}

/** Options of a wallet. Default: an account of its own, on all chains given. */
export interface TestWalletOptions {
  readonly name?: string;
  readonly privateKey?: string;
  readonly chains: readonly WalletChain[];
  /** Takes over methods before the honest account sees them; undefined leaves them to it. */
  readonly more?: (account: WalletAccount, request: WalletRequest) => Promise<unknown> | undefined;
  /** Address that pages see, if not the key's own. */
  readonly shown?: string;
}

/** Creates a wallet whose answers a test decides. */
export const createTestWallet = ({ name, privateKey, chains, more, shown }: TestWalletOptions): TestWallet => {
  const account = createAccount({
    name: name ?? 'Test Wallet',
    privateKey: privateKey ?? ethers.Wallet.createRandom().privateKey,
    chains,
  });
  const log: Asked[] = [];
  const queues = new Map<string, Behaviour[]>();
  const standing = new Map<string, Behaviour>();
  const behaviourFor = (method: string): Behaviour => queues.get(method)?.shift() ?? standing.get(method) ?? approve;
  const asked = (method: string): Asked[] => log.filter((entry) => entry.method === method);
  return {
    ...account,
    account,
    address: shown ?? account.address,
    log,
    asked,
    next: (method, ...behaviours) => void queues.set(method, [...(queues.get(method) ?? []), ...behaviours]),
    always: (method, behaviour) => void standing.set(method, behaviour),
    sends: () => [...asked('eth_sendTransaction'), ...asked('wallet_sendCalls')],
    handle: async (request, origin) => {
      const entry: Asked = { ...request, origin };
      log.push(entry);
      const honest = async (): Promise<unknown> => more?.(account, request) ?? account.handle(request, origin);
      try {
        const answer = await behaviourFor(request.method)(honest, request);
        entry.outcome = { answer };
        return answer;
      } catch (error) {
        entry.outcome = { code: (error as Partial<WalletError>).code };
        throw error;
      }
    },
  };
};

const executeInterface = new ethers.Interface(['function execute((address to, uint256 value, bytes data)[] calls)']);

const executeData = (calls: readonly BatchCall[]): string =>
  executeInterface.encodeFunctionData('execute', [
    calls.map(({ to, value = '0x0', data = '0x' }) => ({ to, value, data })),
  ]);

/** What a page asks of `wallet_sendCalls`. */
interface SendCalls {
  readonly calls: BatchCall[];
  readonly chainId: string;
  /** Of the page; the wallet's own by default. */
  readonly id?: string;
}

/** Code that a batch is executed by, on the chains of a test. */
export interface BatchCode {
  /** Creation code of BatchAccount.sol, without the owner. */
  readonly bytecode: string;
}

const providerOf = ({ rpc, eip155 }: WalletChain): ethers.JsonRpcProvider =>
  new ethers.JsonRpcProvider(rpc, eip155, { staticNetwork: true, cacheTimeout: -1, batchMaxCount: 1 });

/** Runs work with a key's signer on a chain. */
const withSigner = async <T>(
  { privateKey, chain }: { privateKey: string; chain: WalletChain },
  work: (signer: ethers.Wallet) => Promise<T>,
): Promise<T> => {
  const provider = providerOf(chain);
  try {
    return await work(new ethers.Wallet(privateKey, provider));
  } finally {
    provider.destroy();
  }
};

const deployAccount = (code: BatchCode, owner: string, privateKey: string, chain: WalletChain): Promise<string> =>
  withSigner({ privateKey, chain }, async (signer) => {
    const data = ethers.concat([code.bytecode, ethers.AbiCoder.defaultAbiCoder().encode(['address'], [owner])]);
    const { hash } = await signer.sendTransaction({ data });
    return ethers.getAddress((await receiptOf(chain.rpc, hash)).contractAddress!);
  });

/** How far a wallet says that it can make several calls at once (EIP-5792). */
export type Atomic = 'supported' | 'ready' | 'unsupported';

/**
 * Creates a wallet that makes several calls at once (EIP-5792): its key's account delegates to a contract (EIP-7702).
 * @param options.privateKey of an account with coins
 */
export const createBatchWallet = async (
  { chains, privateKey, atomic, name }: TestWalletOptions & { privateKey: string; atomic: Atomic },
  code: BatchCode,
): Promise<TestWallet> => {
  const [chain] = chains;
  const implementation = await deployAccount(code, ethers.ZeroAddress, privateKey, chain!);
  const batches = new Map<string, string>();
  const sendCalls = async ({ calls, chainId, id: wanted }: SendCalls): Promise<{ id: string }> => {
    if (Number(chainId) !== chain!.eip155) throw new WalletError(5710, 'Unsupported chain');
    if (atomic === 'unsupported') throw new WalletError(5760, 'Atomicity not supported');
    return withSigner({ privateKey, chain: chain! }, async (signer) => {
      const nonce = await signer.getNonce();
      const authorization = await signer.authorize({ address: implementation, nonce: nonce + 1 });
      const { hash } = await signer.sendTransaction({
        type: 4,
        to: signer.address,
        data: executeData(calls),
        authorizationList: [authorization],
        nonce,
        gasLimit: 1_000_000n,
      });
      const id = wanted ?? randomUUID();
      batches.set(id, hash);
      return { id };
    });
  };
  const statusOf = async (account: WalletAccount, id: string): Promise<unknown> => {
    const hash = batches.get(id);
    if (hash === undefined) throw new WalletError(5730, 'Unknown bundle id');
    const receipt = (await account.rpc('eth_getTransactionReceipt', [hash])) as Record<string, string> | null;
    const common = { version: '2.0.0', id, chainId: `0x${chain!.eip155.toString(16)}`, atomic: true };
    if (receipt === null) return { ...common, status: 100 };
    const { logs, status, blockHash, blockNumber, gasUsed, transactionHash } = receipt;
    return {
      ...common,
      status: status === '0x1' ? 200 : 500,
      receipts: [{ logs, status, blockHash, blockNumber, gasUsed, transactionHash }],
    };
  };
  return createTestWallet({
    name,
    chains,
    privateKey,
    more: (account, { method, params }) => {
      if (method === 'wallet_getCapabilities') {
        return Promise.resolve({ [`0x${chain!.eip155.toString(16)}`]: { atomic: { status: atomic } } });
      }
      if (method === 'wallet_sendCalls') return sendCalls(params[0] as SendCalls);
      if (method === 'wallet_getCallsStatus') return statusOf(account, params[0] as string);
      return undefined;
    },
  });
};

/** A wallet whose account is a contract, such as a Safe: it answers with a hash of its own, and sends when its owners have signed. */
export interface ContractWallet extends TestWallet {
  /** Calls that wait for the owners' signatures. */
  readonly waiting: readonly BatchCall[];
  /** The owners sign the calls that wait; resolves to the hash of the transaction. */
  sign(): Promise<string>;
}

/**
 * Creates a contract wallet. Its contract is deployed, without coins.
 * @param options.privateKey of the owner, an account with coins
 */
export const createContractWallet = async (
  { chains, privateKey, name }: TestWalletOptions & { privateKey: string },
  code: BatchCode,
): Promise<ContractWallet> => {
  const [chain] = chains;
  const address = await deployAccount(code, new ethers.Wallet(privateKey).address, privateKey, chain!);
  const waiting: BatchCall[] = [];
  const wallet = createTestWallet({
    name,
    chains,
    privateKey,
    shown: address,
    more: (account, { method, params }) => {
      if (method === 'eth_requestAccounts') {
        return account.handle({ method, params }, 'test').then(() => [address.toLowerCase()]);
      }
      if (method === 'eth_accounts') return Promise.resolve([address.toLowerCase()]);
      if (method === 'eth_sendTransaction') {
        waiting.push(params[0] as BatchCall);
        return Promise.resolve(ethers.hexlify(ethers.randomBytes(32)));
      }
      if (method === 'eth_signTypedData_v4') throw new WalletError(4200, 'This account cannot sign');
      return undefined;
    },
  });
  return {
    ...wallet,
    waiting,
    sign: () =>
      withSigner({ privateKey, chain: chain! }, async (signer) => {
        const calls = waiting.splice(0);
        const { hash } = await signer.sendTransaction({ to: address, data: executeData(calls) });
        return (await receiptOf(chain!.rpc, hash)).transactionHash;
      }),
  };
};
