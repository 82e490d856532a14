import { Interface, Signature, Wallet, hexlify, randomBytes } from 'ethers';
import { ZERO_ADDRESS } from '../../domain/deal.ts';
import type { NetworkQuestion, PermitDomain } from '../../domain/ports/network-check.ts';
import { safeText } from '../../domain/tools/safe-text.ts';
import { domainSeparator, permitCall, permitTypeHash } from '../pure/permit.ts';
import { decodeRevert } from '../pure/revert-reason.ts';
import { agreed, agreedCodes, outputOf, viewRequest, type ViewCall } from '../rpc/calls.ts';
import type { RpcOutcome, RpcRequest } from '../rpc/requests.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { unknownAccount } from './payees.ts';

const token = new Interface([
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function nonces(address) view returns (uint256)',
  // Some tokens have it, among them those with permits that came before EIP-2612.
  'function PERMIT_TYPEHASH() view returns (bytes32)',
  // EIP-5267
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
]);

/** A token of the catalogue that is not as the catalogue says. */
export interface TokenFault {
  readonly symbol: string;
  readonly address: string;
  /** True when only payments by permit fail. */
  readonly isOfPermit: boolean;
  /** A sentence for the operator. */
  readonly text: string;
}

/** Endpoints that respond, and how many of them must agree. */
interface Agreeing {
  readonly rpc: Rpc;
  readonly quorum: number;
}

type Claimed = NetworkQuestion['tokens'][number];

/** A token on its network. */
type Place = Pick<Claimed, 'address'> & Pick<NetworkQuestion, 'eip155'>;

/** The domain that a token says it has (EIP-5267); null where it has none of the usual form. */
const toldDomain = (told: unknown): PermitDomain | null => {
  const [fields, name, version] = (told ?? []) as readonly unknown[];
  // Name, version, chain and contract.
  return fields === '0x0f' ? { name: String(name), version: String(version) } : null;
};

/** The faults of a token's permits, in words that follow the token. */
const permitProblem = (
  { name, version }: PermitDomain,
  place: Place,
  [separator, nonces, typeHash, told]: readonly unknown[],
): string | null => {
  if (separator === undefined || nonces === undefined) return 'has no permits (EIP-2612): leave its permit out';
  if (typeHash !== undefined && typeHash !== permitTypeHash) return 'has permits of another kind: leave its permit out';
  if (separator === domainSeparator({ name, version, ...place })) return null;
  const live = toldDomain(told);
  const itSays =
    live !== null && separator === domainSeparator({ ...live, ...place })
      ? `: it says name ${JSON.stringify(safeText(live.name, 255))} and version ${JSON.stringify(safeText(live.version, 32))}`
      : '';
  return `has permits of another domain than name "${name}" and version "${version}" on this chain${itSays}`;
};

/** The year 36812: permits of the check never end, whatever the date of the chain. */
const NEVER = 2n ** 40n;

/** A call with a permit of an account that nobody else knows, which a token with permits accepts. It is only simulated. */
const trialOf = async (domain: PermitDomain, { address, eip155 }: Place): Promise<RpcRequest> => {
  const [owner, spender] = [new Wallet(hexlify(randomBytes(32))), unknownAccount()];
  const terms = { dealId: 0n, token: address, payee: spender, payer: ZERO_ADDRESS, amount: 1n, expiresAt: NEVER };
  const { typed_data: typed } = permitCall(domain, { terms, diamond: spender, eip155 });
  const message = { ...typed.message, owner: owner.address, nonce: '0' };
  const signed = await owner.signTypedData(typed.domain, { Permit: [...typed.types.Permit] }, message);
  const { v, r, s } = Signature.from(signed);
  const data = token.encodeFunctionData('permit', [owner.address, spender, 1n, NEVER, v, r, s]);
  return { method: 'eth_call', params: [{ from: owner.address, to: address, data }, 'latest'] };
};

/** A trial's part that is compared. Endpoints give the reason of a revert in various forms, or none. */
const trialPiece = (outcome: RpcOutcome): string | undefined => {
  if (outcome.ok) return 'accepted';
  return outcome.error.revertData === null ? undefined : 'refused';
};

/** Tries a permit of each token. @returns the reasons of those that refuse theirs; undefined for all others */
const tryPermits = async (
  { rpc, quorum }: Agreeing,
  tokens: readonly { readonly address: string; readonly permit: PermitDomain }[],
  eip155: number,
): Promise<(string | undefined)[]> => {
  const trials = await Promise.all(tokens.map(({ address, permit }) => trialOf(permit, { address, eip155 })));
  const reasons: (string | undefined)[] = [];
  // What too few endpoints simulate alike is no refusal.
  const tried = await rpc.agree(trials, quorum, (outcomes) => {
    outcomes.forEach((outcome, index) => {
      if (!outcome.ok && outcome.error.revertData !== null)
        reasons[index] = decodeRevert(outcome.error.revertData).text;
    });
    return outcomes.map(trialPiece);
  });
  return tokens.map((_, index) => (tried[index] === 'refused' ? reasons[index] : undefined));
};

/** The faults of the permits of tokens that list some, in the order of the tokens. */
const permitProblems = async (
  { rpc, quorum }: Agreeing,
  { eip155, tokens }: Pick<NetworkQuestion, 'eip155' | 'tokens'>,
): Promise<(string | null)[]> => {
  const listed = tokens.flatMap(({ address, permit }) => (permit == null ? [] : [{ address, permit }]));
  if (listed.length === 0) return tokens.map(() => null);
  const names = [['DOMAIN_SEPARATOR'], ['nonces', ZERO_ADDRESS], ['PERMIT_TYPEHASH'], ['eip712Domain']] as const;
  const told = await Promise.all(names.map(([name, ...args]) => askAll({ rpc, quorum }, listed, name, args)));
  const refused = await tryPermits({ rpc, quorum }, listed, eip155);
  const problems = listed.map(({ address, permit }, index) => {
    const found = permitProblem(
      permit,
      { address, eip155 },
      told.map((values) => values[index]),
    );
    const reason = refused[index];
    return (
      found ??
      (reason === undefined ? null : `refuses a permit that is signed as the catalogue says: ${safeText(reason, 200)}`)
    );
  });
  return tokens.map(({ permit }) => (permit == null ? null : problems.shift()!));
};

/** One view of each token. */
const askAll = async (
  { rpc, quorum }: Agreeing,
  tokens: readonly { readonly address: string }[],
  name: string,
  args: readonly unknown[] = [],
): Promise<unknown[]> => {
  const calls = tokens.map(({ address: to }): ViewCall => ({ to, interface: token, name, args }));
  const responses = await agreed(
    rpc,
    quorum,
    calls.map((call) => viewRequest(call)),
  );
  return calls.map((call, index) => outputOf(call, responses[index]));
};

/**
 * Compares tokens with the catalogue: their code, decimals and listed permits, of which one is tried.
 * @throws RpcError when no endpoint responds, or too few agree
 */
export const tokenFaults = async (
  at: Agreeing,
  network: Pick<NetworkQuestion, 'name' | 'eip155' | 'tokens'>,
): Promise<TokenFault[]> => {
  const { name, tokens } = network;
  if (tokens.length === 0) return [];
  const codes = await agreedCodes(
    at.rpc,
    at.quorum,
    tokens.map(({ address }) => address),
  );
  const decimals = await askAll(at, tokens, 'decimals');
  const permits = await permitProblems(at, network);
  return tokens.flatMap(({ symbol, address, decimals: claimed }, index): TokenFault[] => {
    const fault = { symbol, address, isOfPermit: false };
    if (codes[index] === '0x') return [{ ...fault, text: `${name}: no contract at ${address} (${symbol})` }];
    const where = `${name}: ${symbol} at ${address}`;
    if (decimals[index] !== BigInt(claimed)) {
      const live = decimals[index] === undefined ? 'no decimals' : `${String(decimals[index])} decimals`;
      return [{ ...fault, text: `${where} has ${live}, not ${claimed}` }];
    }
    const problem = permits[index];
    return problem == null ? [] : [{ ...fault, isOfPermit: true, text: `${where} ${problem}` }];
  });
};
