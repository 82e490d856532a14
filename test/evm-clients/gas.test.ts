import fs from 'node:fs';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  HDNodeWallet,
  JsonRpcProvider,
  SigningKey,
  Wallet,
  ZeroAddress,
  hexlify,
  type TransactionRequest,
} from 'ethers';
import { createDeployer } from '../../chain/deploy/deployer.ts';
import { planNetwork, prepareNetwork, type PlanOptions } from '../../chain/deploy/prepare.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import {
  encodeCancelDeals,
  encodeCreateDeals,
  offerHash,
  termsHash,
  type DealKey,
} from '../../chain/pure/deal-encoding.ts';
import { setRoleCall } from '../../chain/deploy/registry.ts';
import { batcherAddress, diamondAddress, registryAddress } from '../../chain/pure/platform.ts';
import { releases } from '../../chain/pure/releases.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';
import { devMnemonic, type Chain } from '../../tools/stack/chain.ts';
import type { ChainRules } from '../../tools/stack/geth.ts';
import { deployTestToken, devTokens } from '../../tools/stack/tokens.ts';
import type { DealTerms } from '../../domain/deal.ts';
import { startTestGeth } from '../support/chain.ts';
import { signPermit } from '../support/permit.ts';
import { alphaAt } from './alpha.ts';

/*
 * Gas of whole transactions under today's rules and Amsterdam's, as geth's receipts show it, against the committed
 * `contracts/gas-geth.json`. CARAT_GAS=write writes that file anew.
 */

const FILE = 'contracts/gas-geth.json';
const TOLERANCE = 0.02;
/** Gas that a part of a batch may have: enough by both rules. */
const PART_GAS = 15_000_000n;

const rules: ChainRules[] = ['osaka', 'amsterdam'];
const measured: Partial<Record<ChainRules, Record<string, number>>> = {};

describe.each(rules)('under the rules of %s', (rule) => {
  const gas: Record<string, number> = {};
  let chain: Chain;
  let provider: JsonRpcProvider;
  let planned: PlanOptions;
  let diamond: string;
  let token: string;
  let nextId = 1_000_000n;
  const ids = { node: randomUUID(), wallet: randomUUID() };
  const account = (index: number): Wallet =>
    new Wallet(HDNodeWallet.fromPhrase(devMnemonic, undefined, `m/44'/60'/0'/0/${index}`).privateKey, provider);

  /** Sends one transaction and records its gas. */
  const measure = async (name: string | null, from: Wallet, request: TransactionRequest): Promise<void> => {
    const receipt = await (await from.sendTransaction(request)).wait();
    expect(receipt!.status).toBe(1);
    if (name !== null) gas[name] = Number(receipt!.gasUsed);
  };
  const operator = () => new Wallet(devAccounts.operator.privateKey, provider);
  const buyer = () => new Wallet(devAccounts.buyer.privateKey, provider);
  const { signer } = devAccounts;
  const fresh = (count: number): DealKey[] =>
    Array.from({ length: count }, () => ({ diamond, dealId: nextId++, termsHash: hexlify(randomBytes(32)) }));

  beforeAll(async () => {
    chain = await startTestGeth(31_337, rule);
    provider = new JsonRpcProvider(chain.url, 31_337, { staticNetwork: true, cacheTimeout: -1 });
    provider.pollingInterval = 100;
    planned = alphaAt(chain.url);
  });
  afterAll(async () => {
    provider.destroy();
    await chain.stop();
  });

  /** A network, and a diamond of the first release that is updated. */
  const prepare = async (): Promise<void> => {
    const { contracts: all } = await planNetwork(planned);
    const root = createKeySigner(devAccounts.root.privateKey);
    await prepareNetwork({ ...planned, rootSigner: root, release: releases[0] });
    const deployer = createDeployer({ network: { ...planned.network, confirmations: 1, quorum: 1 }, rpc: planned.rpc });
    diamond = diamondAddress(devPlatform, ids.node, ids.wallet);
    const { to, data } = deployer.createDiamondCall(ids.node, ids.wallet);
    await measure(null, operator(), { to, data });
    await prepareNetwork({ ...planned, rootSigner: root });
    const { cut } = await deployer.inspect(diamond, 'newest');
    const upgrader = new Wallet(devAccounts.upgrader.privateKey, provider);
    await measure('update', upgrader, { to: cut!.to, data: cut!.data });
    const newest = deployer.createDiamondCall(ids.node, randomUUID());
    await measure('createDiamond', operator(), { to: newest.to, data: newest.data });
    const signs = setRoleCall(registryAddress(devPlatform), 'signer', signer.address, true);
    await measure(null, account(0), { to: signs.to, data: signs.data });
    const sent = await transactionsOf(provider);
    for (const { name, call } of all) gas[`deploy_${name.replace('the ', '').split(' ')[0]}`] = sent.get(call.data)!;
  };

  const createAndCancel = async (): Promise<void> => {
    const to = batcherAddress(devPlatform);
    await measure('createDeals_1', operator(), {
      to: diamond,
      data: contracts.deal.interface.encodeFunctionData('createDeals', [fresh(1)]),
    });
    for (const count of [1, 50]) {
      const deals = fresh(count);
      await measure(`batcherCreateDeals_${count}`, operator(), { to, data: encodeCreateDeals(deals, () => PART_GAS) });
      await measure(`batcherCancelDeals_${count}`, operator(), { to, data: encodeCancelDeals(deals, () => PART_GAS) });
    }
  };

  const termsOf = (payee: string, of: string): DealTerms => {
    const expiresAt = BigInt(Math.floor(Date.now() / 1_000) + 3_600);
    return { dealId: nextId++, token: of, payee, payer: ZeroAddress, amount: 1_000n, expiresAt };
  };
  /** The arguments that pay a deal that a signer offers. */
  const offerOf = (payee: string, of: string): readonly [DealTerms, bigint, string, string] => {
    const terms = termsOf(payee, of);
    const digest = offerHash(31_337, diamond, terms, terms.expiresAt);
    const { r, yParityAndS } = new SigningKey(signer.privateKey).sign(digest);
    return [terms, terms.expiresAt, r, yParityAndS];
  };
  /** A deal that the buyer can pay, created. */
  const dealOf = async (payee: string, of: string): Promise<DealTerms> => {
    const terms = termsOf(payee, of);
    const key = { dealId: terms.dealId, termsHash: termsHash(31_337, diamond, terms) };
    const data = contracts.deal.interface.encodeFunctionData('createDeals', [[key]]);
    await measure(null, operator(), { to: diamond, data });
    return terms;
  };
  const call = (name: string, ...args: unknown[]): string => contracts.deal.interface.encodeFunctionData(name, args);
  const erc20 = (name: string, ...args: unknown[]): string =>
    contracts.testToken.interface.encodeFunctionData(name, args);

  /** In coins and in a token, to a payee that has some and to one that has none; beside plain transfers. */
  const pay = async (): Promise<void> => {
    token = await deployTestToken(planned.rpc, createKeySigner(devAccounts.buyer.privateKey), 31_337, devTokens[0]!);
    await measure(null, buyer(), { to: token, data: erc20('mint', buyer().address, 10n ** 9n) });
    await measure(null, buyer(), { to: token, data: erc20('approve', diamond, 2n ** 256n - 1n) });
    const empty = () => Wallet.createRandom().address;
    const rich = account(12).address;
    await measure(null, buyer(), { to: token, data: erc20('mint', rich, 1n) });
    for (const [suffix, payeeOf] of [
      ['', () => rich],
      ['_empty', empty],
    ] as const) {
      const inToken = await dealOf(payeeOf(), token);
      await measure(`payToken${suffix}`, buyer(), { to: diamond, data: call('payToken', inToken) });
      const inCoins = await dealOf(payeeOf(), ZeroAddress);
      const value = inCoins.amount;
      await measure(`payNative${suffix}`, buyer(), { to: diamond, data: call('payNative', inCoins), value });
      const offer = contracts.offer.interface;
      await measure(`payOfferedToken${suffix}`, buyer(), {
        to: diamond,
        data: offer.encodeFunctionData('payOfferedToken', offerOf(payeeOf(), token)),
      });
      await measure(`payOfferedNative${suffix}`, buyer(), {
        to: diamond,
        data: offer.encodeFunctionData('payOfferedNative', offerOf(payeeOf(), ZeroAddress)),
        value,
      });
      await measure(`transfer${suffix}`, buyer(), { to: token, data: erc20('transfer', payeeOf(), 1n) });
      await measure(`transferNative${suffix}`, buyer(), { to: payeeOf(), value: 1n });
      // Each is the first permit of a buyer, and the first allowance of the diamond.
      const other = account(suffix === '' ? 13 : 14);
      await measure(null, buyer(), { to: token, data: erc20('mint', other.address, 10n ** 9n) });
      const permitted = await dealOf(payeeOf(), token);
      const deadline = permitted.expiresAt;
      const { v, r, s } = await signPermit(other, { token, spender: diamond, value: permitted.amount, deadline });
      const data = call('payTokenWithPermit', permitted, deadline, v, r, s);
      await measure(`payTokenWithPermit${suffix}`, other, { to: diamond, data });
    }
  };

  it('preparation, deals and payments take the gas of the committed table', async () => {
    await prepare();
    await createAndCancel();
    await pay();
    measured[rule] = gas;
    if (process.env.CARAT_GAS === 'write') {
      fs.writeFileSync(FILE, `${JSON.stringify(measured, null, 2)}\n`);
    }
    const committed = (JSON.parse(fs.readFileSync(FILE, 'utf8')) as Record<ChainRules, Record<string, number>>)[rule];
    expect(Object.keys(gas).sort()).toEqual(Object.keys(committed).sort());
    const off = Object.entries(gas).filter(([name, used]) => Math.abs(used / committed[name]! - 1) > TOLERANCE);
    expect(off.map(([name, used]) => [name, used, committed[name]])).toEqual([]);
  });
});

/** Gas that each transaction of the chain used, by its data. */
const transactionsOf = async (provider: JsonRpcProvider): Promise<Map<string, number>> => {
  const used = new Map<string, number>();
  for (let number = await provider.getBlockNumber(); number > 0; number -= 1) {
    const block = await provider.getBlock(number, true);
    for (const { hash, data } of block!.prefetchedTransactions) {
      const receipt = await provider.getTransactionReceipt(hash);
      used.set(data, Number(receipt!.gasUsed));
    }
  }
  return used;
};
