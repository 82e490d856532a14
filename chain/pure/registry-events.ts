import { decodeBytes32String, type Interface, type LogDescription } from 'ethers';
import type { FacetCut } from '../../domain/version-check.ts';
import { contracts } from './contracts.ts';
import type { RawLog } from './deal-state.ts';

/** The location of an event on the chain. Hashes and addresses are lower-case hex. */
interface EventPlace {
  readonly address: string;
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly blockNumber: number;
  readonly blockHash: string;
}

/** An event of a registry, about roles, approvals, its release, its root or its pause. */
export type RegistryEvent = EventPlace &
  (
    | { readonly name: 'RoleSet'; readonly role: string; readonly account: string; readonly enabled: boolean }
    | {
        readonly name: 'FacetProposed';
        readonly facet: string;
        readonly codeHash: string;
        /** Unix seconds. */
        readonly effectiveAt: number;
      }
    | { readonly name: 'FacetRevoked'; readonly facet: string; readonly codeHash: string; readonly by: string }
    | {
        readonly name: 'ReleaseSet';
        /** Null when it is too long, cannot be decoded, or its version is not plain text. */
        readonly release: { readonly version: string; readonly facets: readonly string[] } | null;
      }
    | { readonly name: 'RootTransferStarted' | 'RootTransferred'; readonly from: string; readonly to: string }
    | { readonly name: 'PausedSet'; readonly paused: boolean; readonly by: string }
  );

/** A diamond's event about its own cut. */
export interface CutEvent extends EventPlace {
  /** Null when it is too long, or no facet of any release emits such a cut. */
  readonly cuts: readonly FacetCut[] | null;
}

const topicOf = ({ interface: abi }: { readonly interface: Interface }, name: string): string => {
  const found = abi.getEvent(name);
  if (!found) throw new RangeError(`there is no event ${name}`);
  return found.topicHash;
};

const names = new Map(
  (
    [
      'RoleSet',
      'FacetProposed',
      'FacetRevoked',
      'ReleaseSet',
      'RootTransferStarted',
      'RootTransferred',
      'PausedSet',
    ] as RegistryEvent['name'][]
  ).map((name) => [topicOf(contracts.registry, name), name]),
);

/** First topic of a diamond's cut. */
export const cutTopic = topicOf(contracts.cut, 'DiamondCut');

/** First topics of the registry's events and of a diamond's cut, for `eth_getLogs`. */
export const controlTopics: readonly string[] = [...names.keys(), cutTopic];

/** Most digits of data that are decoded; a release or a cut of Carat has some thousands. */
const MAX_DIGITS = 64_000;

const actions = ['add', 'replace', 'remove'] as const;

/** Decodes a log that equals the event's canonical encoding; null for anything else under the same hash. */
const parse = (abi: Interface, log: RawLog): LogDescription | null => {
  if (log.data.length > MAX_DIGITS) return null;
  try {
    const parsed = abi.parseLog(log);
    if (parsed === null) return null;
    const { topics, data } = abi.encodeEventLog(parsed.fragment, [...parsed.args]);
    const isSame = data === log.data.toLowerCase() && topics.join() === log.topics.join().toLowerCase();
    return isSame ? parsed : null;
  } catch {
    return null;
  }
};

const eventPlaceOf = (log: RawLog): EventPlace => ({
  address: log.address.toLowerCase(),
  transactionHash: log.transactionHash.toLowerCase(),
  logIndex: Number(log.logIndex),
  blockNumber: Number(log.blockNumber),
  blockHash: log.blockHash.toLowerCase(),
});

const isPlain = (text: string): boolean => /^[\x20-\x7e]{0,64}$/.test(text);

/** The name of a role from the contracts; a role that is not plain text stays hex. */
const roleName = (role: string): string => {
  try {
    const text = decodeBytes32String(role);
    return text !== '' && isPlain(text) ? text : role;
  } catch {
    return role;
  }
};

const lower = (value: unknown): string => String(value).toLowerCase();
const lowerAll = (values: unknown): string[] => [...(values as Iterable<unknown>)].map(lower);

const releaseOf = (parsed: LogDescription | null): { version: string; facets: string[] } | null => {
  if (parsed === null) return null;
  const version = String(parsed.args.version);
  return isPlain(version) ? { version, facets: lowerAll(parsed.args.facets) } : null;
};

/**
 * Decodes a log as an event of a registry. The caller must check the emitter: a stranger's log looks the same.
 * @returns null for any other log
 */
export const decodeRegistryEvent = (log: RawLog): RegistryEvent | null => {
  const name = names.get(log.topics[0] ?? '');
  if (name === undefined) return null;
  const parsed = parse(contracts.registry.interface, log);
  const place = eventPlaceOf(log);
  if (name === 'ReleaseSet') return { ...place, name, release: releaseOf(parsed) };
  if (parsed === null) return null;
  const { args } = parsed;
  switch (name) {
    case 'RoleSet':
      return {
        ...place,
        name,
        role: roleName(lower(args.role)),
        account: lower(args.account),
        enabled: Boolean(args.enabled),
      };
    case 'FacetProposed':
      return {
        ...place,
        name,
        facet: lower(args.facet),
        codeHash: lower(args.codeHash),
        effectiveAt: Number(args.effectiveAt),
      };
    case 'FacetRevoked':
      return { ...place, name, facet: lower(args.facet), codeHash: lower(args.codeHash), by: lower(args.by) };
    case 'PausedSet':
      return { ...place, name, paused: Boolean(args.paused), by: lower(args.by) };
    default:
      return { ...place, name, from: lower(args[0]), to: lower(args[1]) };
  }
};

/** Decodes a log with the topic of a cut, emitted by a known diamond. */
export const decodeCut = (log: RawLog): CutEvent => {
  const parsed = parse(contracts.cut.interface, log);
  // Copied, because array methods of an ethers Result return Results.
  const entries = [...((parsed?.args[0] ?? []) as Iterable<readonly [string, bigint, readonly string[]]>)];
  const cuts = entries.flatMap(([facet, code, selectors]) => {
    const action = actions[Number(code)];
    return action === undefined ? [] : [{ facet: lower(facet), action, selectors: lowerAll(selectors) }];
  });
  return { ...eventPlaceOf(log), cuts: parsed !== null && cuts.length === entries.length ? cuts : null };
};
