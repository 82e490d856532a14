/**
 * Ids of workflows, from the ids of their subjects. The database and histories hold them, so their form never changes. SQL that
 * makes many at once gets its pattern for `format` from here, as in `diamond('%s', '%s')`.
 */
export const workflowIds = {
  /** A group of payments, named after its first. */
  createPayment: (firstPaymentId: string): string => `payment/${firstPaymentId}`,
  /** One requested cancel, or retry; n is the sequence of its log entry. */
  cancelPayment: (paymentId: string, n: number): string => `payment/${paymentId}/cancel/${n}`,
  retrySend: (paymentId: string, n: number): string => `payment/${paymentId}/retry/${n}`,
  diamond: (walletId: string, networkId: string): string => `diamond/${walletId}/${networkId}`,
  /** One request. */
  inspect: (requestId: string): string => `inspect/${requestId}`,
  lane: (networkId: string, address: string): string => `lane/${networkId}/${address}`,
  offerDeals: (networkId: string): string => `offers/${networkId}`,
  /** An installation, which has one task queue. */
  sendWebhooks: (taskQueue: string): string => `webhooks/${taskQueue}`,
  retryWebhooks: (webhookId: string): string => `webhooks/${webhookId}`,
  watchNetwork: (networkId: string): string => `watch/${networkId}`,
} as const;
