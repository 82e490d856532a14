import type { RpcOutcome, RpcRequest } from './requests.ts';
import type { RpcError } from './error.ts';

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

/** True for logs of this block, or of any block, with at least `fewest` topics: one for logs of a filter. */
const areLogs = (logs: unknown, blockHash: unknown, fewest: number): boolean =>
  Array.isArray(logs) &&
  logs.every((log: Json) => isLog(log, fewest) && (blockHash === undefined || isSame(log?.['blockHash'], blockHash)));

const isReceipt = (receipt: Json): boolean =>
  receipt != null &&
  isHash(receipt['transactionHash']) &&
  isHash(receipt['blockHash']) &&
  isCount(receipt['blockNumber']) &&
  isQuantity(receipt['status']) &&
  isCount(receipt['gasUsed']) &&
  (receipt['effectiveGasPrice'] == null || isQuantity(receipt['effectiveGasPrice'])) &&
  areLogs(receipt['logs'], receipt['blockHash'], 0);

/** A transaction within a block; its signature is checked where it is used. */
const isInBlock = (transaction: Json): boolean =>
  isHash(transaction?.['hash']) && isText(transaction?.['from'], /^0x[0-9a-f]{40}$/i);

const isBlock = (block: Json, isFull: boolean): block is Record<string, unknown> =>
  block != null &&
  isHash(block['hash']) &&
  isHash(block['parentHash']) &&
  ['number', 'timestamp'].every((name) => isCount(block[name])) &&
  isQuantity(block['gasLimit']) &&
  (block['transactions'] == null ||
    (Array.isArray(block['transactions']) && block['transactions'].every(isFull ? isInBlock : isHash))) &&
  (block['baseFeePerGas'] == null || isQuantity(block['baseFeePerGas']));

/** A transaction has no block while it is in the pool. */
const isTransaction = (transaction: Json, hash: unknown): boolean =>
  isSame(transaction?.['hash'], hash) &&
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
  eth_getBlockByNumber: (block, [number, isFull]) => {
    if (block === null) return number !== 'latest' && Number(number) !== 0;
    return (
      isBlock(block as Json, isFull === true) &&
      (number === 'latest' || Number((block as Json)?.['number']) === Number(number))
    );
  },
  eth_getLogs: (logs, [filter]) => areLogs(logs, (filter as Json)?.['blockHash'], 1),
  eth_getBlockReceipts: (receipts, [hash]) =>
    receipts === null ||
    (Array.isArray(receipts) &&
      receipts.every((receipt: Json) => isReceipt(receipt) && (!isHash(hash) || isSame(receipt?.['blockHash'], hash)))),
  eth_getTransactionByHash: (transaction, [hash]) => transaction === null || isTransaction(transaction as Json, hash),
  eth_getTransactionReceipt: (receipt, [hash]) =>
    receipt === null || (isReceipt(receipt as Json) && isSame((receipt as Json)?.['transactionHash'], hash)),
};

/** True when a result has the shape of its method's results and fits the request. */
export const isWellFormed = ({ method, params = [] }: RpcRequest, result: unknown): boolean =>
  shapes[method]?.(result, params) ?? true;

/** True for methods and tags that some endpoints do not support although they support everything else. */
const isOptional = ({ method, params }: RpcRequest): boolean =>
  shapes[method] === undefined ||
  ['eth_sendRawTransaction', 'eth_maxPriorityFeePerGas', 'eth_getBlockReceipts'].includes(method) ||
  params?.[1] === 'pending';

const isResponse = ({ method }: RpcRequest, error: RpcError): boolean =>
  method === 'eth_getLogs' ? error.isTooMuch : error.revertData !== null;

/**
 * True when the endpoint rejects a request that another one may grant. Reverts and refused transactions do not count.
 */
export const isRefused = (request: RpcRequest, outcome: RpcOutcome | undefined): boolean =>
  outcome?.ok === false &&
  outcome.error.kind === 'rejected' &&
  !isOptional(request) &&
  !isResponse(request, outcome.error);
