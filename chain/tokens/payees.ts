import { Interface, hexlify, randomBytes } from 'ethers';
import { RpcError } from '../rpc/error.ts';
import type { RpcOutcome, RpcRequest } from '../rpc/requests.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** A recipient of a token's payments. */
export interface TokenPayee {
  readonly token: string;
  readonly payee: string;
}

/** Whether an account is on a token's list: the views of well-known tokens. */
const lists = [
  'isBlacklisted',
  'isBlackListed',
  '_isBlacklisted',
  'blacklisted',
  'getBlackListStatus',
  'isBlocklisted',
  'isBlocked',
  'isFrozen',
  'frozen',
  'isBanned',
];
const token = new Interface([
  ...lists.map((name) => `function ${name}(address account) view returns (bool)`),
  'function transfer(address to, uint256 amount) returns (bool)',
]);

/** The ways to ask a token about an account: its lists, and a transfer of nothing to it. */
const ways = [...lists, 'transfer'];

/** The address of an account that no token knows, lower-case. */
export const unknownAccount = (): string => hexlify(randomBytes(20));

const wordOf = (flag: number): string => `0x${String(flag).padStart(64, '0')}`;

/**
 * What a way says about an account: `accepts`, `refuses`, or `unknown` where the token does not know this way, or an endpoint refuses the
 * call; undefined where the endpoint did not respond.
 */
const said = (way: string, outcome: RpcOutcome | undefined): string | undefined => {
  if (outcome === undefined || (!outcome.ok && outcome.error.kind !== 'rejected')) return undefined;
  if (way === 'transfer') {
    if (outcome.ok) return 'accepts';
    return outcome.error.revertData === null ? 'unknown' : 'refuses';
  }
  if (!outcome.ok) return 'unknown';
  if (outcome.result === wordOf(0)) return 'accepts';
  return outcome.result === wordOf(1) ? 'refuses' : 'unknown';
};

/**
 * Asks tokens about recipients. A way counts that accepts an account which nobody knows: some tokens answer everything alike, and some
 * refuse transfers of nothing.
 * @returns those that their tokens refuse, as the quorum says
 * @throws RpcError when too few endpoints respond
 */
export const refusedPayees = async (
  { rpc, quorum }: { readonly rpc: Rpc; readonly quorum: number },
  payees: readonly TokenPayee[],
): Promise<TokenPayee[]> => {
  const nobody = unknownAccount();
  const asked = async (places: readonly { readonly to: string; readonly account: string; readonly way: string }[]) => {
    const requests = places.map(({ to, account, way }): RpcRequest => {
      const data = token.encodeFunctionData(way, way === 'transfer' ? [account, 0n] : [account]);
      return { method: 'eth_call', params: [{ from: nobody, to, data }, 'latest'] };
    });
    if (requests.length === 0) return [];
    const pick = (outcomes: readonly RpcOutcome[]) => places.map(({ way }, index) => said(way, outcomes[index]));
    let failure = new RpcError('inconsistent', 'too few endpoints respond alike', { method: 'eth_call' });
    const pieces = await rpc.agree(requests, quorum, pick, undefined, (error) => (failure = error));
    if (!pieces.some((piece) => piece !== undefined)) throw failure;
    return pieces;
  };
  const tokens = [...new Set(payees.map(({ token: own }) => own))];
  const controls = tokens.flatMap((to) => ways.map((way) => ({ to, way, account: unknownAccount() })));
  const known = await asked(controls);
  const usable = controls.filter((_, index) => known[index] === 'accepts');
  const questions = payees.flatMap((place) =>
    usable.filter(({ to }) => to === place.token).map(({ to, way }) => ({ to, way, account: place.payee, place })),
  );
  const responses = await asked(questions);
  const refused = new Set(questions.flatMap(({ place }, index) => (responses[index] === 'refuses' ? [place] : [])));
  return payees.filter((place) => refused.has(place));
};
