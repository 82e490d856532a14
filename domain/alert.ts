/** How an alert is shown: to who asks for it, and to the operator's webhook. */
import type { AlertKind } from './ports/alert.ts';

/** A row of `alerts`; where it comes from a snapshot, times are texts. */
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

/** What a reader sees of it. Who closed it is in the audit log. */
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

/** An alert as it is shown. */
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

/** What is told of alerts. */
export const alertEvents = ['alert.raised', 'alert.closed'] as const;

/** The events that the operator's webhook hears of. */
export const operatorEvents = [...alertEvents, 'carat.alive'] as const;

/** The id of the operator's own configuration: there is one at most. */
export const operatorWebhookId = '00000000-0000-8000-8000-00000000a1e7';
