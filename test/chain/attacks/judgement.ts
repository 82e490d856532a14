import { Signature, SigningKey, hexlify, randomBytes } from 'ethers';
import { contracts } from '../../../chain/pure/contracts.ts';
import { release } from '../../../chain/pure/releases.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import { ZERO_ADDRESS, type DealTerms } from '../../../domain/deal.ts';
import type { Account } from './node.ts';
import { AMOUNT, dealTuple, keys, proposalOf, type DealName, type Key, type World } from './world.ts';

/** One way to call a function, with arguments that are good where the caller has the right. */
export interface Attempt {
  readonly what: string;
  readonly args: readonly unknown[] | ((from: Account) => Promise<readonly unknown[]>);
  readonly value?: bigint;
  /** The keys that suffice. Where it is empty no key does, and the errors say why. */
  readonly may: readonly Key[];
  /** The error for all other keys, by key where the errors differ. */
  readonly error: string | (Partial<Record<Key, string>> & { readonly others: string });
  /** Parts of the world's state that change where it succeeds. */
  readonly changes: readonly string[];
}

/** Attempts at each function that is no read, by its signature. */
export type Judgement = Readonly<Record<string, readonly Attempt[]>>;

const everybody = Object.keys(keys) as Key[];
const random = (bytes: number): string => hexlify(randomBytes(bytes));

/** Allowed to some, refused to the others with the same error. */
const allowed = (
  what: string,
  args: Attempt['args'],
  may: readonly Key[],
  error: string,
  changes: readonly string[] = [],
): Attempt => ({ what, args, may, error, changes });

/** Allowed to nobody. */
const refused = (what: string, args: Attempt['args'], error: Attempt['error']): Attempt => ({
  what,
  args,
  error,
  may: [],
  changes: [],
});

const pairOf = (facet: { readonly address: string; readonly codeHash: string }) => [facet.address, facet.codeHash];
const facets = release.facets.map(({ address }) => address);
const facetOf = (name: string) => release.facets.find((facet) => facet.name === name)!;

const judgeRoles = (): readonly Attempt[] => {
  const has = (account: Key, role: string): boolean => account === role;
  const stop: Key[] = ['root', 'guardian'];
  return [
    ...(['operator', 'upgrader', 'guardian', 'signer', 'stranger', 'root'] as const).flatMap((account) =>
      Object.entries(roleIds).map(([role, id]) =>
        allowed(
          `make ${account} ${role}`,
          [id, keys[account].address, true],
          ['root'],
          'NotRoot',
          has(account, role) ? [] : ['roles'],
        ),
      ),
    ),
    allowed('give a role that no release knows', [random(32), keys.stranger.address, true], ['root'], 'NotRoot'),
    allowed('disable the operator', [roleIds.operator, keys.operator.address, false], stop, 'NotGuardian', ['roles']),
    allowed('disable the upgrader', [roleIds.upgrader, keys.upgrader.address, false], stop, 'NotGuardian', ['roles']),
    allowed('disable the signer', [roleIds.signer, keys.signer.address, false], stop, 'NotGuardian', ['roles']),
    allowed('disable the guardian', [roleIds.guardian, keys.guardian.address, false], ['root'], 'NotRoot', ['roles']),
  ];
};

/** Root rules; a guardian may only stop; anybody may have a diamond made. */
export const judgeRegistry = ({ later }: World): Judgement => {
  const stop: Key[] = ['root', 'guardian'];
  const cut = facetOf('DiamondCutFacet');
  return {
    'acceptRoot()': [allowed('take over', [], ['heir'], 'NotPendingRoot', ['root', 'pendingRoot'])],
    'transferRoot(address)': Object.entries(keys).map(([name, { address }]) =>
      allowed(`to ${name}`, [address], ['root'], 'NotRoot', name === 'heir' ? [] : ['pendingRoot']),
    ),
    'setRole(bytes32,address,bool)': judgeRoles(),
    'setPaused(bool)': [
      allowed('pause', [true], stop, 'NotGuardian', ['paused']),
      allowed('unpause', [false], ['root'], 'NotRoot'),
    ],
    'approveFacets((address,bytes32,bytes32)[])': [
      allowed('a new one', [[proposalOf(later.unknown)]], ['root'], 'NotRoot', ['approvals']),
      allowed('an approved one', [[proposalOf(later.approved)]], ['root'], 'NotRoot'),
      allowed('none', [[]], ['root'], 'NotRoot'),
      refused('the same at another address', [[[random(20), later.unknown.codeHash, release.salt]]], {
        root: 'FacetCodeMismatch',
        others: 'NotRoot',
      }),
      refused('by another salt', [[[later.unknown.address, later.unknown.codeHash, random(32)]]], {
        root: 'FacetAddressMismatch',
        others: 'NotRoot',
      }),
      refused('a revoked one', [[proposalOf(later.revoked)]], { root: 'FacetIsRevoked', others: 'NotRoot' }),
    ],
    'revokeFacet(address,bytes32)': [
      allowed('one of the release', [cut.address, cut.runtimeCodeHash], stop, 'NotGuardian', ['approvals']),
      allowed('a proposed one', pairOf(later.proposed), stop, 'NotGuardian', ['approvals']),
      allowed('a revoked one', pairOf(later.revoked), stop, 'NotGuardian'),
      refused('one that nobody proposed', pairOf(later.unknown), {
        root: 'FacetNotProposed',
        guardian: 'FacetNotProposed',
        others: 'NotGuardian',
      }),
    ],
    'setRelease(string,address[])': [
      allowed('with one more', ['2.0.0', [...facets, later.approved.address]], ['root'], 'NotRoot', ['release']),
      allowed('the same', [release.version, facets], ['root'], 'NotRoot'),
      ...[later.proposed, later.revoked, later.unknown].map(({ address }) =>
        refused(`with ${address}`, ['2.0.0', [...facets, address]], { root: 'FacetNotApproved', others: 'NotRoot' }),
      ),
    ],
    'createDiamond(bytes16,bytes16)': [
      allowed('a new one', [random(16), random(16)], everybody, ''),
      refused('without a wallet', [random(16), `0x${'00'.repeat(16)}`], 'InvalidKey'),
    ],
  };
};

/** Operators create and cancel, with and without the batcher, for any addresses. */
export const judgeBatcher = ({ registry, batcher, diamond, token, termsHash, terms }: World): Judgement => {
  const others = { registry, batcher, token, facet: facetOf('DealFacet').address, account: random(20) };
  const created = [[terms.unknown.dealId, termsHash(terms.unknown)]];
  const may: Key[] = ['operator'];
  const gas = 210_000n;
  return {
    'createDeals((address,uint256,(uint256,bytes32)[])[])': [
      allowed('a new deal', [[[diamond, gas, created]]], may, 'NotOperator', ['words']),
      ...Object.entries(others).map(([what, address]) =>
        allowed(what, [[[address, gas, created]]], may, 'NotOperator'),
      ),
    ],
    'cancelDeals((address,uint256,uint256[])[])': [
      allowed('an open deal', [[[diamond, gas, [terms.any.dealId]]]], may, 'NotOperator', ['words']),
      ...Object.entries(others).map(([what, address]) => allowed(what, [[[address, gas, [1]]]], may, 'NotOperator')),
    ],
  };
};

const judgeDeals = ({ terms, termsHash }: World): Judgement => {
  const may: Key[] = ['operator'];
  const create = (what: string, own: DealTerms, changes: string[] = []) =>
    allowed(what, [[[own.dealId, termsHash(own)]]], may, 'NotOperator', changes);
  const cancel = (name: DealName, changes: string[] = []) =>
    allowed(`one that is ${name}`, [[terms[name].dealId]], may, 'NotOperator', changes);
  return {
    'createDeals((uint256,bytes32)[])': [
      create('a new deal', terms.unknown, ['words']),
      create('a deal that is there', terms.any),
      ...(['any', 'paid', 'cancelled'] as const).map((name) =>
        create(`${name} with other terms`, { ...terms[name], payee: keys.operator.address.toLowerCase() }),
      ),
    ],
    'cancelDeals(uint256[])': [
      cancel('any', ['words']),
      cancel('unknown', ['words']),
      cancel('paid'),
      cancel('cancelled'),
    ],
    'sweep(address,address)': [ZERO_ADDRESS, terms.any.token].map((token) =>
      allowed(`all of ${token}`, [token, keys.root.address], ['root'], 'NotRoot', ['purses']),
    ),
  };
};

/** A signature by which a token lets the diamond take the amount (EIP-2612). */
const permitOf = async ({ diamond, terms, node }: World, from: Account): Promise<readonly unknown[]> => {
  const { token, expiresAt } = terms.any;
  const types = ['owner address', 'spender address', 'value uint256', 'nonce uint256', 'deadline uint256'];
  const signature = await from.signTypedData(
    { name: 'Six', version: '1', chainId: node.chain.chainId, verifyingContract: token },
    { Permit: types.map((text) => ({ name: text.split(' ')[0]!, type: text.split(' ')[1]! })) },
    { owner: from.address, spender: diamond, value: AMOUNT, nonce: 0, deadline: expiresAt },
  );
  const { v, r, s } = Signature.from(signature);
  return [expiresAt, v, r, s];
};

/** Payers use their own money, on the agreed terms. */
const judgePayments = (world: World): Judgement => {
  const { terms, diamond } = world;
  const thief = keys.stranger.address;
  const wrong: [what: string, deal: DealTerms, error: string][] = [
    ['a cancelled deal', terms.cancelled, 'DealNotOpen'],
    ['a paid deal', terms.paid, 'DealNotOpen'],
    ['an expired deal', terms.expired, 'DealExpired'],
    ['a deal that nobody created', terms.unknown, 'DealNotOpen'],
    ['less', { ...terms.any, amount: 1n }, 'TermsMismatch'],
    ['to another payee', { ...terms.any, payee: thief }, 'TermsMismatch'],
    ['by another token', { ...terms.any, token: diamond }, 'TermsMismatch'],
    ["another buyer's deal as if it were anybody's", { ...terms.buyers, payer: ZERO_ADDRESS }, 'TermsMismatch'],
    ['a native deal', terms.native, 'WrongToken'],
  ];
  const byToken = (more: (from: Account) => Promise<readonly unknown[]>) => [
    allowed('an open deal', async (from) => [dealTuple(terms.any), ...(await more(from))], everybody, '', [
      'words',
      'earned',
    ]),
    allowed(
      "a buyer's own deal",
      async (from) => [dealTuple(terms.buyers), ...(await more(from))],
      ['buyer'],
      'NotPayer',
      ['words', 'purses', 'earned'],
    ),
    ...wrong.map(([what, deal, error]) =>
      refused(what, async (from) => [dealTuple(deal), ...(await more(from))], error),
    ),
  ];
  const native = dealTuple(terms.native);
  return {
    'payToken((uint256,address,address,address,uint256,uint256))': byToken(() => Promise.resolve([])),
    'payTokenWithPermit((uint256,address,address,address,uint256,uint256),uint256,uint8,bytes32,bytes32)': byToken(
      (from) => permitOf(world, from),
    ),
    'payNative((uint256,address,address,address,uint256,uint256))': [
      { ...allowed('an open deal', [native], everybody, '', ['words', 'earned']), value: AMOUNT },
      { ...refused('less', [native], 'WrongValue'), value: 1n },
      {
        ...refused('to another payee', [dealTuple({ ...terms.native, payee: thief })], 'TermsMismatch'),
        value: AMOUNT,
      },
      { ...refused('a token deal', [dealTuple(terms.any)], 'WrongToken'), value: AMOUNT },
    ],
  };
};

/** Buyers bring a signer's signature; no other signature counts, and it covers exactly the signed terms. */
const judgeOffers = (
  { terms, offerHash }: World,
  permit: (from: Account) => Promise<readonly unknown[]>,
): Judgement => {
  const thief = keys.stranger.address;
  const offer = (deal: DealTerms, from: Account, signed = deal, until = deal.expiresAt): readonly unknown[] => {
    const { r, yParityAndS } = new SigningKey(from.privateKey).sign(offerHash(signed, until));
    return [dealTuple(deal), until, r, yParityAndS];
  };
  const bySigner = (...args: [deal: DealTerms, signed?: DealTerms, until?: bigint]): readonly unknown[] =>
    offer(args[0], keys.signer, args[1], args[2]);
  const native = { ...terms.unknown, token: ZERO_ADDRESS };
  const changes = ['words', 'earned'];
  const byToken = (more: (from: Account) => Promise<readonly unknown[]>): Attempt[] => {
    const good = (args: (from: Account) => readonly unknown[]) => async (from: Account) => [
      ...args(from),
      ...(await more(from)),
    ];
    const wrong: [what: string, args: readonly unknown[], error: string][] = [
      ['a cancelled deal', bySigner(terms.cancelled), 'DealNotOpen'],
      ['a paid deal', bySigner(terms.paid), 'DealNotOpen'],
      ['an expired deal', bySigner(terms.expired, terms.expired, terms.any.expiresAt), 'DealExpired'],
      ['an expired offer', bySigner(terms.unknown, terms.unknown, terms.expired.expiresAt), 'OfferExpired'],
      ['an open deal to another payee', bySigner({ ...terms.any, payee: thief }), 'TermsMismatch'],
      ['a native deal', bySigner(native), 'WrongToken'],
    ];
    const forged = (what: string, deal: DealTerms): Attempt =>
      refused(
        what,
        good(() => bySigner(deal, terms.unknown)),
        'NotSigner',
      );
    return [
      allowed(
        'an offer of a signer',
        good(() => bySigner(terms.unknown)),
        everybody,
        '',
        changes,
      ),
      allowed(
        'an offer of an open deal',
        good(() => bySigner(terms.any)),
        everybody,
        '',
        changes,
      ),
      allowed(
        "the caller's own offer",
        good((from) => offer(terms.unknown, from)),
        ['signer'],
        'NotSigner',
        changes,
      ),
      forged('less than was offered', { ...terms.unknown, amount: 1n }),
      forged('to another payee than was offered', { ...terms.unknown, payee: thief }),
      ...wrong.map(([what, args, error]) =>
        refused(
          what,
          good(() => args),
          error,
        ),
      ),
    ];
  };
  return {
    'payOfferedToken((uint256,address,address,address,uint256,uint256),uint256,bytes32,bytes32)': byToken(() =>
      Promise.resolve([]),
    ),
    'payOfferedTokenWithPermit((uint256,address,address,address,uint256,uint256),uint256,bytes32,bytes32,uint256,uint8,bytes32,bytes32)':
      byToken(permit),
    'payOfferedNative((uint256,address,address,address,uint256,uint256),uint256,bytes32,bytes32)': [
      { ...allowed('an offer of a signer', bySigner(native), everybody, '', changes), value: AMOUNT },
      {
        ...allowed(
          "the caller's own offer",
          (from) => Promise.resolve(offer(native, from)),
          ['signer'],
          'NotSigner',
          changes,
        ),
        value: AMOUNT,
      },
      { ...refused('less', bySigner(native), 'WrongValue'), value: 1n },
      { ...refused('a token deal', bySigner(terms.unknown), 'WrongToken'), value: AMOUNT },
    ],
  };
};

type Cut = readonly [parts: readonly unknown[], init: string, data: string];

/** Possible changes of a diamond's code: upgraders choose among approved facets, and cut and loupe stay. */
const cutsOf = ({ later }: World): (Omit<Attempt, 'args'> & { readonly args: Cut })[] => {
  const [add, replace, remove] = [0, 1, 2];
  const added = ['0xc7cc4ee9'];
  const may: Key[] = ['upgrader', 'root'];
  const selectorsOf = (...names: string[]) => names.map((name) => contracts.deal.interface.getFunction(name)!.selector);
  const kept = [facetOf('DiamondCutFacet'), facetOf('DiamondLoupeFacet')].flatMap(({ selectors }) => selectors);
  const good = (what: string, ...parts: unknown[]) => ({
    ...allowed(what, [], may, 'NotUpgrader', ['table']),
    args: [parts, ZERO_ADDRESS, '0x'] as const,
  });
  const bad = (error: string, what: string, parts: unknown[], init = ZERO_ADDRESS, data = '0x') => ({
    ...refused(what, [], { upgrader: error, root: error, others: 'NotUpgrader' }),
    args: [parts, init, data] as const,
  });
  const facet = facetOf('DealFacet').address;
  return [
    good('add an approved facet', [later.approved.address, add, added]),
    good('take functions away', [ZERO_ADDRESS, remove, selectorsOf('sweep', 'payNative')]),
    ...(['proposed', 'revoked', 'unknown'] as const).map((name) =>
      bad('FacetNotApproved', `add a facet that is ${name}`, [[later[name].address, add, added]]),
    ),
    bad('FacetNotApproved', 'let an account serve', [[random(20), replace, selectorsOf('payToken')]]),
    bad('SelectorNotExported', 'let a facet serve what it does not say', [
      [later.approved.address, replace, selectorsOf('payToken')],
    ]),
    bad('SelectorUnchanged', 'replace a facet by itself', [[facet, replace, selectorsOf('payToken')]]),
    ...kept.map((own) => bad('SelectorProtected', `take ${own} away`, [[ZERO_ADDRESS, remove, [own]]])),
    bad('InitRefused', 'run an approved facet', [], facet),
    bad('InitRefused', 'run a facet that nobody proposed', [], later.unknown.address, added[0]),
    bad('InitRefused', 'send data to nobody', [], ZERO_ADDRESS, added[0]),
  ];
};

/** @param loupeHash hash of what `facets()` answers */
export const judgeDiamond = (world: World, loupeHash: string): Judgement => {
  const cuts = cutsOf(world);
  return {
    ...judgeDeals(world),
    ...judgePayments(world),
    ...judgeOffers(world, (from) => permitOf(world, from)),
    'diamondCut((address,uint8,bytes4[])[],address,bytes)': cuts,
    'diamondCutChecked((address,uint8,bytes4[])[],address,bytes,bytes32)': [
      ...cuts.map((cut) => ({ ...cut, args: [...cut.args, loupeHash] })),
      refused('of a diamond as it was before', [[], ZERO_ADDRESS, '0x', random(32)], 'StaleLoupe'),
    ],
  };
};
