import { contracts } from '../../../chain/pure/contracts.ts';
import type { DealEvent } from '../../../domain/deal.ts';
import { hex } from '../../support/fixtures.ts';
import type { Gateway, TestPayment } from './gateway.ts';
import { startProxy, type Proxy, type WireRequest } from './proxy.ts';

/** An endpoint that forges and leaves out. */
export interface Liar extends Proxy {
  /** Forges an event of a deal in the next requested block. */
  forge(kind: DealEvent['kind'], payment: TestPayment): void;
  /** True once every forged event was sent. */
  hasTold(): boolean;
  /** Leaves out logs, also of receipts when `receipts` is true. */
  silence(receipts: boolean): void;
}

const names = { created: 'DealCreated', paid: 'DealPaid', cancelled: 'DealCancelled', conflict: 'DealConflict' };

/** Arguments of an event, in the order of its topics and data. */
const argumentsOf = (kind: DealEvent['kind'], { dealId, termsHash, terms }: TestPayment): readonly unknown[] =>
  ({
    created: [dealId, termsHash],
    paid: [dealId, termsHash, hex(20), terms.token, terms.payee, terms.amount],
    cancelled: [dealId, `${termsHash.slice(0, 64)}03`],
    conflict: [dealId, hex(32), termsHash],
  })[kind];

/** Starts a liar in front of the gateway's node. */
export const startLiar = async (gateway: Gateway): Promise<Liar> => {
  const proxy = await startProxy(gateway.chain.url);
  const forged: { kind: DealEvent['kind']; payment: TestPayment }[] = [];
  const told = new Map<string, unknown[]>();
  let isSilent = { logs: false, receipts: false };

  /** The same each time that a block's logs are asked for. */
  const forgedLogs = (blockHash: string): unknown[] => {
    const logs = forged.splice(0).map(({ kind, payment }) => ({
      address: gateway.world.diamondAddress,
      ...contracts.deal.interface.encodeEventLog(names[kind], argumentsOf(kind, payment) as unknown[]),
      blockHash,
      blockNumber: '0xffffffffff',
      transactionHash: hex(32),
      logIndex: '0x0',
      removed: false,
    }));
    told.set(blockHash, [...(told.get(blockHash) ?? []), ...logs]);
    return told.get(blockHash)!;
  };

  proxy.tamper = ({ method, params: [first] }: WireRequest, result: unknown): unknown => {
    if (method === 'eth_getLogs') {
      const { blockHash } = first as { blockHash?: string };
      const logs = isSilent.logs ? [] : (result as unknown[]);
      return blockHash !== undefined ? [...logs, ...forgedLogs(blockHash)] : logs;
    }
    if (method === 'eth_getBlockReceipts' && isSilent.receipts) return [];
    return result;
  };
  return Object.assign(proxy, {
    forge: (kind: DealEvent['kind'], payment: TestPayment) => void forged.push({ kind, payment }),
    hasTold: () => forged.length === 0,
    silence: (receipts: boolean) => void (isSilent = { logs: true, receipts }),
  });
};

/** Code that answers every call with one word of a deal that no release writes. */
export const NONSENSE_CODE = '0x6020600052600160205260ff60405260606000f3';

type Lies = { readonly [Name in 'rewrite' | 'tamper']: NonNullable<Proxy[Name]> };

/** Invents a hundred thousand blocks after this one, which fit together. */
export const madeUpBlocks = (after: number): Lies => {
  const tip = after + 100_000;
  const wanted = (first: unknown): number => (first === 'latest' ? tip : Number(first));
  const madeUp = (number: number): string => `0x${number.toString(16).padStart(64, 'a')}`;
  return {
    rewrite: (request) => {
      if (request.method === 'eth_getLogs') return { result: [] };
      if (request.method !== 'eth_getBlockByNumber' || wanted(request.params[0]) <= after) return request;
      return { ...request, params: [`0x${after.toString(16)}`, false] };
    },
    tamper: ({ method, params: [first] }, result) => {
      const number = wanted(first);
      if (method !== 'eth_getBlockByNumber' || number <= after) return result;
      const parentHash = number === after + 1 ? (result as { hash: string }).hash : madeUp(number - 1);
      return { ...(result as object), number: `0x${number.toString(16)}`, hash: madeUp(number), parentHash };
    },
  };
};
