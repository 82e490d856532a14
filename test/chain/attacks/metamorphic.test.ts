import { randomUUID } from 'node:crypto';
import { AbiCoder, Interface, concat, getCreate2Address, id, keccak256, type InterfaceAbi } from 'ethers';
import { deployCall } from '../../../chain/deploy/deployer.ts';
import { prepareNetwork } from '../../../chain/deploy/prepare.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { release } from '../../../chain/pure/releases.ts';
import { diamondAddress, platformInitCodes, registryAddress, uuidBytes } from '../../../chain/pure/platform.ts';
import type { Platform } from '../../../domain/platform.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { deployTestToken } from '../../../tools/stack/tokens.ts';
import { compile } from '../../../tools/build/contracts/compile.ts';
import { opcodesOf, facetCreationCode } from '../../../tools/build/contracts/release-manifest.ts';
import { hex } from '../../support/fixtures.ts';
import { accountAt, startAttackedNode, type AttackedNode, type Account, type Receipt } from './node.ts';

/*
 * A contract that destroys itself in the transaction of its creation is deleted at the end of it (EIP-6780), and other
 * code can be put at its address in the next one. With an account that runs code (EIP-7702), the key of an upgrader or
 * of root is enough to do so in between a cut. forge does not apply the deletion, so these tests need a node.
 */

const attackers = compile(new URL('.', import.meta.url).pathname);
const abi = {
  thief: new Interface(attackers.get('Thief').abi as InterfaceAbi),
  weak: new Interface(attackers.get('HashRegistry').abi as InterfaceAbi),
  registry: contracts.registry.interface,
  cut: contracts.cut.interface,
  token: contracts.testToken.interface,
};
const coder = AbiCoder.defaultAbiCoder();
const zero = `0x${'00'.repeat(20)}`;
const noSalt = `0x${'00'.repeat(32)}`;
/** Deploys CALLER SELFDESTRUCT. */
const graveInitCode = '0x6133ff5f526002601ef3';
const DELAY = 172_800;
const AMOUNT = 1_000_000n;
const cutFacet = release.facets.find(({ name }) => name === 'DiamondCutFacet')!;
const cutSelector = abi.cut.getFunction('diamondCut')!.selector;
const dieSelector = id('die(address)').slice(0, 10);
const REPLACE = 1;

const [root, upgrader, guardian, buyer, stranger] = [0, 1, 2, 3, 4].map(accountAt) as [
  Account,
  Account,
  Account,
  Account,
  Account,
];
/** The robber's orders: the tokens to take, and the deal to report as paid. */
const loot = () =>
  coder.encode(
    ['tuple(address,address,address,uint256,uint256,bytes32,address)'],
    [[token, buyer.address, stranger.address, AMOUNT, 77, keccak256('0x01'), hex(20)]],
  );

let node: AttackedNode;
let token: string;
/** Contracts of the attackers. */
let code: { thief: string; yes: string; robber: string; grave: string };
let platform: Platform;

beforeAll(async () => {
  node = await startAttackedNode();
  const { rpc, chain } = node;
  const rootSigner = createKeySigner(root.privateKey);
  token = await deployTestToken(rpc, rootSigner, chain.chainId, { name: 'Six', symbol: 'SIX', decimals: 6 });
  const deploy = (name: string) => node.deploy(stranger, attackers.get(name).bytecode);
  const grave = await node.deploy(stranger, graveInitCode);
  code = { thief: await deploy('Thief'), yes: await deploy('YesRegistry'), robber: await deploy('Robber'), grave };
  platform = await prepare(root.address);
});

afterAll(() => node.chain.stop());

/** A network with a release, whose approvals have a delay from now on. */
const prepare = async (rootAddress: string): Promise<Platform> => {
  const made: Platform = { firstRoot: rootAddress, approvalDelay: BigInt(DELAY), id: hex(32) };
  const { rootCalls } = await prepareNetwork({
    network: {
      name: 'test',
      eip155: node.chain.chainId,
      platform: made,
      root: rootAddress,
      guardian: guardian.address,
      quorum: 1,
      confirmations: 1,
    },
    rpc: node.rpc,
    rootSigner: createKeySigner(root.privateKey),
    operators: [hex(20)],
    upgraders: [upgrader.address],
  });
  // A contract that is root makes the calls of root itself.
  if (rootCalls.length > 0)
    await run(
      rootAddress,
      rootCalls.map(({ to, data }) => [to, data]),
    );
  return made;
};

/** Makes a diamond that the buyer gives an allowance of all that he has. */
const createVictim = async (of: Platform): Promise<string> => {
  const ids: [string, string] = [randomUUID(), randomUUID()];
  const data = abi.registry.encodeFunctionData('createDiamond', ids.map(uuidBytes));
  await succeeds(node.send(stranger, { to: registryAddress(of), data }));
  const diamond = diamondAddress(of, ...ids);
  await fill(diamond);
  return diamond;
};

const fill = async (diamond: string): Promise<void> => {
  await succeeds(node.send(buyer, { to: token, data: abi.token.encodeFunctionData('mint', [buyer.address, AMOUNT]) }));
  await succeeds(node.send(buyer, { to: token, data: abi.token.encodeFunctionData('approve', [diamond, AMOUNT]) }));
};

const succeeds = async (receipt: Promise<Receipt>): Promise<Receipt> => {
  const mined = await receipt;
  expect(mined.status).toBe('0x1');
  return mined;
};

/** A key that its thief lets run the code of an attacker (EIP-7702). */
const delegate = async (account: Account, to: string): Promise<void> => {
  const nonce = Number(await node.rpc.call('eth_getTransactionCount', [account.address, 'latest']));
  const authorization = account.authorizeSync({ address: to, nonce, chainId: node.chain.chainId });
  await succeeds(node.send(stranger, { to: stranger.address, authorizationList: [authorization] }));
};

type Call = readonly [to: string, data: string];

const runData = (calls: readonly Call[]) =>
  abi.thief.encodeFunctionData('run', [calls.map(([to]) => to), calls.map(([, data]) => data)]);
/** Calls of an account that runs the thief's code, all in one transaction. */
const run = (account: string, calls: readonly Call[]) => node.send(stranger, { to: account, data: runData(calls) });
const refusal = async (account: string, calls: readonly Call[]) =>
  node.revertOf(stranger, { to: account, data: runData(calls) });

const copyAddress = async (account: string, salt: string): Promise<string> => {
  const data = abi.thief.encodeFunctionData('copyAddress', [salt]);
  const answer = await node.rpc.call('eth_call', [{ to: account, data }, 'latest']);
  return String(coder.decode(['address'], answer as string)[0]).toLowerCase();
};
const copy = (account: string, salt: string, like: string, grave = zero): Call => [
  account,
  abi.thief.encodeFunctionData('copy', [salt, like, code.yes, grave]),
];
const cutTo = (diamond: string, facet: string, init = zero): Call => [
  diamond,
  abi.cut.encodeFunctionData('diamondCut', [facet === zero ? [] : [[facet, REPLACE, [cutSelector]]], init, '0x']),
];
const propose = (to: string, facet: string, codeHash: string): Call => [
  to,
  abi.registry.encodeFunctionData('approveFacets', [[[facet, codeHash, noSalt]]]),
];

/** Puts the robber where a copy was, and has it called through the diamond. */
const rob = async (account: string, salt: string, diamond: string): Promise<Receipt> => {
  await run(account, [copy(account, salt, code.robber)]);
  return callRobber(diamond);
};
const callRobber = (diamond: string): Promise<Receipt> =>
  node.send(stranger, { to: diamond, data: abi.cut.encodeFunctionData('diamondCut', [[], zero, loot()]) });

const servedBy = async (diamond: string): Promise<string> => {
  const data = contracts.loupe.interface.encodeFunctionData('facetAddress', [cutSelector]);
  const answer = await node.rpc.call('eth_call', [{ to: diamond, data }, 'latest']);
  return String(coder.decode(['address'], answer as string)[0]).toLowerCase();
};
const allowance = async (diamond: string): Promise<bigint> => {
  const data = abi.token.encodeFunctionData('allowance', [buyer.address, diamond]);
  return BigInt((await node.rpc.call('eth_call', [{ to: token, data }, 'latest'])) as string);
};

const expectUntouched = async (diamond: string): Promise<void> => {
  const state = { facet: await servedBy(diamond), allowance: await allowance(diamond) };
  expect(state).toEqual({ facet: cutFacet.address, allowance: AMOUNT });
};

/** A facet at the address that follows from its code, with the calls that create and destroy it. */
const mortal = (): { facet: string; codeHash: string; made: Call; dies: Call } => {
  const runtimeCode = concat([attackers.get('MortalFacet').runtimeCode, hex(32)]);
  const initCode = facetCreationCode(runtimeCode);
  const facet = getCreate2Address(release.deployer, noSalt, keccak256(initCode)).toLowerCase();
  return {
    facet,
    codeHash: keccak256(runtimeCode),
    made: [release.deployer, concat([noSalt, initCode])],
    dies: [facet, concat([dieSelector, coder.encode(['address'], [code.grave])])],
  };
};

const notApproved = (facet: string, codeHash: string) =>
  abi.cut.encodeErrorResult('FacetNotApproved', [facet, codeHash]);

describe('the node', () => {
  it('deletes a contract that destroys itself in the transaction of its creation, and accepts other code in its place', async () => {
    const salt = hex(32);
    const at = await copyAddress(code.thief, salt);
    await succeeds(run(code.thief, [copy(code.thief, salt, cutFacet.address, code.grave)]));
    expect(await node.codeOf(at)).toBe('0x');
    await succeeds(run(code.thief, [copy(code.thief, salt, code.robber)]));
    expect(keccak256(await node.codeOf(at))).toBe(keccak256(attackers.get('Robber').runtimeCode));
  });

  it('keeps a contract that destroys itself later', async () => {
    const salt = hex(32);
    await succeeds(run(code.thief, [copy(code.thief, salt, cutFacet.address)]));
    expect(keccak256(await node.codeOf(await copyAddress(code.thief, salt)))).toBe(cutFacet.runtimeCodeHash);
    expect(await refusal(code.thief, [copy(code.thief, salt, code.robber)])).not.toBeNull();
  });
});

describe("the thief of an upgrader's key", () => {
  beforeAll(() => delegate(upgrader, code.thief));

  it('takes everything where facets are known by their code hash alone', async () => {
    const facets = release.facets.map(({ address }) => address);
    const weak = await node.deploy(
      stranger,
      attackers.get('HashRegistry').bytecode,
      ['address', 'address[]'],
      [upgrader.address, facets],
    );
    const create = abi.weak.encodeFunctionData('create', [contracts.diamond.bytecode]);
    const answer = await node.rpc.call('eth_call', [{ to: weak, data: create }, 'latest']);
    const diamond = String(coder.decode(['address'], answer as string)[0]).toLowerCase();
    await succeeds(node.send(stranger, { to: weak, data: create }));
    await fill(diamond);
    const salt = hex(32);
    const facet = await copyAddress(upgrader.address, salt);
    const dying = copy(upgrader.address, salt, cutFacet.address, code.grave);
    await succeeds(run(upgrader.address, [dying, cutTo(diamond, facet)]));
    expect(await servedBy(diamond)).toBe(facet);
    const { logs } = await succeeds(rob(upgrader.address, salt, diamond));
    expect(await allowance(diamond)).toBe(0n);
    const forged = logs.filter(({ address }) => address === diamond);
    expect(forged.map((log) => contracts.deal.interface.parseLog(log)?.name)).toEqual(['DealPaid']);
  });

  it('cannot cut to a copy of an approved facet', async () => {
    const diamond = await createVictim(platform);
    const salt = hex(32);
    const facet = await copyAddress(upgrader.address, salt);
    for (const grave of [zero, code.grave]) {
      const calls = [copy(upgrader.address, salt, cutFacet.address, grave), cutTo(diamond, facet)];
      expect(await refusal(upgrader.address, calls)).toBe(notApproved(facet, cutFacet.runtimeCodeHash));
      expect((await run(upgrader.address, calls)).status).toBe('0x0');
    }
    await rob(upgrader.address, salt, diamond);
    await expectUntouched(diamond);
  });

  it('cannot make a facet run other code by a cut, in a diamond or in a copy that obeys him', async () => {
    const diamond = await createVictim(platform);
    const salt = hex(32);
    const facet = await copyAddress(upgrader.address, salt);
    await succeeds(run(upgrader.address, [copy(upgrader.address, salt, cutFacet.address)]));
    const refused = abi.cut.encodeErrorResult('InitRefused', [code.grave]);
    for (const at of [diamond, facet]) {
      expect(await refusal(upgrader.address, [cutTo(at, zero, code.grave)])).toBe(refused);
      expect((await run(upgrader.address, [cutTo(at, zero, code.grave)])).status).toBe('0x0');
    }
    expect(keccak256(await node.codeOf(facet))).toBe(cutFacet.runtimeCodeHash);
    await expectUntouched(diamond);
  });
});

describe('a facet', () => {
  it('in its released form can neither run other code nor destroy itself', async () => {
    const [CALLCODE, DELEGATECALL, SELFDESTRUCT] = [0xf2, 0xf4, 0xff];
    const dangerous = (runtimeCode: string) =>
      [CALLCODE, DELEGATECALL, SELFDESTRUCT].filter((opcode) => opcodesOf(runtimeCode).has(opcode));
    for (const { address } of release.facets) expect(dangerous(await node.codeOf(address))).toEqual([]);
    expect(dangerous(attackers.get('MortalFacet').runtimeCode)).toEqual([DELEGATECALL]);
    expect(dangerous(await node.codeOf(code.grave))).toEqual([SELFDESTRUCT]);
  });
});

describe.each(['a contract', 'an account that runs code'])('root that is %s', (kind) => {
  let own: Platform;
  let account: string;

  beforeAll(async () => {
    account = kind === 'a contract' ? await node.deploy(stranger, attackers.get('Thief').bytecode) : root.address;
    own = await prepare(account);
    if (account === root.address) await delegate(root, code.thief);
  });

  const proposing = (facet: string, codeHash: string): Call => propose(registryAddress(own), facet, codeHash);

  it('cannot propose a copy while it exists, and so neither release nor use it', async () => {
    const diamond = await createVictim(own);
    const salt = hex(32);
    const facet = await copyAddress(account, salt);
    const made = copy(account, salt, cutFacet.address, code.grave);
    const proposed = proposing(facet, cutFacet.runtimeCodeHash);
    const facets = release.facets.map(({ address }) => (address === cutFacet.address ? facet : address));
    const released: Call = [registryAddress(own), abi.registry.encodeFunctionData('setRelease', ['2.0.0', facets])];
    const elsewhere = abi.registry.encodeErrorResult('FacetAddressMismatch', [facet, cutFacet.address]);
    const unapproved = notApproved(facet, cutFacet.runtimeCodeHash);
    const attempts: [calls: Call[], reason: string][] = [
      [[made, proposed, cutTo(diamond, facet)], elsewhere],
      [[made, proposed, released], elsewhere],
      [[made, cutTo(diamond, facet)], unapproved],
      [[made, released], unapproved],
    ];
    for (const [calls, reason] of attempts) {
      expect(await refusal(account, calls)).toBe(reason);
      expect((await run(account, calls)).status).toBe('0x0');
    }
    await rob(account, salt, diamond);
    await expectUntouched(diamond);
  });

  it('cannot propose the code of an absent facet, to have it there for one transaction', async () => {
    const diamond = await createVictim(own);
    const salt = hex(32);
    const facet = await copyAddress(account, salt);
    const proposed = proposing(facet, cutFacet.runtimeCodeHash);
    expect(await refusal(account, [proposed])).toBe(
      abi.registry.encodeErrorResult('FacetCodeMismatch', [facet, cutFacet.runtimeCodeHash, noSalt]),
    );
    await run(account, [proposed]);
    await node.pass(DELAY);
    await run(account, [copy(account, salt, cutFacet.address, code.grave), cutTo(diamond, facet)]);
    await rob(account, salt, diamond);
    await expectUntouched(diamond);
  });

  it('cannot put a delegation in the place of a facet and point it elsewhere later', async () => {
    const diamond = await createVictim(own);
    const facet = accountAt(kind === 'a contract' ? 10 : 11);
    await delegate(facet, cutFacet.address);
    const delegation = concat(['0xef0100', cutFacet.address]);
    const proposed = proposing(facet.address, keccak256(delegation));
    const expected = getCreate2Address(release.deployer, noSalt, keccak256(facetCreationCode(delegation)));
    expect(await refusal(account, [proposed])).toBe(
      abi.registry.encodeErrorResult('FacetAddressMismatch', [facet.address, expected]),
    );
    await run(account, [proposed]);
    await node.pass(DELAY);
    await run(account, [cutTo(diamond, facet.address)]);
    await delegate(facet, code.robber);
    await callRobber(diamond);
    await expectUntouched(diamond);
  });

  it('can have a facet that dies, but no other code can ever take its place, and nothing new uses it', async () => {
    const [diamond, other] = [await createVictim(own), await createVictim(own)];
    const { facet, codeHash, made, dies } = mortal();
    await succeeds(run(account, [made, proposing(facet, codeHash), dies]));
    expect(await node.codeOf(facet)).toBe('0x');
    await node.pass(DELAY);
    await succeeds(run(account, [made, cutTo(diamond, facet), dies]));
    expect(await node.codeOf(facet)).toBe('0x');
    // The cut facet of this diamond is gone, as everybody could foresee; nothing else has changed.
    await rob(account, hex(32), diamond);
    expect(await servedBy(diamond)).toBe(facet);
    expect(await allowance(diamond)).toBe(AMOUNT);
    expect(await refusal(account, [cutTo(other, facet)])).toBe(notApproved(facet, noSalt));
    await succeeds(run(account, [made]));
    expect(keccak256(await node.codeOf(facet))).toBe(codeHash);
    await expectUntouched(other);
  });

  it('cannot prepare a release that becomes another one, even if the first has no delay', async () => {
    const fresh: Platform = { firstRoot: account, approvalDelay: BigInt(DELAY), id: hex(32) };
    const registry = registryAddress(fresh);
    await succeeds(node.send(stranger, deployCall(platformInitCodes(fresh).registry)));
    const [salt, ...keys] = [hex(32), hex(16), hex(16), hex(16)] as const;
    const others = release.facets.filter((facet) => facet !== cutFacet);
    const call = (name: string, ...args: unknown[]): Call => [registry, abi.registry.encodeFunctionData(name, args)];
    const releasing = (facet: string) => call('setRelease', '1', [facet, ...others.map(({ address }) => address)]);
    const proposed = others.map(({ address, runtimeCodeHash }) => propose(registry, address, runtimeCodeHash));
    const creating = (wallet: string) => call('createDiamond', keys[0], wallet);

    const copied = await copyAddress(account, salt);
    const made = copy(account, salt, cutFacet.address, code.grave);
    const elsewhere = abi.registry.encodeErrorResult('FacetAddressMismatch', [copied, cutFacet.address]);
    expect(
      await refusal(account, [
        made,
        ...proposed,
        propose(registry, copied, cutFacet.runtimeCodeHash),
        releasing(copied),
      ]),
    ).toBe(elsewhere);

    const dying = mortal();
    const release1 = [...proposed, propose(registry, dying.facet, dying.codeHash), releasing(dying.facet)];
    await succeeds(run(account, [dying.made, ...release1, creating(keys[1]), dying.dies]));
    const unusable = abi.registry.encodeErrorResult('ReleaseUnusable');
    expect(await refusal(account, [creating(keys[2])])).toBe(unusable);
    expect(await node.codeOf(dying.facet)).toBe('0x');
  });
});
