import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { toUnits } from '../../domain/money.ts';
import type { NetworkCheck, NetworkFacts } from '../../domain/ports/network-check.ts';
import {
  CatalogueError,
  parseCatalogue,
  type Catalogue,
  type CatalogueCurrency,
  type CatalogueNetwork,
} from './file.ts';

/** Ids of everything in the file, by name (currencies: by symbol), and how many rows were written. */
export interface AppliedCatalogue {
  readonly nodes: Readonly<Record<string, string>>;
  readonly chains: Readonly<Record<string, string>>;
  readonly networks: Readonly<Record<string, string>>;
  readonly currencies: Readonly<Record<string, string>>;
  readonly changes: number;
}

type Kind = 'node' | 'chain' | 'network' | 'currency';

/** The id of an entry that names none: the same for the same kind and name on every installation (a UUID of version 8). */
export const derivedId = (kind: Kind, name: string): string => {
  const bytes = createHash('sha256').update(`carat catalogue ${kind}\0${name}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const idsOf = (kind: Kind, entries: Catalogue['chains']): Record<string, string> =>
  Object.fromEntries(entries.map(({ id, name }) => [name, id ?? derivedId(kind, name)]));

/** Inserts a row or brings it up to date; a row that is already so is not touched. Answers the number of rows written. */
const upsert = async (
  trx: Knex,
  table: string,
  keys: readonly string[],
  row: Record<string, unknown>,
): Promise<number> => {
  const columns = Object.keys(row);
  const mutable = columns.filter((column) => !keys.includes(column));
  const list = (names: readonly string[], prefix = ''): string => names.map((name) => `${prefix}${name}`).join(', ');
  const update =
    mutable.length === 0
      ? 'DO NOTHING'
      : `DO UPDATE SET (${list(mutable)}) = ROW (${list(mutable, 'excluded.')})
         WHERE (${list(mutable, `${table}.`)}) IS DISTINCT FROM (${list(mutable, 'excluded.')})`;
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `INSERT INTO ${table} (${list(columns)}) VALUES (${list(columns, ':')}) ON CONFLICT (${list(keys)}) ${update}`,
    row as Record<string, Knex.Value>,
  );
  return rowCount;
};

type AppliedIds = Omit<AppliedCatalogue, 'changes'>;

/** A catalogue on its way into the database: its ids, and what the live networks say. */
interface Application extends AppliedIds {
  readonly trx: Knex.Transaction;
  readonly catalogue: Catalogue;
  /** By name of the network. */
  readonly facts: ReadonlyMap<string, NetworkFacts>;
}

const accountsOf = (network: CatalogueNetwork) => [
  ...network.operators.map((address) => ({ address, role: 'operator' })),
  { address: network.upgrader, role: 'upgrader' },
];

const nodeProblems = async ({ trx, catalogue, nodes }: Application): Promise<string[]> => {
  const stored = await trx('nodes').select<{ id: string; parent_id: string | null }[]>('id', 'parent_id');
  return catalogue.nodes.flatMap(({ name, parent }) => {
    const row = stored.find(({ id }) => id === nodes[name]);
    const isMoved = row !== undefined && row.parent_id !== (parent === null ? null : nodes[parent]);
    return isMoved ? [`node ${name} is stored under another parent`] : [];
  });
};

const networkProblems = async ({ trx, catalogue, networks, chains, facts }: Application): Promise<string[]> => {
  const stored = await trx('networks').select<
    { id: string; chain_id: string; eip155: string; genesis_hash: string | null }[]
  >('id', 'chain_id', 'eip155', 'genesis_hash');
  return catalogue.networks.flatMap(({ name, chain, eip155 }) => {
    const row = stored.find(({ id }) => id === networks[name]);
    if (row === undefined) return [];
    const problems: string[] = [];
    if (row.chain_id !== chains[chain]) problems.push(`network ${name} is stored under another chain`);
    if (row.eip155 !== String(eip155)) problems.push(`network ${name} is stored with the EIP-155 id ${row.eip155}`);
    const genesis = facts.get(name)?.genesisHash ?? null;
    if (row.genesis_hash !== null && genesis !== null && row.genesis_hash !== genesis) {
      problems.push(`network ${name} has the genesis ${genesis}, but the stored one is ${row.genesis_hash}`);
    }
    return problems;
  });
};

const accountProblems = async ({ trx, catalogue, networks }: Application): Promise<string[]> => {
  const stored = await trx('signer_accounts').select<{ network_id: string; address: string; role: string }[]>(
    'network_id',
    'address',
    'role',
  );
  return catalogue.networks.flatMap((network) =>
    accountsOf(network).flatMap(({ address, role }) => {
      const row = stored.find((one) => one.network_id === networks[network.name] && one.address === address);
      if (row === undefined || row.role === role) return [];
      return [`${address} on network ${network.name} is stored as ${row.role}; a key keeps its role`];
    }),
  );
};

/** What may never change once stored, because payments and keys on the chain depend on it. */
const immutableProblems = async (application: Application): Promise<string[]> => [
  ...(await nodeProblems(application)),
  ...(await networkProblems(application)),
  ...(await accountProblems(application)),
];

const writeNetwork = async ({ trx, networks, chains, facts }: Application, network: CatalogueNetwork) => {
  const { name, eip155, rpc_urls, quorum, confirmations, finality, block_time_ms, max_inflight } = network;
  const id = networks[name];
  const genesisHash = facts.get(name)?.genesisHash ?? null;
  let changes = await upsert(trx, 'networks', ['id'], {
    id,
    chain_id: chains[network.chain],
    name,
    eip155,
    rpc_urls,
    quorum,
    confirmations,
    finality,
    block_time_ms,
    explorer_url: network.explorer_url ?? null,
    max_fee_per_gas: String(toUnits(network.max_fee_per_gas_gwei, 9)),
    ...(genesisHash === null ? {} : { genesis_hash: genesisHash }),
  });
  changes += await upsert(trx, 'watch_cursors', ['network_id'], { network_id: id });
  for (const account of accountsOf(network)) {
    const row = { network_id: id, ...account, max_inflight };
    changes += await upsert(trx, 'signer_accounts', ['network_id', 'address'], row);
  }
  return changes;
};

const writeCurrency = async ({ trx, networks, currencies }: Application, currency: CatalogueCurrency) => {
  const { symbol, name, decimals, tokens } = currency;
  const id = currencies[symbol];
  let changes = await upsert(trx, 'currencies', ['id'], { id, symbol, name, decimals });
  // A token that left the file takes no new payments; existing ones carry their own copy of it.
  changes += await trx('currency_tokens')
    .where({ currency_id: id })
    .whereNotIn(
      'network_id',
      tokens.map((token) => networks[token.network]!),
    )
    .delete();
  for (const token of tokens) {
    changes += await upsert(trx, 'currency_tokens', ['currency_id', 'network_id'], {
      currency_id: id,
      network_id: networks[token.network],
      address: token.address ?? null,
      decimals: token.decimals ?? decimals,
    });
  }
  return changes;
};

const write = async (application: Application): Promise<number> => {
  const { trx, catalogue, nodes, chains } = application;
  let changes = 0;
  for (const { name, parent } of catalogue.nodes) {
    const parentId = parent === null ? null : nodes[parent];
    changes += await upsert(trx, 'nodes', ['id'], { id: nodes[name], parent_id: parentId, name });
  }
  for (const { name } of catalogue.chains) changes += await upsert(trx, 'chains', ['id'], { id: chains[name], name });
  for (const network of catalogue.networks) changes += await writeNetwork(application, network);
  for (const currency of catalogue.currencies) changes += await writeCurrency(application, currency);
  return changes;
};

const askNetwork = (checkNetwork: NetworkCheck, { currencies }: Catalogue, network: CatalogueNetwork) => {
  const tokens = currencies.flatMap((currency) =>
    currency.tokens.flatMap(({ network: of, address, decimals }) =>
      of === network.name && address != null
        ? [{ symbol: currency.symbol, address, decimals: decimals ?? currency.decimals }]
        : [],
    ),
  );
  const { name, eip155, rpc_urls: rpcUrls } = network;
  return checkNetwork({ name, eip155, rpcUrls, tokens });
};

/**
 * Brings nodes, chains, networks with their signer accounts, currencies and tokens to what the file says, in one
 * transaction. Applying the same file again writes nothing. What is not in the file stays as it is, but for the tokens
 * of a currency that is. Every network is asked first whether it is what the file claims.
 * @param input the parsed YAML
 * @throws CatalogueError with every problem; nothing is written then
 */
export const applyCatalogue = async (
  knex: Knex,
  input: unknown,
  checkNetwork: NetworkCheck,
): Promise<AppliedCatalogue> => {
  const catalogue = parseCatalogue(input);
  const answers = catalogue.networks.map(
    async (network) => [network.name, await askNetwork(checkNetwork, catalogue, network)] as const,
  );
  const facts = new Map(await Promise.all(answers));
  const ids: AppliedIds = {
    nodes: idsOf('node', catalogue.nodes),
    chains: idsOf('chain', catalogue.chains),
    networks: idsOf('network', catalogue.networks),
    currencies: idsOf(
      'currency',
      catalogue.currencies.map(({ id, symbol }) => ({ id, name: symbol })),
    ),
  };
  return knex.transaction(async (trx) => {
    await trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat catalogue'))`);
    const application = { ...ids, trx, catalogue, facts };
    const problems = [...facts.values()].flatMap((answer) => answer.problems);
    problems.push(...(await immutableProblems(application)));
    if (problems.length > 0) throw new CatalogueError(problems);
    return { ...ids, changes: await write(application) };
  });
};
