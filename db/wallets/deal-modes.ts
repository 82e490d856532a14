/** How the deals of a wallet's new payments come about on each network. */
import type { Knex } from 'knex';
import { hasOldProcess, OFFERS_LEVEL } from '../level.ts';
import { takesOffers } from '../intents/offer-windows.ts';
import { DomainError } from '../../domain/errors.ts';
import type { DealMode } from '../../domain/payment.ts';

interface Obstacles {
  readonly takes_offers: boolean;
  readonly has_signer: boolean;
  readonly has_old_process: boolean;
}

/**
 * Raises the floor of the database, so that no older version starts on offered payments, and checks that a locked wallet can
 * offer deals on a network.
 * @throws DomainError deal_mode_unavailable
 */
export const requireOffers = async (
  trx: Knex.Transaction,
  wallet: { readonly id: string },
  { networkId, path }: { readonly networkId: string; /** of the field in the request */ readonly path: string },
): Promise<void> => {
  // Written even where it is high enough: the lock keeps others from lowering it before this transaction ends.
  await trx.raw('UPDATE floor SET level = greatest(level, :level)', { level: OFFERS_LEVEL });
  const { rows } = await trx.raw<{ rows: [Obstacles] }>(
    `SELECT
       EXISTS (SELECT 1 FROM diamonds d WHERE d.wallet_id = :wallet_id AND d.network_id = :network_id AND ${takesOffers}) AS takes_offers,
       EXISTS (SELECT 1 FROM signer_accounts WHERE network_id = :network_id AND role = 'signer' AND dismissed_at IS NULL) AS has_signer,
       ${hasOldProcess(OFFERS_LEVEL)} AS has_old_process`,
    { wallet_id: wallet.id, network_id: networkId },
  );
  const [found] = rows;
  const refuse = (message: string): never => {
    throw new DomainError('deal_mode_unavailable', message, { errors: [{ path, message: 'cannot offer deals yet' }] });
  };
  if (!found.takes_offers)
    refuse("The wallet's diamond on this network is not active, or must be updated to take offers");
  if (!found.has_signer) refuse('The operator has not prepared this network with a key for offers yet');
  if (found.has_old_process)
    refuse('A process of an older version of this service still runs; try again after the upgrade');
};

/** The modes after a change. `created` is the default and is not stored. */
export const mergedModes = (
  stored: Readonly<Record<string, DealMode>>,
  wanted: Readonly<Record<string, DealMode>>,
): Readonly<Record<string, DealMode>> =>
  Object.fromEntries(Object.entries({ ...stored, ...wanted }).filter(([, mode]) => mode !== 'created'));
