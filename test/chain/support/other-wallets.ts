import { insertDealIntents } from '../../../db/intents/deals.ts';
import { createPaymentRow, type PaymentRow } from '../../support/fixtures.ts';
import type { Gateway } from './gateway.ts';

/** A wallet of the gateway's merchant beside the first one, and its diamond. */
export interface OtherWallet {
  readonly walletId: string;
  readonly diamondAddress: string;
}

/** Stores a wallet whose diamond is on the chain, with its release if it is one of ours. */
export const addWallet = async (
  { knex, world }: Gateway,
  { walletId: id, diamondAddress: address }: OtherWallet,
  release: string | null = null,
): Promise<void> => {
  const { nodeId, chainId, networkId, operatorAccountId } = world;
  await knex('wallets').insert({ id, node_id: nodeId, chain_id: chainId, name: id, address });
  const row = { network_id: networkId, address, operator_account_id: operatorAccountId, status: 'active', release };
  await knex('diamonds').insert({ wallet_id: id, ...row });
};

/** New pending payments of a wallet, with queued deals. Nobody can pay them: the terms are made up. */
export const orderFrom = async (
  { knex, world }: Gateway,
  wallet: OtherWallet,
  count: number,
): Promise<PaymentRow[]> => {
  const rows: PaymentRow[] = [];
  for (let i = 0; i < count; i += 1) rows.push(await createPaymentRow(knex, { ...world, ...wallet }));
  await insertDealIntents(
    knex,
    rows.map(({ id }) => id),
  );
  return rows;
};
