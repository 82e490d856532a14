import type { Knex } from 'knex';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { requestDeployment } from '../../db/wallets/request-deployment.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Dispatch } from '../../domain/ports/dispatch.ts';
import type { Handlers } from '../http/handler.ts';
import { walletOnNetwork } from './reach.ts';

/** `POST /api/v1/wallets/{id}/deploy`: requests the wallet's diamond on a network, and answers the current step. */
export const createDeployHandlers = ({
  knex,
  dispatch,
}: {
  readonly knex: Knex;
  readonly dispatch: Dispatch;
}): Pick<Handlers, 'deployWallet'> => ({
  deployWallet: async ({ params, body, caller, audit }) => {
    const { wallet, networkId } = await walletOnNetwork(knex, caller, params.id, { place: body, where: 'body' });
    const answer = await auditedTransaction(knex, audit, async (trx) => {
      const request = { walletId: wallet.id, networkId, integrationId: caller.integrationId };
      const step = await requestDeployment(trx, request);
      if (step === null) {
        throw new DomainError(
          'network_not_prepared',
          'The operator has not prepared this network with a key for deals yet',
        );
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
