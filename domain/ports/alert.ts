import type { AlertKind } from '../alert.ts';

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
