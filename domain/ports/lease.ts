/**
 * The exclusive right of one run to act for a signer or a network. Every write names the lease's fence. Once another run has
 * taken the lease, writes with an older fence fail with `LeaseLostError`.
 */
export interface Lease {
  /** Id of the signer account or network. */
  readonly id: string;
  readonly fence: bigint;
}

/** Another run has taken the lease. A run that gets this error stops at once and writes nothing more. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor(what: string) {
    super(`Another run has taken the lease on ${what}`);
  }
}
