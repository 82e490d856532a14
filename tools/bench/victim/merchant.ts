import { setTimeout as delay } from 'node:timers/promises';
import { createCaratClient } from '../../../client/client.ts';
import type { CaratOperations } from '../../../client/operations.ts';
import type { ProductStack } from '../product-stack.ts';

/** A node with its own integrations, on whose behalf requests are sent. */
export interface Merchant {
  readonly nodeId: string;
  /** Client of its first integration. */
  readonly client: CaratOperations;
  /** Issues one bearer token per integration. */
  tokens(): Promise<string[]>;
  /** Creates a wallet with an active diamond. */
  wallet(name: string): Promise<string>;
  /** The body of a payment; each `#` needs a fresh text. */
  payment(more: Readonly<Record<string, unknown>>): string;
}

const payee = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

/** A payment of maximum size, minus some hundred bytes. */
export const largest = {
  metadata: 'm'.repeat(8_192),
  items: Array.from({ length: 100 }, () => ({ name: 'n'.repeat(85), price: 1, external_id: 'e'.repeat(85) })),
} as const;

/**
 * Creates the integrations of a node.
 * @param count number of integrations; a node's limit is that of four
 */
export const createMerchant = async (stack: ProductStack, name: string, count: number): Promise<Merchant> => {
  const { api: url, catalogue, credentials } = stack;
  const { nodes, chains, networks, currencies } = catalogue;
  const nodeId = nodes[name]!;
  const admin = createCaratClient({ url, apiKey: credentials.api_key, secret: credentials.secret });
  const integrations = await Promise.all(
    Array.from({ length: count }, (_, index) => admin.createIntegration({ node_id: nodeId, name: `${name} ${index}` })),
  );
  const [first] = integrations;
  const client = createCaratClient({ url, apiKey: first!.api_key, secret: first!.secret });
  const network = { node_id: nodeId, network_id: networks.bench! };
  return {
    nodeId,
    client,
    tokens: () =>
      Promise.all(
        integrations.map(async ({ api_key: client_id, secret: client_secret }) => {
          const grant = { grant_type: 'client_credentials', client_id, client_secret } as const;
          return (await client.issueToken(grant)).access_token;
        }),
      ),
    wallet: async (walletName) => {
      const { id } = await client.createWallet({ node_id: nodeId, chain_id: chains.devnet!, name: walletName });
      while ((await client.deployWallet(id, network)).status !== 'completed') await delay(100);
      return id;
    },
    payment: (more) =>
      JSON.stringify({
        ...network,
        external_id: 'order-#',
        currency_id: currencies.ETH,
        price: 0.001,
        paid_price: 0.001,
        payment_method: 'web3',
        payment_group: 'product',
        payment_address: payee,
        expires_at: new Date(Date.now() + 7_200_000).toISOString(),
        ...more,
      }),
  };
};
