import type { AlertKind } from '../alerts/alert.ts';
import type { Condition, ConditionKind } from '../alerts/condition.ts';
import type { IncidentKind } from '../alerts/incident.ts';

interface Content {
  readonly message: string;
  readonly data?: Record<string, unknown>;
  /** Id of its payment; the alert then belongs to the payment's node. */
  readonly payment?: string;
  /** Address of a diamond; the alert then belongs to the node of its wallet. */
  readonly diamond?: string;
}

/** A condition that holds now. It is not raised again while it is open. */
export type ConditionAlert = Condition &
  Content & {
    /** True when an open alert takes over its message and data, without a new event. */
    readonly refreshes?: boolean;
  };

/** An event. It is never raised again. */
export interface IncidentAlert extends Content {
  readonly kind: IncidentKind;
  /** Tells it from other events of its kind. */
  readonly subject: string;
}

export type Alert = ConditionAlert | IncidentAlert;

/** A new alert that was written, or one that was closed. */
export type RaisedAlert = Pick<Content, 'message' | 'data'> & { readonly kind: AlertKind };

/** The conditions that an observer has looked at: all of a kind, or those of a network, a subject, a cause. */
export interface Looked {
  readonly kind: ConditionKind;
  readonly network?: string;
  readonly subject?: string;
  readonly cause?: string;
  /** Subjects that are left out. */
  readonly but?: readonly string[];
}

/** The alerts that an observation has raised and closed. */
export interface Observed {
  readonly raised: readonly RaisedAlert[];
  readonly over: readonly RaisedAlert[];
}
