import { HDNodeWallet } from 'ethers';
import { readBatchers, type CountOpen } from '../../../chain/deploy/batchers.ts';
import { createDeployer } from '../../../chain/deploy/deployer.ts';
import { missingOf, planNetwork, prepareNetwork, type PrepareOptions } from '../../../chain/deploy/prepare.ts';
import { setRoleCall } from '../../../chain/deploy/registry.ts';
import { withoutRole } from '../../../chain/deploy/roles.ts';
import { sendCalls } from '../../../chain/deploy/send-calls.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { batcherAddress, batchersOf, registryAddress } from '../../../chain/pure/platform.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import { createRpc, type Rpc } from '../../../chain/rpc/rpc.ts';
import { createKeySigner, type Signer } from '../../../chain/signing/signer.ts';
import { devMnemonic, type Chain } from '../../../tools/stack/chain.ts';
import type { WatchedNetwork } from '../../../domain/ports/watcher.ts';
import { startTestChain } from '../../support/chain.ts';
import { hex } from '../../support/fixtures.ts';
import { firstBatcher, prepareAsBefore } from '../support/old-batcher.ts';
import { startProxy } from '../support/proxy.ts';

/** More blocks than the chain makes by itself while a test runs. */
const CONFIRMATIONS = 300;

const signerAt = (index: number): Signer =>
  createKeySigner(HDNodeWallet.fromPhrase(devMnemonic, '', `m/44'/60'/0'/0/${index}`).privateKey);
const [root, operator, upgrader, guardian, stranger] = [0, 1, 2, 3, 4].map(signerAt) as [
  Signer,
  Signer,
  Signer,
  Signer,
  Signer,
];
const keys = { operators: [operator.address], upgraders: [upgrader.address] };

let chain: Chain;
let rpc: Rpc;

beforeAll(async () => {
  chain = await startTestChain();
  rpc = createRpc({ urls: [chain.url], eip155: chain.chainId });
});

afterAll(() => chain.stop());

type Network = PrepareOptions['network'] & Pick<WatchedNetwork, 'quorum' | 'confirmations'>;

/** A registry of its own on the same chain, prepared by the first version. */
const oldNetwork = async () => {
  const network: Network = {
    name: 'old',
    eip155: chain.chainId,
    confirmations: CONFIRMATIONS,
    quorum: 1,
    platform: { firstRoot: root.address, approvalDelay: 0n, id: hex(32) },
    root: root.address,
    guardian: guardian.address,
  };
  const options: PrepareOptions = { network, rpc, rootSigner: root, ...keys };
  await prepareAsBefore(options);
  const [newest, first] = [batcherAddress(network.platform), firstBatcher(network.platform)];
  return { network, options, newest, first, registry: registryAddress(network.platform) };
};
type OldNetwork = Awaited<ReturnType<typeof oldNetwork>>;

const confirm = () => rpc.call('anvil_mine', [`0x${CONFIRMATIONS.toString(16)}`]);

/** Transactions to the first batcher always have this gas, and are simulated at a block in which the newest has its role. */
const counting =
  (open: number | null): CountOpen =>
  async () =>
    open;

const give = async ({ registry }: OldNetwork, account: string, enabled: boolean): Promise<void> => {
  await sendCalls(rpc, root, chain.chainId, [setRoleCall(registry, 'operator', account, enabled)]);
};

/** The calls of a preparation, and its words about the first batcher. */
const planOf = async ({ options }: OldNetwork, countOpen?: CountOpen) => {
  const { contracts: all, rootCalls, olderBatchers } = await planNetwork({ ...options, countOpen });
  return {
    deployments: missingOf(all).map(({ what }) => what),
    rootCalls: rootCalls.map(({ to, data }) => ({ to, data })),
    older: olderBatchers.map(({ address, isThere, isOperator, hold, open }) => ({
      address,
      isThere,
      isOperator,
      hold,
      open,
    })),
  };
};

const roleCall = ({ registry }: OldNetwork, account: string, enabled: boolean) => ({
  to: registry,
  data: contracts.registry.interface.encodeFunctionData('setRole', [roleIds.operator, account, enabled]),
});

const fitness = ({ network }: OldNetwork) => createDeployer({ network, rpc, ...keys }).preflight();
const stuck = ({ network }: OldNetwork) =>
  withoutRole({ network, rpc }, [
    { role: 'operator', account: operator.address },
    { role: 'upgrader', account: upgrader.address },
  ]);

describe('a network with the batcher of an older version', () => {
  it('goes on with it, and a preparation adds the newest alone', async () => {
    const old = await oldNetwork();
    const { first, newest, options } = old;
    expect([await fitness(old), await stuck(old)]).toEqual([null, []]);
    const kept = { address: first, isThere: true, isOperator: true, hold: 'not_replaced', open: 0 };
    expect(await planOf(old, counting(0))).toEqual({
      deployments: [`deploy the batcher at ${newest}`],
      rootCalls: [roleCall(old, newest, true)],
      older: [kept],
    });
    const prepared = await prepareNetwork({ ...options, countOpen: counting(0) });
    expect([prepared.transactions.length, prepared.rootCalls]).toEqual([2, []]);
    // The role of the newest may still be reorganised away.
    expect(await planOf(old, counting(0))).toEqual({ deployments: [], rootCalls: [], older: [kept] });
    expect([await fitness(old), await stuck(old)]).toEqual([null, []]);
  });

  it('keeps it while it is in use, or its use is unknown, and takes its role once afterwards', async () => {
    const old = await oldNetwork();
    const { first, options } = old;
    await prepareNetwork(options);
    await confirm();
    const kept = { address: first, isThere: true, isOperator: true };
    for (const [count, hold, open] of [
      [undefined, 'not_known', 0],
      [counting(null), 'not_known', 0],
      [counting(2), 'in_use', 2],
    ] as const) {
      const nothing = { deployments: [], rootCalls: [], older: [{ ...kept, hold, open }] };
      expect(await planOf(old, count)).toEqual(nothing);
      expect((await prepareNetwork({ ...options, countOpen: count })).transactions).toEqual([]);
    }
    const asked: unknown[] = [];
    const none: CountOpen = async (...question) => (asked.push(question), 0);
    const tip = Number(await rpc.call('eth_blockNumber'));
    expect(await planOf(old, none)).toEqual({
      deployments: [],
      rootCalls: [roleCall(old, first, false)],
      older: [{ ...kept, hold: null, open: 0 }],
    });
    expect(asked).toEqual([[first, expect.any(Number)]]);
    const [[, block]] = asked as [[string, number]];
    expect(block).toBeGreaterThanOrEqual(tip - CONFIRMATIONS + 1);
    expect(block).toBeLessThan(tip);

    const taken = await prepareNetwork({ ...options, countOpen: none });
    expect([taken.transactions.length, taken.rootCalls]).toEqual([1, []]);
    const gone = { address: first, isThere: true, isOperator: false, hold: null, open: 0 };
    for (const count of [none, counting(3), undefined])
      expect(await planOf(old, count)).toEqual({ deployments: [], rootCalls: [], older: [gone] });
    expect((await prepareNetwork({ ...options, countOpen: none })).transactions).toEqual([]);
    expect([await fitness(old), await stuck(old)]).toEqual([null, []]);
  });

  it('leaves both calls to a root that is a multisig, each when it is due', async () => {
    const old = await oldNetwork();
    const { first, newest, options } = old;
    const byAnybody = { ...options, rootSigner: stranger, countOpen: counting(0) };
    const calls = async () => {
      const { transactions, rootCalls } = await prepareNetwork(byAnybody);
      return { sent: transactions.length, left: rootCalls.map(({ to, data }) => ({ to, data })), rootCalls };
    };
    const deployed = await calls();
    expect(deployed).toMatchObject({ sent: 1, left: [roleCall(old, newest, true)] });
    // Deployed and without its role, the newest is of no use yet.
    expect([await fitness(old), await stuck(old)]).toEqual([null, []]);
    await confirm();
    expect(await calls()).toMatchObject({ sent: 0, left: [roleCall(old, newest, true)] });
    await sendCalls(rpc, root, chain.chainId, deployed.rootCalls);
    expect(await calls()).toMatchObject({ sent: 0, left: [] });
    await confirm();
    const last = await calls();
    expect(last).toMatchObject({ sent: 0, left: [roleCall(old, first, false)] });
    expect(last.rootCalls[0]!.what).toBe(`take the role operator from ${first}, an older batcher`);
    await sendCalls(rpc, root, chain.chainId, last.rootCalls);
    expect(await calls()).toMatchObject({ sent: 0, left: [] });
  });

  it('is not fit without a batcher that has both its code and its role', async () => {
    const old = await oldNetwork();
    const { first, newest, network } = old;
    await give(old, first, false);
    const missing = { code: 'role_missing', message: expect.stringContaining(`the batcher ${first} (operator)`) };
    expect(await fitness(old)).toMatchObject(missing);
    expect(await stuck(old)).toEqual([{ role: 'operator', account: operator.address }]);
    // A call of an address without code does nothing and succeeds.
    await give(old, newest, true);
    expect(await fitness(old)).toMatchObject(missing);
    expect(await stuck(old)).toEqual([{ role: 'operator', account: operator.address }]);
    await give(old, first, true);
    await confirm();
    const { olderBatchers } = await planNetwork({ ...old.options, countOpen: counting(0) });
    expect(olderBatchers).toMatchObject([{ address: first, hold: 'not_replaced' }]);
    expect([await fitness(old), await stuck(old)]).toEqual([null, []]);
    await rpc.call('anvil_setCode', [first, '0x']);
    expect(await fitness({ ...old, network })).toMatchObject({ code: 'registry_missing' });
  });

  it('does not count as having the newest because one of three endpoints lies', async () => {
    const old = await oldNetwork();
    const { newest } = old;
    const liar = await startProxy(chain.url);
    // The newest batcher exists, and every requested account has the role.
    const role = `0x${'01'.padStart(64, '0')}${'00'.repeat(32)}`;
    liar.tamper = ({ method, params }, result) => {
      const isOfNewest = JSON.stringify(params ?? null).includes(newest.slice(2));
      if (method === 'eth_getCode' && isOfNewest) return '0x00';
      return method === 'eth_call' && isOfNewest ? role : result;
    };
    const beside = createRpc({ urls: [liar.url, chain.url, chain.url], eip155: chain.chainId });
    const states = await readBatchers({ network: { ...old.network, quorum: 2 }, rpc: beside });
    expect(states.map(({ isThere, isOperator }) => [isThere, isOperator])).toEqual([
      [false, false],
      [true, true],
    ]);
    await liar.close();
  });
});

it('a network prepared anew gets the newest batcher only', async () => {
  const network = {
    name: 'new',
    eip155: chain.chainId,
    quorum: 1,
    confirmations: 1,
    platform: { firstRoot: root.address, approvalDelay: 0n, id: hex(32) },
    root: root.address,
    guardian: guardian.address,
  };
  const { olderBatchers } = await prepareNetwork({ network, rpc, rootSigner: root, ...keys });
  expect(olderBatchers).toEqual([]);
  const codes = await Promise.all(
    batchersOf(network.platform).map(({ address }) => rpc.call('eth_getCode', [address, 'latest'])),
  );
  expect(codes.map((code) => code !== '0x')).toEqual([true, ...codes.slice(1).map(() => false)]);
});
