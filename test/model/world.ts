import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import { ethers } from 'ethers';
import { contracts } from '../../chain/pure/contracts.ts';
import { freePorts } from '../../tools/process/ports.ts';
import type { RunningProcess } from '../../tools/process/process.ts';
import { recordProcess } from '../../tools/process/records.ts';
import { rpc } from '../../tools/stack/chain.ts';
import { startTemporal, type Temporal } from '../../tools/stack/temporal.ts';
import type { Wallet } from '../../api/generated/openapi-types.ts';
import type { DealMode } from '../../domain/payment.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { startProxy, type Proxy } from '../chain/support/proxy.ts';
import { eventually } from '../support/eventually.ts';
import { mineInTurn } from '../support/mining.ts';
import { createProduct, fastNetworks, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { startModelReceiver, type ModelReceiver } from './receiver.ts';
import { recordsOf, testStack } from '../support/stack.ts';

/** A part of the product that can be ended and started again. */
export interface Part {
  end(): Promise<void>;
  begin(): Promise<void>;
}

/** The parts of a world that its judges read. */
export type Judged = Pick<World, 'product' | 'wallets' | 'receiver' | 'client' | 'ask'>;

/** A whole product with a separate Temporal server, three endpoints in front of one chain, and buyers. */
export interface World {
  readonly product: Product;
  readonly shop: Shop;
  /** The wallets of the shop, by the mode of their deals. */
  readonly wallets: Readonly<Record<DealMode, Wallet>>;
  readonly chainUrl: string;
  readonly endpoints: readonly Proxy[];
  /** They have coins, tokens, and let the shop's diamond take them. */
  readonly buyers: readonly ethers.Wallet[];
  readonly api: Part;
  readonly worker: Part;
  readonly temporal: Part;
  /** Hears of everything that happens to the shop's payments. */
  readonly receiver: ModelReceiver;
  /** Of Temporal. */
  readonly client: Client;
  /** Asks the chain itself. */
  ask(method: string, params?: unknown[]): Promise<unknown>;
  /** Exchanges the newest blocks of the chain for empty ones. */
  reorganise(depth: number): Promise<void>;
  close(): Promise<void>;
}

/** Deeper than a schedule reorganises, also when it has to do so twice. */
const network = { ...fastNetworks[0]!, confirmations: 4 };
const NETWORK = network.name;
const BUYERS = 12;

/** A process that dies by SIGKILL. */
const mortal = (start: () => Promise<RunningProcess>): Part => {
  let running: RunningProcess | undefined;
  return {
    begin: async () => {
      running = await start();
    },
    end: async () => {
      if (running === undefined) return;
      process.kill(running.pid, 'SIGKILL');
      await running.exited;
    },
  };
};

/** A separate server, which stores its state in a file. */
const ownTemporal = async (): Promise<Part & { readonly address: string }> => {
  const { dir } = testStack();
  const [port = 0] = await freePorts(1);
  const start = (): Promise<Temporal> =>
    startTemporal({
      port,
      databaseFile: path.join(dir, `model-temporal-${port}.db`),
      logFile: path.join(dir, 'logs', `model-temporal-${port}.log`),
      onSpawn: (pid) => recordProcess(recordsOf(dir, process.pid), 'Temporal', pid),
    });
  let running = await start();
  return {
    address: running.address,
    begin: async () => {
      running = await start();
    },
    end: () => running.stop(),
  };
};

/**
 * Of an offer, in seconds: until the expiry of its deal, because the schedules put the chain's clock forward, but not that of the
 * database.
 */
const WINDOW_S = 86_400;

/** The shop's wallets, one of each mode, which tell the receiver of their payments. */
const openWallets = async (
  product: Product,
  { merchant, wallet }: Shop,
  receiver: string,
): Promise<World['wallets']> => {
  const { id } = product.dev.networks[NETWORK]!;
  const offered = await merchant.createWallet('Offering');
  await eventually(async () => (await merchant.deploy(offered.id, id)).status === 'completed', 45_000, 250);
  await merchant.offerDeals(offered.id, id);
  for (const own of [wallet, offered]) await merchant.createWebhook(own.id, id, receiver);
  return { created: wallet, offered };
};

const prepareBuyers = async (product: Product, spenders: readonly string[]): Promise<ethers.Wallet[]> => {
  const { rpc: url, eip155 } = product.dev.networks[NETWORK]!;
  const provider = new ethers.JsonRpcProvider(url, eip155, { staticNetwork: true, cacheTimeout: -1 });
  const buyers = Array.from({ length: BUYERS }, () => new ethers.Wallet(`0x${randomBytes(32).toString('hex')}`));
  const tokens = Object.values(product.dev.currencies).flatMap(({ tokens: at }) => at[NETWORK]!.address ?? []);
  const token = contracts.testToken.interface;
  try {
    for (const { address } of buyers) {
      await provider.send('anvil_setBalance', [address, ethers.toBeHex(ethers.parseEther('1000000'))]);
    }
    const calls = (buyer: string) => [
      token.encodeFunctionData('mint', [buyer, 2n ** 120n]),
      ...spenders.map((spender) => token.encodeFunctionData('approve', [spender, ethers.MaxUint256])),
    ];
    const sent = await Promise.all(
      buyers.map(async (buyer) => {
        const signer = buyer.connect(provider);
        const wanted = tokens.flatMap((to) => calls(buyer.address).map((data) => ({ to, data })));
        return Promise.all(wanted.map((call, nonce) => signer.sendTransaction({ ...call, nonce, gasLimit: 200_000n })));
      }),
    );
    for (const response of sent.flat()) await response.wait();
  } finally {
    provider.destroy();
  }
  return buyers;
};

/** Starts everything and opens a shop with a deployed diamond. */
export const createModelWorld = async (): Promise<World> => {
  const temporal = await ownTemporal();
  const product = await createProduct({
    temporalAddress: temporal.address,
    networks: [network],
    environment: { CARAT_OFFER_WINDOW: String(WINDOW_S) },
  });
  const chainUrl = product.dev.networks[NETWORK]!.rpc;
  const endpoints = await Promise.all([1, 2, 3].map(() => startProxy(chainUrl)));
  const rpc_urls = endpoints.map(({ url }) => url);
  await product.knex('networks').where({ name: NETWORK }).update({ rpc_urls, quorum: 2 });
  const api = mortal(() => product.startApi());
  const worker = mortal(() => product.startWorker());
  await Promise.all([api.begin(), worker.begin()]);
  const shop = await openShop(product);
  await shop.deployed(NETWORK);
  const receiver = await startModelReceiver();
  const wallets = await openWallets(product, shop, receiver.origin);
  const buyers = await prepareBuyers(
    product,
    Object.values(wallets).map(({ address }) => address),
  );
  const client = createTemporalClient(product.dev.temporal);
  const ask: World['ask'] = (method, params) => rpc(chainUrl, method, params);
  const { reorganise, stop } = await mineInTurn(chainUrl, network.blockTime);
  return {
    product,
    shop,
    wallets,
    chainUrl,
    endpoints,
    buyers,
    api,
    worker,
    temporal,
    receiver,
    client,
    ask,
    reorganise,
    close: async () => {
      shop.close();
      await stop();
      await client.connection.close();
      await product.stop();
      await temporal.end();
      await receiver.close();
      await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    },
  };
};

/** The time of the chain, in seconds. */
export const chainTime = async ({ ask }: World): Promise<number> =>
  Number(((await ask('eth_getBlockByNumber', ['latest', false])) as { timestamp: string }).timestamp);

/** Waits until nothing of the product is under way: every slot is confirmed, every command delivered. */
export const atRest = ({ product: { knex } }: Pick<World, 'product'>): Promise<unknown> =>
  eventually(
    async () => {
      const { rows } = await knex.raw<{ rows: { what: string }[] }>(
        `SELECT 'slot ' || state AS what FROM tx_slots WHERE state <> 'confirmed'
         UNION ALL SELECT 'command ' || topic || coalesce(': ' || last_error, '') FROM outbox WHERE delivered_at IS NULL`,
      );
      if (rows.length > 0) throw new Error(rows.map(({ what }) => what).join(', '));
      return true;
    },
    60_000,
    100,
  );
