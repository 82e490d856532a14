import { batcherAddress, registryAddress } from '../../chain/pure/platform.ts';
import { planNetwork, prepareNetwork, type PrepareOptions } from '../../chain/deploy/prepare.ts';
import { release } from '../../chain/pure/releases.ts';
import { codes } from '../../chain/rpc/calls.ts';
import { createRpc, type Rpc } from '../../chain/rpc/rpc.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { devAccounts, devPlatform } from '../../tools/stack/accounts.ts';
import type { Chain } from '../../tools/stack/chain.ts';
import type { ChainRules } from '../../tools/stack/geth.ts';
import { startProxy } from '../chain/support/proxy.ts';
import { startTestGeth } from '../support/chain.ts';
import { alphaAt } from './alpha.ts';

/*
 * A network without the deterministic deployer, which one published transaction makes, once and with 100,000 gas, or never.
 */

/** Sender of that transaction. */
const SENDER = '0x3fab184622dc19b6109349b94811493bf2a45362';

let geth: Chain | undefined;
let rpc: Rpc;
let options: PrepareOptions;

const start = async (rules: ChainRules, flags: readonly string[]): Promise<void> => {
  geth = await startTestGeth(31_337, rules, { flags, withoutDeployer: true });
  options = { ...alphaAt(geth.url), rootSigner: createKeySigner(devAccounts.root.privateKey) };
  ({ rpc } = options);
};
afterEach(() => geth?.stop());
// It is built first, where this user has none yet.
beforeAll(async () => (await startTestGeth(31_337, 'osaka')).stop());

/** The sender has no coins and has sent no transaction. */
const expectUntouched = async (): Promise<void> => {
  const { outcomes } = await rpc.batch([
    { method: 'eth_getBalance', params: [SENDER, 'latest'] },
    { method: 'eth_getTransactionCount', params: [SENDER, 'latest'] },
    { method: 'eth_getTransactionCount', params: [devAccounts.root.address, 'latest'] },
  ]);
  expect(outcomes).toEqual(['0x0', '0x0', '0x0'].map((result) => ({ ok: true, result })));
};

it("a network whose endpoint takes the deployer's transaction gets the deployer, and then everything that it deploys", async () => {
  await start('osaka', ['--rpc.allow-unprotected-txs']);
  const { deployer } = await planNetwork(options);
  // 100,000 gas at 100 gwei.
  expect(deployer).toMatchObject({ address: release.deployer, fund: { to: SENDER, value: 10n ** 16n } });
  await expectUntouched();
  const steps: string[] = [];
  await prepareNetwork({ ...options, onProgress: (step) => steps.push(step) });
  expect(steps.slice(0, 2)).toEqual([
    `give ${SENDER}, which puts the deterministic deployer there, 0.01 coins`,
    `put the deterministic deployer at ${release.deployer}`,
  ]);
  const places = [release.deployer, registryAddress(devPlatform), batcherAddress(devPlatform)];
  expect((await codes(rpc, places)).filter((code) => code === '0x')).toEqual([]);
  expect(await prepareNetwork(options)).toMatchObject({ transactions: [], rootCalls: [] });
});

it('Carat pays nothing while an endpoint does not answer, or estimates more gas than the transaction has', async () => {
  await start('osaka', ['--rpc.allow-unprotected-txs']);
  const proxy = await startProxy(geth!.url);
  try {
    const both = { ...options, rpc: createRpc({ urls: [geth!.url, proxy.url], eip155: 31_337, timeoutMs: 1_000 }) };
    proxy.rewrite = (request) => (request.method === 'eth_estimateGas' ? { result: '0x186a1' } : request);
    await expect(prepareNetwork(both)).rejects.toThrow('has 100000 gas and would need 100001 there');
    proxy.mode = 'stall';
    await expect(prepareNetwork(both)).rejects.toThrow('not every endpoint says whether');
    await expectUntouched();
  } finally {
    await proxy.close();
  }
});

it('Carat pays nothing where the endpoint refuses transactions without a chain id, and names the setting that allows them', async () => {
  await start('osaka', []);
  await expect(prepareNetwork(options)).rejects.toThrow(
    /^alpha lacks the deterministic deployer .* that creates it: only replay-protected .*--rpc\.allow-unprotected-txs/,
  );
  await expectUntouched();
});

it("under Amsterdam's rules 100,000 gas do not suffice, so Carat never sends the transaction", async () => {
  await start('amsterdam', ['--rpc.allow-unprotected-txs']);
  const said = /has 100000 gas and would need \d{6,} there, so it would fail and could never be sent again/;
  await expect(planNetwork(options)).rejects.toThrow(said);
  await expect(prepareNetwork(options)).rejects.toThrow(said);
  await expectUntouched();
});
