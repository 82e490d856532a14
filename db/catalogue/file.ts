/**
 * The catalogue file: the nodes, chains, networks and currencies of an installation. This module checks the parsed file, and
 * reports all problems at once, with their places.
 */
import { readNumber, toUnits } from '../../domain/money.ts';
import type { PermitDomain } from '../../domain/ports/network-check.ts';
import { defaultQuorum } from '../../domain/catalogue/quorum.ts';
import { createSchemaCheck } from '../../runtime/schema-check.ts';
import { contradictionsIn, flatten, isMapping, MOST_ENDPOINTS, wholeNumber, type Draft } from './contradictions.ts';

/** The common fields of all entries. Ids are lower-case. */
interface Entry {
  /** Derived from the name when absent or null. */
  readonly id?: string | null;
  readonly name: string;
}

/** A node of the file. */
export interface CatalogueNode extends Entry {
  /** Name of the parent, which comes earlier in the list; null for a root. */
  readonly parent: string | null;
}

/** A chain of the file. Its fields determine the addresses of its contracts, and never change. Hex is lower-case. */
export interface CatalogueChain extends Entry {
  /** Root of its registries at their creation. */
  readonly first_root: string;
  /** 32 bytes. */
  readonly platform_id: string;
  /** Seconds. */
  readonly approval_delay: number;
}

/** A network of the file. */
export interface CatalogueNetwork extends Entry {
  /** Name of its chain. */
  readonly chain: string;
  readonly eip155: number;
  /** Only a retired network may omit them; it keeps the stored ones and their quorum. */
  readonly rpc_urls?: readonly string[] | null;
  /** As many of them must agree. */
  readonly quorum: number;
  readonly confirmations: number;
  /** Headers kept below the tip, in blocks. */
  readonly finality: number;
  readonly block_time_ms: number;
  readonly explorer_url?: string | null;
  /** Symbol of its native coin. Absent or null: that of the currency with this coin, else ETH. */
  readonly native_symbol?: string | null;
  /** Endpoints for wallets of buyers, which everybody sees. */
  readonly public_rpc_urls: readonly string[];
  /** Ceiling of the fee per gas. */
  readonly max_fee_per_gas_gwei: number;
  /** Lower-case addresses, each with its own lane. */
  readonly operators: readonly string[];
  readonly upgrader: string;
  /** Lower-case addresses of keys that offer deals by signatures; they have no lane and need no coins. */
  readonly signers: readonly string[];
  /** Address that must be root of the registry. */
  readonly root: string;
  /** False when the file omits the root, which is then the chain's first root. */
  readonly names_root: boolean;
  readonly guardian: string;
  /** Most transactions in flight per lane. */
  readonly max_inflight: number;
  /** True when the network takes nothing new. It is watched until none of its payments can be paid or reversed. */
  readonly retired: boolean;
}

/** A currency of the file. */
export interface CatalogueCurrency extends Entry {
  readonly symbol: string;
  readonly decimals: number;
  readonly tokens: readonly {
    /** Name of its network. */
    readonly network: string;
    /** Absent or null for the native coin. */
    readonly address?: string | null;
    /** Absent or null for the currency's decimals. */
    readonly decimals?: number | null;
    /** Domain of its permits (EIP-2612); absent or null where they are not used. */
    readonly permit?: PermitDomain | null;
  }[];
}

/** The checked content of the file. */
export interface Catalogue {
  /** Parents before their children. */
  readonly nodes: readonly CatalogueNode[];
  readonly chains: readonly CatalogueChain[];
  readonly networks: readonly CatalogueNetwork[];
  readonly currencies: readonly CatalogueCurrency[];
}

/** All problems of a catalogue, one sentence each. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The catalogue has ${problems.length} problem(s):\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

const uuid = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
const id = { type: 'string', nullable: true, pattern: uuid, rule: 'must be a UUID' };
const address = { type: 'string', pattern: '^0x[0-9a-f]{40}$', rule: 'must be an address in quotes' };
const bytes32 = {
  type: 'string',
  pattern: '^0x[0-9a-f]{64}$',
  rule: 'must be 32 bytes in quotes (0x and 64 hex digits)',
};
const url = { type: 'string', pattern: String.raw`^https?:\/\/[^\s/]+\S*$`, rule: 'must be an http(s) URL' };
const publicUrl = { type: 'string', pattern: String.raw`^https?:\/\/[^\s/@]+(\/\S*)?$`, maxLength: 2_048 };
const text = (maxLength: number) => {
  const rule = `must be a text of 1 to ${maxLength} characters`;
  return { type: 'string', minLength: 1, maxLength, rule };
};
const integer = (minimum: number, maximum: number) => {
  return { type: 'integer', minimum, maximum, rule: wholeNumber(minimum, maximum) };
};
const texts = (item: object, maxItems: number, what: string, minItems = 1) => {
  const rule = `must be a list of ${minItems} to ${maxItems} ${what}`;
  return { type: 'array', minItems, maxItems, items: { ...item, rule }, rule };
};
const list = (items: object) => ({ type: 'array', items, default: [], rule: 'must be a list' });
/** Builds the schema of a mapping. Fields are required unless they are nullable or have a default. */
const mapping = (properties: Readonly<Record<string, object>>) => {
  const required = Object.keys(properties).filter(
    (key) => !('nullable' in properties[key]! || 'default' in properties[key]!),
  );
  return { type: 'object', properties, required, additionalProperties: false, rule: 'must be a mapping' };
};

const chain = mapping({
  id,
  name: text(255),
  first_root: address,
  platform_id: bytes32,
  // The registry's limit: 30 days.
  approval_delay: { ...integer(0, 2_592_000), default: 172_800 },
});
const rpcUrls = { ...texts(url, MOST_ENDPOINTS, 'http(s) URLs'), nullable: true };
const network = mapping({
  id,
  name: text(255),
  chain: text(255),
  eip155: integer(1, Number.MAX_SAFE_INTEGER),
  rpc_urls: rpcUrls,
  quorum: { ...integer(1, MOST_ENDPOINTS), nullable: true },
  confirmations: integer(1, 10_000),
  finality: integer(2, 1_000_000),
  block_time_ms: integer(50, 3_600_000),
  explorer_url: { ...url, nullable: true },
  native_symbol: { ...text(32), nullable: true },
  public_rpc_urls: { ...texts(publicUrl, 16, 'http(s) URLs without credentials', 0), default: [] },
  max_fee_per_gas_gwei: { type: 'number', format: 'gwei', rule: 'must be a number of gwei greater than 0' },
  operators: texts(address, 64, 'addresses in quotes'),
  upgrader: address,
  signers: { ...texts(address, 16, 'addresses in quotes', 0), default: [] },
  root: { ...address, nullable: true },
  guardian: address,
  max_inflight: { ...integer(1, 1_000), default: 16 },
  retired: { type: 'boolean', default: false, rule: 'must be true or false' },
});
const token = mapping({
  network: text(255),
  address: { ...address, nullable: true },
  decimals: { ...integer(0, 36), nullable: true },
  permit: { ...mapping({ name: text(255), version: text(32) }), nullable: true },
});
const node = { $ref: '#/$defs/node' };
const schema = {
  $defs: { node: mapping({ id, name: text(255), children: list(node) }) },
  ...mapping({
    nodes: list(node),
    chains: list(chain),
    networks: list(network),
    currencies: list(mapping({ id, symbol: text(32), name: text(255), decimals: integer(0, 36), tokens: list(token) })),
  }),
};
const isGwei = (value: number): boolean => typeof toUnits(readNumber(String(value)), 9) === 'bigint';
const check = createSchemaCheck(schema, { gwei: { type: 'number', validate: isGwei } });

const lowerCased = [
  'id',
  'address',
  'operators',
  'upgrader',
  'signers',
  'root',
  'guardian',
  'first_root',
  'platform_id',
];

/** Copies a value with lower-case ids and addresses, and without null fields. */
const normalised = (value: unknown, key = ''): unknown => {
  if (typeof value === 'string') return lowerCased.includes(key) ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map((entry) => normalised(entry, key));
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, field === null ? undefined : normalised(field, name)]),
  );
};

/**
 * Checks the parsed file and returns it as a catalogue.
 * @throws CatalogueError with every problem
 */
export const parseCatalogue = (input: unknown): Catalogue => {
  const file = normalised(input);
  const problems = check(file, 'catalogue');
  if (isMapping(file)) problems.push(...contradictionsIn(file));
  if (problems.length > 0) throw new CatalogueError(problems);
  const catalogue = file as Catalogue & { readonly nodes: Draft[] };
  const firstRoots = new Map(catalogue.chains.map(({ name, first_root }) => [name, first_root]));
  return {
    ...catalogue,
    nodes: flatten(catalogue.nodes, null) as unknown as CatalogueNode[],
    networks: catalogue.networks.map((entry) => ({
      ...entry,
      quorum: (entry.quorum as number | undefined) ?? defaultQuorum(entry.rpc_urls?.length ?? 1) ?? 1,
      root: entry.root ?? firstRoots.get(entry.chain)!,
      names_root: entry.root != null,
    })),
  };
};
