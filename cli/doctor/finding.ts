/** One result of the doctor. A problem needs an operator; a warning may. */
export interface Finding {
  /** The checked part, such as `database` or `network alpha`. */
  readonly area: string;
  readonly grade: 'ok' | 'warning' | 'problem';
  /** The state that was found, with its cause. */
  readonly found: string;
  /** The remedy; null where nothing has to be done. */
  readonly remedy: string | null;
}

/** Makes the findings of one area. */
export const findingsOf = (area: string) => ({
  ok: (found: string): Finding => ({ area, grade: 'ok', found, remedy: null }),
  warning: (found: string, remedy: string): Finding => ({ area, grade: 'warning', found, remedy }),
  problem: (found: string, remedy: string): Finding => ({ area, grade: 'problem', found, remedy }),
});
