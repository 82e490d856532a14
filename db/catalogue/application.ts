import type { Knex } from 'knex';
import type { NetworkFacts } from '../../domain/ports/network-check.ts';
import type { Catalogue, CatalogueNetwork } from './file.ts';
import type { Retirement } from './rest.ts';

/** Ids of everything in the file, by name (currencies: by symbol), and how many rows were written. */
export interface AppliedCatalogue {
  readonly nodes: Readonly<Record<string, string>>;
  readonly chains: Readonly<Record<string, string>>;
  readonly networks: Readonly<Record<string, string>>;
  readonly currencies: Readonly<Record<string, string>>;
  readonly changes: number;
  /** Lanes of keys that have left the file, with what they still have to do. */
  readonly dismissed: readonly DismissedLane[];
  /** Networks that were just retired, and retired ones that are still watched. */
  readonly retired: readonly Retirement[];
  /** Networks that were at rest and are in use again. */
  readonly resumed: readonly Resumption[];
  /** What the networks' endpoints lack, and Carat does without; and keys that no worker holds. */
  readonly warnings: readonly string[];
}

/** A network that was retired and at rest, and is in use again. */
export interface Resumption {
  readonly networkId: string;
  readonly network: string;
  /** The newest block that was read before it rested; null where none was. */
  readonly lastBlock: string | null;
}

/** A key that has left the file. Its lane finishes what is under way and gets nothing new. */
export interface DismissedLane {
  readonly networkId: string;
  readonly network: string;
  readonly address: string;
  readonly role: 'operator' | 'upgrader';
  /** Transactions that are not confirmed yet, and intents that wait for one. */
  readonly open: number;
}

export type AppliedIds = Pick<AppliedCatalogue, 'nodes' | 'chains' | 'networks' | 'currencies'>;

/** A catalogue on its way into the database: its ids, and what the live networks say. */
export interface Application extends AppliedIds {
  readonly trx: Knex.Transaction;
  readonly catalogue: Catalogue;
  /** By name of the network. */
  readonly facts: ReadonlyMap<string, NetworkFacts>;
}

/** The keys of a network. */
export const accountsOf = (network: CatalogueNetwork) => [
  ...network.operators.map((address) => ({ address, role: 'operator' })),
  { address: network.upgrader, role: 'upgrader' },
];
