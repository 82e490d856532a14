import type { Knex } from 'knex';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { assertInUse } from '../../db/catalogue/reads.ts';
import { hasActiveDiamond } from '../../db/wallets/deployments.ts';
import { findRun, requestUpdate } from '../../db/wallets/request-update.ts';
import type { WalletModel } from '../../db/wallets/wallets.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Inspect } from '../../domain/version-check.ts';
import type { Dispatch } from '../../domain/ports/dispatch.ts';
import type { Handlers } from '../http/handler.ts';
import { walletOnNetwork } from './reach.ts';
import { inspected, toUpdatePlan } from './version-check.ts';

interface UpdateDeps {
  readonly knex: Knex;
  readonly dispatch: Dispatch;
}

/**
 * Decides whether a new run is needed: null when one is in flight, or when the inspection finds nothing to do. If the
 * inspection does not finish in time, a run starts and inspects the diamond itself.
 */
const needOf = async (
  { knex, inspect }: { readonly knex: Knex; readonly inspect: Inspect },
  { id: walletId, node_id: nodeId, address }: WalletModel,
  networkId: string,
): Promise<{ after: string | null } | null> => {
  const run = await findRun(knex, walletId, networkId);
  if (run?.isFinished === false) return null;
  await assertInUse(knex, networkId);
  const checked = await inspect({ walletId, nodeId, networkId, address });
  const isDone = checked?.isThere && checked.cut === null && checked.unknownRelease === undefined;
  return isDone ? null : { after: run?.id ?? null };
};

/** `POST /api/v1/wallets/{id}/update`: requests that the wallet's diamond match the network's release. */
export const createUpdateHandlers = ({ knex, dispatch }: UpdateDeps): Pick<Handlers, 'updateDiamond'> => ({
  updateDiamond: async ({ params, query, body, caller, audit, inspect }) => {
    const { wallet, networkId } = await walletOnNetwork(knex, caller, params.id, { place: body, where: 'body' });
    if (!(await hasActiveDiamond(knex, wallet.id, networkId))) {
      throw new DomainError('diamond_not_active', 'The wallet has never had an active diamond on this network');
    }
    if (query.dry_run) await assertInUse(knex, networkId);
    if (query.dry_run) return { status: 200, body: toUpdatePlan(await inspected(inspect, wallet, networkId)) };
    const need = await needOf({ knex, inspect }, wallet, networkId);
    const answer = await auditedTransaction(knex, audit, async (trx) => {
      const request = { walletId: wallet.id, networkId, integrationId: caller.integrationId };
      const { step, isUnderWay } = await requestUpdate(trx, request, need);
      const updated = { step: step.key, transaction_id: step.id, status: step.status };
      const change = {
        action: 'wallet.upgraded' as const,
        nodeId: wallet.node_id,
        resourceId: wallet.id,
        before: null,
        after: { network_id: networkId, ...updated },
      };
      return { answer: { status: 201 as const, body: updated }, change: isUnderWay ? change : null };
    });
    dispatch.now();
    return answer;
  },
});
