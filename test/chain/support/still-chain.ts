import { startGateway, type Gateway } from './gateway.ts';
import { startProxy, type Proxy } from './proxy.ts';

/** A chain that makes blocks only for transactions, and endpoints before it. */
export interface StillChain {
  readonly gateway: Gateway;
  readonly proxies: Proxy[];
  /** The watcher's cursor. */
  cursor(): Promise<Record<string, unknown> | undefined>;
  tip(): Promise<number>;
  mine(): Promise<unknown>;
  isAtTip(): Promise<boolean>;
}

/** Call it once in a test file. Each test has a new one. */
export const useStillChain = ({ endpoints = 3, confirmations = 1 } = {}): StillChain => {
  let gateway: Gateway;
  let proxies: Proxy[];
  beforeEach(async () => {
    gateway = await startGateway({ confirmations });
    proxies = await Promise.all(Array.from({ length: endpoints }, () => startProxy(gateway.chain.url)));
    await gateway.rpc.call('evm_setIntervalMining', [0]);
    await gateway.rpc.call('evm_setAutomine', [true]);
  });
  afterEach(async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await gateway.close();
  });
  const cursor = () => gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
  const tip = async (): Promise<number> => Number(await gateway.rpc.call('eth_blockNumber'));
  return {
    get gateway() {
      return gateway;
    },
    get proxies() {
      return proxies;
    },
    cursor,
    tip,
    mine: () => gateway.rpc.call('anvil_mine', ['0x1']),
    isAtTip: async () => Number((await cursor())?.number) === (await tip()),
  };
};

/** The hash of an invented block. */
export const forgedHash = (number: number): string => `0x${'ab'.repeat(28)}${number.toString(16).padStart(8, '0')}`;
