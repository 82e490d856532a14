import { eventually } from '../../support/eventually.ts';
import type { Gateway } from './gateway.ts';
import type { Proxy } from './proxy.ts';

/** A number as a quantity of JSON-RPC. */
export const hex = (value: number): string => `0x${value.toString(16)}`;

/** Height of the chain itself. */
export const tipOf = async ({ rpc }: Gateway): Promise<number> => Number(await rpc.call('eth_blockNumber'));

/** Number of the newest block that the watcher has stored. */
export const scannedBy = async ({ knex, network }: Gateway): Promise<number> =>
  Number((await knex('watch_cursors').where({ network_id: network.id }).first('number')).number);

const forged = 'ab'.repeat(28);
const hashOf = (number: number): string => `0x${forged}${number.toString(16).padStart(8, '0')}`;

/** Lets an endpoint tell of empty blocks on top of the newest one, which does not change meanwhile. */
export const inventBlocks = async ({ rpc }: Gateway, liar: Proxy, count: number): Promise<void> => {
  const newest = (await rpc.call('eth_getBlockByNumber', ['latest', false])) as Record<string, string>;
  const base = Number(newest.number);
  const invented = (number: number) => ({
    ...newest,
    transactions: [],
    number: hex(number),
    hash: hashOf(number),
    parentHash: number === base + 1 ? newest.hash : hashOf(number - 1),
    timestamp: hex(Number(newest.timestamp) + number - base),
  });
  liar.rewrite = (request) => {
    const [first = null] = request.params ?? [];
    if (request.method === 'eth_blockNumber') return { result: hex(base + count) };
    if (request.method === 'eth_getBlockByNumber') {
      const number = first === 'latest' ? base + count : Number(first);
      return number > base && number <= base + count ? { result: invented(number) } : request;
    }
    const isInvented = JSON.stringify(first).includes(forged);
    return isInvented && /getLogs|getBlockReceipts/.test(request.method) ? { result: [] } : request;
  };
};

/** Waits until the watcher has asked other endpoints a few times more whether a block has its confirmations. */
export const askedForDepth = async (honest: readonly Proxy[]): Promise<void> => {
  const countOf = ({ exchanges }: Proxy): number =>
    exchanges.filter((methods) => methods.join() === 'eth_getBlockByNumber,eth_getBlockByNumber').length;
  const before = honest.map(countOf);
  await eventually(() => honest.some((proxy, index) => countOf(proxy) >= before[index]! + 3), 60_000);
};
