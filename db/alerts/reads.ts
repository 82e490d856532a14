import type { Knex } from 'knex';
import type { AlertKind, AlertRow } from '../../domain/alert.ts';
import { BaseModel } from '../query/base-model.ts';
import { fetchPage, type Page, type PageRequest } from '../query/page.ts';
import { closeAlerts } from './alerts.ts';

/** What an operator must look at. */
export class AlertModel extends BaseModel implements AlertRow {
  static override readonly tableName = 'alerts';

  declare id: string;
  declare kind: AlertKind;
  declare is_condition: boolean;
  declare node_id: string | null;
  declare network_id: string | null;
  declare payment_id: string | null;
  declare webhook_id: string | null;
  declare message: string;
  declare data: Record<string, unknown>;
  declare created_at: Date;
  declare closed_at: Date | null;
  declare closed_by: string | null;
}

/** Those of the reader's node and below; those of nobody are for nodes without a parent. */
const inSight = `EXISTS (SELECT 1 FROM nodes n WHERE n.id = coalesce(alerts.node_id, CAST(:scopeId AS uuid))
  AND CAST(:scopeId AS uuid) = ANY (n.path) AND (alerts.node_id IS NOT NULL OR n.parent_id IS NULL))`;

/** What a list of alerts can be narrowed by. */
export interface AlertFilter {
  readonly scopeId: string;
  readonly state?: 'open' | 'closed' | undefined;
  readonly kind?: AlertKind | undefined;
}

/** What a reader of `scopeId` may see, newest first. */
export const listAlerts = (
  knex: Knex,
  { scopeId, state, kind }: AlertFilter,
  request: PageRequest,
): Promise<Page<AlertModel>> => {
  const query = AlertModel.query(knex).matching({ kind }).whereRaw(inSight, { scopeId });
  if (state !== undefined) void (state === 'open' ? query.whereNull('closed_at') : query.whereNotNull('closed_at'));
  return fetchPage(query, request);
};

/** An alert that a reader of `scopeId` may see, locked until the transaction ends; null for any other. */
export const findAlert = async (trx: Knex, scopeId: string, id: string): Promise<AlertModel | null> =>
  (await AlertModel.query(trx).findById(id).whereRaw(inSight, { scopeId }).forUpdate()) ?? null;

/** Closes an open alert, which the caller has locked, and tells the operator's webhook. */
export const closeAlert = async (trx: Knex, id: string, closedBy: string): Promise<AlertRow> => {
  const [closed] = await closeAlerts(trx, 'a.id = :id', { id }, closedBy);
  if (closed === undefined) throw new RangeError(`There is no open alert ${id}`);
  return closed;
};
