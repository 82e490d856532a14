import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import { contracts } from '../../chain/pure/contracts.ts';
import { dealStatuses } from '../../domain/deal.ts';
import { hex } from '../support/fixtures.ts';
import { madeUpBlocks } from '../chain/support/liar.ts';
import type { Proxy, ProxyMode, WireAnswer, WireRequest } from '../chain/support/proxy.ts';

/*
 * The lies of an endpoint. A lie changes what one proxy answers; it begins at one block of the chain, about the deals
 * that are open then.
 */

/** A deal that an endpoint may lie about. */
export interface OpenDeal {
  readonly diamond: string;
  readonly dealId: bigint;
  readonly termsHash: string;
  readonly token: string;
  readonly payee: string;
  readonly amount: bigint;
}

/** A liar's knowledge. */
export interface Scene {
  /** Number of the newest block when the lie begins. */
  readonly tip: number;
  readonly deals: () => readonly OpenDeal[];
  /** A number from 0 to below 1, the same ones for the same seed. */
  readonly random: () => number;
}

export interface Lie {
  readonly mode?: ProxyMode;
  readonly rewrite?: NonNullable<Proxy['rewrite']>;
  readonly tamper?: NonNullable<Proxy['tamper']>;
  readonly send?: NonNullable<Proxy['send']>;
  readonly refuseStatus?: NonNullable<Proxy['refuseStatus']>;
}

type WireBlock = Record<'number' | 'hash' | 'parentHash', string> & Record<string, unknown>;
interface WireReceipt {
  readonly blockHash: string;
  readonly logs: readonly unknown[];
}

const quantity = (value: number): string => `0x${value.toString(16)}`;
const isBlock = (method: string): boolean => method.startsWith('eth_getBlockBy');
/** Methods whose last parameter names a block. */
const statefulMethods = ['eth_call', 'eth_getTransactionCount', 'eth_getBalance', 'eth_getCode', 'eth_estimateGas'];

const forgedLog = ({ random, deals }: Scene, name: string, blockHash: string): unknown[] => {
  const open = deals();
  const deal = open[Math.floor(random() * open.length)];
  if (deal === undefined || random() < 0.5) return [];
  const { dealId, termsHash, token, payee, amount } = deal;
  const args = {
    DealCreated: [dealId, termsHash],
    DealPaid: [dealId, termsHash, hex(20), token, payee, amount],
    DealCancelled: [dealId, `${termsHash.slice(0, 64)}03`],
  }[name] as unknown[];
  const place = { blockHash, blockNumber: '0x1', transactionHash: hex(32), logIndex: '0x0', removed: false };
  return [{ address: deal.diamond, ...contracts.deal.interface.encodeEventLog(name, args), ...place }];
};

/** False logs of a deal, in logs and in receipts. */
const forges =
  (name: string) =>
  (scene: Scene): Lie => ({
    tamper: ({ method, params: [first] }, result) => {
      if (method === 'eth_getLogs') {
        const { blockHash } = first as { blockHash?: string };
        return [...(result as unknown[]), ...forgedLog(scene, name, blockHash ?? hex(32))];
      }
      if (method !== 'eth_getBlockReceipts' || result === null) return result;
      const logs = forgedLog(scene, name, first as string);
      return [...(result as WireReceipt[]), { blockHash: first, transactionHash: hex(32), status: '0x1', logs }];
    },
  });

const leavesLogsOut = (): Lie => ({
  tamper: ({ method }, result) => {
    if (method === 'eth_getLogs') return [];
    if (method !== 'eth_getBlockReceipts' || result === null) return result;
    return (result as WireReceipt[]).map((receipt) => ({ ...receipt, logs: [] }));
  },
});

const answersAnotherHash = ({ tip }: Scene): Lie => ({
  tamper: ({ method }, result) => {
    if (!isBlock(method) || result === null || Number((result as WireBlock).number) < tip) return result;
    return { ...(result as WireBlock), hash: hex(32) };
  },
});

/** Its newest block stays the one that it has, or stays some blocks behind. */
const answersAnOldTip = ({ tip }: Scene): Lie => {
  const oldest = quantity(tip);
  return {
    rewrite: (request) => {
      const { method, params } = request;
      const [first] = params;
      if (method === 'eth_blockNumber') return { result: oldest };
      if (method === 'eth_getBlockByNumber') {
        const isTag = !String(first).startsWith('0x');
        if (!isTag && Number(first) > tip) return { result: null };
        return isTag ? { ...request, params: [oldest, false] } : request;
      }
      if (!statefulMethods.includes(method)) return request;
      const last = params.at(-1);
      return last === 'latest' || last === 'pending'
        ? { ...request, params: [...params.slice(0, -1), oldest] }
        : request;
    },
  };
};

const answersNull =
  (often: number) =>
  ({ random }: Scene): Lie => ({ tamper: (_, result) => (random() < often ? null : result) });

const nonsense = [{}, [], '', '0x', '0xzz', 'nonsense', 7, true, [null], [{}], { number: null }, { hash: 5 }, -1];

const answersGarbage =
  (often: number) =>
  ({ random }: Scene): Lie => ({
    tamper: (_, result) => (random() < often ? nonsense[Math.floor(random() * nonsense.length)] : result),
  });

/**
 * Sits on a fork that everybody else has left: the blocks after its tip have other hashes and none of the others'
 * transactions. It grows like the chain, or ends two blocks later.
 */
const sitsOnADeadFork =
  (grows: boolean) =>
  ({ tip }: Scene): Lie => {
    const salt = hex(32);
    const original = new Map<string, string>();
    const forked = (hash: string): string => {
      const other = ethers.keccak256(ethers.concat([hash, salt]));
      original.set(other, hash);
      return other;
    };
    const end = grows ? Infinity : tip + 2;
    const at = quantity(tip);
    const rewriteBlock = (request: WireRequest): WireRequest | WireAnswer => {
      const [first] = request.params as [string];
      if (request.method === 'eth_getBlockByHash') {
        return { ...request, params: [original.get(first) ?? first, false] };
      }
      const isTag = !first.startsWith('0x');
      if (!isTag) return Number(first) > end ? { result: null } : request;
      return grows ? request : { ...request, params: [quantity(end), false] };
    };
    return {
      rewrite: (request) => {
        const { method, params } = request;
        if (isBlock(method)) return rewriteBlock(request);
        if (method === 'eth_sendRawTransaction') return { result: ethers.keccak256(params[0] as string) };
        if (method === 'eth_getLogs') {
          const { blockHash } = params[0] as { blockHash?: string };
          return blockHash !== undefined && original.has(blockHash) ? { result: [] } : request;
        }
        if (method === 'eth_getBlockReceipts' && original.has(params[0] as string)) return { result: [] };
        if (!statefulMethods.includes(method)) return request;
        const last = params.at(-1);
        const isOld = typeof last === 'string' && last.startsWith('0x') && Number(last) <= tip;
        return isOld ? request : { ...request, params: [...params.slice(0, -1), at] };
      },
      tamper: ({ method }, result) => {
        if (result === null) return null;
        if (method === 'eth_getTransactionReceipt') {
          return Number((result as { blockNumber: string }).blockNumber) > tip ? null : result;
        }
        if (!isBlock(method)) return result;
        const block = result as WireBlock;
        const number = Number(block.number);
        if (number <= tip) return block;
        const parentHash = number - 1 > tip ? forked(block.parentHash) : block.parentHash;
        return { ...block, hash: forked(block.hash), parentHash };
      },
    };
  };

const swallowsSends = (): Lie => ({
  rewrite: (request) =>
    request.method === 'eth_sendRawTransaction' ? { result: ethers.keccak256(request.params[0] as string) } : request,
});

const limits = (message: string, methods: RegExp) => (): Lie => ({
  rewrite: (request) => (methods.test(request.method) ? { error: { code: -32_005, message } } : request),
});

/** Reports every open deal as paid, cancelled or unknown. */
const tellsFalseWords = ({ deals, random }: Scene): Lie => {
  const status = [dealStatuses.none, dealStatuses.paid, dealStatuses.cancelled][Math.floor(random() * 3)] ?? 0;
  return {
    tamper: ({ method }, result) => {
      if (method !== 'eth_call' || typeof result !== 'string') return result;
      return deals().reduce((text, { termsHash }) => {
        const terms = termsHash.slice(2, 64);
        const word = status === dealStatuses.none ? '0'.repeat(64) : `${terms}${status.toString(16).padStart(2, '0')}`;
        return text.replaceAll(new RegExp(`${terms}..`, 'gi'), word);
      }, result);
    },
  };
};

const servesAnotherChain = (): Lie => ({
  tamper: ({ method }, result) => (method === 'eth_chainId' ? '0x1' : result),
});

/** Quantities beyond the range of any column or counter, in results of this method. */
const tellsEndlessNumbers =
  (wanted: RegExp, ...fields: readonly string[]) =>
  (): Lie => ({
    tamper: ({ method }, result) => {
      if (!wanted.test(method) || result === null || typeof result !== 'object') return result;
      return { ...result, ...Object.fromEntries(fields.map((field) => [field, `0x${'f'.repeat(64)}`])) };
    },
  });

/** Receipts of all requested transactions, in a confirmed block. */
const forgesReceipts =
  (status: string) =>
  ({ tip }: Scene): Lie => {
    let place = { blockNumber: '0x1', blockHash: hex(32) };
    return {
      tamper: ({ method, params: [first] }, result) => {
        if (isBlock(method) && result !== null) {
          const { number, hash } = result as WireBlock;
          if (Number(number) <= tip) place = { blockNumber: number, blockHash: hash };
        }
        if (method !== 'eth_getTransactionReceipt') return result;
        return { transactionHash: first, ...place, status, gasUsed: '0x5208', effectiveGasPrice: '0x1', logs: [] };
      },
    };
  };

/** One answer to all questions of a kind. */
const tells = (wanted: RegExp, answer: unknown) => (): Lie => ({
  rewrite: (request) => (wanted.test(request.method) ? { result: answer } : request),
});

const asksForAFortune = (): Lie => ({
  tamper: ({ method }, result) =>
    isBlock(method) && result !== null ? { ...(result as WireBlock), baseFeePerGas: `0x${'f'.repeat(20)}` } : result,
});

/** Blocks without a time, by which nothing would ever expire. */
const tellsNoTime = (): Lie => ({
  tamper: ({ method }, result) =>
    isBlock(method) && result !== null ? { ...(result as WireBlock), timestamp: '0x0' } : result,
});

/** Its newest block is far ahead, wherever it can show the next one that it is asked for. */
const runsAhead = (): Lie => {
  let newest = 0;
  let last = 0;
  return {
    rewrite: (request) => {
      if (request.method === 'eth_getBlockByNumber' && String(request.params[0]).startsWith('0x')) {
        last = Math.max(last, Number(request.params[0]));
      }
      return request;
    },
    tamper: ({ method, params: [first] }, result) => {
      if (method !== 'eth_getBlockByNumber' || result === null || first !== 'latest') return result;
      const block = result as WireBlock;
      const isNew = Number(block.number) > newest && last > Number(block.number);
      newest = Number(block.number);
      return isNew ? { ...block, number: quantity(newest + 4) } : block;
    },
  };
};

/** Every answer but those about blocks comes late, yet in time. */
const answersLate =
  (ms: number, own: ProxyMode = 'pass') =>
  (): Lie => ({
    mode: own,
    rewrite: async (request) => {
      if (!isBlock(request.method)) await delay(ms);
      return request;
    },
  });

/** Every call is answered as if it had failed. */
const refusesCalls = (): Lie => ({
  rewrite: (request) =>
    /^eth_(call|estimateGas)$/.test(request.method)
      ? { error: { code: 3, message: 'execution reverted', data: '0x' } as { code: number; message: string } }
      : request,
});

const callsNothing = (): Lie => ({
  tamper: ({ method }, result) =>
    method === 'eth_call' ? `0x${'0'.repeat(Math.max(0, String(result).length - 2))}` : result,
});

const mode = (own: ProxyMode) => (): Lie => ({ mode: own });

/** The answers as a text that is changed, of all exchanges or of those with so many requests. */
const writes =
  (change: (text: string) => string, fewest = 1) =>
  (): Lie => ({
    send: (response, answers, isList) => {
      if (answers.length < fewest) return false;
      response.end(change(JSON.stringify(isList ? answers : answers[0])));
      return true;
    },
  });

/** The first answers to long lists only. */
const cutsLists = (): Lie => ({
  send: (response, answers, isList) => {
    if (isList) response.end(JSON.stringify(answers.slice(0, 5)));
    return isList;
  },
});

/** No results of block 0, nor some of the results now and then. */
const failsNowAndThen = ({ random }: Scene): Lie => ({
  rewrite: (request) => {
    if (request.method === 'eth_getBlockByNumber' && request.params[0] === '0x0') return { result: null };
    return random() < 0.1 ? { error: { code: -32_000, message: 'busy' } } : request;
  },
});

/** Faults on the way to or from an endpoint, which say nothing about its honesty. */
const faultsOfTransport: Readonly<Record<string, (scene: Scene) => Lie>> = {
  'answers with a page': mode('page'),
  'refuses connections': mode('refuse'),
  'drops its answers': mode('swallow'),
  'answers 500': mode('500'),
  'never answers': mode('stall'),
  'answers an empty body': writes(() => ''),
  'cuts its answers': writes((text) => text.slice(0, -5), 4),
  'writes a byte order mark': writes((text) => `\ufeff${text}`),
  'writes ids as texts': writes((text) => text.replaceAll(/"id":(\d+)/g, '"id":"$1"')),
  'cuts its lists': cutsLists,
  'blocks long requests': (): Lie => ({ refuseStatus: (list) => (list.length > 4 ? 403 : undefined) }),
  'fails now and then, and has no block 0': failsNowAndThen,
};

/** True for a fault on the way to or from an endpoint. */
export const isOfTransport = (lie: string): boolean => lie in faultsOfTransport;

/** Every lie, by name. */
export const lies: Readonly<Record<string, (scene: Scene) => Lie>> = {
  'forges DealPaid': forges('DealPaid'),
  'forges DealCreated': forges('DealCreated'),
  'forges DealCancelled': forges('DealCancelled'),
  'leaves logs out': leavesLogsOut,
  'answers another hash': answersAnotherHash,
  'answers an old tip': answersAnOldTip,
  'answers null': answersNull(1),
  'answers null now and then': answersNull(0.3),
  'answers garbage': answersGarbage(1),
  'answers garbage now and then': answersGarbage(0.3),
  ...faultsOfTransport,
  'sits on a dead fork': sitsOnADeadFork(true),
  'sits on a dead fork that ended': sitsOnADeadFork(false),
  'swallows sends': swallowsSends,
  'limits results': limits('query returned more than 10000 results', /^eth_getLogs$/),
  'limits requests': limits('daily request count exceeded', /./),
  'tells false words': tellsFalseWords,
  'tells endless times': tellsEndlessNumbers(/^eth_getBlockBy/, 'timestamp'),
  'tells endless receipts': tellsEndlessNumbers(/^eth_getTransactionReceipt$/, 'blockNumber', 'gasUsed'),
  'tells nonsense of prices': (): Lie => ({
    tamper: ({ method }, result) =>
      method === 'eth_getTransactionReceipt' && result !== null
        ? { ...(result as object), effectiveGasPrice: 'nonsense' }
        : result,
  }),
  'forges receipts': forgesReceipts('0x1'),
  'forges failures': forgesReceipts('0x0'),
  'asks for a fortune': asksForAFortune,
  'suggests a fortune': tells(/^eth_maxPriorityFeePerGas$/, `0x${'f'.repeat(40)}`),
  'tells of no funds': tells(/^eth_getBalance$/, '0x0'),
  'estimates a fortune': tells(/^eth_estimateGas$/, `0x${'f'.repeat(40)}`),
  'estimates nothing': tells(/^eth_estimateGas$/, '0x1'),
  'tells of used nonces': tells(/^eth_getTransactionCount$/, '0xffffff'),
  'tells of no nonces': tells(/^eth_getTransactionCount$/, '0x0'),
  'tells no time': tellsNoTime,
  'runs ahead': runsAhead,
  'makes up a long chain': ({ tip }): Lie => madeUpBlocks(tip),
  'answers late': answersLate(2_500),
  'answers too late': answersLate(3_500),
  'answers late, and no batches': answersLate(2_500, 'single'),
  'refuses calls': refusesCalls,
  'calls nothing': callsNothing,
  'serves another chain': servesAnotherChain,
};
