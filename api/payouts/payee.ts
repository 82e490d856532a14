import { checksum } from '../../chain/pure/address.ts';
import { batchersOf, registryAddress } from '../../chain/pure/platform.ts';
import { release, releasedFacets } from '../../chain/pure/releases.ts';
import type { KnownContract } from '../../db/payouts/payouts.ts';
import { describeFields, DomainError, type DomainErrorDetails } from '../../domain/errors.ts';
import type { Platform } from '../../domain/platform.ts';

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
