import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { readNumber, toUnits } from '../../domain/money.ts';
import type { NetworkCheck, NetworkFacts, NetworkQuestion } from '../../domain/ports/network-check.ts';
import { quorumRisk } from '../../domain/catalogue/quorum.ts';
import { diamondCommand, insertCommands } from '../outbox/commands.ts';
import { execute, rowsOf } from '../query/statements.ts';
import {
  accountsOf,
  type Application,
  type AppliedCatalogue,
  type AppliedIds,
  type QuorumChange,
} from './application.ts';
import { dismissAccounts, moveDismissedWork, keepHeld, warnOfKeyless } from './dismiss.ts';
import {
  CatalogueError,
  parseCatalogue,
  type Catalogue,
  type CatalogueCurrency,
  type CatalogueNetwork,
} from './file.ts';
import { immutableProblems } from './immutable.ts';
import { toPlatform } from './reads.ts';
import { restRetired, endpointsOf, retirementsToReport, writeRetirements } from './retire.ts';

type Kind = 'node' | 'chain' | 'network' | 'currency';

/** Derives the id of an entry without one (UUID version 8). Equal kinds and names get equal ids on every installation. */
export const derivedId = (kind: Kind, name: string): string => {
  const bytes = createHash('sha256').update(`carat catalogue ${kind}\0${name}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const idsOf = (
  kind: Kind,
  entries: readonly { readonly id?: string | null; readonly name: string }[],
): Record<string, string> => Object.fromEntries(entries.map(({ id, name }) => [name, id ?? derivedId(kind, name)]));

/** Inserts or updates a row. Leaves an equal row untouched. Returns the number of written rows. */
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
  return execute(
    trx,
    row,
  )(`INSERT INTO ${table} (${list(columns)}) VALUES (${list(columns, ':')}) ON CONFLICT (${list(keys)}) ${update}`);
};

/** Symbol of the currency that is the native coin of a network. */
const nativeSymbolOf = ({ currencies }: Catalogue, name: string): string =>
  currencies.find(({ tokens }) => tokens.some(({ network, address }) => network === name && address == null))?.symbol ??
  'ETH';

const writeNetwork = async ({ trx, catalogue, networks, chains, facts }: Application, network: CatalogueNetwork) => {
  const { name, eip155, confirmations, finality, block_time_ms, max_inflight, root, guardian } = network;
  const id = networks[name];
  const genesisHash = facts.get(name)?.genesisHash ?? null;
  let changes = await upsert(trx, 'networks', ['id'], {
    id,
    chain_id: chains[network.chain],
    name,
    eip155,
    ...(await endpointsOf(trx, id, network)),
    confirmations,
    finality,
    block_time_ms,
    explorer_url: network.explorer_url ?? null,
    native_symbol: network.native_symbol ?? nativeSymbolOf(catalogue, name),
    public_rpc_urls: network.public_rpc_urls,
    max_fee_per_gas: String(toUnits(readNumber(String(network.max_fee_per_gas_gwei)), 9)),
    root,
    guardian,
    ...(genesisHash === null ? {} : { genesis_hash: genesisHash }),
  });
  changes += await upsert(trx, 'watch_cursors', ['network_id'], { network_id: id });
  for (const account of accountsOf(network)) {
    const row = { network_id: id, ...account, max_inflight, dismissed_at: null };
    changes += await upsert(trx, 'signer_accounts', ['network_id', 'address'], row);
  }
  return changes;
};

const writeCurrency = async ({ trx, networks, currencies }: Application, currency: CatalogueCurrency) => {
  const { symbol, name, decimals, tokens } = currency;
  const id = currencies[symbol];
  let changes = await upsert(trx, 'currencies', ['id'], { id, symbol, name, decimals });
  // A token that left the file takes no new payments. Existing payments have a copy of it.
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
      permit_name: token.permit?.name ?? null,
      permit_version: token.permit?.version ?? null,
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
  for (const { name, first_root, platform_id, approval_delay } of catalogue.chains) {
    const row = { id: chains[name], name, first_root, platform_id, approval_delay };
    changes += await upsert(trx, 'chains', ['id'], row);
  }
  for (const network of catalogue.networks) changes += await writeNetwork(application, network);
  for (const currency of catalogue.currencies) changes += await writeCurrency(application, currency);
  return changes;
};

/** Restarts lanes and watchers with the new settings, and wakes waiting deployments. */
const notifyWorkers = async ({ trx, networks }: Application): Promise<void> => {
  const rows = await rowsOf<Parameters<typeof diamondCommand>[0]>(trx, [Object.values(networks)])(`
     SELECT d.wallet_id AS "walletId", d.network_id AS "networkId", w.node_id AS "nodeId"
     FROM deployments d JOIN wallets w ON w.id = d.wallet_id WHERE d.status = 'started' AND d.network_id = ANY(?)`);
  await insertCommands(trx, rows.map(diamondCommand));
  await trx.raw(`SELECT pg_notify('carat_catalogue', '')`);
};

type Known = NonNullable<NetworkQuestion['known']>;
type Stored = { readonly known: Known; readonly isAtRest: boolean };

/** Reads endpoints and tokens of the stored networks, by id. */
const storedNetworks = async (knex: Knex): Promise<ReadonlyMap<string, Stored>> => {
  const rows = await rowsOf<Known & Omit<Stored, 'known'> & { readonly id: string }>(knex)(`
       SELECT n.id, n.rested_at IS NOT NULL AS "isAtRest", n.rpc_urls AS "rpcUrls", ARRAY(SELECT jsonb_build_object('address', t.address, 'decimals', t.decimals, 'permit', CASE WHEN t.permit_name IS NOT NULL
         THEN jsonb_build_object('name', t.permit_name, 'version', t.permit_version) END)
       FROM currency_tokens t WHERE t.network_id = n.id AND t.address IS NOT NULL) AS tokens FROM networks n`);
  return new Map(rows.map(({ id, isAtRest, ...known }) => [id, { known, isAtRest }]));
};

/** Checks a live network. Skips networks at rest, and retired ones whose endpoints the file does not name. */
const askNetwork = (
  checkNetwork: NetworkCheck,
  { chains, currencies }: Catalogue,
  network: CatalogueNetwork,
  { known, isAtRest }: Partial<Stored> = {},
): Promise<NetworkFacts> => {
  const { name, eip155, rpc_urls: rpcUrls, quorum, confirmations, retired } = network;
  if (rpcUrls == null || (retired && isAtRest)) return Promise.resolve({ genesisHash: null, problems: [] });
  const platform = toPlatform(chains.find(({ name }) => name === network.chain)!);
  const tokens = currencies.flatMap((currency) =>
    currency.tokens.flatMap(({ network: of, address, decimals, permit }) =>
      of === network.name && address != null
        ? [{ symbol: currency.symbol, address, decimals: decimals ?? currency.decimals, permit }]
        : [],
    ),
  );
  return checkNetwork({ name, eip155, rpcUrls, quorum, known, confirmations, platform, tokens });
};

/** The stored networks in use of which the file makes another number of endpoints agree, or lets fewer fail. */
const quorumChanges = async ({ trx, catalogue, networks: ids }: Application): Promise<QuorumChange[]> => {
  const rows = await trx('networks')
    .whereNull('rested_at')
    .select<{ id: string; quorum: number; of: number }[]>('id', 'quorum', trx.raw('cardinality(rpc_urls) AS of'));
  const stored = new Map(rows.map(({ id, quorum, of }) => [id, { quorum, of }]));
  return catalogue.networks.flatMap(({ name, rpc_urls, quorum }) => {
    const before = stored.get(ids[name]!);
    if (rpc_urls == null || before === undefined) return [];
    const now = { quorum, of: rpc_urls.length };
    // Two of three stand one outage, two of two none.
    const standsLess = now.of - now.quorum < before.of - before.quorum;
    return before.quorum === now.quorum && !standsLess ? [] : [{ network: name, before, now }];
  });
};

/** What can go wrong with the endpoints of the networks that are watched. */
const quorumWarnings = async (knex: Knex): Promise<string[]> => {
  const rows = await rowsOf<{ name: string; rpcUrls: string[]; quorum: number; id: string }>(knex)(`
     SELECT n.name, n.rpc_urls AS "rpcUrls", n.quorum, c.platform_id AS id FROM networks n JOIN chains c ON c.id = n.chain_id
     WHERE n.rested_at IS NULL ORDER BY n.name`);
  return rows.flatMap(({ name, rpcUrls, quorum, id }) => {
    const risk = quorumRisk({ rpcUrls, quorum, platform: { id } });
    return risk === null ? [] : [`${name}: ${risk.found}; ${risk.remedy}`];
  });
};

/** Each node without a parent is an operator's: a merchant's node belongs below it. */
const rootWarnings = async (knex: Knex): Promise<string[]> => {
  const names = await knex('nodes').whereNull('parent_id').orderBy('name').pluck<string[]>('name');
  if (names.length < 2) return [];
  return [
    `${names.length} nodes have no parent (${names.join(', ')}); each of them is an operator's, whose integrations read and close the alerts ` +
      'of the installation and read its status; put the nodes of merchants below one node',
  ];
};

/** Checks all live networks. Returns the results by name. */
const askNetworks = async (
  stored: ReadonlyMap<string, Stored>,
  checkNetwork: NetworkCheck,
  catalogue: Catalogue,
  { networks }: AppliedIds,
): Promise<ReadonlyMap<string, NetworkFacts>> => {
  const checks = catalogue.networks.map(async (network) => {
    const own = stored.get(networks[network.name]!);
    return [network.name, await askNetwork(checkNetwork, catalogue, network, own)] as const;
  });
  return new Map(await Promise.all(checks));
};

/**
 * Applies the file to nodes, chains, networks with their signer accounts, currencies and tokens, in one transaction. Applying the
 * same file again is a no-op. Entries that are not in the file stay; but tokens missing from a listed currency are deleted, and
 * keys missing from a listed network are dismissed. Further transactions hand over the work of these keys. Every network is
 * checked live first.
 * @param input the parsed YAML
 * @param options `isWanted`: apply even if a role loses the last key that a worker holds
 * @throws CatalogueError with every problem; nothing is written then
 * @throws Error when the handover did not finish; the file is applied then, and applying it again continues the handover
 */
export const applyCatalogue = async (
  knex: Knex,
  input: unknown,
  checkNetwork: NetworkCheck,
  options: { readonly isWanted?: boolean } = {},
): Promise<AppliedCatalogue> => {
  const catalogue = parseCatalogue(input);
  const ids: AppliedIds = {
    nodes: idsOf('node', catalogue.nodes),
    chains: idsOf('chain', catalogue.chains),
    networks: idsOf('network', catalogue.networks),
    currencies: idsOf(
      'currency',
      catalogue.currencies.map(({ id, symbol }) => ({ id, name: symbol })),
    ),
  };
  const stored = await storedNetworks(knex);
  const facts = await askNetworks(stored, checkNetwork, catalogue, ids);
  const { written, retirement, dismissed, quorums } = await knex.transaction(async (trx) => {
    await trx.raw(`SELECT pg_advisory_xact_lock(hashtext('carat catalogue'))`);
    const application = { ...ids, trx, catalogue, facts };
    const problems = [...facts.values()].flatMap((own) => own.problems);
    problems.push(...(await immutableProblems(application)));
    if (problems.length > 0) throw new CatalogueError(problems);
    const told = await quorumChanges(application);
    const changes = await keepHeld(trx, options.isWanted ?? false, async () => ({
      written: await write(application),
      retirement: await writeRetirements(application),
      dismissed: await dismissAccounts(application),
    }));
    if (changes.written + changes.retirement.changes + changes.dismissed > 0) await notifyWorkers(application);
    return { ...changes, quorums: told };
  });
  const handedOver = await moveDismissedWork(knex, dismissed > 0);
  const warnings = [...facts.values()].flatMap((own) => own.warnings ?? []);
  await restRetired(knex);
  warnings.push(...(await quorumWarnings(knex)));
  warnings.push(...(await rootWarnings(knex)));
  warnings.push(...(await warnOfKeyless(knex)));
  return {
    ...ids,
    changes: written + retirement.changes + dismissed + handedOver.changes,
    dismissed: handedOver.lanes,
    retired: await retirementsToReport(knex, retirement.retired),
    resumed: retirement.resumed,
    quorums,
    warnings,
  };
};
