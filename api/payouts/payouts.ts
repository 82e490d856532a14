import type { Knex } from 'knex';
import { checksum, isAddress, toStoredAddress } from '../../chain/pure/address.ts';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { platformOfChain } from '../../db/catalogue/reads.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import {
  holdPayments,
  lockAbove,
  readKnownContract,
  readPayout,
  setPayout,
  type Payout,
} from '../../db/payouts/payouts.ts';
import { unchanged } from '../../domain/audit.ts';
import { DomainError, found, invalidRequest, type DomainErrorDetails } from '../../domain/errors.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Payout as PayoutAnswer, PayoutRequest } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import { payeeProblem } from './payee.ts';

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
export const createPayoutHandlers = ({ knex }: { readonly knex: Knex }): Pick<Handlers, 'getPayout' | 'setPayout'> => ({
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
