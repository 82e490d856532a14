import { randomUUID } from 'node:crypto';
import { getCreate2Address, keccak256 } from 'ethers';
import { deployCall } from '../../../chain/deploy/deployer.ts';
import { prepareNetwork } from '../../../chain/deploy/prepare.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { release } from '../../../chain/pure/releases.ts';
import { offerHash, termsHash } from '../../../chain/pure/deal-encoding.ts';
import { batcherAddress, diamondAddress, registryAddress, uuidBytes } from '../../../chain/pure/platform.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import { views } from '../../../chain/rpc/calls.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';
import { deployTestToken } from '../../../tools/stack/tokens.ts';
import { ZERO_ADDRESS, type DealTerms } from '../../../domain/deal.ts';
import type { Platform } from '../../../domain/platform.ts';
import { compile } from '../../../tools/build/contracts/compile.ts';
import { facetCreationCode } from '../../../tools/build/contracts/release-manifest.ts';
import { hex } from '../../support/fixtures.ts';
import { accountAt, startAttackedNode, type Account, type AttackedNode, type Receipt } from './node.ts';

/** The holders of keys. Root is being handed to `heir`; `stranger` has no role. */
export const keys = {
  root: accountAt(0),
  heir: accountAt(1),
  operator: accountAt(2),
  upgrader: accountAt(3),
  guardian: accountAt(4),
  stranger: accountAt(5),
  buyer: accountAt(6),
  signer: accountAt(7),
} satisfies Record<string, Account>;
export type Key = keyof typeof keys;

export const DELAY = 172_800;
export const AMOUNT = 1_000_000n;

/** The deals of the diamond, by their state. */
export const dealIds = { any: 1n, native: 2n, buyers: 3n, cancelled: 4n, paid: 5n, expired: 6n, unknown: 7n } as const;
export type DealName = keyof typeof dealIds;

/** A network in use: its contracts, a diamond with deals of every kind, and money that is worth stealing. */
export interface World {
  readonly node: AttackedNode;
  readonly platform: Platform;
  readonly registry: string;
  readonly batcher: string;
  readonly diamond: string;
  readonly token: string;
  readonly payee: string;
  readonly terms: Readonly<Record<DealName, DealTerms>>;
  /** Facets of a later release, with the hash of their code. */
  readonly later: Readonly<Record<'approved' | 'proposed' | 'revoked' | 'unknown', Facet>>;
  /** All that the contracts keep and own, as their own functions tell it. */
  state(): Promise<Record<string, unknown>>;
  termsHash(terms: DealTerms): string;
  offerHash(terms: DealTerms, validUntil: bigint): string;
}

interface Facet {
  readonly address: string;
  readonly codeHash: string;
}

const attackers = compile(new URL('.', import.meta.url).pathname);
const {
  registry: registryAbi,
  deal: dealAbi,
  token: tokenAbi,
} = {
  registry: contracts.registry.interface,
  deal: contracts.deal.interface,
  token: contracts.testToken.interface,
};

export const createWorld = async (): Promise<World> => {
  const node = await startAttackedNode();
  const { rpc, chain } = node;
  const eip155 = chain.chainId;
  const rootSigner = createKeySigner(keys.root.privateKey);
  const platform: Platform = { firstRoot: keys.root.address, approvalDelay: BigInt(DELAY), id: hex(32) };
  const settings = { name: 'test', eip155, platform, quorum: 1, confirmations: 1 };
  await prepareNetwork({
    network: { ...settings, root: keys.root.address, guardian: keys.guardian.address },
    rpc,
    rootSigner,
    operators: [keys.operator.address],
    upgraders: [keys.upgrader.address],
  });
  const token = await deployTestToken(rpc, rootSigner, eip155, { name: 'Six', symbol: 'SIX', decimals: 6 });
  const [registry, batcher] = [registryAddress(platform), batcherAddress(platform)];
  const ids: [string, string] = [randomUUID(), randomUUID()];
  const diamond = diamondAddress(platform, ...ids);
  const payee = hex(20);

  const must = async (receipt: Promise<Receipt>): Promise<void> => {
    if (Number((await receipt).status) !== 1) throw new Error('the world is not as it should be');
  };
  const asRoot = (name: string, args: readonly unknown[]) =>
    must(node.send(keys.root, { to: registry, data: registryAbi.encodeFunctionData(name, args) }));

  await must(
    node.send(keys.stranger, {
      to: registry,
      data: registryAbi.encodeFunctionData('createDiamond', ids.map(uuidBytes)),
    }),
  );
  const later = {
    approved: await deployFacet(node, 'ApprovedFacet'),
    proposed: await deployFacet(node, 'ProposedFacet'),
    revoked: await deployFacet(node, 'RevokedFacet'),
    unknown: await deployFacet(node, 'UnknownFacet'),
  };
  await asRoot('approveFacets', [[proposalOf(later.approved), proposalOf(later.revoked)]]);
  await node.pass(DELAY);
  await asRoot('revokeFacet', [later.revoked.address, later.revoked.codeHash]);
  await asRoot('approveFacets', [[proposalOf(later.proposed)]]);
  await asRoot('setRole', [roleIds.signer, keys.signer.address, true]);
  await asRoot('transferRoot', [keys.heir.address]);

  const terms = await dealsOf(node, token, payee);
  const hashOf = (own: DealTerms) => termsHash(eip155, diamond, own);
  const known = Object.entries(terms)
    .filter(([name]) => name !== 'unknown')
    .map(([, own]) => own);
  const created = known.map((own) => [own.dealId, hashOf(own)]);
  const operate = (data: string) => must(node.send(keys.operator, { to: diamond, data }));
  await operate(dealAbi.encodeFunctionData('createDeals', [created]));
  await operate(dealAbi.encodeFunctionData('cancelDeals', [[dealIds.cancelled]]));
  for (const account of Object.values(keys)) {
    await must(
      node.send(account, { to: token, data: tokenAbi.encodeFunctionData('mint', [account.address, AMOUNT * 10n]) }),
    );
    await must(
      node.send(account, { to: token, data: tokenAbi.encodeFunctionData('approve', [diamond, AMOUNT * 10n]) }),
    );
  }
  await must(
    node.send(keys.buyer, { to: diamond, data: dealAbi.encodeFunctionData('payToken', [dealTuple(terms.paid)]) }),
  );
  // Tokens that strangers sent to the diamond by mistake.
  await must(node.send(keys.stranger, { to: token, data: tokenAbi.encodeFunctionData('mint', [diamond, AMOUNT]) }));
  await rpc.call('anvil_setBalance', [diamond, '0xde0b6b3a7640000']);
  // The deal that expires has done so; all others are good for a year.
  await node.pass(60);

  return {
    node,
    platform,
    registry,
    batcher,
    diamond,
    token,
    payee,
    terms,
    later,
    termsHash: hashOf,
    offerHash: (own, validUntil) => offerHash(eip155, diamond, own, validUntil),
    state: () => readState(node, { registry, batcher, diamond, token, payee, later }),
  };
};

/** A deal as the functions that pay take it. */
export const dealTuple = ({ dealId, token, payee, payer, amount, expiresAt }: DealTerms) =>
  [dealId, token, payee, payer, amount, expiresAt] as const;

const dealsOf = async (node: AttackedNode, token: string, payee: string): Promise<World['terms']> => {
  const { timestamp } = (await node.rpc.call('eth_getBlockByNumber', ['latest', false])) as { timestamp: string };
  const now = BigInt(timestamp);
  const deal = (name: DealName, more: Partial<DealTerms> = {}): DealTerms => ({
    dealId: dealIds[name],
    token,
    payee,
    payer: ZERO_ADDRESS,
    amount: AMOUNT,
    expiresAt: now + 31_536_000n,
    ...more,
  });
  return {
    any: deal('any'),
    native: deal('native', { token: ZERO_ADDRESS }),
    buyers: deal('buyers', { payer: keys.buyer.address.toLowerCase() }),
    cancelled: deal('cancelled'),
    paid: deal('paid'),
    expired: deal('expired', { expiresAt: now + 60n }),
    unknown: deal('unknown'),
  };
};

/** A facet as `approveFacets` takes it. */
export const proposalOf = ({ address, codeHash }: Facet) => [address, codeHash, release.salt] as const;

const deployFacet = async (node: AttackedNode, name: string): Promise<Facet> => {
  const { runtimeCode } = attackers.get(name);
  const initCode = facetCreationCode(runtimeCode);
  await node.send(keys.stranger, deployCall(initCode));
  const address = getCreate2Address(release.deployer, release.salt, keccak256(initCode)).toLowerCase();
  return { address, codeHash: keccak256(runtimeCode) };
};

type Place = Pick<World, 'registry' | 'batcher' | 'diamond' | 'token' | 'payee' | 'later'>;

const readState = async (node: AttackedNode, place: Place): Promise<Record<string, unknown>> => {
  const { registry, batcher, diamond, token, payee, later } = place;
  const ask = (name: string, ...args: unknown[]) => ({ to: registry, interface: registryAbi, name, args });
  const askToken = (name: string, ...args: unknown[]) => ({ to: token, interface: tokenAbi, name, args });
  const everyone = [...Object.values(keys).map(({ address }) => address), batcher, diamond];
  const roles = everyone.flatMap((account) => Object.values(roleIds).map((role) => ask('roleState', role, account)));
  const facets = [
    ...release.facets.map(({ address, runtimeCodeHash }) => [address, runtimeCodeHash]),
    ...Object.values(later).map(({ address, codeHash }) => [address, codeHash]),
  ];
  const [owner, table, words, purses, enabled, approvals] = await Promise.all([
    views(
      node.rpc,
      ['root', 'pendingRoot', 'paused', 'release'].map((name) => ask(name)),
    ),
    views(node.rpc, [{ to: diamond, interface: contracts.loupe.interface, name: 'facets' }]),
    views(node.rpc, [{ to: diamond, interface: dealAbi, name: 'dealWords', args: [Object.values(dealIds)] }]),
    views(node.rpc, [
      ...[keys.buyer.address, diamond, payee].map((account) => askToken('balanceOf', account)),
      askToken('allowance', keys.buyer.address, diamond),
    ]),
    views(node.rpc, roles),
    views(
      node.rpc,
      facets.map((pair) => ask('approval', ...pair)),
    ),
  ]);
  const coins = await Promise.all(
    [keys.buyer.address, diamond, payee].map((account) => node.rpc.call('eth_getBalance', [account, 'latest'])),
  );
  const [rootNow, pendingRoot, paused, current] = owner;
  return {
    root: rootNow,
    pendingRoot,
    paused,
    release: current,
    table,
    words,
    roles: enabled.map((state) => (state as [boolean])[0]),
    approvals,
    // Of the buyer and of the diamond, which only the buyer may change, and of the payee.
    purses: [purses[0], purses[1], purses[3], coins[0], coins[1]],
    earned: [purses[2], coins[2]],
  };
};
