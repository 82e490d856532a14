/** What lasts for a while: such an alert is closed when its cause is gone, and comes back as a new one. */
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

/** What has happened: such an alert stays open until a person closes it. */
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

/** Every kind of alert; docs/operations/alerts.md says what to do about each. */
export const alertKinds = [...conditionKinds, ...incidentKinds] as const;
export type ConditionKind = (typeof conditionKinds)[number];
export type AlertKind = (typeof alertKinds)[number];

/** What an operator must look at. */
export interface Alert {
  /** One cause, one row: a condition that is open, or an incident that was ever told, is not told again. */
  readonly key: string;
  readonly kind: AlertKind;
  readonly message: string;
  readonly data?: Record<string, unknown>;
  /** A payment that it is about; it is then for that payment's node. */
  readonly payment?: string;
  /** Address of a diamond whose wallet's node it is for. */
  readonly diamond?: string;
  /** Key of a condition that is over by this. */
  readonly ends?: string;
}

/** An alert as it was written. */
export type RaisedAlert = Pick<Alert, 'kind' | 'message' | 'data'>;
