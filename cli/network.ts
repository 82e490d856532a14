import { costsOf, type CallCost } from '../chain/deploy/costs.ts';
import { missingOf, planNetwork, prepareNetwork, type NetworkPlan, type PlanOptions } from '../chain/deploy/prepare.ts';
import { isoTime } from '../chain/deploy/registry-changes.ts';
import { serves, type BatcherState, type CountOpen, type OlderBatcher } from '../chain/deploy/batchers.ts';
import type { PlannedCall } from '../chain/deploy/send-calls.ts';
import { registryAddress } from '../chain/pure/platform.ts';
import { release as newest, releaseOf, type Release } from '../chain/pure/releases.ts';
import { openKeystore, type Keystore } from '../chain/signing/keystore.ts';
import { nativeSymbol } from '../db/catalogue/reads.ts';
import { signersOf } from '../db/lane/accounts.ts';
import { countOpenTo } from '../db/lane/slots.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import { toDecimalText } from '../domain/money.ts';
import { defineCommand, UsageError, readWords, type CommandCall } from './command/command.ts';
import { withDatabase, type Database } from './command/database.ts';
import { rpcOf } from './command/networks.ts';

/**
 * The release of this version; by default the newest.
 * @throws UsageError for an unknown release
 */
export const releaseNamed = (version = newest.version): Release => {
  const found = releaseOf(version);
  if (found === undefined) throw new UsageError(`the release ${version} is unknown`);
  return found;
};

/** Counts the open transactions of a network's lanes in this database. */
export const countOpenOn =
  (knex: Database, { id }: Pick<WatchedNetwork, 'id'>): CountOpen =>
  (to, block) =>
    countOpenTo(knex, { networkId: id, to, block });

type Call = CommandCall<'databaseUrl'>;

/**
 * Deploys registry, batcher and facets, gives roles and sets the release on networks of the catalogue, or shows the
 * calls and costs.
 */
export const networkPrepare = defineCommand({
  config: ['databaseUrl'],
  run: async (call) => {
    const { values, positionals } = readWords(call.args, {
      all: { type: 'boolean' },
      plan: { type: 'boolean' },
      release: { type: 'string' },
      'root-keystore': { type: 'string' },
    });
    const [name, ...rest] = positionals;
    const file = values['root-keystore'];
    const one = name !== undefined && rest.length === 0;
    if ((file === undefined) !== (values.plan === true) || (values.all ? name !== undefined : !one)) {
      throw new UsageError('a network, or --all, and either --root-keystore or --plan are needed');
    }
    const release = releaseNamed(values.release);
    const keystore =
      file === undefined ? null : await openKeystore(file, call.need('keystorePassphrase').keystorePassphrase);
    await withDatabase(call.config, async (knex) => {
      const wanted = await wantedNetworks(knex, values.all === true ? null : name!);
      for (const each of wanted) {
        const options = { ...each, release };
        await (keystore === null ? plan(call, knex, options) : prepare(call, keystore, options));
      }
    });
  },
});

/** The network of this name, or all, each with the other networks of its registry. */
const wantedNetworks = async (knex: Database, name: string | null) => {
  const known = (await watchedNetworks(knex)).map((network) => ({
    network,
    registry: registryAddress(network.platform),
    rpc: rpcOf(network),
  }));
  const wanted = known.filter(({ network }) => (name === null ? !network.isAtRest : network.name === name));
  if (wanted.length === 0) throw new Error(`the catalogue has no network ${name ?? ''}`);
  return Promise.all(
    wanted.map(async ({ network, rpc, registry }) => ({
      network,
      rpc,
      ...(await signersOf(knex, network.id)),
      countOpen: countOpenOn(knex, network),
      others: known.filter(
        (other) => other.network !== network && !other.network.isAtRest && other.registry === registry,
      ),
    })),
  );
};

type Wanted = Awaited<ReturnType<typeof wantedNetworks>>[number] & { readonly release: Release };

const prepare = async ({ print, report }: Call, keystore: Keystore, wanted: Wanted): Promise<void> => {
  const { network } = wanted;
  const { name, root } = network;
  const payer = keystore.addresses.find((address) => address === root) ?? keystore.addresses[0] ?? '';
  const prepared = await prepareNetwork({
    ...wanted,
    rootSigner: keystore.signer(payer),
    onProgress: (step) => report(`${name}: ${step}`),
  });
  print(`${name}: registry ${prepared.registry}, ${prepared.transactions.length} transactions sent`);
  for (const line of whatIsLeft(prepared, network)) print(`${name}: ${line}`);
};

const plan = async ({ print }: Call, knex: Database, wanted: Wanted): Promise<void> => {
  const { id, name } = wanted.network;
  const { planned, lines } = await planLines(wanted, await nativeSymbol(knex, id));
  for (const line of [...lines, ...whatIsLeft(planned, wanted.network)]) print(`${name}: ${line}`);
};

/** Lines about everything that a preparation leaves to others, or to later. */
const whatIsLeft = (
  plan: Pick<NetworkPlan, 'rootCalls' | 'olderBatchers' | 'releaseFrom' | 'revoked' | 'unknownRelease'>,
  network: WatchedNetwork,
): string[] => {
  const { rootCalls, olderBatchers, releaseFrom, revoked, unknownRelease } = plan;
  const { name, root } = network;
  const lines = olderBatchers
    .filter(({ hold }) => hold !== null)
    .map((older) => `the older batcher ${older.address}: ${olderText(older, network)}`);
  if (rootCalls.length > 0) {
    const calls = callsText(rootCalls);
    lines.push(`root ${root} still has to make these calls, in this order; then run this again${calls}`);
  }
  if (revoked.length > 0) {
    lines.push(
      `permanently revoked: ${revoked.join(', ')}; a release with them cannot be set, and blocks deployments where it is set`,
    );
  }
  if (unknownRelease !== undefined) {
    lines.push(
      `this version of Carat does not know the release ${unknownRelease} and leaves it unchanged; carat registry ` +
        `set-release ${name} would replace it`,
    );
  }
  if (releaseFrom !== null) {
    lines.push(
      `the facets can be used from ${isoTime(releaseFrom)} at the earliest; run this again then to set the release`,
    );
  }
  return lines;
};

/** State of a network's newest batcher, and the command that completes it. */
export const newestText = (newest: BatcherState, name: string): string => {
  if (serves(newest)) return 'has its role';
  return `${newest.isThere ? 'lacks its role' : 'is not deployed'}: carat network prepare ${name}`;
};

/** Why a batcher of an older version keeps its role, and the command that takes it. */
export const olderText = (
  { isOperator, hold, open }: OlderBatcher,
  { name, confirmations }: WatchedNetwork,
): string => {
  const ends = `carat network prepare ${name} takes its role`;
  if (!isOperator) return 'no longer has its role';
  switch (hold) {
    case 'not_replaced':
      return `keeps its role until the newest has had its own for ${confirmations} confirmations; ${ends} after that`;
    case 'not_known':
      return `no watcher of this database has read ${name} yet, so its open transactions are unknown; ${ends} when run on the workers' database`;
    case 'in_use':
      return `still in use: transactions to it that are not final: ${open}; ${ends} once none is left`;
    case null:
      return `has its role, but no open transaction; ${ends}`;
  }
};

/** Calls in a form to enter into a multisig. */
export const callsText = (calls: readonly PlannedCall[]): string =>
  calls.map(({ what, to, data }) => `\n  ${what}\n    to ${to}\n    data ${data}`).join('');

/** Significant digits of a shown amount, rounded up so that the shown amount suffices. */
const DIGITS = 4;

/** Lines about the calls and costs of a preparation; the caller prints root's calls. */
const planLines = async (
  options: PlanOptions,
  symbol: string | null,
): Promise<{ planned: NetworkPlan; lines: string[] }> => {
  const { network, rpc } = options;
  const planned = await planNetwork(options);
  const coins = (wei: bigint): string => {
    const unit = 10n ** BigInt(Math.max(0, wei.toString().length - DIGITS));
    return `${toDecimalText(((wei + unit - 1n) / unit) * unit, 18)} ${symbol ?? 'coins'}`;
  };
  if (planned.deployer) {
    const { address, fund } = planned.deployer;
    return {
      planned,
      lines: [
        `the deterministic deployer ${address} is missing and is deployed first`,
        ...(fund ? [`${fund.what}: ${coins(fund.value ?? 0n)}`] : []),
        'everything else is missing too; its costs can be estimated once the deployer is deployed',
      ],
    };
  }
  const anybodys = await costsOf(rpc, network.root, missingOf(planned.contracts));
  const roots = await costsOf(rpc, network.root, planned.rootCalls);
  const balance = BigInt((await rpc.call('eth_getBalance', [network.root, 'latest'])) as string);
  const callLine = ({ call, gas, isEstimate, cost }: CallCost): string =>
    `${call.what}: ${isEstimate ? '' : 'at most '}${gas} gas, ${coins(cost)}`;
  const lines = [
    ...planned.contracts.map(
      ({ name, address, isThere }) => `${name} ${address} ${isThere ? 'is deployed' : 'is missing'}`,
    ),
    ...planned.roles.map(
      ({ role, account, isBatcher, enabled }) =>
        `${isBatcher ? 'batcher' : role} ${account} ${enabled ? 'has its role' : 'lacks its role'}`,
    ),
    ...[...anybodys.calls, ...roots.calls].map(callLine),
  ];
  if (anybodys.calls.length > 0) {
    lines.push(`the deployments cost ${coins(anybodys.cost)} now; the payer needs ${coins(anybodys.needed)}`);
  }
  if (roots.calls.length > 0)
    lines.push(`root's calls cost ${coins(roots.cost)} now; root needs ${coins(roots.needed)}`);
  if (anybodys.calls.length + roots.calls.length > 0) {
    const both = anybodys.needed + roots.needed;
    lines.push(
      `root ${network.root} has ${toDecimalText(balance, 18)} ${symbol ?? 'coins'}; to pay for everything it needs ${coins(both)}`,
    );
  } else lines.push('nothing is missing');
  return { planned, lines };
};
