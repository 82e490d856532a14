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
  'endpoint_refuses',
  'endpoint_at_rest',
  'endpoint_unfit',
  'words_unreadable',
  'plain_transfer',
  'webhook_failing',
  'webhook_disabled',
  'workers_gone',
  'temporal_unreachable',
  'workflows_lost',
  'chore_failing',
] as const;

/** Incidents are events. Such an alert stays open until a person closes it. */
export const incidentKinds = [
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

/** An alert to operators. */
export interface Alert {
  /** Deduplicates alerts: an open condition, or an incident that was ever raised, is not raised again. */
  readonly key: string;
  readonly kind: AlertKind;
  readonly message: string;
  readonly data?: Record<string, unknown>;
  /** Id of its payment; the alert then belongs to the payment's node. */
  readonly payment?: string;
  /** Address of a diamond; the alert then belongs to the node of its wallet. */
  readonly diamond?: string;
  /** Key of a condition that this alert ends. */
  readonly ends?: string;
}

/** A new alert that was written. */
export type RaisedAlert = Pick<Alert, 'kind' | 'message' | 'data'>;
