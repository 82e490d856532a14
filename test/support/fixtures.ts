import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Knex } from 'knex';
import { planCut } from '../../chain/pure/cut-plan.ts';
import { release, releaseOf } from '../../chain/pure/releases.ts';
import { nextEnd } from '../../db/intents/conditions.ts';
import type { DealMode } from '../../domain/payment.ts';
import type { Platform } from '../../domain/platform.ts';
import type { ContractVersion } from '../../domain/version-check.ts';
import { startGroup, type CreatePaymentCommand } from '../../domain/ports/outbox.ts';

/** Random lower-case hex with a 0x, `bytes` long. */
export const hex = (bytes: number): string => `0x${randomBytes(bytes).toString('hex')}`;

export interface World {
  nodeId: string;
  chainId: string;
  networkId: string;
  currencyId: string;
  tokenAddress: string;
  walletId: string;
  diamondAddress: string;
  operatorAccountId: string;
  upgraderAccountId: string;
}

export interface WorldOptions {
  readonly confirmations?: number;
  readonly eip155?: number;
  readonly rpcUrls?: readonly string[];
  readonly operatorAddress?: string;
  readonly upgraderAddress?: string;
  /** Keys that offer deals; none by default. */
  readonly signerAddresses?: readonly string[];
  readonly tokenAddress?: string;
  readonly nodeId?: string;
  readonly walletId?: string;
  readonly diamondAddress?: string;
  readonly blockTimeMs?: number;
  readonly platform?: Platform;
  readonly root?: string;
  readonly guardian?: string;
  /** Null: the wallet was never asked to deploy. */
  readonly diamondStatus?: 'active' | 'deploying' | null;
}

/** One merchant with one wallet on one network, as rows, for tests below the API. */
export const createWorld = async (knex: Knex, options: WorldOptions = {}): Promise<World> => {
  const world: World = {
    nodeId: options.nodeId ?? randomUUID(),
    chainId: randomUUID(),
    networkId: randomUUID(),
    currencyId: randomUUID(),
    tokenAddress: options.tokenAddress ?? hex(20),
    walletId: options.walletId ?? randomUUID(),
    diamondAddress: options.diamondAddress ?? hex(20),
    operatorAccountId: randomUUID(),
    upgraderAccountId: randomUUID(),
  };
  await knex('nodes').insert({ id: world.nodeId, name: 'merchant', path: [world.nodeId] });
  const { firstRoot, approvalDelay, id } = options.platform ?? { firstRoot: hex(20), approvalDelay: 0n, id: hex(32) };
  await knex('chains').insert({
    id: world.chainId,
    name: `chain ${world.chainId}`,
    first_root: firstRoot.toLowerCase(),
    platform_id: id,
    approval_delay: Number(approvalDelay),
  });
  await knex('networks').insert({
    id: world.networkId,
    chain_id: world.chainId,
    name: `network ${world.networkId}`,
    eip155: options.eip155 ?? randomInt(1_000_000, 2_000_000_000),
    rpc_urls: options.rpcUrls ?? ['http://127.0.0.1:1'],
    confirmations: options.confirmations ?? 3,
    finality: 64,
    block_time_ms: options.blockTimeMs ?? 200,
    max_fee_per_gas: '1000000000000',
    root: (options.root ?? firstRoot).toLowerCase(),
    guardian: (options.guardian ?? hex(20)).toLowerCase(),
  });
  await knex('currencies').insert({
    id: world.currencyId,
    symbol: `T${world.currencyId.slice(0, 8)}`,
    name: 'Test',
    decimals: 6,
  });
  await knex('currency_tokens').insert({
    currency_id: world.currencyId,
    network_id: world.networkId,
    address: world.tokenAddress.toLowerCase(),
    decimals: 6,
  });
  await knex('signer_accounts').insert([
    {
      id: world.operatorAccountId,
      network_id: world.networkId,
      address: (options.operatorAddress ?? hex(20)).toLowerCase(),
      role: 'operator',
    },
    {
      id: world.upgraderAccountId,
      network_id: world.networkId,
      address: (options.upgraderAddress ?? hex(20)).toLowerCase(),
      role: 'upgrader',
    },
    ...(options.signerAddresses ?? []).map((address) => ({
      id: randomUUID(),
      network_id: world.networkId,
      address: address.toLowerCase(),
      role: 'signer',
    })),
  ]);
  await knex('wallets').insert({
    id: world.walletId,
    node_id: world.nodeId,
    chain_id: world.chainId,
    name: 'wallet',
    address: world.diamondAddress.toLowerCase(),
  });
  if (options.diamondStatus !== null) {
    await knex('diamonds').insert({
      wallet_id: world.walletId,
      network_id: world.networkId,
      address: world.diamondAddress.toLowerCase(),
      operator_account_id: world.operatorAccountId,
      status: options.diamondStatus ?? 'active',
      release: release.version,
    });
  }
  return world;
};

export interface PaymentRow {
  id: string;
  dealId: bigint;
  termsHash: string;
  expiresUnix: number;
}

export interface PaymentOptions {
  readonly amount?: bigint;
  readonly expiresUnix?: number;
  readonly method?: 'web3' | 'bank_transfer';
  readonly payee?: string;
  readonly retryCount?: number;
  readonly dealMode?: DealMode;
  /** Given the deal id, the hash the chain will have; random if absent. */
  readonly termsHash?: (terms: { dealId: bigint; amount: bigint; payee: string; expiresUnix: number }) => string;
}

/** One pending payment with its first log entry and its command in the outbox, as the API writes them. */
export const createPaymentRow = async (knex: Knex, world: World, options: PaymentOptions = {}): Promise<PaymentRow> => {
  const method = options.method ?? 'web3';
  const web3 = method === 'web3';
  const id = uuidv7();
  const dealId = BigInt(randomInt(1, 2 ** 47));
  const expiresUnix = options.expiresUnix ?? Math.floor(Date.now() / 1000) + 3600;
  const amount = options.amount ?? 1_500_000n;
  const payee = (options.payee ?? hex(20)).toLowerCase();
  const termsHash = options.termsHash?.({ dealId, amount, payee, expiresUnix }) ?? hex(32);
  await knex('payments').insert({
    id,
    node_id: world.nodeId,
    external_id: id,
    chain_id: world.chainId,
    network_id: world.networkId,
    wallet_id: web3 ? world.walletId : null,
    currency_id: world.currencyId,
    decimals: 6,
    price_units: amount.toString(),
    paid_price_units: amount.toString(),
    payment_method: method,
    payment_group: 'product',
    payment_address: payee,
    expires_at: new Date(expiresUnix * 1000),
    expires_unix: expiresUnix,
    retry_count: options.retryCount ?? 3,
    deal_id: web3 ? dealId.toString() : null,
    diamond_address: web3 ? world.diamondAddress.toLowerCase() : null,
    token_address: web3 ? world.tokenAddress.toLowerCase() : null,
    terms_hash: web3 ? termsHash : null,
    deal_mode: options.dealMode ?? 'created',
  });
  if (options.dealMode === 'offered') {
    const wanted_until = knex.raw(nextEnd);
    await knex('offer_ends').insert({ payment_id: id, network_id: world.networkId, wanted_until });
  }
  await knex('payment_logs').insert({
    payment_id: id,
    sequence: 1,
    event_type: 'payment_created',
    status: 'pending',
    message: 'Payment created',
    actor_type: 'integration',
  });
  const command: CreatePaymentCommand = {
    payment_id: id,
    node_id: world.nodeId,
    wallet_id: web3 ? world.walletId : null,
    network_id: world.networkId,
    method: web3 ? 'web3' : 'offchain',
    expires_at: new Date(expiresUnix * 1000).toISOString(),
  };
  await knex('outbox').insert({
    topic: 'create_payment',
    group_key: startGroup(world.networkId, method),
    payment_id: id,
    payload: JSON.stringify(command),
  });
  return { id, dealId, termsHash, expiresUnix };
};

/** The contracts of a diamond of a release, exactly as released; or of one that does not exist yet. */
export const contractsOf = (version: string, isThere: boolean): readonly ContractVersion[] => {
  const target = releaseOf(version)!;
  const facets = target.facets.map((facet) => ({ ...facet, codeHash: facet.runtimeCodeHash }));
  const live = {
    address: hex(20),
    codeHash: isThere ? target.diamondRuntimeCodeHash : null,
    facets: isThere ? facets : [],
    approved: new Set(facets.map(({ address }) => address)),
  };
  return planCut(live, target).contracts;
};
