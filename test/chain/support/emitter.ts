import { concat, toBeHex } from 'ethers';
import type { Rpc } from '../../../chain/rpc/rpc.ts';

/** A log as a contract may emit it; the number of its topics is that of the emitter. */
interface ForeignLog {
  readonly topics: readonly string[];
  readonly data: string;
}

const byte = (value: number): string => toBeHex(value, 1);

/**
 * Code that emits one log, with so many topics, again and again. Its call data: how often, the topics, the data.
 * @param topics 1 to 4
 */
const emitterCode = (topics: number): string => {
  const from = byte(32 * (1 + topics));
  const start = concat(['0x60', from, '0x360380', '0x60', from, '0x600037', '0x600035']);
  const loop = byte((start.length - 2) / 2);
  const loads = Array.from({ length: topics }, (_, index) => concat(['0x60', byte(32 * (topics - index)), '0x35']));
  return concat([
    start,
    '0x5b',
    ...loads,
    byte(0x80 + topics + 1),
    '0x6000',
    byte(0xa0 + topics),
    '0x6001900380',
    '0x60',
    loop,
    '0x57',
    '0x00',
  ]);
};

/** Puts a contract at an address that emits logs of anybody's choice. */
export const placeEmitter = (rpc: Rpc, address: string, topics: number): Promise<unknown> =>
  rpc.call('anvil_setCode', [address, emitterCode(topics)]);

/** The call that makes it emit a log so many times. */
export const emitCall = ({ topics, data }: ForeignLog, times = 1): string =>
  concat([toBeHex(times, 32), ...topics, data]);
