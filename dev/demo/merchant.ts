import type {
  DeploymentStep,
  Payment,
  PaymentLog,
  PaymentLogPage,
  PaymentRequest,
  Wallet,
  WidgetPayment,
} from '../../api/openapi-types.ts';
import type { DevFile } from '../dev-file.ts';
import { Final, patiently } from './patiently.ts';

export interface Merchant {
  createWallet(name: string): Promise<Wallet>;
  deploy(walletId: string, networkId: string): Promise<DeploymentStep>;
  createPayment(request: PaymentRequest): Promise<Payment>;
  payment(id: string): Promise<Payment>;
  logs(id: string): Promise<PaymentLog[]>;
  /** What the buyer's page asks for, with the payment's own token. */
  widget(payment: Payment): Promise<WidgetPayment>;
}

/** A merchant's server: gets a token, and calls the API as `openapi.yaml` says. Repeats what did not get through. */
export const createMerchant = async (dev: DevFile): Promise<Merchant> => {
  const request = <Body>(method: string, path: string, token: string | null, body?: unknown): Promise<Body> =>
    patiently(`${method} ${path}`, async () => {
      const response = await fetch(dev.api + path, {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      });
      const text = await response.text();
      if (response.status >= 500) throw new Error(`${response.status} ${text}`);
      if (!response.ok) throw new Final(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as Body;
    });

  const { access_token: token } = await request<{ access_token: string }>('POST', '/api/v1/auth/token', null, {
    grant_type: 'client_credentials',
    client_id: dev.admin.api_key,
    client_secret: dev.admin.secret,
  });
  const [chainId] = Object.values(dev.chains);

  return {
    createWallet: (name) =>
      request('POST', '/api/v1/wallets', token, { node_id: dev.nodes.merchant, chain_id: chainId, name }),
    deploy: (walletId, networkId) =>
      request('POST', `/api/v1/wallets/${walletId}/deploy`, token, {
        node_id: dev.nodes.merchant,
        network_id: networkId,
      }),
    createPayment: (payment) => request('POST', '/api/v1/payments', token, payment),
    payment: (id) => request('GET', `/api/v1/payments/${id}`, token),
    logs: async (id) =>
      (await request<PaymentLogPage>('GET', `/api/v1/payments/${id}/logs?per_page=100`, token)).items.toReversed(),
    widget: (payment) => request('GET', `/api/v1/widget/payments/${payment.id}`, payment.access_token),
  };
};
