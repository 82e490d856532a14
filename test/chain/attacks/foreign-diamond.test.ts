import { keccak256 } from 'ethers';
import { createDeployer } from '../../../chain/deploy/deployer.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { release } from '../../../chain/pure/releases.ts';
import { views } from '../../../chain/rpc/calls.ts';
import type { Deployer } from '../../../domain/ports/deployment.ts';
import { faultOf } from '../../../domain/version-check.ts';
import { compile } from '../../../tools/build/contracts/compile.ts';
import { createWorld, keys, type World } from './world.ts';

const attackers = compile(new URL('.', import.meta.url).pathname);
const HIDDEN = '0xc7cc4ee9';

let world: World;
let deployer: Deployer;

beforeAll(async () => {
  world = await createWorld();
  const { node, platform } = world;
  const settings = { platform, root: keys.root.address, guardian: keys.guardian.address };
  deployer = createDeployer({
    network: { name: 'test', eip155: 31337, confirmations: 1, quorum: 1, ...settings },
    rpc: node.rpc,
  });
});

afterAll(() => world.node.chain.stop());

/** Within reach are all nodes. */
const anybody = () => Promise.resolve(true);

const facetsOf = async (diamond: string): Promise<unknown> =>
  (await views(world.node.rpc, [{ to: diamond, interface: contracts.loupe.interface, name: 'facets' }]))[0];

it.each(['our own', 'a foreign'])(
  'a diamond with a hidden function, and with %s registry, is refused',
  async (whose) => {
    const { node, diamond, later, registry } = world;
    const fake = await node.deploy(keys.stranger, attackers.get('YesRegistry').bytecode);
    const named = whose === 'our own' ? registry : fake;
    const foreign = await node.deploy(
      keys.stranger,
      attackers.get('ForeignDiamond').bytecode,
      ['address', 'address', 'address[]', 'bytes4', 'address'],
      [diamond, named, release.facets.map(({ address }) => address), HIDDEN, later.unknown.address],
    );
    // From outside it is a diamond of this release in everything.
    expect(keccak256(await node.codeOf(foreign))).toBe(release.diamondRuntimeCodeHash);
    expect(await facetsOf(foreign)).toEqual(await facetsOf(diamond));
    const [told] = await views(node.rpc, [{ to: foreign, interface: contracts.deal.interface, name: 'registry' }]);
    expect(String(told).toLowerCase()).toBe(named);
    expect(await node.rpc.call('eth_call', [{ to: foreign, data: HIDDEN }, 'latest'])).toBe(`0x${'0'.repeat(63)}4`);

    expect(await deployer.refuseAdoption(diamond, anybody)).toBeNull();
    expect(await deployer.refuseAdoption(foreign, anybody)).toMatchObject({ code: 'not_our_diamond' });
    expect(faultOf(await deployer.inspect(diamond))).toBeNull();
    expect(faultOf(await deployer.inspect(foreign))).toMatchObject({ code: 'not_our_diamond' });
  },
);
