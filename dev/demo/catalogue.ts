import { testTokenAddress } from './funds.ts';
import { devAccounts } from './accounts.ts';
import type { NetworkAt } from '../stack/settings.ts';
import { devTokens } from './tokens.ts';

/**
 * The catalogue of the local stack in the form of a catalogue file: a root node with one merchant, one chain with its
 * networks, the native coin and two tokens.
 */
export function demoCatalogue(networks: readonly NetworkAt[]): unknown {
  const on = (address: string | null) => networks.map(({ name }) => ({ network: name, address }));
  return {
    nodes: [{ name: 'root', children: [{ name: 'merchant' }] }],
    chains: [{ name: 'devnet' }],
    networks: networks.map(({ id, name, url, eip155, blockTime, confirmations, finality }) => ({
      ...(id ? { id } : {}),
      name,
      chain: 'devnet',
      eip155,
      rpc_urls: [url],
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
