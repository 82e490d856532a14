import { AbiCoder, JsonRpcProvider, Wallet, getAddress, hexlify, randomBytes } from 'ethers';
import { prepareNetwork } from '../../chain/deploy/prepare.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { type DealKey, decodeBatchFailures, encodeCreateDeals } from '../../chain/pure/deal-encoding.ts';
import { batcherAddress, diamondAddress, registryAddress, uuidBytes } from '../../chain/pure/platform.ts';
import { decodeRevert } from '../../chain/pure/revert-reason.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';
import type { Chain } from '../../tools/stack/chain.ts';
import type { ChainRules } from '../../tools/stack/geth.ts';
import { startTestGeth } from '../support/chain.ts';
import { alphaAt } from './alpha.ts';

/*
 * Amsterdam's rules count gas for new state apart (EIP-8037). A node with these rules shows how much gas a part may
 * use, and the error of a part that has used it up.
 */

const nodeId = '0190c1de-0000-7000-8000-000000000001';
const wallets = ['0190c1de-0000-7000-8000-0000000000f1', '0190c1de-0000-7000-8000-0000000000f2'];
/** Below the bound of a transaction (EIP-7825), so that no gas is reserved for state. */
const GAS = 16_000_000;
const DEALS = 5;

let geth: Chain | undefined;
let provider: JsonRpcProvider;
afterEach(async () => {
  provider.destroy();
  await geth?.stop();
});
// It is built first, where this user has none yet.
beforeAll(async () => (await startTestGeth(31_337, 'osaka')).stop());

const prepared = async (rules: ChainRules): Promise<[string, string]> => {
  geth = await startTestGeth(31_337, rules);
  provider = new JsonRpcProvider(geth.url, 31_337, { staticNetwork: true });
  provider.pollingInterval = 100;
  await prepareNetwork({ ...alphaAt(geth.url), rootSigner: createKeySigner(devAccounts.root.privateKey) });
  const buyer = new Wallet(devAccounts.buyer.privateKey, provider);
  for (const wallet of wallets) {
    const keys = [uuidBytes(nodeId), uuidBytes(wallet)];
    const data = contracts.registry.interface.encodeFunctionData('createDiamond', keys);
    await (await buyer.sendTransaction({ to: registryAddress(devPlatform), data })).wait();
  }
  return wallets.map((wallet) => diamondAddress(devPlatform, nodeId, wallet)) as [string, string];
};

const dealsOn = (diamonds: readonly string[]): DealKey[] =>
  diamonds.flatMap((diamond) =>
    Array.from({ length: DEALS }, (_, index) => ({
      diamond,
      dealId: BigInt(index + 1),
      termsHash: hexlify(randomBytes(32)),
    })),
  );

it.each<ChainRules>(['osaka', 'amsterdam'])(
  'under the rules of %s a diamond that lacks gas is never blamed, and spoils no other',
  async (rules) => {
    const [first, second] = await prepared(rules);
    const deals = dealsOn([first, second]);
    const call = (limit: bigint) => ({
      from: devAccounts.operator.address,
      to: batcherAddress(devPlatform),
      data: encodeCreateDeals(deals, (diamond) => (diamond === first ? limit : 2_000_000n)),
    });
    const outcomeOf = async (limit: bigint): Promise<string> => {
      const failures = decodeBatchFailures(deals, await provider.call({ ...call(limit), gasLimit: GAS }));
      expect(failures.has(second)).toBe(false);
      const reason = failures.get(first);
      return reason === undefined ? 'done' : decodeRevert(reason).text;
    };
    const outcomes = new Map<bigint, string>();
    for (let limit = 0n; limit <= 900_000n; limit += limit < 30_000n ? 1_000n : 15_000n) {
      outcomes.set(limit, await outcomeOf(limit));
    }
    expect(new Set(outcomes.values())).toEqual(new Set([`OutOfGas(${getAddress(first)})`, 'done']));
    const done = [...outcomes].filter(([, outcome]) => outcome === 'done').map(([limit]) => limit);
    // Once it suffices, more suffices as well.
    expect(done).toEqual([...outcomes.keys()].slice(-done.length));
    const slots = rules === 'amsterdam' ? 97_920n : 22_100n;
    expect(done[0]).toBeGreaterThan(BigInt(DEALS) * slots);

    // An estimate for a sufficient limit covers all of it.
    const gasLimit = await provider.estimateGas(call(done[0]!));
    const operator = new Wallet(devAccounts.operator.privateKey, provider);
    const receipt = await (await operator.sendTransaction({ ...call(done[0]!), gasLimit })).wait();
    expect(receipt?.status).toBe(1);
    const failed = contracts.batcher.interface.getEvent('BatchFailed')!.topicHash;
    expect(receipt?.logs.filter(({ topics }) => topics[0] === failed)).toEqual([]);
    const data = contracts.deal.interface.encodeFunctionData('dealWords', [[BigInt(DEALS)]]);
    const words = await Promise.all([first, second].map((to) => provider.call({ to, data })));
    for (const word of words) {
      expect(AbiCoder.defaultAbiCoder().decode(['bytes32[]'], word)[0][0]).toMatch(/01$/);
    }
  },
);
