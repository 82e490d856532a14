import type { Knex } from 'knex';
import { adoptionRefusals } from '../../domain/deployment.ts';
import { DomainError } from '../../domain/errors.ts';
import { openStatuses } from '../../domain/payment.ts';
import { addressTaken, type WalletModel } from './wallets.ts';

interface Obstacles {
  readonly has_diamond: boolean;
  readonly has_payments: boolean;
  readonly is_taken: boolean;
}

/** The diamonds of an adopted wallet that a deployment has refused: there is nothing of the wallet at that address. */
const refused = `
  w.adopted AND EXISTS (
    SELECT 1 FROM deployments d JOIN deployment_steps s ON s.deployment_id = d.id
    WHERE d.wallet_id = m.wallet_id AND d.network_id = m.network_id AND d.kind = 'deploy' AND d.status = 'failed'
      AND s.key = 'deploy_diamond' AND s.status = 'failed' AND s.error_code = ANY (:refusals))`;

/**
 * Frees a locked wallet from its address, so that it may get another one: forgets diamonds whose adoption was refused,
 * and makes sure that nothing else is bound to the address.
 * @param address the new one, lower-case hex
 * @throws DomainError wallet_deployed, wallet_in_use, or wallet_address_taken
 */
export const releaseAddress = async (trx: Knex.Transaction, wallet: WalletModel, address: string): Promise<void> => {
  const bindings = {
    id: wallet.id,
    chain_id: wallet.chain_id,
    address,
    open: [...openStatuses],
    refusals: Object.values(adoptionRefusals),
  };
  const { rows } = await trx.raw<{ rows: Obstacles[] }>(
    `SELECT
       EXISTS (SELECT 1 FROM diamonds m JOIN wallets w ON w.id = m.wallet_id
         WHERE m.wallet_id = :id AND NOT (${refused})) AS has_diamond,
       EXISTS (SELECT 1 FROM payments
         WHERE wallet_id = :id AND payment_method = 'web3' AND status = ANY (:open)) AS has_payments,
       -- also a deleted wallet keeps its diamonds, for the payments that it took
       EXISTS (SELECT 1 FROM wallets
         WHERE chain_id = :chain_id AND address = :address AND deleted_at IS NULL AND id <> :id)
       OR EXISTS (SELECT 1 FROM diamonds m JOIN networks n ON n.id = m.network_id
         WHERE n.chain_id = :chain_id AND m.address = :address AND m.wallet_id <> :id) AS is_taken`,
    bindings,
  );
  const [found] = rows;
  if (found?.has_diamond) {
    throw new DomainError('wallet_deployed', "The wallet's diamond is deployed, or is being deployed, at its address");
  }
  if (found?.has_payments) {
    throw new DomainError('wallet_in_use', 'Open web3 payments are bound to the address of the wallet');
  }
  if (found?.is_taken) throw addressTaken();
  await trx('diamonds').where({ wallet_id: wallet.id }).delete();
};
