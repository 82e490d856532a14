import type { Knex } from 'knex';
import { checksum, isAddress, toStoredAddress } from '../../chain/pure/address.ts';
import { batchersOf, registryAddress } from '../../chain/pure/platform.ts';
import { release, releasedFacets } from '../../chain/pure/releases.ts';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { platformOfChain } from '../../db/catalogue/reads.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import {
  holdPayments,
  lockAbove,
  readKnownContract,
  readPayout,
  setPayout,
  type KnownContract,
  type Payout,
} from '../../db/payouts/payouts.ts';
import { unchanged } from '../../domain/audit.ts';
import { describeFields, DomainError, found, invalidRequest, type DomainErrorDetails } from '../../domain/errors.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Payout as PayoutAnswer, PayoutRequest } from '../generated/openapi-types.ts';
import type { HandlerDeps, Handlers } from '../http/handler.ts';

/** Last precompile: their addresses start at 1, and EIP-7587 reserves those up to 0x2ff for them and for rollups. */
const LAST_PRECOMPILE = 0x2ffn;

/**
 * Returns the rule against paying to an address whose contract would keep the money.
 * @param payee lower-case hex
 * @returns the rule, to follow the field's name; null for an allowed payee
 */
export const payeeProblem = (
  payee: string,
  platform: Platform,
  { isToken, isDiamond }: KnownContract,
): string | null => {
  if (BigInt(payee) <= LAST_PRECOMPILE) return 'must not be the zero address or a precompiled contract';
  if (isToken) return 'must not be the contract of a token: tokens that are sent there are lost';
  if (isDiamond) return 'must not be a diamond: a diamond pays nothing out';
  const isOurs =
    payee === registryAddress(platform) ||
    batchersOf(platform).some(({ address }) => payee === address) ||
    payee === release.deployer ||
    releasedFacets.has(payee);
  return isOurs ? "must not be one of the platform's contracts: they pay nothing out" : null;
};

/**
 * The refusal of a payment whose payee is not the locked one. It names that one to callers who may read it.
 * @param lockedPayee lower-case hex
 */
export const payeeNotAllowed = (lockedPayee: string): DomainError => {
  const refusal = (named: string, without?: DomainErrorDetails['without']): DomainError => {
    const error = { path: '/body/payment_address', message: `must be ${named}the locked payout address on this chain` };
    return new DomainError('payee_not_allowed', describeFields([error]), { errors: [error], without });
  };
  return refusal(`${checksum(lockedPayee)}, `, { permission: 'wallets.read', refusal: refusal('') });
};

const shown = (address: string | null): string | null => (address === null ? null : checksum(address));

const toPayout = (payout: Payout): PayoutAnswer => ({
  node_id: payout.nodeId,
  chain_id: payout.chainId,
  payout_address: shown(payout.address),
  payout_locked: payout.isLocked,
  locked_address: shown(payout.lockedAddress),
  updated_at: payout.updatedAt?.toISOString() ?? null,
});

const path = '/body/payout_address';

/** The requested address in its stored form. */
const wantedAddress = ({ payout_address: address, payout_locked: isLocked }: PayoutRequest): string | null => {
  if (address === null) {
    if (isLocked) throw invalidRequest({ path, message: 'is required if payout_locked is true' });
    return null;
  }
  if (!isAddress(address)) throw invalidRequest({ path, message: 'must be an EVM address with a valid checksum' });
  return toStoredAddress(address);
};

/** @throws DomainError invalid_request for a contract that would keep the money */
const assertPayee = async (trx: Knex, address: string, chainId: string, platform: Platform): Promise<void> => {
  const message = payeeProblem(address, platform, await readKnownContract(trx, address, chainId));
  if (message !== null) throw invalidRequest({ path, message });
};

/** The refusal of an address where a node above has locked another one. */
const lockedAbove = (above: string): DomainError => {
  const refusal = (named: string, without?: DomainErrorDetails['without']): DomainError =>
    new DomainError('payout_locked_above', `A node above has locked ${named} on this chain`, { without });
  return refusal(checksum(above), { permission: 'wallets.read', refusal: refusal('another payout address') });
};

/** Payout address of a node on a chain, and the lock that no other key can override. */
export const createPayoutHandlers = ({ knex }: HandlerDeps): Pick<Handlers, 'getPayout' | 'setPayout'> => ({
  getPayout: async ({ params, caller }) => {
    const node = found(await findNode(knex, caller.nodeId, params.node_id), 'node');
    found(await platformOfChain(knex, params.chain_id), 'chain');
    return { status: 200, body: toPayout(await readPayout(knex, node.id, params.chain_id.toLowerCase())) };
  },

  setPayout: async ({ params, body, caller, audit }) => {
    const address = wantedAddress(body);
    const node = found(await findNode(knex, caller.nodeId, params.node_id), 'node');
    const platform = found(await platformOfChain(knex, params.chain_id), 'chain');
    const chainId = params.chain_id.toLowerCase();
    return auditedTransaction(knex, audit, async (trx) => {
      await holdPayments(trx, node.id);
      const stored = await readPayout(trx, node.id, chainId);
      if (stored.address === address && stored.isLocked === body.payout_locked) return unchanged(toPayout(stored));
      if (address !== null) await assertPayee(trx, address, chainId, platform);
      const above = await lockAbove(trx, node.id, chainId);
      if (above !== null && address !== null && address !== above) {
        throw lockedAbove(above);
      }
      await setPayout(trx, { nodeId: node.id, chainId, address, isLocked: body.payout_locked });
      const [before, after] = [toPayout(stored), toPayout(await readPayout(trx, node.id, chainId))];
      const change = { action: 'payout.updated' as const, nodeId: node.id, resourceId: node.id, before, after };
      return { answer: { status: 200, body: after }, change };
    });
  },
});
