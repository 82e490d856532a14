/**
 * Ids of workflows, from the ids of what they serve. They are stored and stand in histories, so they never change.
 * SQL that makes many at once gives its parameter of `format` from here, as `diamond('%s', '%s')`.
 */
export const workflowIds = {
  /** Of a group of payments, named after its first. */
  createPayment: (firstPaymentId: string): string => `payment/${firstPaymentId}`,
  diamond: (walletId: string, networkId: string): string => `diamond/${walletId}/${networkId}`,
  lane: (networkId: string, address: string): string => `lane/${networkId}/${address}`,
  watchNetwork: (networkId: string): string => `watch/${networkId}`,
} as const;
