import { randomUUID } from 'node:crypto';
import type {
  CreatedWebhook,
  DeploymentStep,
  Payment,
  PaymentLog,
  PaymentRequest,
  Wallet,
  WidgetPayment,
} from '../../api/generated/openapi-types.ts';
import { createCaratClient } from '../../client/client.ts';
import { optionalEvents } from '../../domain/webhook.ts';
import type { DevFile } from '../stack/dev-file.ts';

/** A merchant's calls of the API. */
export interface Merchant {
  createWallet(name: string): Promise<Wallet>;
  wallets(): Promise<Wallet[]>;
  deploy(walletId: string, networkId: string): Promise<DeploymentStep>;
  /** Makes the deals of new payments on this network offered ones. */
  offerDeals(walletId: string, networkId: string): Promise<void>;
  /** Sends all events of the wallet's payments on this network to the origin. */
  createWebhook(walletId: string, networkId: string, origin: string): Promise<CreatedWebhook>;
  createPayment(request: PaymentRequest): Promise<Payment>;
  payment(id: string): Promise<Payment>;
  /** Requests a cancel, of an offered deal on the chain if wanted; the payment shows its outcome. */
  cancel(id: string, onChain?: boolean): Promise<void>;
  retrySend(id: string): Promise<Payment>;
  logs(id: string): Promise<PaymentLog[]>;
  /** Fetches the data of the buyer's page with the payment's own token. */
  widget(payment: Payment): Promise<WidgetPayment>;
}

/** Two minutes of attempts, to outlast a restart of any part. */
const retries = { retries: 480, firstDelayMs: 250, longestDelayMs: 250 };

/** Creates a merchant's server on the typed client, with retries. */
export const createMerchant = (dev: Pick<DevFile, 'api' | 'admin' | 'nodes' | 'chains'>): Merchant => {
  const { api_key: apiKey, secret } = dev.admin;
  const carat = createCaratClient({ url: dev.api, apiKey, secret, timeoutMs: 10_000, retries });
  const node_id = dev.nodes.merchant!;
  const [chain_id = ''] = Object.values(dev.chains);
  return {
    createWallet: (name) => carat.createWallet({ node_id, chain_id, name }),
    wallets: async () => {
      const wallets: Wallet[] = [];
      for await (const wallet of carat.listWallets({ node_id })) wallets.push(wallet);
      return wallets;
    },
    deploy: (walletId, network_id) => carat.deployWallet(walletId, { node_id, network_id }),
    offerDeals: (walletId, network_id) =>
      carat.updateWallet(walletId, { deal_modes: [{ network_id, mode: 'offered' }] }),
    createWebhook: (wallet_id, network_id, host) =>
      carat.createWebhook({
        wallet_id,
        network_id,
        host,
        success_path: '/carat',
        error_path: '/carat',
        auth_type: 'token',
        auth_token: randomUUID(),
        events: [...optionalEvents],
      }),
    createPayment: (payment) => carat.createPayment(payment),
    payment: (id) => carat.getPayment(id),
    cancel: async (id, onChain) =>
      void (await (onChain === undefined ? carat.cancelPayment(id) : carat.cancelPayment(id, { on_chain: onChain }))),
    retrySend: (id) => carat.retrySendPayment(id),
    logs: async (id) => (await carat.listPaymentLogs(id, { per_page: 100 })).items.toReversed(),
    widget: ({ id, access_token: token }) => carat.getWidgetPayment(id, token),
  };
};
