import { askEach, lowestBalance } from '../../chain/rpc/each.ts';
import { nativeSymbol } from '../../db/catalogue/reads.ts';
import { needsFunds } from '../../db/lane/accounts.ts';
import { hasHolders, keysInUse, keysWithoutHolder, nameKey, type NamedKey } from '../../db/lane/holders.ts';
import { usualCost } from '../../db/lane/looks.ts';
import { actOf } from '../../domain/ports/lane.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import type { Database } from '../command/database.ts';
import { coinsText } from '../command/text.ts';
import { findingsOf, type Finding } from './finding.ts';

/** Milliseconds for all endpoints together. */
const PATIENCE_MS = 4_000;

/** A key of the catalogue, and the cost of its transactions. */
export interface KeyLook extends NamedKey {
  /** In wei; null before the first transaction. */
  readonly cost: bigint | null;
  /** False for a signer, and for an operator whose wallets offer all their deals. */
  readonly needsFunds: boolean;
  /** Of the network's coin. */
  readonly symbol: string | null;
}

/** Reads the keys of the catalogue. */
export const readKeys = async (knex: Database): Promise<KeyLook[]> => {
  const keys: KeyLook[] = [];
  for (const key of await keysInUse(knex)) {
    keys.push({
      ...key,
      cost: key.role === 'signer' ? null : await usualCost(knex, key.id),
      needsFunds: key.role !== 'signer' && (await needsFunds(knex, key.id)),
      symbol: await nativeSymbol(knex, key.networkId),
    });
  }
  return keys;
};

/** Checks that the workers hold the keys that have work. */
export const holderFindings = async (knex: Database): Promise<Finding[]> => {
  const { ok, problem } = findingsOf('keys');
  if (!(await hasHolders(knex))) {
    return [problem('no worker runs that holds a key', 'start a worker with CARAT_KEYSTORE and its passphrase')];
  }
  const keyless = await keysWithoutHolder(knex);
  if (keyless.length === 0) return [ok('the workers hold every key of the catalogue')];
  return keyless.map((key) =>
    problem(
      `no worker holds the key of ${nameKey(key)}: it ${actOf(key.role)}s nothing`,
      `give a worker a keystore with it (CARAT_KEYSTORE), or replace the key: carat lane move ${key.network} ${key.address} NEW`,
    ),
  );
};

/** Checks that the guardian could pay for a pause. A contract, such as a multisig, needs no coins. */
export const guardianFindings = async ({ name, guardian, rpcUrls }: WatchedNetwork): Promise<Finding[]> => {
  const requests = ['eth_getBalance', 'eth_getCode'].map((method) => ({ method, params: [guardian, 'latest'] }));
  const responses = await askEach(rpcUrls, requests, PATIENCE_MS);
  const isPoor = responses.some(({ outcomes }) => {
    const [balance, code] = outcomes ?? [];
    return balance?.ok && code?.ok && BigInt(balance.result as string) === 0n && code.result === '0x';
  });
  if (!isPoor) return [];
  const { warning } = findingsOf(`funds ${name}`);
  return [
    warning(
      `the guardian ${guardian} has no coins: it could neither pause nor take a role`,
      'send it coins for a few transactions',
    ),
  ];
};

/** Checks the balances of the keys that send transactions. The lowest balance that an endpoint reports counts. */
export const fundsFindings = async (
  network: WatchedNetwork,
  keys: readonly KeyLook[],
  lowFunds: number,
): Promise<Finding[]> => {
  const senders = keys.filter((key) => key.needsFunds);
  if (senders.length === 0) return [];
  const { ok, warning, problem } = findingsOf(`funds ${network.name}`);
  const requests = senders.map(({ address }) => ({ method: 'eth_getBalance', params: [address, 'latest'] }));
  const responses = await askEach(network.rpcUrls, requests, PATIENCE_MS);
  return senders.flatMap((key, index): Finding[] => {
    const balance = lowestBalance(responses.map(({ outcomes }) => outcomes?.[index]));
    if (balance === null) return [];
    const has = `the ${key.role} ${key.address} has ${coinsText(balance, key.symbol)}`;
    if (balance === 0n) return [problem(`${has}: it can send nothing`, 'send coins to this address')];
    if (key.cost === null || balance >= BigInt(lowFunds) * key.cost) return [ok(has)];
    return [
      warning(
        `${has}, less than ${lowFunds} of its transactions cost (${coinsText(key.cost, key.symbol)} each)`,
        'send coins to this address',
      ),
    ];
  });
};
