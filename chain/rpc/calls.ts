import { Result, type Interface } from 'ethers';
import { resultOf, type RpcOutcome, type RpcRequest } from './requests.ts';
import { RpcError } from './error.ts';
import type { Rpc } from './rpc.ts';

/** A number in the form of JSON-RPC quantities. */
export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;

/** One read of a contract. */
export interface ViewCall {
  readonly to: string;
  readonly interface: Interface;
  readonly name: string;
  readonly args?: readonly unknown[];
}

/**
 * The JSON-RPC request of a read.
 * @param block number, tag, or block hash object (EIP-1898)
 */
export const viewRequest = (call: ViewCall, block: unknown = 'latest'): RpcRequest => ({
  method: 'eth_call',
  params: [{ to: call.to, data: call.interface.encodeFunctionData(call.name, call.args ?? []) }, block],
});

/**
 * Reads contracts, all from one endpoint in one exchange.
 * @returns the first output of each call, in order; undefined where the address has no code or the call reverts
 * @throws RpcError when no endpoint responds
 */
export const views = async (rpc: Rpc, calls: readonly ViewCall[]): Promise<unknown[]> => {
  let values: unknown[] = [];
  await rpc.batch(
    calls.map((call) => viewRequest(call)),
    { accept: (outcomes) => void (values = calls.map((call, index) => valueOf(call, outcomes[index]))) },
  );
  return values;
};

const valueOf = (call: ViewCall, outcome: RpcOutcome | undefined): unknown => {
  if (outcome?.ok === false && outcome.error.revertData !== null) return undefined;
  const result = resultOf(outcome) as string;
  if (result === '0x') return undefined;
  const output = call.interface.decodeFunctionResult(call.name, result);
  return output.length === 1 ? (output[0] as unknown) : output;
};

/** Decodes a value completely, because ethers decodes lazily. */
const readAt = (decoded: Result, index: number): unknown => {
  const value: unknown = decoded[index];
  return value instanceof Result ? value.toArray(true) : value;
};

/** A text that is not UTF-8 becomes U+FFFD: root may have written it, and the other outputs are still readable. */
const textAt = (decoded: Result, index: number): unknown => {
  try {
    return readAt(decoded, index);
  } catch {
    return '\ufffd';
  }
};

/**
 * The output of a call, or a list of several; undefined when it cannot be decoded, because any contract may be there.
 */
export const outputOf = (call: ViewCall, response = '0x'): unknown => {
  try {
    const decoded = call.interface.decodeFunctionResult(call.name, response);
    const types = call.interface.getFunction(call.name)?.outputs ?? [];
    const output = types.map(({ type }, index) =>
      type === 'string' ? textAt(decoded, index) : readAt(decoded, index),
    );
    return output.length === 1 ? output[0] : output;
  } catch {
    return undefined;
  }
};

/**
 * Code of several addresses, from one endpoint in one exchange.
 * @returns 0x-prefixed hex, `0x` where there is none
 * @throws RpcError
 */
export const codes = async (rpc: Rpc, addresses: readonly string[]): Promise<string[]> => {
  const { outcomes } = await rpc.batch(addresses.map((address) => codeRequest(address)));
  return outcomes.map((outcome) => resultOf(outcome) as string);
};

/** The code at an address by JSON-RPC, at a number, tag, or block hash object. */
export const codeRequest = (address: string, block: unknown = 'latest'): RpcRequest => ({
  method: 'eth_getCode',
  params: [address, block],
});

/** Endpoints are not compared again within so many milliseconds. */
export const COMPARED_MS = 5_000;

/** The text of a response, `0x` for a call that reverts; undefined for no response. */
export const textOf = (outcome: RpcOutcome): string | undefined => {
  if (!outcome.ok) return outcome.error.revertData === null ? undefined : '0x';
  return typeof outcome.result === 'string' ? outcome.result : undefined;
};

/** The first refusal among outcomes. */
export const refusalIn = (outcomes: readonly RpcOutcome[]): RpcError | undefined =>
  outcomes.flatMap((outcome) => (!outcome.ok && outcome.error.refuses ? [outcome.error] : []))[0];

/**
 * The quorum's response to each request. Endpoints whose tip stands still are asked last.
 * @param pieceOf the part of an outcome that is compared; undefined for an unusable one
 * @throws RpcError when no endpoint responds, or too few agree; the refusal when one is the cause
 */
export const agreed = async (
  rpc: Rpc,
  quorum: number,
  requests: readonly RpcRequest[],
  pieceOf: (outcome: RpcOutcome, index: number) => string | undefined = textOf,
): Promise<string[]> => {
  await rpc.compare(COMPARED_MS);
  let refused: RpcError | undefined;
  const pieces = await rpc.agree(requests, quorum, (outcomes) => {
    refused ??= refusalIn(outcomes);
    return outcomes.map(pieceOf);
  });
  // No endpoint has responded: asking them one after another throws the reason.
  if (pieces.length === 0) await rpc.batch(requests);
  const known = pieces.filter((piece) => piece !== undefined);
  if (known.length === requests.length) return known;
  throw refused ?? new RpcError('inconsistent', 'too few endpoints agree on the state of the chain');
};

/**
 * Reads Carat's own contracts, as the quorum reports them.
 * @returns as `views`
 * @throws RpcError when no endpoint responds, or too few agree
 */
export const agreedViews = async (
  rpc: Rpc,
  quorum: number,
  calls: readonly ViewCall[],
  block: unknown = 'latest',
): Promise<unknown[]> => {
  const requests = calls.map((call) => viewRequest(call, block));
  const responses = await agreed(rpc, quorum, requests, (outcome, index) => {
    const text = textOf(outcome);
    // Carat's own contracts return nothing that cannot be decoded.
    return text === '0x' || outputOf(calls[index]!, text) !== undefined ? text : undefined;
  });
  return calls.map((call, index) => outputOf(call, responses[index]));
};

/**
 * Code of several addresses, as the quorum reports it.
 * @returns as `codes`
 * @throws RpcError when no endpoint responds, or too few agree
 */
export const agreedCodes = (
  rpc: Rpc,
  quorum: number,
  addresses: readonly string[],
  block: unknown = 'latest',
): Promise<string[]> =>
  agreed(
    rpc,
    quorum,
    addresses.map((address) => codeRequest(address, block)),
  );

/** How many endpoints must agree on a nonce: the quorum, and at least two where the network has several. */
export const fewestOf = (rpc: Rpc, quorum: number): number => Math.max(quorum, Math.min(2, rpc.endpoints));

/** True when `count` is a majority of the endpoints that responded, and at least `fewest`. */
export const isMost = (count: number, of: number, fewest: number): boolean => count * 2 > of && count >= fewest;

/** The median of some amounts, of two the lower one. */
export const middle = (amounts: readonly bigint[]): bigint | undefined =>
  amounts.toSorted((a, b) => (a < b ? -1 : 1))[Math.floor((amounts.length - 1) / 2)];

/** The numbers of all other endpoints. */
export const endpointsBut = (rpc: Rpc, those: readonly number[]): number[] =>
  Array.from({ length: rpc.endpoints }, (_, index) => index).filter((index) => !those.includes(index));

/** The JSON-RPC request of the newest block's header. */
export const latestRequest: RpcRequest = { method: 'eth_getBlockByNumber', params: ['latest', false] };

/** The JSON-RPC request of a block's header, with the hashes of its transactions. */
export const byNumber = (number: number): RpcRequest => ({
  method: 'eth_getBlockByNumber',
  params: [quantity(number), false],
});

/** The JSON-RPC request of an account's next nonce at a block or tag. */
export const nonceRequest = (address: string, block: string): RpcRequest => ({
  method: 'eth_getTransactionCount',
  params: [address, block],
});

/** The JSON-RPC request of a transaction's receipt. */
export const receiptRequest = (hash: string | null): RpcRequest => ({
  method: 'eth_getTransactionReceipt',
  params: [hash],
});

/**
 * The highest next nonce that most endpoints reach, by the pool or by the newest block. A lagging endpoint alone would
 * cause another pause, and a lying one a gap that nothing fills.
 * @param fewest endpoints that must reach it: by default the quorum, and at least two where there are several
 * @throws RpcError when fewer endpoints respond
 */
export const agreedNonce = async (
  rpc: Rpc,
  quorum: number,
  address: string,
  fewest = fewestOf(rpc, quorum),
): Promise<number> => {
  const requests = ['pending', 'latest'].map((tag) => nonceRequest(address, tag));
  const responses = await rpc.everyone(requests, { fewest });
  const counts = responses
    .map(({ outcomes }) => Math.max(-1, ...outcomes.map((outcome) => (outcome.ok ? Number(outcome.result) : -1))))
    .sort((a, b) => b - a);
  const nonce = counts[Math.max(fewest, Math.floor(counts.length / 2) + 1) - 1] ?? -1;
  if (nonce < 0) throw new RpcError('inconsistent', 'too few endpoints report the next nonce');
  return nonce;
};
