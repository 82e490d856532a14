import { randomUUID } from 'node:crypto';
import type { DeploymentStep } from '../../api/generated/openapi-types.ts';
import { dealModes, type DealMode } from '../../domain/payment.ts';
import type { DevFile } from '../stack/dev-file.ts';
import type { Merchant } from './merchant.ts';
import { Final, until } from './patiently.ts';

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
