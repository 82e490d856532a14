import { createPublicClient, createWalletClient, defineChain, http, parseAbi, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { deploymentSteps } from '../../domain/deployment.ts';
import { workflowIds } from '../../domain/workflow-ids.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, fastNetworks, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

let product: Product;
let shop: Shop;

beforeAll(async () => {
  product = await createProduct({
    ownRole: true,
    networks: [...fastNetworks, { name: 'beta', eip155: 31_338, blockTime: 0.3, confirmations: 1, finality: 32 }],
  });
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await Promise.all(Object.keys(product.dev.networks).map((network) => shop.deployed(network)));
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
});

it('eight deploys at once make one diamond, at the same predicted address on both networks', async () => {
  const wallet = await shop.merchant.createWallet('eight');
  const requests = Object.values(product.dev.networks).flatMap(({ id }) =>
    Array.from({ length: 8 }, () => shop.merchant.deploy(wallet.id, id)),
  );
  const answers = await Promise.all(requests);
  const steps = await product
    .knex('deployment_steps')
    .join('deployments', 'deployments.id', 'deployment_id')
    .where({ wallet_id: wallet.id })
    .pluck('deployment_steps.id');
  expect(steps).toHaveLength(2 * deploymentSteps.deploy.length);
  expect(steps).toEqual(expect.arrayContaining(answers.map((answer) => answer.transaction_id)));
  const rows = await product.knex('diamonds').where({ wallet_id: wallet.id });
  expect(rows.map((row) => row.address)).toEqual([wallet.address.toLowerCase(), wallet.address.toLowerCase()]);
});

it.each([
  ['USDC', 0.1, 100_000n],
  ['USDC', 0.000001, 1n],
  ['DAI', 123456.789, 123_456_789_000_000_000_000_000n],
  ['ETH', 0.1, 100_000_000_000_000_000n],
])('%s: %d is exactly %d base units for the payee, on both networks', async (symbol, price, units) => {
  const currency = product.dev.currencies[symbol]!;
  const networks = Object.keys(product.dev.networks);
  const payments = await Promise.all(
    networks.map((network) => shop.create(network, { currency_id: currency.id, price, paid_price: price })),
  );
  await Promise.all(
    networks.map(async (network, index) => {
      const payment = payments[index]!;
      const hash = await shop.pay(network, payment);
      const completed = await shop.reached(payment, 'completed');
      expect(completed).toMatchObject({
        paid_price: price,
        paid_price_units: units.toString(),
        transaction_hash: hash,
      });
      const token = currency.tokens[network]!.address;
      expect(await shop.buyers[network]!.balance(token, payment.payment_address)).toBe(units);
      expect(await shop.buyers[network]!.balance(token, payment.diamond_address!)).toBe(0n);
      const logs = await shop.merchant.logs(payment.id);
      expect(logs.flatMap((entry) => (entry.sequence === null ? [] : [entry.event_type]))).toEqual([
        'payment_created',
        'deal_confirmed',
        'payment_detected',
        'payment_confirmed',
      ]);
      const sent = logs.filter((entry) => entry.sequence === null).map((entry) => entry.event_type);
      expect(sent).toEqual(expect.arrayContaining(['transaction_sent', 'transaction_mined', 'transaction_confirmed']));
      expect(JSON.stringify(logs)).not.toContain(product.dev.networks[network]!.rpc);
    }),
  );
  await expectExactlyOnce(product);
});

it('viem pays with the unchanged answer of the widget endpoint', async () => {
  const network = product.dev.networks.alpha!;
  const usdc = product.dev.currencies.USDC!;
  const payment = await shop.create('alpha', { currency_id: usdc.id, price: 2.5, paid_price: 2.25 });
  await shop.reached(payment, 'awaiting_payment');
  const data = await shop.merchant.widget(payment);
  expect(data).toMatchObject({
    price: 2_250_000,
    price_decimals: 6,
    amount: '2250000',
    network_id: network.eip155,
    payable: true,
  });
  const chain = defineChain({
    id: network.eip155,
    name: 'alpha',
    nativeCurrency: { name: 'coin', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [network.rpc] } },
  });
  const account = privateKeyToAccount(product.dev.buyer.private_key as Hex);
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 100 });
  const wallet = createWalletClient({ account, chain, transport: http() });
  const approve = await wallet.writeContract({
    address: data.token_address as Hex,
    abi: parseAbi(['function approve(address spender, uint256 amount) returns (bool)']),
    functionName: 'approve',
    args: [data.diamond_address as Hex, BigInt(data.amount)],
  });
  await reader.waitForTransactionReceipt({ hash: approve });
  const paid = await wallet.writeContract({
    address: data.diamond_address as Hex,
    abi: data.contract.abi,
    functionName: data.contract.function_name,
    args: data.contract.arguments,
    value: BigInt(data.contract.value),
  } as unknown as Parameters<typeof wallet.writeContract>[0]);
  expect((await shop.reached(payment, 'completed')).transaction_hash).toBe(paid);
});

it('an unpaid payment expires by the time of the chain', async () => {
  const payment = await shop.create('beta', { expires_at: new Date(Date.now() + 4_000).toISOString() });
  await shop.reached(payment, 'expired');
  const logs = await shop.merchant.logs(payment.id);
  expect(logs.at(-1)).toMatchObject({ event_type: 'payment_expired', actor_type: 'chain' });
});

it('a payment of a wallet without a diamond waits for it and goes on once it is deployed', async () => {
  const other = await openShop(product);
  try {
    const payment = await other.create('alpha');
    expect(payment).toMatchObject({ status: 'pending', status_detail: 'diamond_missing' });
    await other.deployed('alpha');
    await other.pay('alpha', payment);
    await other.reached(payment, 'completed');
    const waits = (await other.merchant.logs(payment.id)).filter((entry) => entry.event_type.startsWith('waiting'));
    expect(waits.map(({ event_type, data }) => [event_type, data.reason])).toEqual([
      ['waiting_started', 'diamond_missing'],
      ['waiting_ended', 'diamond_missing'],
    ]);
  } finally {
    other.close();
  }
});

it('lane and watcher show an operator their positions', async () => {
  const { address, namespace } = product.dev.temporal;
  const client = createTemporalClient({ address, namespace });
  const detailsOf = async (workflowId: string): Promise<Record<string, unknown>> => {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const payload = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0];
    return payload?.data ? (JSON.parse(Buffer.from(payload.data).toString()) as Record<string, unknown>) : {};
  };
  try {
    const network = product.dev.networks.alpha!;
    const accounts = await product
      .knex('signer_accounts')
      .where({ network_id: network.id })
      .whereNot({ role: 'signer' });
    expect(accounts).toHaveLength(2);
    for (const { address } of accounts) {
      const lane = await eventually(async () => {
        const details = await detailsOf(workflowIds.lane(network.id, address));
        return details.balance_wei === undefined ? null : details;
      });
      expect(lane).toMatchObject({ lane: 'active', next_nonce: expect.any(Number), queued: expect.any(Number) });
      expect(BigInt(lane.balance_wei as string)).toBeGreaterThan(0n);
    }
    const watcher = await eventually(async () => {
      const details = await detailsOf(workflowIds.watchNetwork(network.id));
      return Number(details.last_block) > 0 ? details : null;
    });
    expect(watcher.confirmed_block).toBeLessThan(watcher.last_block as number);
  } finally {
    await client.connection.close();
  }
});
