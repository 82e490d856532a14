/** How patient a lane is, in milliseconds unless said otherwise. */
export interface LaneTiming {
  /** Pause between looks while transactions are under way. */
  readonly tick: number;
  /** Pause between looks while there is nothing to do; a notification ends it. */
  readonly idle: number;
  /** Pause after which a transaction that the node does not have is sent again. */
  readonly missing: number;
  /** Pause after which a transaction is sent again although the node says that it has it. */
  readonly rebroadcast: number;
  /** How long the oldest transaction may stand before its fees are raised. */
  readonly bump: number;
  /** For as many blocks, too: a chain that stands still is not impatient. */
  readonly bumpBlocks: number;
  /** How long the endpoints may be silent before waiting payments say so. */
  readonly unreachable: number;
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Defaults for a block time. */
export const laneTiming = (blockTimeMs: number): LaneTiming => ({
  tick: clamp(blockTimeMs / 2, 50, 1_000),
  idle: clamp(blockTimeMs * 2, 500, 5_000),
  missing: clamp(blockTimeMs, 200, 5_000),
  rebroadcast: clamp(blockTimeMs * 10, 5_000, 60_000),
  bump: clamp(blockTimeMs * 6, 3_000, 90_000),
  bumpBlocks: 3,
  unreachable: clamp(blockTimeMs * 10, 3_000, 30_000),
});
