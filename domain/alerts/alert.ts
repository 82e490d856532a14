import { conditions, type ConditionKind } from './condition.ts';
import { incidents, type AlertText, type IncidentKind } from './incident.ts';

/* How an alert is shown: in the API and to the operator's webhook. */

export type AlertKind = ConditionKind | IncidentKind;

/** The rows of both tables. */
export const alertRows: Readonly<Record<AlertKind, AlertText>> = { ...conditions, ...incidents };
/** All kinds of alerts; docs/operations/alerts.md says what to do about each. */
export const alertKinds = Object.keys(alertRows) as readonly AlertKind[];

/** A row of `alerts`. In a snapshot, times are texts. */
export interface AlertRow {
  readonly id: string;
  readonly kind: AlertKind;
  readonly is_condition: boolean;
  readonly node_id: string | null;
  readonly network_id: string | null;
  readonly payment_id: string | null;
  readonly webhook_id: string | null;
  readonly message: string;
  readonly data: Record<string, unknown>;
  readonly created_at: Date | string;
  readonly closed_at: Date | string | null;
  readonly closed_by: string | null;
}

/** An alert as readers see it. The audit log names the person who closed it. */
export interface ShownAlert extends Omit<AlertRow, 'created_at' | 'closed_at' | 'closed_by'> {
  readonly created_at: string;
  readonly closed_at: string | null;
  readonly closed_by: 'carat' | 'person' | null;
}

const time = (value: Date | string): string => new Date(value).toISOString();

const closerOf = ({ closed_at, closed_by }: AlertRow): ShownAlert['closed_by'] => {
  if (closed_at === null) return null;
  return closed_by === null ? 'carat' : 'person';
};

/** Describes an alert for readers. */
export const showAlert = (alert: AlertRow): ShownAlert => ({
  id: alert.id,
  kind: alert.kind,
  is_condition: alert.is_condition,
  node_id: alert.node_id,
  network_id: alert.network_id,
  payment_id: alert.payment_id,
  webhook_id: alert.webhook_id,
  message: alert.message,
  data: alert.data,
  created_at: time(alert.created_at),
  closed_at: alert.closed_at === null ? null : time(alert.closed_at),
  closed_by: closerOf(alert),
});

export const alertEvents = ['alert.raised', 'alert.closed'] as const;

/** The events of the operator's webhook. */
export const operatorEvents = [...alertEvents, 'carat.alive'] as const;

/** The id of the operator's own webhook configuration, of which there is at most one. */
export const operatorWebhookId = '00000000-0000-8000-8000-00000000a1e7';
