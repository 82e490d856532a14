/** Every kind of alert; docs/operations/alerts.md says what to do about each. */
export const alertKinds = [
  'deal_unknown',
  'deal_not_asked_for',
  'cancel_not_asked_for',
  'deal_conflict',
  'payment_after_end',
  'paid_without_log',
  'payment_reversed',
  'lane_paused',
  'operator_underfunded',
  'fees_above_ceiling',
  'simulation_failed',
  'transaction_failed',
  'role_not_asked_for',
  'facet_not_asked_for',
  'facet_revoked',
  'release_not_asked_for',
  'root_not_asked_for',
  'registry_paused',
  'registry_unpaused',
  'cut_not_asked_for',
  'deep_reorganisation',
  'network_halted',
  'endpoint_at_rest',
  'endpoint_unfit',
  'words_unreadable',
  'webhook_disabled',
] as const;

/** What an operator must look at. */
export interface Alert {
  /** One cause, one row: a repeated alert with the same key is dropped. */
  readonly key: string;
  readonly kind: (typeof alertKinds)[number];
  readonly message: string;
  readonly data?: Record<string, unknown>;
}

/** An alert as it was written. */
export type RaisedAlert = Omit<Alert, 'key'>;
