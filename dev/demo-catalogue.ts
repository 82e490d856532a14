import { testTokenAddress } from '../chain/dev-funds.ts';
import { devAccounts } from './accounts.ts';
import { devNetworks, type Ports } from './settings.ts';
import { devTokens } from './tokens.ts';

/** Where the chains of the local stack answer, by network name. */
export function rpcUrls(ports: Ports): Record<string, string> {
  return Object.fromEntries(devNetworks.map(({ name }) => [name, `http://127.0.0.1:${ports[name].port}`]));
}

/**
 * The catalogue of the local stack in the form of a catalogue file: a root node with one merchant, one chain with two
 * networks, the native coin and two tokens.
 */
export function demoCatalogue(ports: Ports): unknown {
  const urls = rpcUrls(ports);
  const on = (address: string | null) => devNetworks.map(({ name }) => ({ network: name, address }));
  return {
    nodes: [{ name: 'root', children: [{ name: 'merchant' }] }],
    chains: [{ name: 'devnet' }],
    networks: devNetworks.map(({ name, eip155, blockTime, confirmations, finality }) => ({
      name,
      chain: 'devnet',
      eip155,
      rpc_urls: [urls[name]],
      confirmations,
      finality,
      block_time_ms: blockTime * 1_000,
      max_fee_per_gas_gwei: 500,
      operators: [devAccounts.operator.address],
      upgrader: devAccounts.upgrader.address,
    })),
    currencies: [
      { symbol: 'ETH', name: 'Development coin', decimals: 18, tokens: on(null) },
      ...devTokens.map((token) => ({ ...token, tokens: on(testTokenAddress(token)) })),
    ],
  };
}
