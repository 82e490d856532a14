import { parseArgs } from 'node:util';
import { costsOf, type CallCost } from '../chain/deploy/costs.ts';
import { missingOf, planNetwork, prepareNetwork, type NetworkPlan, type PlanOptions } from '../chain/deploy/prepare.ts';
import { timeText } from '../chain/deploy/registry-changes.ts';
import { serves, type BatcherState, type CountOpen, type OlderBatcher } from '../chain/deploy/batchers.ts';
import type { PlannedCall } from '../chain/deploy/send-calls.ts';
import { registryAddress } from '../chain/pure/platform.ts';
import { release as newest, releaseOf, type Release } from '../chain/pure/releases.ts';
import { createRpc, type Rpc } from '../chain/rpc/rpc.ts';
import { openKeystore, type Keystore } from '../chain/signing/keystore.ts';
import { nativeSymbol } from '../db/catalogue/reads.ts';
import { signersOf } from '../db/lane/accounts.ts';
import { countOpenTo } from '../db/lane/slots.ts';
import { watchedNetworks } from '../db/watcher/networks.ts';
import type { WatchedNetwork } from '../domain/ports/watcher.ts';
import { toDecimalText } from '../domain/money.ts';
import { defineCommand, UsageError, type CommandCall } from './command.ts';
import { withDatabase, type Database } from './database.ts';

/** A network of the catalogue, and where to ask about it. */
export interface OnNetwork {
  readonly knex: Database;
  readonly network: WatchedNetwork;
  readonly rpc: Rpc;
}

/**
 * Runs `work` for the network of this name.
 * @throws Error when the catalogue has none
 */
export const onNetwork = (
  config: Parameters<typeof withDatabase>[0],
  name: string,
  work: (on: OnNetwork) => Promise<void>,
): Promise<void> =>
  withDatabase(config, async (knex) => {
    const network = (await watchedNetworks(knex)).find((candidate) => candidate.name === name);
    if (network === undefined) throw new Error(`the catalogue has no network ${name}`);
    await work({ knex, network, rpc: rpcOf(network) });
  });

/** Asks the endpoints of a network. */
export const rpcOf = ({ rpcUrls: urls, eip155, blockTimeMs }: WatchedNetwork): Rpc =>
  createRpc({ urls, eip155, blockTimeMs });

/**
 * The release of this version, the newest one unless told.
 * @throws UsageError
 */
export const releaseNamed = (version = newest.version): Release => {
  const found = releaseOf(version);
  if (found === undefined) throw new UsageError(`there is no release ${version}`);
  return found;
};

/** Counts what the lanes of a network have sent, by what the database knows. */
export const countOpenOn =
  (knex: Database, { id }: Pick<WatchedNetwork, 'id'>): CountOpen =>
  (to, block) =>
    countOpenTo(knex, { networkId: id, to, block });

type Call = CommandCall<'databaseUrl'>;

/** Puts registry, batcher, facets, roles and release onto networks of the catalogue, or shows what that would take. */
export const networkPrepare = defineCommand({
  config: ['databaseUrl'],
  run: async (call) => {
    const { values, positionals } = parseArgs({
      args: [...call.args],
      allowPositionals: true,
      options: {
        all: { type: 'boolean' },
        plan: { type: 'boolean' },
        release: { type: 'string' },
        'root-keystore': { type: 'string' },
      },
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

/** The network of this name, or all, each with the others of its chain. */
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

/** What a preparation has to leave to others, or to later. */
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
    lines.push(`root ${root} still has to make these calls, in this order; run this again then${calls}`);
  }
  if (revoked.length > 0) {
    lines.push(
      `revoked for good: ${revoked.join(', ')}; no release with them can be set, and while one is no wallet is deployed`,
    );
  }
  if (unknownRelease !== undefined) {
    lines.push(
      `the release ${unknownRelease} is none that this version of Carat knows, and is left as it is; carat registry ` +
        `set-release ${name} would replace it`,
    );
  }
  if (releaseFrom !== null) {
    lines.push(
      `the facets may be used from ${timeText(releaseFrom)} at the earliest; run this again then, to set the release`,
    );
  }
  return lines;
};

/** What a network's newest batcher lacks, and how it gets it. */
export const newestText = (newest: BatcherState, name: string): string => {
  if (serves(newest)) return 'has its role';
  return `${newest.isThere ? 'has not its role' : 'is not deployed'}: carat network prepare ${name}`;
};

/** What keeps a batcher of an older version in its role, and what ends that. */
export const olderText = (
  { isOperator, hold, open }: OlderBatcher,
  { name, confirmations }: WatchedNetwork,
): string => {
  const ends = `carat network prepare ${name} takes its role`;
  if (!isOperator) return 'has no role any more';
  switch (hold) {
    case 'not_replaced':
      return `keeps its role until the newest has had its own for ${confirmations} confirmations; ${ends} after that`;
    case 'not_known':
      return `no watcher of this database has read ${name} so far, so nobody knows here what goes to it; ${ends} beside the workers' database`;
    case 'in_use':
      return `still in use: transactions to it that are not final: ${open}; ${ends} once there are none`;
    case null:
      return `has its role, and no open transaction goes to it any more; ${ends}`;
  }
};

/** Calls as people hand them to a multisig. */
export const callsText = (calls: readonly PlannedCall[]): string =>
  calls.map(({ what, to, data }) => `\n  ${what}\n    to ${to}\n    data ${data}`).join('');

/** Digits of an amount that are shown; what is cut off is rounded up, because it has to be there. */
const DIGITS = 4;

/** What a preparation of a network would do and cost, line by line; its calls for root are left to the caller. */
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
        `the deterministic deployer ${address} is missing, and is put there first`,
        ...(fund ? [`${fund.what}: ${coins(fund.value ?? 0n)}`] : []),
        'all else is missing too; what it costs can be estimated once the deployer is there',
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
      ({ name, address, isThere }) => `${name} ${address} ${isThere ? 'is there' : 'is missing'}`,
    ),
    ...planned.roles.map(
      ({ role, account, enabled }) => `${role} ${account} ${enabled ? 'has its role' : 'lacks its role'}`,
    ),
    ...[...anybodys.calls, ...roots.calls].map(callLine),
  ];
  if (anybodys.calls.length > 0) {
    lines.push(
      `the deployments cost ${coins(anybodys.cost)} now; whoever pays for them needs ${coins(anybodys.needed)}`,
    );
  }
  if (roots.calls.length > 0)
    lines.push(`root's calls cost ${coins(roots.cost)} now; root needs ${coins(roots.needed)}`);
  if (anybodys.calls.length + roots.calls.length > 0) {
    const both = anybodys.needed + roots.needed;
    lines.push(
      `root ${network.root} has ${toDecimalText(balance, 18)} ${symbol ?? 'coins'}; with its key for everything it needs ${coins(both)}`,
    );
  } else lines.push('nothing is missing');
  return { planned, lines };
};
