import { steadyClock } from '../../domain/tools/clock.ts';
import type { ServerTime } from '../../domain/tools/outside-clock.ts';
import { createEndpoint } from './endpoint.ts';
import type { BlockPlace } from '../../domain/ports/watcher.ts';
import { resultOf, type RpcOutcome, type RpcRequest } from './requests.ts';
import { RpcError, type RpcErrorKind } from './error.ts';
import { saysPruned } from './words/blocks.ts';

/** Why an endpoint was demoted, for logs and alerts. They name it by its position, never by its URL. */
export interface EndpointTrouble {
  /** From 0, in the order of the catalogue. */
  readonly endpoint: number;
  readonly reason: string;
  readonly demotionMs: number;
  /** False for a fault that may be temporary, such as a lost connection. */
  readonly isLasting: boolean;
  /** It reported something false, or serves another chain. */
  readonly isLie: boolean;
  /** The endpoint that contradicts it, where nobody knows which of the two is right; null where it is known. */
  readonly against: number | null;
  /** Another endpoint of the network can be asked instead. */
  readonly hasOther: boolean;
}

/** One endpoint of a network. It is verified to serve the right chain, and demoted for some time after each failure. */
export interface Member {
  readonly index: number;
  /** @throws RpcError when the endpoint does not respond, is overloaded, serves another chain, or sends nonsense */
  exchange(requests: readonly RpcRequest[], timeoutMs: number, signal?: AbortSignal): Promise<RpcOutcome[]>;
  /** Milliseconds for which it stays demoted. */
  demotionMs(): number;
  /** True when it has responded since its last failure. */
  hasResponded(): boolean;
  /** True when it has not been demoted since its last comparison with the others. */
  isCleared(): boolean;
  /** Records that a comparison with the others found no fault. */
  clear(): void;
  /**
   * Demotes it for a fault that may be temporary; `isLasting` when it has lasted for long already.
   * @param against the endpoint that contradicts it, where nobody knows which of the two is right
   */
  demoteBriefly(reason: string, isLasting?: boolean, against?: number): void;
  /** Demotes it for a false response. */
  demote(reason: string): void;
}

/** The endpoints of a network, and an exchange with one of them. */
export interface Pool {
  readonly members: readonly Member[];
  readonly timeoutMs: number;
  /** @throws RpcError */
  exchange(
    member: Member,
    requests: readonly RpcRequest[],
    options?: { readonly signal?: AbortSignal; readonly ms?: number },
  ): Promise<RpcOutcome[]>;
}

/** Timeout of an exchange in milliseconds while another endpoint can be asked. */
export const SHORT_MS = 3_000;

export const isPreferred = (member: Member): boolean => member.demotionMs() === 0;

/**
 * Sorts endpoints by preference. Demoted ones come last, right after those that were not compared with the others since
 * their demotion.
 */
export const inOrder = (members: readonly Member[]): Member[] =>
  members
    .map((member) => ({ member, demotion: member.demotionMs(), uncleared: member.isCleared() ? 0 : 1 }))
    .sort((a, b) => a.demotion - b.demotion || a.uncleared - b.uncleared)
    .map(({ member }) => member);

interface MemberOptions {
  /** True for the only endpoint of a network: no other one can be asked first. */
  readonly isAlone: boolean;
  readonly eip155: number | null;
  readonly genesisHash: string | null;
  readonly keptBlocks: () => Promise<readonly BlockPlace[]>;
  readonly report: (trouble: Omit<EndpointTrouble, 'hasOther'>) => void;
  readonly tellTime?: ((time: ServerTime) => void) | undefined;
}

const FIRST_DEMOTION_MS = 500;
/** A timeout costs more than a refusal. */
const FIRST_DEMOTION_OF_SILENT_MS = 5_000;
const FIRST_DEMOTION_OF_LIARS_MS = 30_000;
const LONGEST_DEMOTION_MS = 30_000;
const LONGEST_DEMOTION_OF_LIARS_MS = 600_000;
/** A failure older than this does not lengthen a demotion. */
const FORGOTTEN_MS = 60_000;
/** An endpoint whose response takes longer is demoted. */
const LATE_MS = 1_500;
/** After so many failures in a row the fault counts as lasting. */
const LASTING = 3;

const faults: readonly RpcErrorKind[] = ['overloaded', 'malformed', 'nonsense', 'unreachable', 'denied', 'timeout'];
/** They cost more than a refusal. */
const slowFaults: readonly RpcErrorKind[] = ['timeout', 'malformed', 'nonsense'];

/** True for a fault on the way to or from an endpoint, which says nothing about its honesty. */
export const isOfTransport = ({ kind }: RpcError): boolean => faults.includes(kind);

const blockRequest = (number: number): RpcRequest => ({
  method: 'eth_getBlockByNumber',
  params: [`0x${number.toString(16)}`, false],
});

/**
 * The hash of a block; null where the endpoint says that it does not have it.
 * @throws RpcError for any other failure, which may be over soon
 */
const hashOf = (outcome: RpcOutcome): string | null => {
  if (!outcome.ok && saysPruned(outcome.error)) return null;
  return (resultOf(outcome) as { readonly hash: string } | null)?.hash.toLowerCase() ?? null;
};

export const createMember = (url: string, index: number, options: MemberOptions): Member => {
  const { isAlone, eip155, genesisHash, report } = options;
  const endpoint = createEndpoint(url, options.tellTime);
  let verified = eip155 === null;
  let demotedUntil = 0;
  let failures = 0;
  let [isCleared, staysDemoted, hasResponded] = [true, false, false];

  const demote = (
    reason: string,
    lied: boolean,
    firstMs = FIRST_DEMOTION_MS,
    { lasts = lied, against = null }: { readonly lasts?: boolean; readonly against?: number | null } = {},
  ): void => {
    const now = steadyClock.now();
    if (now > demotedUntil + FORGOTTEN_MS) failures = 0;
    const [first, longest] = lied
      ? [FIRST_DEMOTION_OF_LIARS_MS, LONGEST_DEMOTION_OF_LIARS_MS]
      : [firstMs, LONGEST_DEMOTION_MS];
    const demotionMs = Math.min(first * 2 ** failures, longest);
    demotedUntil = Math.max(demotedUntil, now + demotionMs);
    verified = eip155 === null;
    failures += 1;
    hasResponded = false;
    [isCleared, staysDemoted] = [false, lied || firstMs > FIRST_DEMOTION_MS || (staysDemoted && failures > 1)];
    report({ endpoint: index, reason, demotionMs, isLasting: lasts || failures >= LASTING, isLie: lied, against });
  };

  const demoteFor = ({ kind, message }: RpcError): void => {
    const firstMs = slowFaults.includes(kind) ? FIRST_DEMOTION_OF_SILENT_MS : FIRST_DEMOTION_MS;
    if (kind === 'nonsense') demote(message, false, firstMs, { lasts: true });
    else demote(message, kind === 'lie' || kind === 'wrong_chain', firstMs);
  };

  /**
   * @throws RpcError when it serves another chain. One without block 0 is held to the oldest stored block that it has; nothing but the
   * chain's id identifies one that has none of them.
   */
  const requireChain = async (
    [chain, genesis]: readonly RpcOutcome[],
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<void> => {
    const chainId = Number(resultOf(chain));
    if (chainId !== eip155)
      throw new RpcError('wrong_chain', `an endpoint serves chain ${chainId} instead of ${eip155}`);
    if (genesis === undefined) return;
    const first = hashOf(genesis);
    if (first === genesisHash) return;
    if (first !== null)
      throw new RpcError('wrong_chain', 'the genesis block of an endpoint differs from the stored one');
    const kept = await options.keptBlocks();
    const found =
      kept.length === 0
        ? []
        : await endpoint.post(
            kept.map(({ number }) => blockRequest(number)),
            timeoutMs,
            signal,
          );
    const hashes = found.map(hashOf);
    const oldest = hashes.findIndex((hash) => hash !== null);
    if (oldest >= 0 && hashes[oldest] !== kept[oldest]!.hash)
      throw new RpcError('wrong_chain', 'an endpoint without block 0 has another block than the stored one');
  };

  const verification: RpcRequest[] = [{ method: 'eth_chainId' }];
  if (genesisHash !== null) verification.push(blockRequest(0));

  return {
    index,
    demotionMs: () => Math.max(0, demotedUntil - steadyClock.now()),
    hasResponded: () => hasResponded,
    isCleared: () => isCleared,
    clear: () => void (isCleared = true),
    demoteBriefly: (reason, lasts, against) => demote(reason, false, FIRST_DEMOTION_MS, { lasts, against }),
    demote: (reason) => demote(reason, true),

    async exchange(requests, timeoutMs, signal) {
      try {
        // The chain is verified with the first requests and after each failure: a URL may start to serve another chain.
        // `extra` is kept, because another exchange may verify the endpoint while this one is in flight.
        const extra = verified ? [] : verification;
        const askedAt = steadyClock.now();
        const outcomes = await endpoint.post([...extra, ...requests], timeoutMs, signal);
        if (extra.length > 0) await requireChain(outcomes.splice(0, extra.length), timeoutMs, signal);
        const errors = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
        const failed = errors.find(({ kind }) => kind === 'lie') ?? errors.find(isOfTransport);
        const isWhole = errors.length === outcomes.length && errors.every(isOfTransport);
        if (failed && (isWhole || failed.kind === 'lie')) throw failed;
        [verified, hasResponded] = [true, true];
        // The others are good responses, and what failed concerns its own request.
        if (failed) demoteFor(failed);
        else if (!isAlone && steadyClock.now() - askedAt > LATE_MS)
          demote('responds late', false, FIRST_DEMOTION_OF_SILENT_MS);
        else if (!staysDemoted) demotedUntil = Math.min(demotedUntil, steadyClock.now());
        return outcomes;
      } catch (error) {
        if (error instanceof RpcError && error.kind !== 'aborted') demoteFor(error);
        throw error;
      }
    },
  };
};
