/** The kinds of alerts, and how an alert is shown: in the API and to the operator's webhook. */

/** Conditions last for a while. Carat closes such an alert when its cause is gone; a recurrence is a new alert. */
export const conditionKinds = [
  'lane_paused',
  'key_missing',
  'role_missing',
  'operator_underfunded',
  'operator_low',
  'fees_above_ceiling',
  'simulation_failed',
  'outcome_unknown',
  'deployment_failed',
  'registry_paused',
  'network_halted',
  'network_unreachable',
  'network_still',
  'endpoint_refuses',
  'endpoint_at_rest',
  'endpoint_unfit',
  'words_unreadable',
  'plain_transfer',
  'webhook_failing',
  'webhook_disabled',
  'signing_stalled',
  'workers_gone',
  'temporal_unreachable',
  'workflows_lost',
  'chore_failing',
  'notifications_missing',
  'clock_wrong',
  'certificate_ends',
] as const;

/** Incidents are events. Such an alert stays open until a person closes it. */
export const incidentKinds = [
  'lane_resumed',
  'deal_unknown',
  'deal_not_asked_for',
  'cancel_not_asked_for',
  'deal_conflict',
  'payment_after_end',
  'paid_without_log',
  'payment_reversed',
  'payment_returned',
  'transaction_failed',
  'role_not_asked_for',
  'facet_not_asked_for',
  'facet_revoked',
  'release_not_asked_for',
  'root_not_asked_for',
  'registry_unpaused',
  'cut_not_asked_for',
  'deep_reorganisation',
] as const;

/** All kinds of alerts; docs/operations/alerts.md says what to do about each. */
export const alertKinds = [...conditionKinds, ...incidentKinds] as const;
export type ConditionKind = (typeof conditionKinds)[number];
export type AlertKind = (typeof alertKinds)[number];

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
