/** What the addresses of a chain's contracts follow from: the same on all its networks, and never changed. */
export interface Platform {
  /** Root of each registry when it was made. Who is root of a network now is a setting of that network. */
  readonly firstRoot: string;
  /** Seconds between the approval of a facet and its use. */
  readonly approvalDelay: bigint;
  /** 32 bytes that tell apart the registries of one first root, 0x-prefixed hex. */
  readonly id: string;
}
