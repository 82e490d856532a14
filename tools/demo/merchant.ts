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
import { dealModes, type DealMode } from '../../domain/payment.ts';
import { optionalEvents } from '../../domain/webhook.ts';
import type { DevFile } from '../stack/dev-file.ts';
import { Final, until } from './patiently.ts';

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

/** Waits until the diamond of a wallet is deployed on a network, whose deals come about in this mode from then on. */
export const deployed = async (
  merchant: Merchant,
  walletId: string,
  { network, networkId, mode }: { readonly network: string; readonly networkId: string; readonly mode: DealMode },
): Promise<DeploymentStep> => {
  const deployment = await until(`the diamond on ${network}`, async () => {
    const answer = await merchant.deploy(walletId, networkId);
    if (answer.status === 'failed') throw new Final(`step ${answer.step} failed`);
    return answer.status === 'completed' ? answer : null;
  });
  if (mode === 'offered') {
    // Refused for a minute after a process of an older version has ended.
    await until(`offered deals on ${network}`, () =>
      merchant.offerDeals(walletId, networkId).then(
        () => true,
        (error: unknown) => {
          if ((error as { code?: unknown }).code === 'deal_mode_unavailable') return null;
          throw error;
        },
      ),
    );
  }
  return deployment;
};

/** The id of a wallet of each deal mode, deployed on all networks of the stack. Creates them at the first start. */
export const openWallets = async (
  merchant: Merchant,
  { networks }: Pick<DevFile, 'networks'>,
): Promise<Record<DealMode, string>> => {
  const present = await merchant.wallets();
  const open = async (mode: DealMode): Promise<[DealMode, string]> => {
    const name = `Shop with ${mode} deals`;
    const { id } = present.find((wallet) => wallet.name === name) ?? (await merchant.createWallet(name));
    const each = Object.entries(networks).map(([network, { id: networkId }]) =>
      deployed(merchant, id, { network, networkId, mode }),
    );
    await Promise.all(each);
    return [mode, id];
  };
  return Object.fromEntries(await Promise.all(dealModes.map(open))) as Record<DealMode, string>;
};

/** Creates a payment of 12.5 USDC on the network alpha, which can be paid for a day; resolves to the address of its page. */
export const openCheckout = async (
  merchant: Merchant,
  { nodes, networks, currencies }: Pick<DevFile, 'nodes' | 'networks' | 'currencies'>,
  walletId: string,
): Promise<string> => {
  const { checkout_url } = await merchant.createPayment({
    external_id: `npm-start-${randomUUID()}`,
    node_id: nodes.merchant!,
    network_id: networks.alpha!.id,
    wallet_id: walletId,
    currency_id: currencies.USDC!.id,
    price: 12.5,
    paid_price: 12.5,
    items: [{ name: 'A first payment', price: 12.5 }],
    payment_method: 'web3',
    payment_group: 'product',
    payment_address: '0x00000000000000000000000000000000000C0DE1',
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  return checkout_url ?? '';
};
