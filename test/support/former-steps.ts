/** The steps before the baseline, in their order. */
export const formerSteps = `
0001-tenancy 0002-chain 0003-payments 0004-access 0010-review-indexes 0011-cheap-checks 0012-platform 0013-queue-of-active
0014-unproved-logs 0015-who-adopts 0016-commands 0017-webhook-deliveries 0018-logs 0019-webhook-retries 0020-alerts 0021-updates
0024-lost-and-found 0025-stray-tokens 0026-pages-of-open-payments 0027-webhook-commands 0028-key-holders 0029-why-deployments-wait
0030-processes 0032-bounds 0035-reconciliation 0036-rehearsals 0037-payouts 0038-bounded-tests 0040-unread-words 0041-runs-in-order
0042-paid-after-end 0043-retired-networks 0044-encrypted-columns 0045-lists-by-status 0046-floor 0047-signers 0048-offers
0049-offer-looks 0050-networks-for-buyers 0051-waiting-offers 0052-page-fields 0053-branding 0054-permits 0055-told-pages 0056-checkouts
0057-orders-by-status 0058-retention 0060-lowest-floor 0061-restores 0062-audit-chain 0063-behind-a-restore 0064-computed-links
0065-end-of-the-chain 0066-in-the-present 0067-minutes-that-run`
  .trim()
  .split(/\s+/);
