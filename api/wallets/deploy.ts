import type { Knex } from 'knex';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { chainOfNetwork } from '../../db/catalogue/reads.ts';
import { requestDeployment } from '../../db/wallets/request-deployment.ts';
import { findWallet } from '../../db/wallets/wallets.ts';
import { DomainError, found, invalidRequest, notFound } from '../../domain/errors.ts';
import type { Dispatch } from '../dispatch.ts';
import type { Handlers } from '../http/handler.ts';

/** `POST /api/v1/wallets/{id}/deploy`: wants the wallet's diamond on a network, and says how far it is. */
export const createDeployHandlers = ({
  knex,
  dispatch,
}: {
  readonly knex: Knex;
  readonly dispatch: Dispatch;
}): Pick<Handlers, 'deployWallet'> => ({
  deployWallet: async ({ params, body, caller, audit }) => {
    const wallet = found(await findWallet(knex, caller.nodeId, params.id), 'wallet');
    if (wallet.node_id !== body.node_id.toLowerCase()) throw notFound('node');
    const chainId = found(await chainOfNetwork(knex, body.network_id), 'network');
    if (chainId !== wallet.chain_id) {
      throw invalidRequest({ path: '/body/network_id', message: "must be a network of the wallet's chain" });
    }
    const networkId = body.network_id.toLowerCase();
    const answer = await auditedTransaction(knex, audit, async (trx) => {
      const request = { walletId: wallet.id, networkId, integrationId: caller.integrationId };
      const step = await requestDeployment(trx, request);
      if (step === null) {
        throw new DomainError('network_not_prepared', 'The operator has not given this network a key for deals yet');
      }
      const deployed = { step: step.key, transaction_id: step.id, status: step.status };
      return {
        answer: { status: 201 as const, body: deployed },
        change: {
          action: 'wallet.deployed',
          nodeId: wallet.node_id,
          resourceId: wallet.id,
          before: null,
          after: { network_id: networkId, ...deployed },
        },
      };
    });
    dispatch.now();
    return answer;
  },
});
