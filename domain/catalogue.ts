/**
 * The catalogue file: which nodes, chains, networks and currencies an installation has. Here its text becomes a checked
 * object; every problem is reported at once, with its place.
 */
import { toUnits } from './money.ts';

export interface CatalogueNode {
  /** Null: derived from the name. */
  readonly id: string | null;
  readonly name: string;
  /** Name of the parent, which comes earlier in the list; null for a root. */
  readonly parent: string | null;
}

export interface CatalogueChain {
  readonly id: string | null;
  readonly name: string;
}

export interface CatalogueNetwork {
  readonly id: string | null;
  readonly name: string;
  /** Name of its chain. */
  readonly chain: string;
  readonly eip155: number;
  readonly rpcUrls: readonly string[];
  readonly quorum: number;
  readonly confirmations: number;
  /** Headers kept below the tip, in blocks. */
  readonly finality: number;
  readonly blockTimeMs: number;
  readonly explorerUrl: string | null;
  /** Ceiling in wei. */
  readonly maxFeePerGas: bigint;
  /** Addresses are lower-case hex. Each is a lane. */
  readonly operators: readonly string[];
  readonly upgrader: string;
  /** Transactions a lane has under way at most. */
  readonly maxInflight: number;
}

export interface CatalogueToken {
  /** Name of its network. */
  readonly network: string;
  /** Null is the native coin. */
  readonly address: string | null;
  readonly decimals: number;
}

export interface CatalogueCurrency {
  readonly id: string | null;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly tokens: readonly CatalogueToken[];
}

export interface Catalogue {
  /** Parents before their children. */
  readonly nodes: readonly CatalogueNode[];
  readonly chains: readonly CatalogueChain[];
  readonly networks: readonly CatalogueNetwork[];
  readonly currencies: readonly CatalogueCurrency[];
}

/** What the live network is asked about before the catalogue is applied. */
export interface NetworkQuestion {
  readonly name: string;
  readonly eip155: number;
  readonly rpcUrls: readonly string[];
  readonly tokens: readonly { readonly symbol: string; readonly address: string; readonly decimals: number }[];
}

/** What the live network answered. Problems are sentences without secrets, such as the keys in an RPC URL. */
export interface NetworkFacts {
  readonly genesisHash: string | null;
  readonly problems: readonly string[];
}

/** Asks a live network: EIP-155 id of every endpoint, code and decimals of every token. Never throws for what a network says. */
export type NetworkCheck = (network: NetworkQuestion) => Promise<NetworkFacts>;

/** Everything that is wrong with a catalogue, one sentence each. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The catalogue has ${problems.length} problem(s):\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const addressPattern = /^0x[0-9a-fA-F]{40}$/;

/** Reads fields of one mapping and notes what is wrong with them; a wrong field reads as a harmless value. */
class Fields {
  readonly place: string;
  readonly #values: Record<string, unknown>;
  readonly #problems: string[];

  constructor(value: unknown, place: string, known: readonly string[], problems: string[]) {
    this.place = place;
    this.#problems = problems;
    const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
    this.#values = isMapping ? (value as Record<string, unknown>) : {};
    if (!isMapping) problems.push(`${place} must be a mapping`);
    for (const key of Object.keys(this.#values)) {
      if (!known.includes(key)) problems.push(`${place}.${key} is not known; there are ${known.join(', ')}`);
    }
  }

  #read<Value>(
    key: string,
    fallback: Value | undefined,
    harmless: Value,
    rule: string,
    parse: (value: unknown) => Value | null,
  ): Value {
    const value = this.#values[key];
    if ((value === undefined || value === null) && fallback !== undefined) return fallback;
    const parsed = value === undefined || value === null ? null : parse(value);
    if (parsed === null) this.#problems.push(`${this.place}.${key} ${rule}`);
    return parsed ?? harmless;
  }

  text(key: string, max: number): string {
    return this.#read(key, undefined, '', `must be a text of 1 to ${max} characters`, (value) =>
      typeof value === 'string' && value.length >= 1 && value.length <= max ? value : null,
    );
  }

  id(): string | null {
    return this.#read<string | null>('id', null, null, 'must be a UUID', (value) =>
      typeof value === 'string' && uuidPattern.test(value.toLowerCase()) ? value.toLowerCase() : null,
    );
  }

  integer(key: string, min: number, max: number, fallback?: number): number {
    return this.#read(key, fallback, min, `must be a whole number from ${min} to ${max}`, (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max ? value : null,
    );
  }

  gwei(key: string): bigint {
    return this.#read(key, undefined, 1n, 'must be a number of gwei greater than 0', (value) => {
      const wei = typeof value === 'number' ? toUnits(value, 9) : 'not_finite';
      return typeof wei === 'bigint' ? wei : null;
    });
  }

  address(key: string, fallback?: null): string | null {
    return this.#read<string | null>(key, fallback, null, 'must be an address in quotes', (value) =>
      typeof value === 'string' && addressPattern.test(value) ? value.toLowerCase() : null,
    );
  }

  addresses(key: string): string[] {
    return this.#read(key, undefined, [], 'must be a list of 1 to 64 addresses in quotes', (value) =>
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= 64 &&
      value.every((entry): entry is string => typeof entry === 'string' && addressPattern.test(entry))
        ? value.map((entry) => entry.toLowerCase())
        : null,
    );
  }

  url(key: string): string | null {
    return this.#read<string | null>(key, null, null, 'must be an http(s) URL', (value) =>
      typeof value === 'string' && /^https?:\/\/[^\s/]+\S*$/.test(value) ? value : null,
    );
  }

  urls(key: string): string[] {
    return this.#read(key, undefined, [], 'must be a list of 1 to 16 http(s) URLs', (value) =>
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= 16 &&
      value.every((entry): entry is string => typeof entry === 'string' && /^https?:\/\/[^\s/]+\S*$/.test(entry))
        ? [...value]
        : null,
    );
  }

  list(key: string): { value: unknown; place: string }[] {
    const list = this.#read<unknown[]>(key, [], [], 'must be a list', (value) => (Array.isArray(value) ? value : null));
    return list.map((value, index) => ({ value, place: `${this.place}.${key}[${index}]` }));
  }
}

/**
 * Turns the parsed file into a catalogue.
 * @throws CatalogueError with every problem
 */
export const parseCatalogue = (input: unknown): Catalogue => {
  const problems: string[] = [];
  const open = (item: { value: unknown; place: string }, ...known: string[]) =>
    new Fields(item.value, item.place, known, problems);

  const file = open({ value: input, place: 'catalogue' }, 'nodes', 'chains', 'networks', 'currencies');

  const nodes: CatalogueNode[] = [];
  const walk = (items: { value: unknown; place: string }[], parent: string | null): void => {
    for (const item of items) {
      const fields = open(item, 'id', 'name', 'children');
      const node = { id: fields.id(), name: fields.text('name', 255), parent };
      nodes.push(node);
      walk(fields.list('children'), node.name);
    }
  };
  walk(file.list('nodes'), null);

  const chains = file.list('chains').map((item): CatalogueChain => {
    const fields = open(item, 'id', 'name');
    return { id: fields.id(), name: fields.text('name', 255) };
  });

  const networks = file.list('networks').map((item): CatalogueNetwork => {
    const fields = open(
      item,
      ...['id', 'name', 'chain', 'eip155', 'rpc_urls', 'quorum', 'confirmations', 'finality', 'block_time_ms'],
      ...['explorer_url', 'max_fee_per_gas_gwei', 'operators', 'upgrader', 'max_inflight'],
    );
    const rpcUrls = fields.urls('rpc_urls');
    const confirmations = fields.integer('confirmations', 1, 10_000);
    const network: CatalogueNetwork = {
      id: fields.id(),
      name: fields.text('name', 255),
      chain: fields.text('chain', 255),
      eip155: fields.integer('eip155', 1, Number.MAX_SAFE_INTEGER),
      rpcUrls,
      quorum: fields.integer('quorum', 1, Math.max(1, rpcUrls.length), 1),
      confirmations,
      finality: fields.integer('finality', confirmations + 1, 1_000_000),
      blockTimeMs: fields.integer('block_time_ms', 50, 3_600_000),
      explorerUrl: fields.url('explorer_url'),
      maxFeePerGas: fields.gwei('max_fee_per_gas_gwei'),
      operators: fields.addresses('operators'),
      upgrader: fields.address('upgrader') ?? '',
      maxInflight: fields.integer('max_inflight', 1, 1_000, 16),
    };
    if (new Set([...network.operators, network.upgrader]).size !== network.operators.length + 1) {
      problems.push(`${item.place} names an address twice among operators and upgrader; each key has one role`);
    }
    return network;
  });

  const currencies = file.list('currencies').map((item): CatalogueCurrency => {
    const fields = open(item, 'id', 'symbol', 'name', 'decimals', 'tokens');
    const decimals = fields.integer('decimals', 0, 36);
    const tokens = fields.list('tokens').map((entry): CatalogueToken => {
      const token = open(entry, 'network', 'address', 'decimals');
      return {
        network: token.text('network', 255),
        address: token.address('address', null),
        decimals: token.integer('decimals', 0, 36, decimals),
      };
    });
    return { id: fields.id(), symbol: fields.text('symbol', 32), name: fields.text('name', 255), decimals, tokens };
  });

  const unique = (what: string, values: readonly (string | number | null)[]): void => {
    const seen = new Set<string | number>();
    for (const value of values) {
      if (value === null || value === '') continue;
      if (seen.has(value)) problems.push(`${what} ${value} is there twice`);
      seen.add(value);
    }
  };
  unique(
    'node',
    nodes.map((node) => node.name),
  );
  unique(
    'chain',
    chains.map((chain) => chain.name),
  );
  unique(
    'network',
    networks.map((network) => network.name),
  );
  unique(
    'EIP-155 id',
    networks.map((network) => network.eip155),
  );
  unique(
    'currency',
    currencies.map((currency) => currency.symbol),
  );
  unique(
    'id',
    [...nodes, ...chains, ...networks, ...currencies].map((entry) => entry.id),
  );
  unique(
    'token on network',
    currencies.flatMap((currency) =>
      currency.tokens.map((token) => `${token.network}: ${token.address ?? 'native coin'}`),
    ),
  );
  for (const currency of currencies) {
    unique(
      `token of ${currency.symbol} on`,
      currency.tokens.map((token) => token.network),
    );
  }
  for (const network of networks) {
    if (network.chain !== '' && !chains.some((chain) => chain.name === network.chain)) {
      problems.push(`network ${network.name} is of the chain ${network.chain}, which is not in the file`);
    }
  }
  for (const token of currencies.flatMap((currency) => currency.tokens)) {
    if (token.network !== '' && !networks.some((network) => network.name === token.network)) {
      problems.push(`a token is on the network ${token.network}, which is not in the file`);
    }
  }
  if (problems.length > 0) throw new CatalogueError(problems);
  return { nodes, chains, networks, currencies };
};
