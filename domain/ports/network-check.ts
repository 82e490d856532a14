import type { Platform } from '../platform.ts';

/** What the live network is asked about before the catalogue is applied. */
export interface NetworkQuestion {
  readonly name: string;
  readonly eip155: number;
  readonly rpcUrls: readonly string[];
  /** That of its chain. */
  readonly platform: Platform;
  readonly tokens: readonly { readonly symbol: string; readonly address: string; readonly decimals: number }[];
}

/** What the live network answered. Problems are sentences without secrets, such as the keys in an RPC URL. */
export interface NetworkFacts {
  readonly genesisHash: string | null;
  /** Whether the registry of its chain is there; absent where that could not be asked. */
  readonly hasRegistry?: boolean;
  readonly problems: readonly string[];
}

/** Asks a live network: EIP-155 id of every endpoint, code and decimals of every token. Never throws for what a network says. */
export type NetworkCheck = (network: NetworkQuestion) => Promise<NetworkFacts>;
