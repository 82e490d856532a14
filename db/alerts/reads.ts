import type { Knex } from 'knex';
import type { AlertKind, AlertRow } from '../../domain/alerts/alert.ts';
import { modelOf } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { closeAlerts } from './alerts.ts';

export class AlertModel extends modelOf<AlertRow>() {
  static override readonly tableName = 'alerts';
}

/** SQL: alerts of the reader's node and those below. Alerts without a node are for readers whose node has no parent. */
const inSight = `EXISTS (SELECT 1 FROM nodes n WHERE n.id = coalesce(alerts.node_id, CAST(:scopeId AS uuid))
  AND CAST(:scopeId AS uuid) = ANY (n.path) AND (alerts.node_id IS NOT NULL OR n.parent_id IS NULL))`;

/** Filters of the list of alerts. */
export interface AlertFilter {
  /** Node of the reader; null for the operator of the installation, who sees all. */
  readonly scopeId: string | null;
  readonly state?: 'open' | 'closed' | undefined;
  readonly kind?: AlertKind | undefined;
  readonly paymentId?: string | undefined;
}

/** Lists the alerts that a reader of `scopeId` may see, newest first. */
export const listAlerts = (
  knex: Knex,
  { scopeId, state, kind, paymentId }: AlertFilter,
  request: PageRequest,
): Promise<Page<AlertModel>> => {
  const query = AlertModel.query(knex).matching({ kind, payment_id: paymentId });
  if (scopeId !== null) void query.whereRaw(inSight, { scopeId });
  if (state !== undefined) void (state === 'open' ? query.whereNull('closed_at') : query.whereNotNull('closed_at'));
  return fetchPage(query, request);
};

/** Locks an alert that a reader of `scopeId` may see until the transaction ends; null for any other. */
export const findAlert = async (trx: Knex, scopeId: string, id: string): Promise<AlertModel | null> =>
  (await AlertModel.query(trx).findById(id).whereRaw(inSight, { scopeId }).forUpdate()) ?? null;

/** Closes an open alert, which the caller has locked, and queues the event for the operator's webhook. */
export const closeAlert = async (trx: Knex, id: string, closedBy: string): Promise<AlertRow> => {
  const [closed] = await closeAlerts(trx, 'a.id = :id', { id }, closedBy);
  if (closed === undefined) throw new RangeError(`The alert ${id} is not open`);
  return closed;
};

/** Unrequested changes of a registry, according to alerts. */
export interface RegistryAlerts {
  /** Accounts that got a role, and may have lost it since. */
  readonly roles: readonly { readonly role: string; readonly account: string }[];
  /** Code that was approved. */
  readonly facets: readonly { readonly facet: string; readonly codeHash: string }[];
}

/** Reads the roles and facets from alerts that neither the catalogue nor a release lists, for the registry of a network. */
export const registryAlerts = async (knex: Knex, networkId: string): Promise<RegistryAlerts> => {
  const [roles, facets] = await Promise.all([
    knex.raw<{ rows: RegistryAlerts['roles'] }>(
      `SELECT DISTINCT data ->> 'role' AS role, data ->> 'account' AS account FROM alerts
       WHERE network_id = :network_id AND kind = 'role_not_asked_for' ORDER BY 1, 2`,
      { network_id: networkId },
    ),
    knex.raw<{ rows: RegistryAlerts['facets'] }>(
      `SELECT DISTINCT data ->> 'facet' AS facet, data ->> 'code_hash' AS "codeHash" FROM alerts
       WHERE network_id = :network_id AND kind = 'facet_not_asked_for' ORDER BY 1, 2`,
      { network_id: networkId },
    ),
  ]);
  return { roles: roles.rows, facets: facets.rows };
};
