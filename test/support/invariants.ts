import { ethers } from 'ethers';
import { contracts } from '../../chain/pure/contracts.ts';
import { rpc } from '../../tools/stack/chain.ts';
import type { Product } from './product.ts';

interface PaymentRow {
  id: string;
  network: string;
  status: string;
  sequence: number;
  deal_id: string;
  diamond_address: string;
  terms_hash: string;
  deal_mode: string;
  payment_address: string;
  paid_price_units: string;
  paid_tx_hash: string | null;
}

/**
 * The invariants after every fault: one deal for each payment that got beyond `pending` and none twice, one payment on
 * the chain for each completed one and to the exact amount, nothing left in a diamond, no nonce skipped or used by
 * bytes that were not stored first, and logs without gaps.
 */
export const expectExactlyOnce = async (product: Product): Promise<void> => {
  const payments = (await product
    .knex('payments as p')
    .join('networks as n', 'n.id', 'p.network_id')
    .where('p.payment_method', 'web3')
    .select('p.*', 'n.name as network')) as PaymentRow[];
  for (const [network, { rpc: url, eip155 }] of Object.entries(product.dev.networks)) {
    const provider = new ethers.JsonRpcProvider(url, eip155, { staticNetwork: true, cacheTimeout: -1 });
    try {
      const here = payments.filter((payment) => payment.network === network);
      await expectDeals(provider, here);
      for (const diamond of new Set(here.map((payment) => payment.diamond_address))) {
        expect(await provider.getBalance(diamond)).toBe(0n);
      }
      await expectNonces(product, network);
    } finally {
      provider.destroy();
    }
  }
  await expectLogs(product);
};

const expectDeals = async (provider: ethers.JsonRpcProvider, payments: readonly PaymentRow[]): Promise<void> => {
  const topic = (name: string): string => contracts.deal.interface.getEvent(name)!.topicHash;
  const [created, paid] = [topic('DealCreated'), topic('DealPaid')];
  const logs = await provider.getLogs({ fromBlock: 0, topics: [[created, paid]] });
  const seen = new Map<string, number>();
  const keyOf = (address: string, event: string, dealId: bigint, terms: string): string =>
    [address, event, dealId, terms].join();
  for (const { address, topics } of logs) {
    const key = keyOf(address.toLowerCase(), topics[0]!, BigInt(topics[1]!), topics[2]!);
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  const count = (payment: PaymentRow, event: string): number =>
    seen.get(keyOf(payment.diamond_address, event, BigInt(payment.deal_id), payment.terms_hash)) ?? 0;
  const found = payments.map((payment) => ({
    id: payment.id,
    status: payment.status,
    created: count(payment, created),
    paid: count(payment, paid),
  }));
  expect(found).toEqual(
    payments.map(({ id, status, deal_mode: mode }, index) => ({
      id,
      status,
      created: createdOf(mode, status, found[index]!.created),
      paid: ['processing', 'completed'].includes(status) ? 1 : 0,
    })),
  );
};

/** An offered deal is never created; a created one never twice. */
const createdOf = (mode: string, status: string, found: number): number => {
  if (mode === 'offered') return 0;
  return ['awaiting_payment', 'processing', 'completed'].includes(status) ? 1 : Math.min(1, found);
};

/** Every nonce that the chain has seen of our keys is a stored slot, and they follow each other. */
export const expectNonces = async (product: Product, network: string): Promise<void> => {
  const accounts = await product
    .knex('signer_accounts as a')
    .join('networks as n', 'n.id', 'a.network_id')
    .where('n.name', network)
    .select<{ id: string; address: string; next_nonce: string; status: string; role: string }[]>('a.*');
  for (const account of accounts) {
    const nonces = await product.knex('tx_slots').where({ account_id: account.id }).orderBy('nonce').pluck('nonce');
    const used = Number(
      await rpc(product.dev.networks[network]!.rpc, 'eth_getTransactionCount', [account.address, 'latest']),
    );
    expect(used).toBeLessThanOrEqual(Number(account.next_nonce));
    // A signer sends nothing; its status follows its role.
    if (account.role !== 'signer') expect(account.status).toBe('active');
    const first = Number(nonces[0] ?? account.next_nonce);
    expect(nonces.map(Number)).toEqual(Array.from({ length: Number(account.next_nonce) - first }, (_, i) => first + i));
  }
};

const expectLogs = async ({ knex }: Product): Promise<void> => {
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    `SELECT p.id FROM payments p LEFT JOIN payment_logs l ON l.payment_id = p.id
     GROUP BY p.id HAVING count(l.*) <> p.sequence OR max(l.sequence) <> p.sequence
       OR (array_agg(l.status ORDER BY l.sequence DESC))[1] <> p.status`,
  );
  expect(rows).toEqual([]);
};
