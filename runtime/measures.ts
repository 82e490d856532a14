import { channel, type Channel } from 'node:diagnostics_channel';

/** Why PostgreSQL refuses statements and connections that are right: something is wrong with the server, and an operator must act. */
export const refusalReasons = ['read_only', 'disk_full', 'out_of_memory', 'too_many_connections'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** Occurrences that the metrics of a process count. A part reports them; without metrics nobody listens. */
export interface Measures {
  /** A request was answered, or its client has left. */
  readonly request: {
    /** Null for a route that does not exist. */
    readonly operation: string | null;
    /** Null when the client left before the end of the answer. */
    readonly status: number | null;
    readonly seconds: number;
    /** True for a stream of events, whose length says nothing about the api. */
    readonly isStream: boolean;
    /** True for a 5xx by a fault of this installation. */
    readonly isFault: boolean;
  };
  /** A stream of events has begun or ended. */
  readonly streams: { readonly open: number };
  /** A committed transaction has moved payments that are alike, or created them. */
  readonly payments: {
    readonly networkId: string;
    /** Name of the transition. */
    readonly transition: string;
    readonly event: string;
    readonly status: string;
    readonly mode: 'created' | 'offered';
    /** Each payment, with its ages in seconds: since its creation, and since its last change before. */
    readonly moved: readonly { readonly id: string; readonly created: number; readonly changed: number }[];
  };
  /** Offers were signed and stored. */
  readonly signed: { readonly network: string; readonly offers: number };
  /** Offers were recorded as revealed. */
  readonly revealed: { readonly offers: number };
  /** Rows that may go were deleted, or their personal data. */
  readonly forgotten: { readonly kind: string; readonly rows: number };
  /** PostgreSQL has refused a statement or a connection. */
  readonly refusal: { readonly reason: RefusalReason };
  /** Temporal was pinged. Without a response in time its bound; null when no ping could be sent. */
  readonly ping: { readonly seconds: number | null };
  /** A webhook was called. */
  readonly attempt: { readonly outcome: string; readonly seconds: number };
  /** A process has compared its clock with the database's. */
  readonly clock: { readonly aheadMs: number };
  /** A process has compared its clock with those of RPC endpoints; null: too few have told theirs. */
  readonly outsideClock: { readonly aheadMs: number | null };
  /** A certificate was read. `secondsLeft` is null when it cannot be read; `isWhole` is false while an address does not show it. */
  readonly certificate: { readonly of: string; readonly secondsLeft: number | null; readonly isWhole: boolean };
  /** A watcher has begun a round, with so many blocks before it. */
  readonly round: { readonly network: string; readonly behind: number };
  readonly reorganisation: { readonly network: string; readonly depth: number };
  /** An RPC endpoint, counted from 0, was demoted. */
  readonly demotion: {
    readonly network: string;
    readonly endpoint: number;
    readonly ms: number;
    readonly isLie: boolean;
  };
  /** A lane has looked at its key on the chain. Amounts in wei. */
  readonly lane: Lane & {
    readonly balance: bigint;
    /** Cost of a usual transaction at current fees. */
    readonly cost: bigint;
    /** Nonces that were given out and are used by no block. */
    readonly nonceGap: number;
  };
  /** A run of a lane has ended; another process may run it now. */
  readonly laneEnd: Lane;
  /** Transactions of a lane are in a block. */
  readonly mined: Lane & { readonly transactions: readonly { readonly fee: bigint; readonly succeeded: boolean }[] };
}

interface Lane {
  readonly network: string;
  readonly role: string;
  readonly address: string;
}

const channels = new Map<keyof Measures, Channel>();

/** Finds the channel of an occurrence among those in use. */
const channelOf = (name: keyof Measures): Channel => {
  const known = channels.get(name);
  if (known !== undefined) return known;
  const made = channel(`carat:${name}`);
  channels.set(name, made);
  return made;
};

/** Reports an occurrence. Costs next to nothing while nobody listens. */
export const measure = <Name extends keyof Measures>(name: Name, measured: Measures[Name]): void => {
  const own = channelOf(name);
  if (own.hasSubscribers) own.publish(measured);
};

/** Calls the listener for each occurrence in this process, from now on. */
export const onMeasure = <Name extends keyof Measures>(name: Name, listen: (measured: Measures[Name]) => void): void =>
  channelOf(name).subscribe((measured) => listen(measured as Measures[Name]));
