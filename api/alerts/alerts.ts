import { closeAlert, findAlert, listAlerts } from '../../db/alerts/reads.ts';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import { showAlert } from '../../domain/alerts/alert.ts';
import { changed, unchanged } from '../../domain/audit.ts';
import { found } from '../../domain/errors.ts';
import type { HandlerDeps, Handlers } from '../http/handler.ts';
import { pageBody, pageRequest } from '../request/page.ts';

/** Alerts for the operator: list and close. */
export const createAlertHandlers = ({ knex }: HandlerDeps): Pick<Handlers, 'listAlerts' | 'closeAlert'> => ({
  listAlerts: async ({ query, caller }) => {
    const request = pageRequest(query);
    const page = await listAlerts(knex, { ...query, scopeId: caller.nodeId }, request);
    return { status: 200, body: pageBody(page, request, showAlert) };
  },

  closeAlert: ({ params, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const alert = found(await findAlert(trx, caller.nodeId, params.id), 'alert');
      const before = showAlert(alert);
      if (alert.closed_at !== null) return unchanged(before);
      const after = showAlert(await closeAlert(trx, alert.id, caller.actorId));
      return {
        answer: { status: 200, body: after },
        change: changed('alert.closed', before, after, alert.node_id ?? caller.nodeId),
      };
    }),
});
