import type { AlertKind } from '../alert.ts';

export interface Alert {
  /** Deduplicates alerts: an open condition, or an incident that was ever raised, is not raised again. */
  readonly key: string;
  readonly kind: AlertKind;
  readonly message: string;
  readonly data?: Record<string, unknown>;
  /** True when an open condition takes over its message and data, without a new event. */
  readonly refreshes?: boolean;
  /** Id of its payment; the alert then belongs to the payment's node. */
  readonly payment?: string;
  /** Address of a diamond; the alert then belongs to the node of its wallet. */
  readonly diamond?: string;
  /** Key of a condition that this alert ends. */
  readonly ends?: string;
}

/** A new alert that was written. */
export type RaisedAlert = Pick<Alert, 'kind' | 'message' | 'data'>;
