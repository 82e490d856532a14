import { randomUUID } from 'node:crypto';
import { FunctionFragment, Interface, keccak256, type ParamType } from 'ethers';
import { contracts } from '../../../chain/pure/contracts.ts';
import { release } from '../../../chain/pure/releases.ts';
import { diamondAddress, uuidBytes } from '../../../chain/pure/platform.ts';
import { judgeBatcher, judgeDiamond, judgeRegistry, type Attempt, type Judgement } from './judgement.ts';
import { createWorld, keys, type Key, type World } from './world.ts';

/*
 * Each key in the hands of a thief, who tries every function of every contract with good arguments. The functions come
 * from the ABI, so a new one fails here until it is judged.
 */

interface Target {
  readonly address: string;
  readonly abi: Interface;
  readonly judgement: Judgement;
  /** Facets at their own addresses do nothing for anybody. */
  readonly dead?: boolean;
}

let world: World;
let targets: Record<string, Target>;

const facetAbis = [contracts.cut, contracts.loupe, contracts.deal, contracts.offer];

beforeAll(async () => {
  world = await createWorld();
  const { registry, batcher, diamond, node } = world;
  const facets = contracts.loupe.interface.encodeFunctionData('facets', []);
  const loupe = (await node.rpc.call('eth_call', [{ to: diamond, data: facets }, 'latest'])) as string;
  const judgement = judgeDiamond(world, keccak256(loupe));
  const served = release.facets.flatMap(({ selectors }) => selectors);
  const all = new Interface(facetAbis.flatMap(({ abi }) => functionsOf(new Interface(abi as never))));
  targets = {
    registry: { address: registry, abi: contracts.registry.interface, judgement: judgeRegistry(world) },
    batcher: { address: batcher, abi: contracts.batcher.interface, judgement: judgeBatcher(world) },
    diamond: {
      address: diamond,
      abi: new Interface(functionsOf(all).filter(({ selector }) => served.includes(selector))),
      judgement,
    },
    ...Object.fromEntries(
      facetAbis.map(({ name, interface: abi }) => {
        const writes = functionsOf(abi)
          .filter(isWrite)
          .map((own) => own.format());
        const own = Object.entries(judgement).filter(([signature]) => writes.includes(signature));
        const { address } = release.facets.find((facet) => facet.name === name)!;
        return [name, { address, abi, judgement: Object.fromEntries(own), dead: true }];
      }),
    ),
  };
});

afterAll(() => world.node.chain.stop());

const functionsOf = (abi: Interface): FunctionFragment[] => abi.fragments.filter(FunctionFragment.isFragment);
const isWrite = ({ stateMutability }: FunctionFragment): boolean =>
  stateMutability !== 'view' && stateMutability !== 'pure';

/** The name of the error that a call reverts with; empty where it gives no reason. */
const nameOf = (data: string): string => {
  if (data === '0x') return '';
  const found = [...facetAbis, contracts.registry, contracts.batcher, contracts.diamond]
    .map(({ interface: abi }) => abi.parseError(data))
    .find((error) => error !== null);
  return found?.name ?? data;
};

/** Accounts that a transaction changed, its sender and the payee of the fee aside. */
const changedBy = async (hash: string, sender: string): Promise<string[]> => {
  const options = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
  const [diff, block] = (await Promise.all([
    world.node.rpc.call('debug_traceTransaction', [hash, options]),
    world.node.rpc.call('eth_getBlockByNumber', ['latest', false]),
  ])) as [{ pre: object; post: object }, { miner: string }];
  const usual = [sender.toLowerCase(), block.miner.toLowerCase()];
  return Object.keys({ ...diff.pre, ...diff.post }).filter((account) => !usual.includes(account.toLowerCase()));
};

/** Sends a call, returns its outcome, and reverts the chain. */
const outcomeOf = async (key: Key, to: string, data: string, value = 0n): Promise<string> => {
  const { node, state } = world;
  const from = keys[key];
  const reason = await node.revertOf(from, { to, data, value });
  const snapshot = await node.rpc.call('evm_snapshot');
  const before = reason === null ? await state() : {};
  const { status } = await node.send(from, { to, data, value });
  if ((Number(status) === 1) !== (reason === null)) return 'the call and the transaction differ';
  if (reason !== null) return nameOf(reason);
  const after = await state();
  const changes = Object.keys(after).filter((part) => asText(after[part]) !== asText(before[part]));
  await node.rpc.call('evm_revert', [snapshot]);
  return `done: ${changes.join()}`;
};

const asText = (value: unknown): string =>
  JSON.stringify(value, (_, own: unknown) => (typeof own === 'bigint' ? String(own) : own));

const dataOf = async ({ abi }: Target, signature: string, { args }: Attempt, key: Key): Promise<string> =>
  abi.encodeFunctionData(signature, typeof args === 'function' ? await args(keys[key]) : args);

const errorOf = ({ error }: Attempt, key: Key): string =>
  typeof error === 'string' ? error : (error[key] ?? error.others);

/** Every attempt at a contract by a key: how it should end, and how it did. */
const tryAll = async (key: Key, target: Target, only: (attempt: Attempt) => boolean = () => true) => {
  const [should, did]: Record<string, string>[] = [{}, {}];
  for (const [signature, attempts] of Object.entries(target.judgement)) {
    for (const attempt of attempts.filter(only)) {
      const title = `${signature}: ${attempt.what}`;
      const allowed = attempt.may.includes(key);
      should![title] = target.dead ? 'refused' : allowed ? `done: ${attempt.changes.join()}` : errorOf(attempt, key);
      const outcome = await outcomeOf(
        key,
        target.address,
        await dataOf(target, signature, attempt, key),
        attempt.value,
      );
      did![title] = target.dead && !outcome.startsWith('done') ? 'refused' : outcome;
    }
  }
  return { should, did };
};

/** Some value of each type. */
const someValue = (type: ParamType): unknown => {
  if (type.isArray()) return [someValue(type.arrayChildren)];
  if (type.isTuple()) return type.components.map(someValue);
  if (type.type === 'address') return world.token;
  if (type.type === 'bytes') return '0x';
  const bytes = /^bytes(\d+)$/.exec(type.type);
  if (bytes) return `0x${'01'.repeat(Number(bytes[1]))}`;
  return type.type === 'string' ? '' : 1;
};

const names = ['registry', 'batcher', 'diamond', 'DiamondCutFacet', 'DiamondLoupeFacet', 'DealFacet', 'OfferFacet'];

describe('every function', () => {
  it.each(names)('of %s is a read or has a judgement', (name) => {
    const { abi, judgement } = targets[name]!;
    const writes = functionsOf(abi)
      .filter(isWrite)
      .map((own) => own.format());
    expect(Object.keys(judgement).toSorted()).toEqual(writes.toSorted());
  });

  it("of the facets is served by the diamond, except a facet's description of itself", () => {
    const all = facetAbis.flatMap(({ interface: abi }) => functionsOf(abi).map((own) => own.format()));
    const served = functionsOf(targets.diamond!.abi).map((own) => own.format());
    expect([...new Set(all)].filter((own) => !served.includes(own)).toSorted()).toEqual([
      'exportSelectors()',
      'facetName()',
      'facetVersion()',
    ]);
  });

  it.each(names)('of %s that is a read changes nothing when it is sent as a transaction', async (name) => {
    const { abi, address } = targets[name]!;
    for (const read of functionsOf(abi).filter((own) => !isWrite(own))) {
      const data = abi.encodeFunctionData(read, read.inputs.map(someValue));
      const receipt = await world.node.send(keys.stranger, { to: address, data });
      expect([read.format(), await changedBy(receipt.transactionHash, keys.stranger.address)]).toEqual([
        read.format(),
        [],
      ]);
    }
  });

  it('that is a write is seen to change state by the same means', async () => {
    const { node, token } = world;
    const data = contracts.testToken.interface.encodeFunctionData('mint', [keys.stranger.address, 1]);
    const { transactionHash } = await node.send(keys.stranger, { to: token, data });
    expect(await changedBy(transactionHash, keys.stranger.address)).toEqual([token]);
  });

  it.each(['registry', 'batcher', 'diamond'])('of %s works for the keys that may call it', async (name) => {
    for (const key of Object.keys(keys) as Key[]) {
      const { should, did } = await tryAll(key, targets[name]!, (attempt) => attempt.may[0] === key);
      expect(did).toEqual(should);
    }
  });
});

describe.each(['operator', 'upgrader', 'guardian', 'signer', 'stranger'] as const)(
  "the thief of the %s's key",
  (key) => {
    it.each(names)('can do with %s what the role may, and nothing else', async (name) => {
      const before = await world.state();
      const { should, did } = await tryAll(key, targets[name]!);
      expect(did).toEqual(should);
      expect(await world.state()).toEqual(before);
    });

    it('can have a diamond made at the address of its node and wallet, and nowhere else', async () => {
      const { node, platform, registry } = world;
      const ids: [string, string] = [randomUUID(), randomUUID()];
      const data = contracts.registry.interface.encodeFunctionData('createDiamond', ids.map(uuidBytes));
      const { transactionHash } = await node.send(keys[key], { to: registry, data });
      const made = diamondAddress(platform, ...ids);
      expect((await changedBy(transactionHash, keys[key].address)).toSorted()).toEqual([made, registry].toSorted());
      expect(keccak256(await node.codeOf(made))).toBe(release.diamondRuntimeCodeHash);
    });

    it('cannot call a function that no facet serves, or leave coins', async () => {
      const { diamond, registry, batcher } = world;
      expect(await outcomeOf(key, diamond, '0xc7cc4ee9')).toBe('FunctionNotFound');
      expect(await outcomeOf(key, diamond, '0x', 1n)).toBe('NativeRefused');
      const paid = contracts.deal.interface.encodeFunctionData('cancelDeals', [[1]]);
      expect(await outcomeOf(key, diamond, paid, 1n)).toBe('');
      for (const address of [registry, batcher]) {
        expect(await outcomeOf(key, address, '0x', 1n)).toBe('');
        expect(await outcomeOf(key, address, '0xc7cc4ee9')).toBe('');
      }
    });
  },
);
