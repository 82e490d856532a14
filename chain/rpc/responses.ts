import type { RpcOutcome, RpcRequest } from './requests.ts';
import { RpcError } from './error.ts';
import { saysNoBlock } from './words/blocks.ts';

/** A JSON value that is not checked yet. */
type Json = Record<string, unknown> | null | undefined;

const isText = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);
const isQuantity = (value: unknown): boolean => isText(value, /^0x[0-9a-f]{1,64}$/i);
/** A quantity that counts something: a height, a time, a nonce, an amount of gas. */
const isCount = (value: unknown): boolean => isQuantity(value) && Number.isSafeInteger(Number(value));
const isHash = (value: unknown): value is string => isText(value, /^0x[0-9a-f]{64}$/i);
const isData = (value: unknown): boolean =>
  typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(value);
const isSame = (value: unknown, asked: unknown): boolean => String(value).toLowerCase() === String(asked).toLowerCase();

/** Maximum of the store's column. */
const MAX_LOG_INDEX = 2 ** 31 - 1;

const isLog = (log: Json, fewest: number): boolean =>
  log != null &&
  isText(log['address'], /^0x[0-9a-f]{40}$/i) &&
  Array.isArray(log['topics']) &&
  log['topics'].length >= fewest &&
  log['topics'].every(isHash) &&
  isData(log['data']) &&
  isHash(log['blockHash']) &&
  isHash(log['transactionHash']) &&
  isCount(log['blockNumber']) &&
  isQuantity(log['logIndex']) &&
  Number(log['logIndex']) <= MAX_LOG_INDEX &&
  log['removed'] !== true;

/** True for logs with at least `fewest` topics: one for logs of a filter. */
const areLogs = (logs: unknown, fewest: number): boolean =>
  Array.isArray(logs) && logs.every((log: Json) => isLog(log, fewest));

/** True for logs or receipts of this block, or of any block. */
const areOf = (items: unknown, blockHash: unknown): boolean =>
  !isHash(blockHash) || (items as readonly Json[]).every((item) => isSame(item?.['blockHash'], blockHash));

const isReceipt = (receipt: Json): boolean =>
  receipt != null &&
  isHash(receipt['transactionHash']) &&
  isHash(receipt['blockHash']) &&
  isCount(receipt['blockNumber']) &&
  isQuantity(receipt['status']) &&
  isCount(receipt['gasUsed']) &&
  (receipt['effectiveGasPrice'] == null || isQuantity(receipt['effectiveGasPrice'])) &&
  areLogs(receipt['logs'], 0) &&
  areOf(receipt['logs'], receipt['blockHash']);

/** A transaction within a block; its signature is checked where it is used. */
const isInBlock = (transaction: Json): boolean =>
  isHash(transaction?.['hash']) && isText(transaction?.['from'], /^0x[0-9a-f]{40}$/i);

/** Unix seconds up to the year 2242: a later date would stop PostgreSQL, and no chain has one. */
const isDate = (value: unknown): boolean => isCount(value) && Number(value) < 2 ** 33;

const isBlock = (block: Json, isFull: boolean): block is Record<string, unknown> =>
  block != null &&
  isHash(block['hash']) &&
  isHash(block['parentHash']) &&
  isCount(block['number']) &&
  isDate(block['timestamp']) &&
  isQuantity(block['gasLimit']) &&
  (block['transactions'] == null ||
    (Array.isArray(block['transactions']) && block['transactions'].every(isFull ? isInBlock : isHash))) &&
  (block['baseFeePerGas'] == null || isQuantity(block['baseFeePerGas']));

/** A transaction has no block while it is in the pool. */
const isTransaction = (transaction: Json): boolean =>
  isHash(transaction?.['hash']) &&
  (transaction?.['blockHash'] == null || (isHash(transaction['blockHash']) && isCount(transaction['blockNumber'])));

type Shape = (result: unknown, params: readonly unknown[]) => boolean;

/** The shape of the responses of every method in use. Null is valid only where nothing may exist yet. */
const shapes: Record<string, Shape> = {
  eth_chainId: isQuantity,
  eth_blockNumber: isCount,
  eth_getTransactionCount: isCount,
  eth_getBalance: isQuantity,
  eth_estimateGas: isCount,
  eth_gasPrice: isQuantity,
  eth_maxPriorityFeePerGas: isQuantity,
  eth_call: isData,
  eth_getCode: isData,
  eth_sendRawTransaction: isHash,
  // An endpoint may have pruned any block but the newest.
  eth_getBlockByNumber: (block, [number, isFull]) =>
    block === null ? number !== 'latest' : isBlock(block as Json, isFull === true),
  eth_getLogs: (logs) => areLogs(logs, 1),
  eth_getBlockReceipts: (receipts) => receipts === null || (Array.isArray(receipts) && receipts.every(isReceipt)),
  eth_getTransactionByHash: (transaction) => transaction === null || isTransaction(transaction as Json),
  eth_getTransactionReceipt: (receipt) => receipt === null || isReceipt(receipt as Json),
};

/** True when a result has the shape of its method's results. */
export const isWellFormed = ({ method, params = [] }: RpcRequest, result: unknown): boolean =>
  shapes[method]?.(result, params) ?? true;

/** The one form of a text, in which endpoints are compared: some pad quantities with zeros, or write capital letters. */
export const inOneForm = ({ method }: RpcRequest, result: unknown): unknown => {
  const shape = shapes[method];
  if (typeof result !== 'string' || shape === undefined) return result;
  return shape === isQuantity || shape === isCount ? `0x${BigInt(result).toString(16)}` : result.toLowerCase();
};

/** Whether a well-formed result belongs to the request, by method. */
const fits: Record<string, Shape> = {
  eth_getBlockByNumber: (block, [number]) =>
    number === 'latest' || Number((block as Json)?.['number']) === Number(number),
  eth_getLogs: (logs, [filter]) => areOf(logs, (filter as Json)?.['blockHash']),
  eth_getBlockReceipts: (receipts, [hash]) => areOf(receipts, hash),
  eth_getTransactionByHash: (transaction, [hash]) => isSame((transaction as Json)?.['hash'], hash),
  eth_getTransactionReceipt: (receipt, [hash]) => isSame((receipt as Json)?.['transactionHash'], hash),
};

/** True when a well-formed result belongs to another request. */
export const contradicts = ({ method, params = [] }: RpcRequest, result: unknown): boolean =>
  result !== null && fits[method]?.(result, params) === false;

/** Chains without a block at some heights have no more of them in a row. */
const NULL_ROUNDS = 16;

/**
 * True when an endpoint says otherwise than by null that it has no block at a height: by an error, or by the block before. Some chains
 * have none at some heights.
 */
export const noBlockIn = ({ method, params: [number] = [] }: RpcRequest, said: unknown): boolean => {
  if (method !== 'eth_getBlockByNumber' || !isQuantity(number)) return false;
  if (said instanceof RpcError) return said.kind === 'rejected' && saysNoBlock(said.message);
  if (said == null || !isBlock(said as Json, false)) return false;
  const missing = Number(number) - Number((said as Json)?.['number']);
  return missing > 0 && missing <= NULL_ROUNDS;
};

/**
 * Reads any refusal of a block above the newest one of the same exchange as null: clients have many words for a block that they do not have
 * yet, and an endpoint that says so is as good as one that says null.
 */
export const withoutFuture = (requests: readonly RpcRequest[], outcomes: readonly RpcOutcome[]): RpcOutcome[] => {
  const newest = outcomes[requests.findIndex(({ params }) => params?.[0] === 'latest')];
  const tip = newest?.ok ? Number((newest.result as Json)?.['number']) : NaN;
  const isFuture = ({ method, params = [] }: RpcRequest): boolean =>
    method === 'eth_getBlockByNumber' && Number(params[0]) > tip;
  return outcomes.map((outcome, index) =>
    !outcome.ok && outcome.error.kind === 'rejected' && isFuture(requests[index]!)
      ? { ok: true, result: null }
      : outcome,
  );
};

/** True for methods and tags that some endpoints do not support although they support everything else. */
const isOptional = ({ method, params }: RpcRequest): boolean =>
  shapes[method] === undefined ||
  ['eth_sendRawTransaction', 'eth_maxPriorityFeePerGas', 'eth_getBlockReceipts'].includes(method) ||
  params?.[1] === 'pending';

const isResponse = ({ method }: RpcRequest, error: RpcError): boolean =>
  method === 'eth_getLogs' ? error.isTooMuch : error.revertData !== null;

/**
 * True when the endpoint rejects a request, or fails at it alone, and another one may grant it. Reverts and refused transactions do not
 * count.
 */
export const isRefused = (request: RpcRequest, outcome: RpcOutcome | undefined): boolean =>
  outcome?.ok === false &&
  !isOptional(request) &&
  (outcome.error.kind !== 'rejected' || !isResponse(request, outcome.error));
