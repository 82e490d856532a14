/**
 * Ids of workflows, from the ids of what they serve. They are stored and stand in histories, so they never change.
 * SQL that makes many at once gives its parameter of `format` from here, as `diamond('%s', '%s')`.
 */
export const workflowIds = {
  /** Of a group of payments, named after its first. */
  createPayment: (firstPaymentId: string): string => `payment/${firstPaymentId}`,
  /** Of the n-th cancel, or retry, that was asked for; n is the sequence of its log entry. */
  cancelPayment: (paymentId: string, n: number): string => `payment/${paymentId}/cancel/${n}`,
  retrySend: (paymentId: string, n: number): string => `payment/${paymentId}/retry/${n}`,
  diamond: (walletId: string, networkId: string): string => `diamond/${walletId}/${networkId}`,
  /** Of one request. */
  inspect: (requestId: string): string => `inspect/${requestId}`,
  lane: (networkId: string, address: string): string => `lane/${networkId}/${address}`,
  /** Of an installation, which is one task queue. */
  sendWebhooks: (taskQueue: string): string => `webhooks/${taskQueue}`,
  retryWebhooks: (webhookId: string): string => `webhooks/${webhookId}`,
  watchNetwork: (networkId: string): string => `watch/${networkId}`,
} as const;
