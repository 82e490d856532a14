/** The inputs of a chain's contract addresses. They are the same on all its networks and never change. */
export interface Platform {
  /** Root of each registry at its creation. The present root is a setting of the network. */
  readonly firstRoot: string;
  /** Seconds between the approval of a facet and its use. */
  readonly approvalDelay: bigint;
  /** 32 bytes that distinguish the registries of one first root, 0x-prefixed hex. */
  readonly id: string;
}

/** The id of the local stack's platform, whose root key is public: "carat development". */
export const localPlatformId = `0x${'636172617420646576656c6f706d656e74'.padEnd(64, '0')}`;

/** True for the chains of the local stack, which hold nothing of value. */
export const isLocalPlatform = ({ id }: Pick<Platform, 'id'>): boolean => id === localPlatformId;
