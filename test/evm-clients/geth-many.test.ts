import { randomUUID } from 'node:crypto';
import { HDNodeWallet, JsonRpcProvider } from 'ethers';
import { createDeployer } from '../../chain/deploy/deployer.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { dealTopics } from '../../chain/pure/deal-state.ts';
import { diamondAddress } from '../../chain/pure/platform.ts';
import { release } from '../../chain/pure/releases.ts';
import { devMnemonic } from '../../tools/stack/chain.ts';
import type { ChainRules } from '../../tools/stack/geth.ts';
import { startGateway, type Gateway } from '../chain/support/gateway.ts';
import { addWallet, orderFrom, type OtherWallet } from '../chain/support/other-wallets.ts';
import { startTestGeth } from '../support/chain.ts';
import { eventually } from '../support/eventually.ts';

/*
 * Five hundred payments at once, over five diamonds, over one, and beside a diamond that fails: under Amsterdam's rules
 * they need at most twice the blocks of today.
 */

const COUNT = 500;
const WALLETS = 5;
/** Reverts with four bytes on every call. */
const REFUSES_ALL = '0x63deadbeef60e01b5f5260045ffd';

/** The cost of a set of deals. */
interface Taken {
  /** From the first block with one of them to the last one. */
  readonly blocks: number;
  /** By the receipts of all their transactions. */
  readonly gasPerDeal: number;
}

const rules: ChainRules[] = ['osaka', 'amsterdam'];
const kinds = ['five diamonds', 'one diamond', 'five diamonds, one of which fails'] as const;
const taken = new Map<string, Taken>();

describe.each(rules)('geth under the rules of %s', (rule) => {
  let gateway: Gateway;
  const wallets: OtherWallet[] = [];
  let failing: OtherWallet;

  beforeAll(async () => {
    gateway = await startGateway({ startChain: () => startTestGeth(31_337, rule), blockTime: 1, confirmations: 2 });
    const { rpc, keys, network, platform, world } = gateway;
    const deployer = createDeployer({ network: { ...network, name: 'test' }, rpc });
    for (let index = 0; index < WALLETS; index += 1) {
      const walletId = randomUUID();
      const call = { what: 'diamond', ...deployer.createDiamondCall(world.nodeId, walletId) };
      await sendCalls(rpc, keys.stranger, network.eip155, [call]);
      wallets.push({ walletId, diamondAddress: diamondAddress(platform, world.nodeId, walletId).toLowerCase() });
      await addWallet(gateway, wallets[index]!, release.version);
    }
    failing = { walletId: randomUUID(), diamondAddress: await createContract(gateway, REFUSES_ALL) };
    await addWallet(gateway, failing);
  });

  afterAll(() => gateway.close());

  const spread = async (over: readonly OtherWallet[]) =>
    (await Promise.all(over.map((wallet) => orderFrom(gateway, wallet, COUNT / over.length)))).flat();

  it.each(kinds)('makes five hundred payments over %s payable, each by one deal', async (kind) => {
    const stopped = kind === 'five diamonds, one of which fails' ? await orderFrom(gateway, failing, 25) : [];
    const rows = await spread(kind === 'one diamond' ? wallets.slice(0, 1) : wallets);
    const running = [gateway.startWatcher(), gateway.startLane()];
    try {
      const open = async () => (await gateway.knex('payments').where({ status: 'pending' })).length;
      await eventually(async () => (await open()) === stopped.length, 60_000, 100);
      const ids = rows.map(({ id }) => id);
      taken.set(`${rule} ${kind}`, await takenBy(gateway, ids, wallets));
      const intents = await gateway.knex('tx_intents').whereIn(
        'payment_id',
        stopped.map(({ id }) => id),
      );
      expect(intents.map(({ slot_id: slot, waiting }) => ({ slot, waiting }))).toEqual(
        stopped.map(() => ({ slot: null, waiting: 'simulation_failed' })),
      );
    } finally {
      await Promise.all(running.map((run) => run.stop()));
    }
  });
});

describe("geth under Amsterdam's rules", () => {
  it.each(kinds)("takes at most twice today's blocks over %s", (kind) => {
    const [today, then] = rules.map((rule) => taken.get(`${rule} ${kind}`)!);
    console.log(
      `${COUNT} payments over ${kind}: today ${JSON.stringify(today)}, by Amsterdam's rules ${JSON.stringify(then)}`,
    );
    expect(then!.blocks).toBeLessThanOrEqual(2 * today!.blocks);
  });
});

/** Puts code on the chain; answers its address. */
const createContract = async ({ chain }: Gateway, code: string): Promise<string> => {
  const provider = new JsonRpcProvider(chain.url, chain.chainId, { staticNetwork: true });
  try {
    const wallet = HDNodeWallet.fromPhrase(devMnemonic, undefined, "m/44'/60'/0'/0/15").connect(provider);
    // PUSH1 length, DUP1, PUSH1 10, PUSH0, CODECOPY, PUSH0, RETURN; a byte that is never reached; the code.
    const length = ((code.length - 2) / 2).toString(16).padStart(2, '0');
    const sent = await wallet.sendTransaction({ data: `0x60${length}80600a5f395ff300${code.slice(2)}` });
    return (await sent.wait())!.contractAddress!.toLowerCase();
  } finally {
    provider.destroy();
  }
};

/** Checks that every deal was created once. Returns the cost. */
const takenBy = async (
  { knex, rpc }: Gateway,
  ids: readonly string[],
  wallets: readonly OtherWallet[],
): Promise<Taken> => {
  const own = new Map<bigint, number>();
  const rows = await knex('payments').whereIn('id', ids).select('deal_id');
  for (const { deal_id: id } of rows) own.set(BigInt(id), 0);
  const address = wallets.map(({ diamondAddress }) => diamondAddress);
  const filter = { fromBlock: '0x0', toBlock: 'latest', address, topics: [dealTopics[0]] };
  const all = (await rpc.call('eth_getLogs', [filter])) as {
    topics: [string, string];
    blockNumber: string;
    transactionHash: string;
  }[];
  const logs = all.filter(({ topics }) => own.has(BigInt(topics[1])));
  for (const { topics } of logs) own.set(BigInt(topics[1]), own.get(BigInt(topics[1]))! + 1);
  expect([...own.values()]).toEqual(ids.map(() => 1));
  const blocks = logs.map(({ blockNumber }) => Number(blockNumber));
  const receipts = await Promise.all(
    [...new Set(logs.map(({ transactionHash }) => transactionHash))].map(
      async (hash) => (await rpc.call('eth_getTransactionReceipt', [hash])) as { gasUsed: string },
    ),
  );
  const gas = receipts.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0);
  return { blocks: Math.max(...blocks) - Math.min(...blocks) + 1, gasPerDeal: Math.round(gas / ids.length) };
};
