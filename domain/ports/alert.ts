/** What an operator must look at. */
export interface Alert {
  /** One cause, one row: a repeated alert with the same key is dropped. */
  readonly key: string;
  readonly kind: string;
  readonly message: string;
  readonly data?: Record<string, unknown>;
}
