import type { Knex } from 'knex';
import type { KeyRole } from '../../domain/ports/lane.ts';
import type { NetworkFacts } from '../../domain/ports/network-check.ts';
import type { Catalogue, CatalogueNetwork } from './file.ts';

/** The result of an application: ids by name (currencies: by symbol), and the number of written rows. */
export interface AppliedCatalogue {
  readonly nodes: Readonly<Record<string, string>>;
  readonly chains: Readonly<Record<string, string>>;
  readonly networks: Readonly<Record<string, string>>;
  readonly currencies: Readonly<Record<string, string>>;
  readonly changes: number;
  /** Lanes of keys that have left the file, with their open work. */
  readonly dismissed: readonly DismissedLane[];
  /** Newly retired networks, and retired ones that are still watched. */
  readonly retired: readonly NetworkRetirement[];
  /** Networks that were at rest and are in use again. */
  readonly resumed: readonly Resumption[];
  /** Stored networks of which another number of endpoints must agree from now on. */
  readonly quorums: readonly QuorumChange[];
  /** Faults of networks with which they still work, and keys that no worker holds. */
  readonly warnings: readonly string[];
}

/** A retired network, and the number of its open payments and runs. */
export interface NetworkRetirement {
  readonly networkId: string;
  readonly network: string;
  /** Web3 payments. */
  readonly openPayments: number;
  /** Deployments and updates of diamonds. */
  readonly openDeployments: number;
  /** True when nobody watches it. */
  readonly isAtRest: boolean;
}

/** So many of so many endpoints must agree. */
interface Quorum {
  readonly quorum: number;
  readonly of: number;
}

/** A stored network of which another number of endpoints must agree from now on, or may fail. */
export interface QuorumChange {
  readonly network: string;
  readonly before: Quorum;
  readonly now: Quorum;
}

/** A network that was at rest and is in use again. */
export interface Resumption {
  readonly networkId: string;
  readonly network: string;
  /** The newest block that was read before the network was at rest; null when none was. */
  readonly lastBlock: string | null;
}

/** The lane of a dismissed key. It finishes its open slots and gets nothing new. */
export interface DismissedLane {
  readonly networkId: string;
  readonly network: string;
  readonly address: string;
  readonly role: KeyRole;
  /** Number of unconfirmed transactions and queued intents. */
  readonly open: number;
}

export type AppliedIds = Pick<AppliedCatalogue, 'nodes' | 'chains' | 'networks' | 'currencies'>;

/** A catalogue that is being applied, with its ids and the results of the live checks. */
export interface Application extends AppliedIds {
  readonly trx: Knex.Transaction;
  readonly catalogue: Catalogue;
  /** By name of the network. */
  readonly facts: ReadonlyMap<string, NetworkFacts>;
}

/** The keys of a network, apart from root and guardian. */
export const accountsOf = (network: CatalogueNetwork) => [
  ...network.operators.map((address) => ({ address, role: 'operator' })),
  { address: network.upgrader, role: 'upgrader' },
  ...network.signers.map((address) => ({ address, role: 'signer' })),
];
