import { checksum } from '../../chain/pure/address.ts';
import { batchersOf, registryAddress } from '../../chain/pure/platform.ts';
import { release, releasedFacets } from '../../chain/pure/releases.ts';
import type { KnownContract } from '../../db/payouts/payouts.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Platform } from '../../domain/platform.ts';

/** Precompiled contracts are numbered from 1; EIP-7587 sets aside the first 0x2ff for them and for those of rollups. */
const LAST_PRECOMPILE = 0x2ffn;

/**
 * Why money must not be sent to an address: it would stay in a contract that gives nothing back.
 * @param payee lower-case hex
 * @returns the rule, to follow the field's name; null for an address that may be a payee
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

/** The refusal of a payment whose payee is another address than the locked one, lower-case hex. */
export const payeeNotAllowed = (lockedPayee: string): DomainError => {
  const rule = `must be ${checksum(lockedPayee)}, the locked payout address on this chain`;
  const errors = [{ path: '/body/payment_address', message: rule }];
  return new DomainError('payee_not_allowed', `/body/payment_address ${rule}`, { errors });
};
