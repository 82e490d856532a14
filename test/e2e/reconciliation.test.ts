import { ethers } from 'ethers';
import type { Payment, WidgetPayment } from '../../api/generated/openapi-types.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { dealTopics, decodeDealEvent, type RawLog } from '../../chain/pure/deal-state.ts';
import { createCaratClient } from '../../client/client.ts';
import type { DealEvent } from '../../domain/deal.ts';
import { rpc as ask } from '../../tools/stack/chain.ts';
import { readCsv } from '../support/csv.ts';
import { eventually } from '../support/eventually.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * A month as a file, row by row beside the chain: logs of deals, blocks, and what the payees have. `npm run reconcile` does the
 * same with 10,000 payments.
 */

const COUNT = Number(process.env.RECONCILED_PAYMENTS ?? 60);
/** These are never paid. */
const UNPAID = Math.ceil(COUNT / 50);
const PATIENCE_MS = 60_000 + COUNT * 120;
const BUYERS = 10;

let product: Product;
let shop: Shop;

beforeAll(async () => {
  // All of them are open at once.
  product = await createProduct({ environment: { CARAT_MAX_OPEN_PAYMENTS: String(COUNT + UNPAID) } });
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
});

const network = () => product.dev.networks.alpha!;
const send = (method: string, params: unknown[]) => ask(network().rpc, method, params);

/** Runs `work` for each of these, 20 at a time. */
const each = async <Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> => {
  let next = 0;
  const run = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) await work(items[index]!, index);
  };
  await Promise.all(Array.from({ length: 20 }, run));
};

/** Whole amounts and the smallest ones, of tokens with few digits and many, and of the native coin. */
const kinds = [
  { symbol: 'USDC', amounts: ['12.5', '0.000001', '99999.999999'] },
  { symbol: 'DAI', amounts: ['0.1', '0.000000000000000001', '1234.567891234567'] },
  { symbol: 'ETH', amounts: ['0.001', '0.000000000000000003', '0.012345678912345'] },
];

const create = async (count: number): Promise<Payment[]> => {
  const payees = Array.from({ length: 12 }, () => ethers.Wallet.createRandom().address);
  const created: Payment[] = [];
  await each([...Array(count).keys()], async (index) => {
    const { symbol, amounts } = kinds[index % kinds.length]!;
    const price = amounts[Math.floor(index / kinds.length) % amounts.length]!;
    const currency_id = product.dev.currencies[symbol]!.id;
    const more = { currency_id, price, paid_price: price, payment_address: payees[index % payees.length]! };
    created.push(await shop.create('alpha', { ...more, external_id: `order-${index}` }));
  });
  return created;
};

const tokens = () => Object.values(product.dev.currencies).flatMap(({ tokens: own }) => own.alpha?.address ?? []);
const token = contracts.testToken.interface;

/** Accounts of the chain, which signs for them, each with tokens that the diamond may take. */
const prepareBuyers = async (diamond: string): Promise<string[]> => {
  const accounts = ((await send('eth_accounts', [])) as string[]).slice(-BUYERS);
  for (const from of accounts) {
    for (const to of tokens()) {
      const calls = [
        token.encodeFunctionData('mint', [from, 10n ** 30n]),
        token.encodeFunctionData('approve', [diamond, 10n ** 30n]),
      ];
      for (const data of calls) await send('eth_sendTransaction', [{ from, to, data, gas: '0x30d40' }]);
    }
  }
  return accounts;
};

/** Pays as the widget's data say, and does not wait for the block. */
const pay = async ({ diamond_address: to, contract }: WidgetPayment, from: string): Promise<void> => {
  const { abi, function_name: name, arguments: args, value } = contract;
  const data = new ethers.Interface(abi as unknown as ethers.InterfaceAbi).encodeFunctionData(name, args);
  await send('eth_sendTransaction', [{ from, to, data, value: ethers.toQuantity(value), gas: '0x30d40' }]);
};

const countOf = async (status: string): Promise<number> =>
  Number((await product.knex('payments').where({ status }).count<{ count: string }[]>())[0]!.count);
const until = (status: string, count: number) =>
  eventually(
    async () => {
      const found = await countOf(status);
      if (found < count) throw new Error(`${found} of ${count} are ${status}`);
      return true;
    },
    PATIENCE_MS,
    200,
  );

/** The chain's logs of our diamond, by deal. */
const chainOf = async (diamond: string) => {
  const filter = { address: diamond, topics: [dealTopics], fromBlock: '0x0', toBlock: 'latest' };
  const events = ((await send('eth_getLogs', [filter])) as RawLog[]).map((log) => decodeDealEvent(log)!);
  const of = (kind: DealEvent['kind']) =>
    new Map(events.filter((event) => event.kind === kind).map((event) => [event.dealId.toString(), event]));
  const times = new Map<number, string>();
  for (const { blockNumber } of of('paid').values()) {
    if (times.has(blockNumber)) continue;
    const { timestamp } = (await send('eth_getBlockByNumber', [ethers.toQuantity(blockNumber), false])) as {
      timestamp: string;
    };
    times.set(blockNumber, new Date(Number(timestamp) * 1_000).toISOString());
  }
  return { created: of('created'), paid: of('paid'), times };
};

const sumBy = <Item>(
  items: Iterable<Item>,
  key: (item: Item) => string,
  units: (item: Item) => bigint,
): Record<string, bigint> => {
  const sums: Record<string, bigint> = {};
  for (const item of items) sums[key(item)] = (sums[key(item)] ?? 0n) + units(item);
  return sums;
};

const balanceOf = async (address: string, account: string): Promise<bigint> => {
  if (address === ethers.ZeroAddress) return BigInt((await send('eth_getBalance', [account, 'latest'])) as string);
  const data = token.encodeFunctionData('balanceOf', [account]);
  return BigInt((await send('eth_call', [{ to: address, data }, 'latest'])) as string);
};

it('a month of payments is exact to the unit against the chain, row by row', async () => {
  const { api: url, admin, nodes } = product.dev;
  const carat = createCaratClient({ url, apiKey: admin.api_key, secret: admin.secret });
  const from = new Date().toISOString();
  const payments = await create(COUNT + UNPAID);
  const diamond = payments[0]!.diamond_address!;
  const buyers = await prepareBuyers(diamond);
  await until('awaiting_payment', COUNT + UNPAID);
  // One after the other of each buyer: the chain counts their transactions.
  await each(buyers, async (buyer, line) => {
    const own = payments.slice(0, COUNT).filter((_, index) => index % buyers.length === line);
    for (const { id, access_token } of own) await pay(await carat.getWidgetPayment(id, access_token), buyer);
  });
  await until('completed', COUNT);
  const month = { completed_from: from, completed_to: new Date(Date.now() + 1_000).toISOString() };

  const file = await carat.listPaymentsCsv({ node_id: nodes.merchant!, ...month });
  const rows = readCsv(await new Response(file).text());
  const chain = await chainOf(diamond);
  expect([rows.length, chain.paid.size]).toEqual([COUNT, COUNT]);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(COUNT);
  const asked = new Map(payments.map((payment) => [payment.id, payment]));
  const tokenOf = (symbol: string): string =>
    product.dev.currencies[symbol]!.tokens.alpha!.address ?? ethers.ZeroAddress;
  for (const row of rows) {
    const { price, paid_price, external_id } = asked.get(row.id!)!;
    const [paid, created] = [chain.paid.get(row.deal_id!)!, chain.created.get(row.deal_id!)!];
    const { decimals } = product.dev.currencies[row.currency!]!.tokens.alpha!;
    expect(row).toMatchObject({
      external_id,
      status: 'completed',
      eip155: String(network().eip155),
      diamond_address: diamond,
      transaction_hash: paid.transactionHash,
      deal_transaction_hash: created.transactionHash,
      payer: ethers.getAddress(paid.payer!),
      payment_address: ethers.getAddress(paid.payee!),
      paid_price_units: String(paid.amount),
      paid_at: chain.times.get(paid.blockNumber),
    });
    expect(paid.token).toBe(tokenOf(row.currency!).toLowerCase());
    expect(ethers.parseUnits(row.paid_price!, decimals)).toBe(paid.amount);
    expect([Number(row.price), Number(row.paid_price)]).toEqual([price, paid_price]);
    expect(row.completed_at! >= from && row.completed_at! < month.completed_to).toBe(true);
  }

  // File and logs agree on each payee's amount of each token, and the payees have it.
  const booked = sumBy(
    rows,
    (row) => `${tokenOf(row.currency!)} ${row.payment_address}`.toLowerCase(),
    (row) => BigInt(row.paid_price_units!),
  );
  expect(booked).toEqual(
    sumBy(
      chain.paid.values(),
      ({ token: of, payee }) => `${of} ${payee}`,
      ({ amount }) => amount!,
    ),
  );
  for (const [place, units] of Object.entries(booked)) {
    const [address = '', payee = ''] = place.split(' ');
    expect([place, await balanceOf(address, payee)]).toEqual([place, units]);
  }
  for (const address of [...tokens(), ethers.ZeroAddress]) expect(await balanceOf(address, diamond)).toBe(0n);
});
