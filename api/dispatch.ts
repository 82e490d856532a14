/** Brings committed commands to Temporal at once, instead of waiting for somebody to find them. */
export interface Dispatch {
  /** Returns at once and never throws. With a group, starts of that group; without, whatever is due. */
  now(startGroup?: string): void;
}
