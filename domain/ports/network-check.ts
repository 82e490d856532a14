import type { Platform } from '../platform.ts';

/** Name and version of the EIP-712 domain of a token's permits (EIP-2612). */
export interface PermitDomain {
  readonly name: string;
  readonly version: string;
}

/** A token contract, as the catalogue describes it. */
interface Token {
  readonly address: string;
  readonly decimals: number;
  /** Absent or null for a token whose permits are not used. */
  readonly permit?: PermitDomain | null;
}

/** A network that is checked live before the catalogue is applied. */
export interface NetworkQuestion {
  readonly name: string;
  readonly eip155: number;
  readonly rpcUrls: readonly string[];
  /** How many of them must agree. */
  readonly quorum: number;
  /** Endpoints and tokens that were checked when they were added. */
  readonly known?: { readonly rpcUrls: readonly string[]; readonly tokens: readonly Token[] };
  /** Depth in blocks at which payments are judged. */
  readonly confirmations: number;
  /** The platform of its chain. */
  readonly platform: Platform;
  readonly tokens: readonly (Token & { readonly symbol: string })[];
}

/** The result of a live check. Problems are sentences without secrets such as the keys in an RPC URL. */
export interface NetworkFacts {
  readonly genesisHash: string | null;
  /** Whether the chain's registry is deployed; absent when the check could not read it. */
  readonly hasRegistry?: boolean;
  readonly problems: readonly string[];
  /** Faults with which the network works, but worse. */
  readonly warnings?: readonly string[];
}

/** Checks a live network: EIP-155 id of every endpoint, code, decimals and permits of every token. Does not throw for its faults. */
export type NetworkCheck = (network: NetworkQuestion) => Promise<NetworkFacts>;
