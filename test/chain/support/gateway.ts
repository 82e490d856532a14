import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { HDNodeWallet } from 'ethers';
import type { Knex } from 'knex';
import { createDeployer } from '../../../chain/deploy/deployer.ts';
import { createLane } from '../../../chain/lane/lane.ts';
import type { LaneTiming } from '../../../chain/lane/context.ts';
import { prepareNetwork } from '../../../chain/deploy/prepare.ts';
import { diamondAddress, registryAddress } from '../../../chain/pure/platform.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import type { Release } from '../../../chain/pure/releases.ts';
import { dealTopics } from '../../../chain/pure/deal-state.ts';
import { termsHash } from '../../../chain/pure/deal-encoding.ts';
import { payCall } from '../../../chain/pure/pay-call.ts';
import { createOffering, type OfferTiming } from '../../../chain/offers/offering.ts';
import type { Platform } from '../../../domain/platform.ts';
import type { EndpointTrouble } from '../../../chain/rpc/member.ts';
import { createRpc, type Rpc } from '../../../chain/rpc/rpc.ts';
import { sendCalls } from '../../../chain/deploy/send-calls.ts';
import { createKeySigner, type Signer } from '../../../chain/signing/signer.ts';
import type { WatchTiming } from '../../../chain/watcher/context.ts';
import { createWatcher } from '../../../chain/watcher/watcher.ts';
import { connect } from '../../../db/connection.ts';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { createLaneStore } from '../../../db/lane/store.ts';
import { createReveal } from '../../../db/offers/reveal.ts';
import { createOfferStore } from '../../../db/offers/store.ts';
import { blocksToKnow, watchedNetwork } from '../../../db/watcher/networks.ts';
import { createWatchStore } from '../../../db/watcher/store.ts';
import { devMnemonic, type Chain, type ChainOptions } from '../../../tools/stack/chain.ts';
import { ZERO_ADDRESS, type DealTerms, type Offer } from '../../../domain/deal.ts';
import { createEncryption } from '../../../runtime/encryption.ts';
import type { DealMode } from '../../../domain/payment.ts';
import type { Failpoint } from '../../../domain/ports/failpoint.ts';
import type { Log } from '../../../domain/ports/log.ts';
import type { NotificationSource } from '../../../domain/ports/notifications.ts';
import { defaultQuorum } from '../../../domain/catalogue/quorum.ts';
import type { WatchedNetwork } from '../../../domain/ports/watcher.ts';
import { startTestChain } from '../../support/chain.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createPaymentRow, createWorld, hex, type PaymentRow, type World } from '../../support/fixtures.ts';

/** A payment of the tests with the terms that its deal has. */
export interface TestPayment extends PaymentRow {
  readonly terms: DealTerms;
}

export interface RunOptions {
  readonly urls?: readonly string[];
  /** Timeout of one exchange in milliseconds; as in production by default. */
  readonly timeoutMs?: number;
  readonly timing?: Partial<LaneTiming>;
  /** Reports no low funds by default. */
  readonly lowFunds?: number;
  readonly failpoint?: Failpoint;
  readonly log?: Log;
  readonly network?: Partial<WatchedNetwork>;
  readonly signer?: Signer;
  readonly accountId?: string;
  /** Waits as in production, instead of polling. */
  readonly isPatient?: boolean;
  readonly watch?: Partial<WatchTiming>;
  readonly report?: (trouble: EndpointTrouble) => void;
  /** Is told of each tick of a lane. */
  readonly heartbeat?: () => void;
}

/** A lane or watcher at work in this process. */
export interface Running {
  /** Settles when the run has ended; rejects with the error that ended it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** An anvil, a database and a merchant whose native-coin deals go through real lanes and watchers. */
export interface Gateway {
  readonly chain: Chain;
  readonly rpc: Rpc;
  readonly databaseUrl: string;
  readonly knex: Knex;
  readonly world: World;
  readonly network: WatchedNetwork;
  readonly platform: Platform;
  readonly registry: string;
  readonly keys: Record<
    'root' | 'operator' | 'upgrader' | 'guardian' | 'buyer' | 'stranger' | 'signer' | 'otherSigner',
    Signer
  >;
  /** New pending payments, with queued deals; or with offered ones, which wait for a signer. */
  pay(
    count: number,
    options?: { expiresIn?: number; retryCount?: number; dealMode?: DealMode },
  ): Promise<TestPayment[]>;
  startLane(options?: RunOptions): Running;
  /** Signs offers with these keys; with that of the first signer by default. */
  startOffering(options?: RunOptions & { keys?: readonly Signer[]; offers?: Partial<OfferTiming> }): Running;
  /** The current offer, as a buyer's page reads it. */
  reveal(payment: PaymentRow): Promise<Offer | null>;
  startWatcher(options?: RunOptions): Running;
  statuses(payments: readonly PaymentRow[]): Promise<string[]>;
  /** Number of `DealCreated` logs per deal on the canonical chain. */
  created(): Promise<Map<bigint, number>>;
  /** Pays as a buyer, by an offer where one is given; the transaction is in the pool when this resolves. */
  buy(payment: TestPayment, offer?: Offer): Promise<string>;
  /** One call of an account, mined when this resolves. */
  send(signer: Signer, to: string, data: string, value?: bigint): Promise<void>;
  send1559(signer: Signer, nonce: number): Promise<string>;
  close(): Promise<void>;
}

/** Says nothing. */
export const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** These tests are not about notifications, so everything polls. */
const polling: NotificationSource = {
  wait: (ms, signal) => delay(Math.min(ms, 60), undefined, { signal }).catch(() => {}),
};

const patient: NotificationSource = {
  wait: (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
};

const accounts = ['root', 'operator', 'upgrader', 'guardian', 'buyer', 'stranger', 'signer', 'otherSigner'] as const;

const keysOf = (): Gateway['keys'] =>
  Object.fromEntries(
    accounts.map((name, index) => {
      const wallet = HDNodeWallet.fromPhrase(devMnemonic, '', `m/44'/60'/0'/0/${index}`);
      return [name, createKeySigner(wallet.privateKey)];
    }),
  ) as Gateway['keys'];

/** Starts all of it; `close` it in `afterAll`. */
export const startGateway = async (
  options: Partial<ChainOptions> & {
    confirmations?: number;
    maxInflight?: number;
    release?: Release;
    /** The keys that have the role of a signer; none by default. */
    signers?: readonly ('signer' | 'otherSigner')[];
    /** Starts the chain; an anvil by default. `blockTime` applies to it as well. */
    startChain?: () => Promise<Chain>;
  } = {},
): Promise<Gateway> => {
  const { confirmations = 3, maxInflight, release, signers = [], startChain, ...chainOptions } = options;
  const start = startChain ?? (() => startTestChain(chainOptions));
  const [chain, { url }] = await Promise.all([start(), createTestDatabase()]);
  const knex = connect(url, { pool: 6 });
  const keys = keysOf();
  const eip155 = chain.chainId;
  const rpc = createRpc({ urls: [chain.url], eip155, timeoutMs: 120_000 });
  const encryption = createEncryption(randomBytes(32));
  const reveal = createReveal(knex, encryption);
  const platform: Platform = { firstRoot: keys.root.address, approvalDelay: 0n, id: hex(32) };
  const settings = { platform, root: keys.root.address, guardian: keys.guardian.address };
  await prepareNetwork({
    network: { ...settings, name: 'test', eip155, quorum: 1, confirmations: 1 },
    rpc,
    rootSigner: keys.root,
    operators: [keys.operator.address],
    upgraders: [keys.upgrader.address],
    signers: signers.map((name) => keys[name].address),
    release,
  });
  const nodeId = randomUUID();
  const walletId = randomUUID();
  const deployer = createDeployer({ network: { ...settings, name: 'test', eip155, confirmations, quorum: 1 }, rpc });
  await sendCalls(rpc, keys.stranger, eip155, [{ what: 'diamond', ...deployer.createDiamondCall(nodeId, walletId) }]);

  const diamond = diamondAddress(platform, nodeId, walletId);
  const world = await createWorld(knex, {
    nodeId,
    walletId,
    ...settings,
    diamondAddress: diamond,
    confirmations,
    eip155,
    rpcUrls: [chain.url],
    operatorAddress: keys.operator.address,
    upgraderAddress: keys.upgrader.address,
    signerAddresses: signers.map((name) => keys[name].address),
    blockTimeMs: Math.round((chainOptions.blockTime ?? 0.2) * 1000),
  });
  if (maxInflight) await knex('signer_accounts').update({ max_inflight: maxInflight });
  const genesis = (await rpc.call('eth_getBlockByNumber', ['0x0', false])) as { hash: string };
  await knex('networks').update({ genesis_hash: genesis.hash });
  const network = (await watchedNetwork(knex, world.networkId)) as WatchedNetwork;

  const run = (work: (signal: AbortSignal) => Promise<void>): Running => {
    const controller = new AbortController();
    const ended = work(controller.signal);
    ended.catch(() => {});
    return {
      ended,
      stop: async () => {
        controller.abort();
        await ended.catch(() => {});
      },
    };
  };
  const deps = (run: RunOptions) => ({
    // As in a catalogue that names no quorum; of two endpoints it has to name one.
    network: { ...network, quorum: defaultQuorum(run.urls?.length ?? 1) ?? 1, ...run.network },
    rpc: createRpc({
      urls: run.urls ?? [chain.url],
      eip155,
      genesisHash: network.genesisHash,
      keptBlocks: () => blocksToKnow(knex, network.id),
      blockTimeMs: run.network?.blockTimeMs ?? network.blockTimeMs,
      timeoutMs: run.timeoutMs,
      report: run.report,
    }),
    log: run.log ?? quiet,
    failpoint: run.failpoint ?? (() => {}),
  });
  const until = (signal: AbortSignal) => ({ signal, heartbeat: () => {}, notified: polling, deadlineMs: Infinity });

  const gateway: Gateway = {
    chain,
    rpc,
    databaseUrl: url,
    knex,
    world,
    network,
    platform,
    registry: registryAddress(platform),
    keys,

    pay: async (count, { expiresIn = 3600, retryCount, dealMode } = {}) => {
      const { timestamp } = (await rpc.call('eth_getBlockByNumber', ['latest', false])) as { timestamp: string };
      const payments: TestPayment[] = [];
      for (let i = 0; i < count; i += 1) {
        const terms = { token: ZERO_ADDRESS, payer: ZERO_ADDRESS, amount: 1_000n + BigInt(i) };
        let full: DealTerms | null = null;
        const row = await createPaymentRow(
          knex,
          { ...world, tokenAddress: ZERO_ADDRESS },
          {
            amount: terms.amount,
            expiresUnix: Number(timestamp) + expiresIn,
            retryCount,
            dealMode,
            termsHash: ({ dealId, payee, expiresUnix }) => {
              full = { ...terms, dealId, payee, expiresAt: BigInt(expiresUnix) };
              return termsHash(eip155, diamond, full);
            },
          },
        );
        if (full === null) throw new Error('the fixture did not ask for the hash');
        payments.push({ ...row, terms: full });
      }
      await insertDealIntents(
        knex,
        payments.map((payment) => payment.id),
      );
      return payments;
    },

    startLane: (how = {}) =>
      run((signal) =>
        createLane({
          ...deps(how),
          store: createLaneStore(knex),
          signer: how.signer ?? keys.operator,
          timing: how.timing,
          lowFunds: how.lowFunds ?? 0,
        }).run({
          ...until(signal),
          heartbeat: how.heartbeat ?? (() => {}),
          accountId: how.accountId ?? world.operatorAccountId,
        }),
      ),

    startOffering: ({ keys: held = [keys.signer], offers, ...how } = {}) =>
      run((signal) =>
        createOffering({
          ...deps(how),
          store: createOfferStore(knex, encryption),
          signerOf: (address) => held.find((key) => key.address === address) ?? null,
          timing: { roles: 200, unreachable: 1_000, idle: 100, ...offers },
        }).run(until(signal)),
      ),

    reveal: ({ id }) => reveal(id),

    startWatcher: (how = {}) =>
      run((signal) =>
        createWatcher({ ...deps(how), timing: how.watch, store: createWatchStore(knex) }).run({
          ...until(signal),
          notified: how.isPatient ? patient : polling,
        }),
      ),

    statuses: async (payments) => {
      const rows = await knex('payments')
        .whereIn(
          'id',
          payments.map((payment) => payment.id),
        )
        .select<{ id: string; status: string }[]>('id', 'status');
      const byId = new Map(rows.map((row) => [row.id, row.status]));
      return payments.map((payment) => byId.get(payment.id) ?? 'missing');
    },

    created: async () => {
      const filter = { fromBlock: '0x0', toBlock: 'latest', address: diamond, topics: [dealTopics[0]] };
      const logs = (await rpc.call('eth_getLogs', [filter])) as { topics: [string, string] }[];
      const counts = new Map<bigint, number>();
      for (const log of logs) {
        const id = BigInt(log.topics[1]);
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      return counts;
    },

    buy: async ({ terms }, offer) => {
      const { function_name: name, arguments: values } = payCall(terms, offer);
      const facet = offer === undefined ? contracts.deal : contracts.offer;
      const data = facet.interface.encodeFunctionData(name, values);
      const nonce = Number(await rpc.call('eth_getTransactionCount', [keys.buyer.address, 'pending']));
      const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
      const request = { eip155, nonce, to: diamond, data, value: terms.amount, gasLimit: 300_000n, ...fees };
      const { raw } = await keys.buyer.sign(request);
      return (await rpc.call('eth_sendRawTransaction', [raw])) as string;
    },

    send: async (signer, to, data, value) => {
      await sendCalls(rpc, signer, eip155, [{ what: 'test call', to, data, value }]);
    },

    send1559: async (signer, nonce) => {
      const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 10n };
      const request = { eip155, nonce, to: signer.address, data: '0x', value: 0n, gasLimit: 21_000n, ...fees };
      return (await rpc.call('eth_sendRawTransaction', [(await signer.sign(request)).raw])) as string;
    },

    close: async () => {
      await knex.destroy();
      await chain.stop();
    },
  };
  return gateway;
};

/** Calls a function of the registry. */
export const registryCall = (name: string, ...args: unknown[]): string =>
  contracts.registry.interface.encodeFunctionData(name, args);
