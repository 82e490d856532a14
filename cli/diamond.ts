import { createDeployer } from '../chain/deploy/deployer.ts';
import { checksum, isAddress } from '../chain/pure/address.ts';
import { releasedFacets } from '../chain/pure/releases.ts';
import { addressOnNetwork, dealModeAt } from '../db/wallets/wallets.ts';
import { isUuid } from '../domain/tools/is-uuid.ts';
import { faultsOf, type ContractVersion, type DiamondInspection, type FacetCut } from '../domain/version-check.ts';
import { defineCommand, UsageError, type CommandCall } from './command/command.ts';
import { onNetwork, type OnNetwork } from './command/networks.ts';

/** An inspected diamond; addresses have their checksum, as in the API. */
interface Seen extends DiamondInspection {
  readonly address: string;
}

/**
 * The address of the diamond that an argument names: by its own address, which needs no database rows, or by its
 * wallet's id.
 */
const addressOf = async ({ knex, network }: OnNetwork, named: string): Promise<string> => {
  const address = isAddress(named) ? named.toLowerCase() : await addressOnNetwork(knex, named, network.id);
  if (address === null) throw new Error(`no wallet ${named} exists on the chain of ${network.name}`);
  return address;
};

/** Makes a command that inspects a wallet's diamond on a network. It needs neither Temporal nor a key. */
const diamondCommand = (tell: (seen: Seen, print: CommandCall<'databaseUrl'>['print']) => void) =>
  defineCommand({
    config: ['databaseUrl'],
    run: async ({ args: [named, name, ...rest], config, print }) => {
      if (named === undefined || name === undefined || rest.length > 0) {
        throw new UsageError('a wallet and a network are needed');
      }
      if (!isAddress(named) && !isUuid(named)) {
        throw new UsageError(`${named} is neither a wallet id nor a diamond address`);
      }
      await onNetwork(config, name, async (on) => {
        const found = await addressOf(on, named);
        const seen = await createDeployer(on).inspect(found);
        const address = checksum(found);
        print(`diamond   ${address} on ${name}, at block ${seen.blockNumber}`);
        tell({ ...seen, address }, print);
        const mode = await dealModeAt(on.knex, found, on.network.id);
        if (mode !== null) print(`deals     ${mode}`);
      });
    },
  });

/** Shows the changes that an update would make now, and its call. */
export const diamondPlan = diamondCommand((seen, print) => {
  const { contracts, cut } = seen;
  print(`release   ${networksRelease(seen)}`);
  if (!seen.isThere) throw new Error(`the registry has no diamond at ${seen.address}`);
  if (seen.unknownRelease !== undefined) throw new Error('no update can be planned: it needs another version of Carat');
  for (const contract of contracts) print(`${contract.kind.padEnd(9)} ${contractText(contract)}`);
  if (cut === null) return print('nothing to update');
  for (const entry of cut.cuts) print(`${entry.action.padEnd(9)} ${cutText(entry)}`);
  print(`loupe     ${cut.expectedLoupeHash}`);
  print(`to        ${checksum(cut.to)}`);
  print(`data      ${cut.data}`);
});

/** Checks that a diamond is exactly one of the releases, and that the registry approves its facets. */
export const diamondVerify = diamondCommand((seen, print) => {
  const { contracts, cut, isThere, address } = seen;
  if (!isThere) throw new Error(`the registry has no diamond at ${address}`);
  const wrong = faultsOf(seen);
  for (const contract of wrong) print(`${contract.kind.padEnd(9)} ${contractText(contract)}`);
  if (wrong.length > 0) throw new Error(`${address} matches no release, or has unapproved facets`);
  const isOther = cut !== null || seen.unknownRelease !== undefined;
  const plan = cut === null ? '' : ': carat diamond plan shows the update';
  print(
    `release   ${contracts[0]?.current_version}${isOther ? `; the network's is ${networksRelease(seen)}${plan}` : ''}`,
  );
});

/** The release that root has set for the network. */
const networksRelease = ({ contracts, unknownRelease }: Seen): string =>
  unknownRelease === undefined
    ? String(contracts[0]?.latest_version)
    : `${unknownRelease}, which this version of Carat does not know`;

const versionsText = ({ current_version: current, latest_version: latest }: ContractVersion): string =>
  current === latest ? (latest ?? 'of no release') : `${current ?? 'none'} -> ${latest ?? 'none'}`;

const contractText = (contract: ContractVersion): string => {
  const { name, address, status, selectors } = contract;
  const changes = (['add', 'replace', 'remove'] as const)
    .filter((action) => selectors[action].length > 0)
    .map((action) => `${action} ${selectors[action].join(' ')}`);
  const approvals = [
    ...(contract.current_approved === false ? ['not approved'] : []),
    ...(contract.latest_approved === false && status !== 'up_to_date' ? ['the new one is not approved'] : []),
  ];
  const said = `${status}${[...approvals, ...changes].map((text) => `; ${text}`).join('')}`;
  return `${checksum(address)} ${name ?? 'unknown'} ${versionsText(contract)}: ${said}`;
};

const cutText = ({ facet, selectors }: FacetCut): string => {
  const released = releasedFacets.get(facet);
  const by = released === undefined ? '' : ` by ${checksum(facet)} (${released.name} ${released.version})`;
  return `${selectors.join(' ')}${by}`;
};
