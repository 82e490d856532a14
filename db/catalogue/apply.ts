import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import {
  CatalogueError,
  parseCatalogue,
  type Catalogue,
  type CatalogueNetwork,
  type NetworkCheck,
  type NetworkFacts,
} from '../../domain/catalogue.ts';

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

const idsOf = (kind: Kind, entries: readonly { id: string | null; label: string }[]): Record<string, string> =>
  Object.fromEntries(entries.map((entry) => [entry.label, entry.id ?? derivedId(kind, entry.label)]));

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

/** What may never change once stored, because payments and keys on the chain depend on it. */
const immutableProblems = async (
  trx: Knex,
  catalogue: Catalogue,
  ids: AppliedIds,
  facts: ReadonlyMap<string, NetworkFacts>,
) => {
  const problems: string[] = [];
  const storedNodes = await trx('nodes').select<{ id: string; parent_id: string | null }[]>('id', 'parent_id');
  for (const node of catalogue.nodes) {
    const stored = storedNodes.find((row) => row.id === ids.nodes[node.name]);
    const parent = node.parent === null ? null : ids.nodes[node.parent];
    if (stored && stored.parent_id !== parent) problems.push(`node ${node.name} is stored under another parent`);
  }
  const storedNetworks = await trx('networks').select<
    { id: string; chain_id: string; eip155: string; genesis_hash: string | null }[]
  >('id', 'chain_id', 'eip155', 'genesis_hash');
  for (const network of catalogue.networks) {
    const stored = storedNetworks.find((row) => row.id === ids.networks[network.name]);
    if (!stored) continue;
    if (stored.chain_id !== ids.chains[network.chain])
      problems.push(`network ${network.name} is stored under another chain`);
    if (stored.eip155 !== String(network.eip155)) {
      problems.push(`network ${network.name} is stored with the EIP-155 id ${stored.eip155}`);
    }
    const genesis = facts.get(network.name)?.genesisHash ?? null;
    if (stored.genesis_hash !== null && genesis !== null && stored.genesis_hash !== genesis) {
      problems.push(`network ${network.name} has the genesis ${genesis}, but the stored one is ${stored.genesis_hash}`);
    }
  }
  const storedAccounts = await trx('signer_accounts').select<{ network_id: string; address: string; role: string }[]>(
    'network_id',
    'address',
    'role',
  );
  for (const network of catalogue.networks) {
    for (const account of accountsOf(network)) {
      const stored = storedAccounts.find(
        (row) => row.network_id === ids.networks[network.name] && row.address === account.address,
      );
      if (stored && stored.role !== account.role) {
        problems.push(
          `${account.address} on network ${network.name} is stored as ${stored.role}; a key keeps its role`,
        );
      }
    }
  }
  return problems;
};

type AppliedIds = Omit<AppliedCatalogue, 'changes'>;

const accountsOf = (network: CatalogueNetwork) => [
  ...network.operators.map((address) => ({ address, role: 'operator' })),
  { address: network.upgrader, role: 'upgrader' },
];

const write = async (trx: Knex, catalogue: Catalogue, ids: AppliedIds, facts: ReadonlyMap<string, NetworkFacts>) => {
  let changes = 0;
  for (const node of catalogue.nodes) {
    const parentId = node.parent === null ? null : ids.nodes[node.parent];
    changes += await upsert(trx, 'nodes', ['id'], {
      id: ids.nodes[node.name],
      parent_id: parentId,
      name: node.name,
    });
  }
  for (const chain of catalogue.chains) {
    changes += await upsert(trx, 'chains', ['id'], { id: ids.chains[chain.name], name: chain.name });
  }
  for (const network of catalogue.networks) {
    const networkId = ids.networks[network.name];
    const genesisHash = facts.get(network.name)?.genesisHash ?? null;
    changes += await upsert(trx, 'networks', ['id'], {
      id: networkId,
      chain_id: ids.chains[network.chain],
      name: network.name,
      eip155: network.eip155,
      rpc_urls: network.rpcUrls,
      quorum: network.quorum,
      confirmations: network.confirmations,
      finality: network.finality,
      block_time_ms: network.blockTimeMs,
      explorer_url: network.explorerUrl,
      max_fee_per_gas: network.maxFeePerGas.toString(),
      ...(genesisHash === null ? {} : { genesis_hash: genesisHash }),
    });
    changes += await upsert(trx, 'watch_cursors', ['network_id'], { network_id: networkId });
    for (const account of accountsOf(network)) {
      changes += await upsert(trx, 'signer_accounts', ['network_id', 'address'], {
        network_id: networkId,
        ...account,
        max_inflight: network.maxInflight,
      });
    }
  }
  for (const currency of catalogue.currencies) {
    const currencyId = ids.currencies[currency.symbol];
    changes += await upsert(trx, 'currencies', ['id'], {
      id: currencyId,
      symbol: currency.symbol,
      name: currency.name,
      decimals: currency.decimals,
    });
    const networkIds = currency.tokens.map((token) => ids.networks[token.network]!);
    // A token that left the file takes no new payments; existing ones carry their own copy of it.
    changes += await trx('currency_tokens')
      .where({ currency_id: currencyId })
      .whereNotIn('network_id', networkIds)
      .delete();
    for (const token of currency.tokens) {
      changes += await upsert(trx, 'currency_tokens', ['currency_id', 'network_id'], {
        currency_id: currencyId,
        network_id: ids.networks[token.network],
        address: token.address,
        decimals: token.decimals,
      });
    }
  }
  return changes;
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
  const facts = new Map<string, NetworkFacts>();
  await Promise.all(
    catalogue.networks.map(async (network) => {
      const tokens = catalogue.currencies.flatMap((currency) =>
        currency.tokens.flatMap((token) =>
          token.network === network.name && token.address !== null
            ? [{ symbol: currency.symbol, address: token.address, decimals: token.decimals }]
            : [],
        ),
      );
      const { name, eip155, rpcUrls } = network;
      facts.set(name, await checkNetwork({ name, eip155, rpcUrls, tokens }));
    }),
  );
  const ids: AppliedIds = {
    nodes: idsOf(
      'node',
      catalogue.nodes.map((node) => ({ id: node.id, label: node.name })),
    ),
    chains: idsOf(
      'chain',
      catalogue.chains.map((chain) => ({ id: chain.id, label: chain.name })),
    ),
    networks: idsOf(
      'network',
      catalogue.networks.map((network) => ({ id: network.id, label: network.name })),
    ),
    currencies: idsOf(
      'currency',
      catalogue.currencies.map((currency) => ({ id: currency.id, label: currency.symbol })),
    ),
  };
  return knex.transaction(async (trx) => {
    await trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat catalogue'))`);
    const problems = catalogue.networks.flatMap((network) => [...(facts.get(network.name)?.problems ?? [])]);
    problems.push(...(await immutableProblems(trx, catalogue, ids, facts)));
    if (problems.length > 0) throw new CatalogueError(problems);
    return { ...ids, changes: await write(trx, catalogue, ids, facts) };
  });
};
