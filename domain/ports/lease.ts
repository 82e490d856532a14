/**
 * The right of one run to act for a signer or a network. Every write names its fence; once another run has taken the
 * lease, writes with the older fence are refused with `LeaseLostError`.
 */
export interface Lease {
  /** Id of the signer account or network that is held. */
  readonly id: string;
  readonly fence: bigint;
}

/** Another run holds the lease now; the run that sees this stops at once and writes nothing more. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor(what: string) {
    super(`The lease on ${what} was taken by another run`);
  }
}
