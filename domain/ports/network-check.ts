import type { Platform } from '../platform.ts';

/** A token contract, and how it counts. */
interface Token {
  readonly address: string;
  readonly decimals: number;
}

/** What the live network is asked about before the catalogue is applied. */
export interface NetworkQuestion {
  readonly name: string;
  readonly eip155: number;
  readonly rpcUrls: readonly string[];
  /** Endpoints and tokens that the network has already: they were asked when they came. */
  readonly known?: { readonly rpcUrls: readonly string[]; readonly tokens: readonly Token[] };
  /** How deep payments are judged. */
  readonly confirmations: number;
  /** That of its chain. */
  readonly platform: Platform;
  readonly tokens: readonly (Token & { readonly symbol: string })[];
}

/** What the live network answered. Problems are sentences without secrets, such as the keys in an RPC URL. */
export interface NetworkFacts {
  readonly genesisHash: string | null;
  /** Whether the registry of its chain is there; absent where that could not be asked. */
  readonly hasRegistry?: boolean;
  readonly problems: readonly string[];
  /** What the network works without, though worse. */
  readonly warnings?: readonly string[];
}

/** Asks a live network: EIP-155 id of every endpoint, code and decimals of every token. Never throws for what a network says. */
export type NetworkCheck = (network: NetworkQuestion) => Promise<NetworkFacts>;
