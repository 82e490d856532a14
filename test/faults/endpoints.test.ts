import { rpc } from '../../tools/stack/chain.ts';
import { startProxy, type Proxy } from '../chain/support/proxy.ts';
import { lies } from '../liars/lies.ts';
import { eventually } from '../support/eventually.ts';
import { createRig, type Rig } from './rig.ts';

/* Endpoints of a network of three, with blocks of twelve seconds: nothing is slower among the networks that people use. */

const network = 'alpha';
const BLOCK_SECONDS = 12;

let rig: Rig;
let proxies: Proxy[];

beforeAll(async () => {
  rig = await createRig();
  const { url } = rig.product.chains[network]!;
  proxies = await Promise.all([1, 2, 3].map(() => startProxy(url)));
});

afterAll(async () => {
  await rig?.stop();
  await Promise.all(proxies?.map((proxy) => proxy.close()) ?? []);
});

/** Gives the network these columns, and the workers the news. */
const change = async (columns: Record<string, unknown>): Promise<void> => {
  await rig.product.knex('networks').where({ name: network }).update(columns);
  await rig.product.knex.raw("SELECT pg_notify('carat_catalogue', '')");
};

const tip = async (): Promise<number> => Number(await rpc(rig.product.chains[network]!.url, 'eth_blockNumber'));

it('one of three endpoints returns false words of a deal', async () => {
  const { shop, product } = rig;
  await change({ rpc_urls: proxies.map(({ url }) => url), quorum: 2 });
  const payment = await shop.create(network);
  await shop.reached(payment, 'awaiting_payment');
  const row = await product.knex('payments').where({ id: payment.id }).first();
  const deal = {
    diamond: row.diamond_address as string,
    dealId: BigInt(row.deal_id as string),
    termsHash: row.terms_hash as string,
    token: row.token_address as string,
    payee: row.payment_address as string,
    amount: 1n,
  };
  const lie = lies['tells false words']!({ tip: await tip(), deals: () => [deal], random: () => 0 });
  await rig.named('one lying endpoint', {
    inject: () => Promise.resolve(Object.assign(proxies[0]!, lie)),
    mend: () => Promise.resolve(Object.assign(proxies[0]!, { tamper: null })),
    says: /RPC endpoint 1 of 3 is asked last for now: contradicts the quorum/,
  });
  await shop.pay(network, payment);
  await shop.reached(payment, 'completed');
});

it('the endpoints have another time than all processes of this machine', async () => {
  await change({ rpc_urls: proxies.map(({ url }) => url), quorum: 2 });
  const shift = (clockMs: number) => Promise.resolve(proxies.forEach((proxy) => (proxy.clockMs = clockMs)));
  await rig.named('clock of the whole machine off by five minutes', {
    inject: () => shift(-300_000),
    mend: () => shift(0),
    says: /The clock of the worker \S+ is (?:299|30[01]) seconds ahead of those of most RPC endpoints/,
  });
});

describe('with blocks of twelve seconds', () => {
  beforeAll(async () => {
    const { url } = rig.product.chains[network]!;
    await rpc(url, 'evm_setIntervalMining', [BLOCK_SECONDS]);
    await change({ rpc_urls: proxies.map((proxy) => proxy.url), quorum: 2, block_time_ms: BLOCK_SECONDS * 1_000 });
    // Nothing is under way, which is when a watcher asks least.
    await eventually(
      async () =>
        (
          await rig.product.knex.raw(`SELECT 1 FROM tx_slots WHERE state <> 'confirmed' UNION ALL
            SELECT 1 FROM payments WHERE status IN ('pending', 'awaiting_payment', 'processing', 'canceling')`)
        ).rows.length === 0,
      120_000,
      1_000,
    );
  });

  it('one of three endpoints stands still', async () => {
    await rig.named('a stale endpoint', {
      inject: async () =>
        Object.assign(proxies[1]!, lies['answers an old tip']!({ tip: await tip(), deals: () => [], random: () => 0 })),
      mend: () => Promise.resolve(Object.assign(proxies[1]!, { rewrite: null })),
      says: /RPC endpoint 2 of 3 is asked last for now: is behind the others/,
    });
  });

  it('no endpoint answers', async () => {
    await rig.named('no endpoint', {
      inject: async () => proxies.forEach((proxy) => (proxy.mode = 'stall')),
      mend: async () => proxies.forEach((proxy) => (proxy.mode = 'pass')),
      says: /0 of 3 endpoints serve it/,
    });
  });
});
