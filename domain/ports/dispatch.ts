/** Brings committed commands to Temporal at once, instead of waiting until a worker finds them. */
export interface Dispatch {
  /** Returns at once and never throws. With a group, starts of that group; without, all that is due. */
  now(startGroup?: string): void;
}
