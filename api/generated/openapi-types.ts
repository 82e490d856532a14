// Written by scripts/generate-api-types.ts from openapi.yaml. Do not edit.

export interface paths {
  '/api/v1/auth/token': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Exchange api_key and secret for a bearer token (RFC 6749, client credentials)
     * @description The api_key is the client id, the secret the client secret: in the body or by HTTP Basic, not both. Errors have the form of RFC 6749 section 5.2, with `code` and `request_id` beside it.
     */
    post: operations['issueToken'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/jwks.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Public keys of the bearer tokens (RFC 7517) */
    get: operations['getKeys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/integrations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the integrations of a node
     * @description Without secrets. Those that are revoked or have expired are left out, unless they are asked for.
     */
    get: operations['listIntegrations'];
    put?: never;
    /**
     * Create an integration with an api_key and a secret
     * @description Without `permissions` it gets those of its creator; nobody grants what they lack. It ends no later than its creator. The secret is shown in this answer only.
     */
    post: operations['createIntegration'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/integrations/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get a live integration */
    get: operations['getIntegration'];
    put?: never;
    post?: never;
    /**
     * Revoke an integration
     * @description For good, and at once: no request that is sent after the answer is let in, with whatever token. Needs every permission that the integration holds. Integrations that it has created go on; revoke them too if you do not trust them.
     */
    delete: operations['revokeIntegration'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/integrations/{id}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Give an integration a new secret
     * @description The api_key stays. The secret before is good for `overlap_seconds` more; one from before that ends at once. The new one is shown in this answer only: send an Idempotency-Key, so that an answer that was lost can be had again. Tokens that were issued stay valid until they end by themselves, within 15 minutes; to cut them off, revoke the integration. Needs every permission that the integration holds, and a caller that ends no earlier.
     */
    post: operations['rotateIntegration'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/wallets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the wallets of a node */
    get: operations['listWallets'];
    put?: never;
    /**
     * Create a wallet of a node on a chain
     * @description Its address, the same on every network of the chain, is known at once; its diamonds are deployed by deployWallet.
     */
    post: operations['createWallet'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/wallets/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get a wallet */
    get: operations['getWallet'];
    /**
     * Change a wallet
     * @description Only fields that are given change. `address` also needs wallets.deploy: it adopts the diamond at that address, which the next deployment accepts only if the registry created it. The wallet's first address may be given back.
     */
    put: operations['updateWallet'];
    post?: never;
    /**
     * Delete a wallet
     * @description The defaults that name it go with it. Its open payments and their webhooks finish.
     */
    delete: operations['deleteWallet'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/wallets/{id}/deploy': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Start or continue the deployment of the wallet's diamond on a network
     * @description Safe to repeat in any state: there is one diamond per wallet and network. The answer is the first unfinished step, or the last one when all are done. A failed step is tried again.
     */
    post: operations['deployWallet'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/wallets/{id}/deploy/version-check': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Compare the wallet's diamond on a network with the network's release
     * @description Everything is read from the chain at one confirmed block, from as many endpoints as the operator wants to agree. A wallet without a diamond there is answered as well, with `missing` in each place. The target is the release that the operator has set for the network.
     */
    get: operations['checkVersion'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/wallets/{id}/deployments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the deployments and updates of the wallet's diamonds
     * @description One entry for each run, with its steps in the order in which they are done and the transactions of each.
     */
    get: operations['listDeployments'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/wallets/{id}/update': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Bring the wallet's diamond on a network to the network's release
     * @description Safe to repeat in any state, and answers like deployWallet; with nothing to do it answers the last step, `completed`, and sends nothing. An update that failed is planned anew. While the diamond is cut, new payments wait with `diamond_updating`; those that are there can be paid and canceled. With `dry_run` nothing is stored or sent: the answer is what an update would do now, for a second person to compute again and compare.
     */
    post: operations['updateDiamond'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/node-network-wallet-defaults': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the default wallets of a node */
    get: operations['listDefaults'];
    /**
     * Give a mapping another wallet
     * @description Payments that exist keep the wallet that was chosen for them.
     */
    put: operations['replaceDefault'];
    /**
     * Choose the wallet of payments that name none
     * @description A payment without wallet_id uses its node's `node` mapping for the network, else its `apex` mapping, else the `apex` mapping of the nearest node above that has one. The wallet belongs to the node or to one above it.
     */
    post: operations['createDefault'];
    /** Remove a mapping */
    delete: operations['deleteDefault'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/nodes/{node_id}/payouts/{chain_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get the payout address of a node on a chain */
    get: operations['getPayout'];
    /**
     * Set or lock the payout address of a node on a chain
     * @description A lock holds for every web3 payment of the node and of all nodes below it, through whatever wallet: a payment with another payment_address is refused. A stolen key that may create payments and wallets can not send buyers' money elsewhere. Of several locks the one nearest the root decides. Payments that exist keep their payee. No integration gets the permission payout.update unless its creator names it.
     */
    put: operations['setPayout'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/members': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the members of a node */
    get: operations['listMembers'];
    put?: never;
    /**
     * Create a member of a node
     * @description The external_id of a deleted member may be used again, for another member.
     */
    post: operations['createMember'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/members/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get a member */
    get: operations['getMember'];
    /**
     * Change fields of a member
     * @description Only fields that are given change; null clears an optional one. node_id and external_id may be given as they are, and never change.
     */
    put: operations['updateMember'];
    post?: never;
    /**
     * Delete a member
     * @description Its payments keep it and still show it; its external_id may be used again.
     */
    delete: operations['deleteMember'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the payments of a node
     * @description As JSON by pages; as one file where `Accept` wants `text/csv` more than JSON. A file has no `page`, `per_page` and `cursor`, and what comes after its head can not be a problem any more: where something fails, the connection ends before the body does. It must be read within 90 seconds, so let a filter bound what takes longer.
     */
    get: operations['listPayments'];
    put?: never;
    /**
     * Create a payment
     * @description Answers as soon as the payment is stored; its deal gets on the chain by itself. Without `wallet_id` a web3 payment uses the node's default wallet for the network, else the nearest apex default. A wallet without an active diamond on the network is fine: the payment waits for it. As JSON in UTF-8 the payment without its member has at most 36,864 bytes, and a new member 28,672.
     */
    post: operations['createPayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payments/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get a payment */
    get: operations['getPayment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payments/{id}/logs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List what happened to a payment */
    get: operations['listPaymentLogs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payments/{id}/settle': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Say what became of a payment by card or bank transfer
     * @description For the callback of your own processor. The same outcome and reference again are answered with the payment; anything else about a payment that has ended is a conflict. Web3 payments are settled by the chain alone.
     */
    post: operations['settlePayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payments/{id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a payment
     * @description Accepted, not done yet: the payment is `canceling` until its deal is canceled on the chain. If its buyer pays in the meantime, what comes into a block first decides: see what its status becomes. A payment whose deal has never been sent, or that is on no chain, is `canceled` a moment later. Asked again, the answer is the same.
     */
    post: operations['cancelPayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/payments/{id}/retry-send': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send the deal of a payment again
     * @description For a `web3` payment that is `pending` longer than you like. Its transaction goes to every endpoint of the network again, with higher fees and more gas where that helps; a deal that has come to nothing is made anew. There is never a second deal. What waits for something, as `status_detail` says, goes on waiting. None of the `retry_count` is used up. Asked again before there is news of that transaction, it is the same retry, and the payment is answered as it is.
     */
    post: operations['retrySendPayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/widget/payments/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get what a buyer needs to pay
     * @description Opened by the payment's own access_token, which ends 24 hours after the payment's terminal state. `contract` goes as it is into ethers, viem or web3.py; for a token the buyer first approves `amount` to `diamond_address`. Pages of any origin may call this.
     */
    get: operations['getWidgetPayment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List webhooks
     * @description Of the wallets of the caller's node and everything below it, and those with such a `node_id`; or of one wallet, deleted or not. Without credentials.
     */
    get: operations['listWebhooks'];
    /**
     * Change a webhook
     * @description What is not given stays as it is. Another `auth_type` needs its credentials in the same request, and so does another `host` or path where the wallet is out of the caller's reach. `is_active: true` lets a webhook that was disabled go on.
     */
    put: operations['updateWebhook'];
    /**
     * Create a webhook of a wallet on a network
     * @description It hears of every payment through the wallet on the network, whichever node's; `node_id` narrows it to one node and those below. With its own `node_id` a caller may also name a wallet above it that its defaults lead to, and see, change and delete what is there for that node. `signing_secret` is shown in this answer only, the credentials in none.
     */
    post: operations['createWebhook'];
    /**
     * Delete a webhook
     * @description Its credentials and its signing secret are erased.
     */
    delete: operations['deleteWebhook'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what a webhook was told
     * @description One delivery for each event that the webhook hears of, also of what it missed while it was disabled. Needs `payments.read` as well. Whoever reaches the webhook reaches every payment that it hears of.
     */
    get: operations['listDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}/deliveries/{delivery_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show a delivery with what was sent and what came of each try
     * @description The headers are those of the last try, without credentials and signature; the body is the same in every try. Needs `payments.read` as well.
     */
    get: operations['getDelivery'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a delivery again
     * @description Whatever has become of it, it is pending with the whole schedule before it, with the same id and the same body. Its tries are kept.
     */
    post: operations['redeliver'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send again what a webhook has missed in a time
     * @description What failed and what was skipped while it was disabled, by when the event was; with `include_delivered` also what was delivered; at most 50,000 at once, and not more than 100,000 deliveries of the node may wait to be sent then. `sequence` lets the receiver ignore what is older than it has.
     */
    post: operations['replayDeliveries'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a test event to a webhook
     * @description Without `type` the event `webhook.test` goes to the success path, with `payment` null. With `type` an event of that type goes where it would, with `test` true and a payment that does not exist, whose `external_id` is `test`. A test is sent once, and what comes of it does not count for the webhook. Of the tests of a webhook the newest 100 are kept.
     */
    post: operations['testWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{id}/rotate-secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Give a webhook a new signing secret
     * @description The new one is shown in this answer only. For 24 hours what is sent is signed with the one before as well; one from before that ends at once.
     */
    post: operations['rotateWebhookSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/alerts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what an operator must look at
     * @description Alerts about payments, diamonds and webhooks of the caller's node and those below; to a node without a parent also those about networks, keys and registries.
     */
    get: operations['listAlerts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/alerts/{id}/close': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Close an alert
     * @description A condition is closed by Carat when its cause is gone; one that is closed while it lasts mostly comes back as a new alert.
     */
    post: operations['closeAlert'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/audit-log': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List who changed what
     * @description Every change over the API, and every answer that was shown again under its Idempotency-Key, by the node of what it is about. What an integration of a node above the caller's, or the operator of this installation, did is shown as done by `operator`.
     */
    get: operations['listAuditLog'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/nodes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the caller's node and everything below it */
    get: operations['listNodes'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/chains': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the chains */
    get: operations['listChains'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/networks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the networks
     * @description Those to choose from. Retired ones, which take nothing new, are left out, unless they are asked for.
     */
    get: operations['listNetworks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/currencies': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the currencies and where their tokens are */
    get: operations['listCurrencies'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/status': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tell how everything stands that the service needs
     * @description For integrations of nodes without a parent. Each figure has a bound: beyond it the figure is `late`, beyond three times the bound it is `down`. `status` is the worst of all figures and networks.
     */
    get: operations['getStatus'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/healthz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Tell that the process is alive */
    get: operations['getHealth'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Tell whether requests can be served
     * @description Needs the database. Temporal is named but not needed, because commands wait for it in the database.
     */
    get: operations['getReadiness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/docs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** This document for people */
    get: operations['getDocs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/docs/redoc.js': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The script of the document for people */
    get: operations['getDocsScript'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** This document for programs */
    get: operations['getSpecification'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** Format: uuid */
    Uuid: string;
    Name: string;
    /**
     * Format: date-time
     * @description RFC 3339 in answers; in requests any form of ISO 8601 that names one instant
     */
    Timestamp: string;
    /** @description EVM address with checksum (EIP-55) */
    Address: string;
    /** Format: uuid */
    UuidOrNull: string | null;
    /**
     * Format: date-time
     * @description RFC 3339 in answers; in requests any form of ISO 8601 that names one instant
     */
    TimestampOrNull: string | null;
    /** @description EVM address with checksum (EIP-55) */
    AddressOrNull: string | null;
    TransactionHashOrNull: string | null;
    /** Format: double */
    Amount: number;
    /** @description A number, or a string of digits */
    AmountRequest: number | string;
    /** @description A number, or a string of digits */
    PositiveAmountRequest: number | string;
    /**
     * Format: int64
     * @description Of the deal on the diamond
     */
    DealId: number;
    /** Format: int32 */
    Decimals: number;
    /**
     * Format: int64
     * @description EIP-155 chain id
     */
    ChainId: number;
    /** @description Base units as decimal text */
    Units: string;
    /** @enum {string} */
    Permission:
      | 'payments.read'
      | 'payments.create'
      | 'payments.update'
      | 'payments.delete'
      | 'wallets.read'
      | 'wallets.create'
      | 'wallets.update'
      | 'wallets.delete'
      | 'members.read'
      | 'members.create'
      | 'members.update'
      | 'members.delete'
      | 'webhooks.read'
      | 'webhooks.create'
      | 'webhooks.update'
      | 'webhooks.delete'
      | 'defaults.read'
      | 'defaults.create'
      | 'defaults.update'
      | 'defaults.delete'
      | 'integrations.read'
      | 'integrations.create'
      | 'integrations.update'
      | 'integrations.delete'
      | 'payments.cancel'
      | 'payments.retry'
      | 'payments.settle'
      | 'wallets.deploy'
      | 'alerts.read'
      | 'alerts.update'
      | 'audit.read'
      | 'reports.read'
      | 'payout.update';
    FieldError: {
      /** @description JSON pointer below the request, such as /body/paid_price or /query/page */
      path: string;
      message: string;
    };
    /** @description RFC 9457 */
    Problem: {
      /** @description Where the code is explained */
      type: string;
      title: string;
      /** Format: int32 */
      status: number;
      detail: string;
      /** @description Stable; programs decide by it */
      code: string;
      request_id: string;
      errors: components['schemas']['FieldError'][];
      existing_id?: components['schemas']['Uuid'];
    } & {
      [key: string]: unknown;
    };
    /** @description With client_id and client_secret, or by the names they have here api_key and secret, unless they are in HTTP Basic */
    TokenRequest: {
      grant_type: string;
      client_id?: components['schemas']['Name'];
      client_secret?: components['schemas']['Name'];
      api_key?: components['schemas']['Name'];
      secret?: components['schemas']['Name'];
      /** @description Permissions the token shall have at most, separated by spaces; all of the integration's when absent */
      scope?: string;
    };
    Token: {
      access_token: string;
      /** @constant */
      token_type: 'Bearer';
      /**
       * Format: int32
       * @description Seconds
       */
      expires_in: number;
      scope: string;
    };
    TokenError: {
      /** @enum {string} */
      error: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope';
      error_description: string;
      /** @enum {string} */
      code: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope' | 'rate_limited';
      request_id: string;
    };
    PublicKey: {
      /** @constant */
      kty: 'OKP';
      /** @constant */
      crv: 'Ed25519';
      x: string;
      kid: string;
      /** @constant */
      alg: 'EdDSA';
      /** @constant */
      use: 'sig';
    };
    Keys: {
      keys: components['schemas']['PublicKey'][];
    };
    IntegrationRequest: {
      node_id: components['schemas']['Uuid'];
      name: components['schemas']['Name'];
      /** @description Absent or null gives the creator's permissions, without payout.update, which has to be named */
      permissions?: components['schemas']['Permission'][] | null;
      expires_at?: components['schemas']['TimestampOrNull'];
    };
    CreatedIntegration: {
      id: components['schemas']['Uuid'];
      node_id: components['schemas']['Uuid'];
      name: components['schemas']['Name'];
      api_key: string;
      permissions: components['schemas']['Permission'][];
      expires_at: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      /** @description Shown only here */
      secret: string;
    };
    Integration: {
      id: components['schemas']['Uuid'];
      node_id: components['schemas']['Uuid'];
      name: components['schemas']['Name'];
      api_key: string;
      permissions: components['schemas']['Permission'][];
      expires_at: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      /** @description When it last took a token; null before the first one */
      last_used_at: components['schemas']['TimestampOrNull'];
      revoked_at: components['schemas']['TimestampOrNull'];
    };
    IntegrationPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['Integration'][];
    };
    RotationRequest: {
      /**
       * Format: int32
       * @description Seconds for which the secret before stays good
       * @default 0
       */
      overlap_seconds?: number;
    };
    RotatedIntegration: {
      id: components['schemas']['Uuid'];
      node_id: components['schemas']['Uuid'];
      name: components['schemas']['Name'];
      api_key: string;
      permissions: components['schemas']['Permission'][];
      expires_at: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      /** @description Shown only here */
      secret: string;
      /** @description Until then the secret before is good; null if it is not */
      previous_secret_expires_at: components['schemas']['TimestampOrNull'];
      last_used_at: components['schemas']['TimestampOrNull'];
      revoked_at: components['schemas']['TimestampOrNull'];
    };
    WalletRequest: {
      node_id: components['schemas']['Uuid'];
      chain_id: components['schemas']['Uuid'];
      name: components['schemas']['Name'];
    };
    Wallet: {
      id: components['schemas']['Uuid'];
      node_id: components['schemas']['Uuid'];
      chain_id: components['schemas']['Uuid'];
      name: components['schemas']['Name'];
      address: components['schemas']['Address'];
      /** @description An inactive wallet takes no new payments */
      is_active: boolean;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    WalletUpdate: {
      name?: components['schemas']['Name'];
      /** @description EVM address of a diamond to adopt, in any valid case */
      address?: components['schemas']['Name'];
      /** @description An inactive wallet takes no new payments */
      is_active?: boolean;
    };
    WalletPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['Wallet'][];
    };
    /** @enum {string} */
    WalletDefaultType: 'apex' | 'node';
    WalletDefaultKey: {
      node_id: components['schemas']['Uuid'];
      network_id: components['schemas']['Uuid'];
      type: components['schemas']['WalletDefaultType'];
    };
    WalletDefaultRequest: {
      node_id: components['schemas']['Uuid'];
      network_id: components['schemas']['Uuid'];
      wallet_id: components['schemas']['Uuid'];
      type: components['schemas']['WalletDefaultType'];
    };
    WalletDefault: {
      id: components['schemas']['Uuid'];
      node_id: components['schemas']['Uuid'];
      network_id: components['schemas']['Uuid'];
      wallet_id: components['schemas']['Uuid'];
      type: components['schemas']['WalletDefaultType'];
      wallet: components['schemas']['Wallet'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    WalletDefaultPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['WalletDefault'][];
    };
    PayoutRequest: {
      /** @description Takes the money of web3 payments on this chain; null for none. Never a contract of a token or of Carat */
      payout_address: string | null;
      /** @description Whether every web3 payment of the node, and of those below it, has to name this address */
      payout_locked: boolean;
    };
    Payout: {
      node_id: components['schemas']['Uuid'];
      chain_id: components['schemas']['Uuid'];
      payout_address: components['schemas']['AddressOrNull'];
      payout_locked: boolean;
      /** @description The one address that web3 payments of the node may name, by its own lock or one of a node above; null without a lock */
      locked_address: components['schemas']['AddressOrNull'];
      updated_at: components['schemas']['TimestampOrNull'];
    };
    DeployRequest: {
      node_id: components['schemas']['Uuid'];
      network_id: components['schemas']['Uuid'];
    };
    DeploymentStep: {
      step: components['schemas']['DeploymentStepKey'];
      transaction_id: components['schemas']['Uuid'];
      status: components['schemas']['DeploymentStepStatus'];
    };
    /**
     * @description - `preflight`: the network, its keys and the wallet's address are checked
     *     - `deploy_facets`: the facets that the network lacks are deployed
     *     - `deploy_diamond`: the registry creates the wallet's diamond; of a deployment only
     *     - `cut`: the diamond's functions are changed to those of the release; of an update only
     *     - `verify`: the diamond's code and functions are read back from the chain
     *     - `activate`: the diamond takes deals
     * @enum {string}
     */
    DeploymentStepKey: 'preflight' | 'deploy_facets' | 'deploy_diamond' | 'cut' | 'verify' | 'activate';
    /**
     * @description - `pending`: the steps before it are not done
     *     - `started`: it is being worked on
     *     - `completed`: it is done
     *     - `failed`: it could not be done; the next request tries it again
     * @enum {string}
     */
    DeploymentStepStatus: 'started' | 'pending' | 'completed' | 'failed';
    /** @description Why the step failed */
    DeploymentErrorOrNull: {
      code: string;
      message: string;
    } | null;
    DeploymentTransaction: {
      /** @enum {string} */
      purpose: 'deploy_facet' | 'create_diamond' | 'diamond_cut';
      /**
       * @description - `queued`: it waits for its turn
       *     - `sent`: it has its nonce, and may be on its way
       *     - `mined`: it is in a block, which gathers confirmations
       *     - `confirmed`: that block has the network's confirmations
       *     - `withdrawn`: it is not wanted any more and was never sent
       * @enum {string}
       */
      state: 'queued' | 'sent' | 'mined' | 'confirmed' | 'withdrawn';
      /**
       * @description Once it is confirmed, whether what was wanted is on the chain
       * @enum {string|null}
       */
      outcome: 'effective' | 'no_effect' | null;
      /** @description Why it waits */
      waiting: string | null;
      /** @description The one that was mined, until then the newest that was signed */
      transaction_hash: components['schemas']['TransactionHashOrNull'];
      /** Format: int64 */
      block_number: number | null;
      created_at: components['schemas']['Timestamp'];
    };
    LoggedStep: {
      step: components['schemas']['DeploymentStepKey'];
      /** @description As deployWallet and updateDiamond answer it */
      transaction_id: components['schemas']['Uuid'];
      status: components['schemas']['DeploymentStepStatus'];
      /** Format: int32 */
      tries: number;
      error: components['schemas']['DeploymentErrorOrNull'];
      /** @description What the step has wanted on the chain, in all its tries, oldest first */
      transactions: components['schemas']['DeploymentTransaction'][];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    Deployment: {
      id: components['schemas']['Uuid'];
      wallet_id: components['schemas']['Uuid'];
      network_id: components['schemas']['Uuid'];
      /** @enum {string} */
      kind: 'deploy' | 'update';
      /** @enum {string} */
      status: 'started' | 'completed' | 'failed';
      /**
       * @description Why its step waits, in the words of the payment's `status_detail`; they are about the key that deploys. Null where it
       *     waits for nothing but its transactions and their confirmations
       * @enum {string|null}
       */
      status_detail:
        | 'network_paused'
        | 'operator_revoked'
        | 'operator_underfunded'
        | 'fees_above_ceiling'
        | 'lane_paused'
        | 'key_missing'
        | 'network_unreachable'
        | 'endpoint_refuses'
        | 'outcome_unknown'
        | 'words_unreadable'
        | 'diamond_missing'
        | 'diamond_updating'
        | 'simulation_failed'
        | null;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      steps: components['schemas']['LoggedStep'][];
    };
    DeploymentPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['Deployment'][];
    };
    /** @description Of a function */
    Selector: string;
    Selectors: components['schemas']['Selector'][];
    /** @description What an update would do with functions */
    SelectorChanges: {
      /** @description The diamond gets them by this facet */
      add: components['schemas']['Selectors'];
      /** @description This facet takes them over from others */
      replace: components['schemas']['Selectors'];
      /** @description This facet has them, and nothing comes in their place */
      remove: components['schemas']['Selectors'];
    };
    HashOrNull: string | null;
    ContractVersion: {
      /** @description Null for a facet of no release */
      name: string | null;
      /** @enum {string} */
      kind: 'diamond' | 'facet';
      /** @description Where it is; while it is missing, where it will be */
      address: components['schemas']['Address'];
      /** @description Null while it is missing, and for what no release has; of the diamond the release that it looks exactly like */
      current_version: string | null;
      /** @description In the network's release; null for what that does not have */
      latest_version: string | null;
      /** @description Of the code at the address */
      current_code_hash: components['schemas']['HashOrNull'];
      latest_code_hash: components['schemas']['HashOrNull'];
      /** @description Whether the network's registry approves the facet that the diamond has; false for one that was revoked or never approved. Null for the diamond, and while the facet is missing */
      current_approved: boolean | null;
      /** @description The same of the release's facet; an update to one that is not approved is refused */
      latest_approved: boolean | null;
      /**
       * @description - `up_to_date`: it is as the release has it
       *     - `update_available`: it is of a release, and an update would change something of it
       *     - `missing`: it is not there, or nothing of it is
       *     - `unknown`: it is of no release
       *     - `obsolete`: it is of a release, and the network's release has another one in its place, or none
       * @enum {string}
       */
      status: 'up_to_date' | 'update_available' | 'missing' | 'unknown' | 'obsolete';
      update_available: boolean;
      selectors: components['schemas']['SelectorChanges'];
    };
    VersionCheck: {
      /** @description An update would change something; false where there is no diamond, and where the network has a release that this version of Carat does not know */
      any_update_available: boolean;
      checked_at: components['schemas']['Timestamp'];
      /**
       * Format: int64
       * @description The confirmed block that all of this is read at
       */
      block_number: number;
      /** @description The diamond first, then the release's facets, then what else the diamond has */
      contracts: components['schemas']['ContractVersion'][];
    };
    /** @description One entry of a cut (EIP-2535) */
    FacetCut: {
      /** @description The zero address for a removal */
      facet: components['schemas']['Address'];
      /** @enum {string} */
      action: 'add' | 'replace' | 'remove';
      selectors: components['schemas']['Selectors'];
    };
    /** @description The call that an update would make. Null where there is nothing to do, and where the network has a release that this version of Carat does not know */
    PlannedCutOrNull: {
      /** @description The diamond */
      to: components['schemas']['Address'];
      /** @description Call data of `diamondCutChecked`; the same for everybody who computes it from the same diamond and release */
      data: string;
      /** @description Hash of what the diamond's `facets()` returns; in any other state the call reverts */
      expected_loupe_hash: string;
      cuts: components['schemas']['FacetCut'][];
    } | null;
    UpdatePlan: {
      /** @description An update would change something; false where there is no diamond, and where the network has a release that this version of Carat does not know */
      any_update_available: boolean;
      checked_at: components['schemas']['Timestamp'];
      /**
       * Format: int64
       * @description The confirmed block that all of this is read at
       */
      block_number: number;
      /** @description The diamond first, then the release's facets, then what else the diamond has */
      contracts: components['schemas']['ContractVersion'][];
      cut: components['schemas']['PlannedCutOrNull'];
    };
    /**
     * @description - `pending`: stored; the deal of a web3 payment is not confirmed on the chain yet, any other payment waits to be settled
     *     - `awaiting_payment`: the deal is on the chain, and the buyer can pay
     *     - `processing`: the buyer's payment was seen in a block and gathers confirmations
     *     - `completed`: paid and confirmed, or settled by the merchant. Final
     *     - `expired`: the time to pay ended without a payment. Final
     *     - `canceling`: a cancel was accepted and is on its way to the chain
     *     - `canceled`: the deal was canceled; it can not be paid any more. Final
     *     - `failed`: the deal could not be created, or the merchant declined. Final
     * @enum {string}
     */
    PaymentStatus:
      'pending' | 'awaiting_payment' | 'processing' | 'completed' | 'expired' | 'canceling' | 'canceled' | 'failed';
    /** @enum {string} */
    PaymentMethod: 'web3' | 'credit_card' | 'bank_transfer';
    /** @enum {string} */
    PaymentGroup: 'product' | 'listing_or_subscription';
    /** @description Creates the member, or links the node's member of that external_id unchanged. A node_id is that of the payment */
    MemberData: {
      node_id?: components['schemas']['Uuid'];
      external_id: components['schemas']['Name'];
      name: components['schemas']['Name'];
      surname?: string | null;
      /**
       * Format: email
       * @description May be empty
       */
      email?: string | null;
      phone?: string | null;
      identity_number?: string | null;
      tax_office?: string | null;
      tax_number?: string | null;
      address?: string | null;
      district?: string | null;
      city?: string | null;
      country?: string | null;
      contact_name?: string | null;
      locale?: string | null;
    };
    MemberRequest: {
      node_id: components['schemas']['Uuid'];
      external_id: components['schemas']['Name'];
      name: components['schemas']['Name'];
      surname?: string | null;
      /**
       * Format: email
       * @description May be empty
       */
      email?: string | null;
      phone?: string | null;
      identity_number?: string | null;
      tax_office?: string | null;
      tax_number?: string | null;
      address?: string | null;
      district?: string | null;
      city?: string | null;
      country?: string | null;
      contact_name?: string | null;
      locale?: string | null;
    };
    MemberUpdate: {
      node_id?: components['schemas']['Uuid'];
      external_id?: components['schemas']['Name'];
      name?: components['schemas']['Name'];
      surname?: string | null;
      /**
       * Format: email
       * @description May be empty
       */
      email?: string | null;
      phone?: string | null;
      identity_number?: string | null;
      tax_office?: string | null;
      tax_number?: string | null;
      address?: string | null;
      district?: string | null;
      city?: string | null;
      country?: string | null;
      contact_name?: string | null;
      locale?: string | null;
    };
    Member: {
      node_id: components['schemas']['Uuid'];
      external_id: components['schemas']['Name'];
      name: components['schemas']['Name'];
      surname: string | null;
      /**
       * Format: email
       * @description May be empty
       */
      email: string | null;
      phone: string | null;
      identity_number: string | null;
      tax_office: string | null;
      tax_number: string | null;
      address: string | null;
      district: string | null;
      city: string | null;
      country: string | null;
      contact_name: string | null;
      locale: string | null;
      id: components['schemas']['Uuid'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    MemberPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['Member'][];
    };
    PaymentItemRequest: {
      name: components['schemas']['Name'];
      price: components['schemas']['AmountRequest'];
      external_id?: string | null;
    };
    PaymentRequest: {
      /** @description Unique per node */
      external_id: components['schemas']['Name'];
      node_id: components['schemas']['Uuid'];
      /** @description If given, the network's */
      chain_id?: components['schemas']['UuidOrNull'];
      network_id: components['schemas']['Uuid'];
      /** @description A wallet of the node or of a node above it, on the network's chain */
      wallet_id?: components['schemas']['UuidOrNull'];
      /** @description A member of the node; not together with member */
      member_id?: components['schemas']['UuidOrNull'];
      member?: components['schemas']['MemberData'] | null;
      currency_id: components['schemas']['Uuid'];
      /** @description List price */
      price: components['schemas']['PositiveAmountRequest'];
      /** @description The amount due */
      paid_price: components['schemas']['PositiveAmountRequest'];
      payment_method: components['schemas']['PaymentMethod'];
      payment_group: components['schemas']['PaymentGroup'];
      /** @description Where the money goes; an EVM address for web3 */
      payment_address: string;
      items?: components['schemas']['PaymentItemRequest'][] | null;
      /** @description At most 8 KiB in UTF-8 */
      metadata?: string | null;
      /** @description In the future, at most 366 days; the chain counts whole seconds */
      expires_at: components['schemas']['Timestamp'];
      /**
       * @description Create the deal again when a creation was mined without it
       * @default true
       */
      retry?: boolean | null;
      /**
       * Format: int32
       * @default 3
       */
      retry_count?: number | null;
      /** Format: ipv4 */
      client_ip?: string | null;
    };
    PaymentItem: {
      name: components['schemas']['Name'];
      price: components['schemas']['Amount'];
      price_units: components['schemas']['Units'];
      external_id: string | null;
    };
    /** @description A payment as it was when the event happened, without what is a secret or tells of a person */
    ToldPayment: {
      id: components['schemas']['Uuid'];
      external_id: string;
      node_id: components['schemas']['Uuid'];
      chain_id: components['schemas']['Uuid'];
      network_id: components['schemas']['Uuid'];
      eip155?: components['schemas']['ChainId'];
      wallet_id: components['schemas']['UuidOrNull'];
      member_id: components['schemas']['UuidOrNull'];
      currency_id: components['schemas']['Uuid'];
      /** @description Symbol */
      currency?: string;
      price: components['schemas']['Amount'];
      price_units: components['schemas']['Units'];
      paid_price: components['schemas']['Amount'];
      paid_price_units: components['schemas']['Units'];
      payment_method: components['schemas']['PaymentMethod'];
      payment_group: components['schemas']['PaymentGroup'];
      payment_address: string;
      items: components['schemas']['PaymentItem'][];
      metadata: string | null;
      expires_at: components['schemas']['Timestamp'];
      retry: boolean;
      /** Format: int32 */
      retry_count: number;
      status: components['schemas']['PaymentStatus'];
      /**
       * @description Why it waits, or why it ended as it did. It waits because
       *     - `diamond_missing`: the wallet's diamond is not active on the network yet
       *     - `diamond_updating`: the wallet's diamond is being updated; its deals are created when that has ended
       *     - `simulation_failed`: its transaction fails when it is tried beforehand, for a reason that the operator of this installation is told
       *     - `network_paused`: the network's contracts are paused
       *     - `operator_revoked`: the diamond does not accept the key that creates its deals
       *     - `operator_underfunded`: that key has too little of the network's coin
       *     - `fees_above_ceiling`: the network's fees are above the operator's ceiling
       *     - `lane_paused`: the operator of this installation has paused that key
       *     - `key_missing`: no process of this installation holds that key
       *     - `network_unreachable`: no node of the network answers
       *     - `endpoint_refuses`: the nodes of the network answer, and refuse something that its transaction needs
       *     - `outcome_unknown`: too few nodes of the network tell what became of its transaction
       *     - `words_unreadable`: too few nodes of the network tell what its deal is at N confirmations
       *
       *     It went back because
       *     - `payment_not_borne_out`: a payment was told of that the deal does not know of at N confirmations
       *
       *     It ended because
       *     - `deal_conflict`: the diamond has another deal under the same id
       *     - `deal_not_created`: the creation was mined without the deal, as often as it may be tried
       *     - `declined`: the merchant settled it as failed
       *     - `canceled_before_creation`: it was canceled before its deal was on the chain
       *     - `canceled_foreign`: a key of the operator canceled it on the chain, not asked for here
       * @enum {string|null}
       */
      status_detail:
        | 'diamond_missing'
        | 'diamond_updating'
        | 'simulation_failed'
        | 'network_paused'
        | 'operator_revoked'
        | 'operator_underfunded'
        | 'fees_above_ceiling'
        | 'lane_paused'
        | 'key_missing'
        | 'network_unreachable'
        | 'endpoint_refuses'
        | 'outcome_unknown'
        | 'words_unreadable'
        | 'payment_not_borne_out'
        | 'deal_conflict'
        | 'deal_not_created'
        | 'declined'
        | 'canceled_before_creation'
        | 'canceled_foreign'
        | null;
      /**
       * Format: int64
       * @description Of the deal on the diamond
       */
      deal_id: number | null;
      diamond_address: components['schemas']['AddressOrNull'];
      /** @description The buyer's transaction once it was seen, until then the deal's */
      transaction_hash: components['schemas']['TransactionHashOrNull'];
      /** @description The transaction that created the deal, also once the buyer's was seen */
      deal_transaction_hash?: components['schemas']['TransactionHashOrNull'];
      /** @description When the block of the buyer's transaction was made, by the clock of the chain. Null while no such block is known, and for what is not paid on a chain */
      paid_at?: components['schemas']['TimestampOrNull'];
      /** @description The account that paid the deal */
      payer?: components['schemas']['AddressOrNull'];
      /** @description When it became `completed`; nothing changes it afterwards */
      completed_at?: components['schemas']['TimestampOrNull'];
      /** @description The hosted page where the buyer pays. This version has no such page, so it is always null */
      checkout_url: string | null;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    Payment: {
      id: components['schemas']['Uuid'];
      external_id: string;
      node_id: components['schemas']['Uuid'];
      chain_id: components['schemas']['Uuid'];
      network_id: components['schemas']['Uuid'];
      eip155?: components['schemas']['ChainId'];
      wallet_id: components['schemas']['UuidOrNull'];
      member_id: components['schemas']['UuidOrNull'];
      currency_id: components['schemas']['Uuid'];
      /** @description Symbol */
      currency?: string;
      price: components['schemas']['Amount'];
      price_units: components['schemas']['Units'];
      paid_price: components['schemas']['Amount'];
      paid_price_units: components['schemas']['Units'];
      payment_method: components['schemas']['PaymentMethod'];
      payment_group: components['schemas']['PaymentGroup'];
      payment_address: string;
      items: components['schemas']['PaymentItem'][];
      metadata: string | null;
      expires_at: components['schemas']['Timestamp'];
      retry: boolean;
      /** Format: int32 */
      retry_count: number;
      status: components['schemas']['PaymentStatus'];
      /**
       * @description Why it waits, or why it ended as it did. It waits because
       *     - `diamond_missing`: the wallet's diamond is not active on the network yet
       *     - `diamond_updating`: the wallet's diamond is being updated; its deals are created when that has ended
       *     - `simulation_failed`: its transaction fails when it is tried beforehand, for a reason that the operator of this installation is told
       *     - `network_paused`: the network's contracts are paused
       *     - `operator_revoked`: the diamond does not accept the key that creates its deals
       *     - `operator_underfunded`: that key has too little of the network's coin
       *     - `fees_above_ceiling`: the network's fees are above the operator's ceiling
       *     - `lane_paused`: the operator of this installation has paused that key
       *     - `key_missing`: no process of this installation holds that key
       *     - `network_unreachable`: no node of the network answers
       *     - `endpoint_refuses`: the nodes of the network answer, and refuse something that its transaction needs
       *     - `outcome_unknown`: too few nodes of the network tell what became of its transaction
       *     - `words_unreadable`: too few nodes of the network tell what its deal is at N confirmations
       *
       *     It went back because
       *     - `payment_not_borne_out`: a payment was told of that the deal does not know of at N confirmations
       *
       *     It ended because
       *     - `deal_conflict`: the diamond has another deal under the same id
       *     - `deal_not_created`: the creation was mined without the deal, as often as it may be tried
       *     - `declined`: the merchant settled it as failed
       *     - `canceled_before_creation`: it was canceled before its deal was on the chain
       *     - `canceled_foreign`: a key of the operator canceled it on the chain, not asked for here
       * @enum {string|null}
       */
      status_detail:
        | 'diamond_missing'
        | 'diamond_updating'
        | 'simulation_failed'
        | 'network_paused'
        | 'operator_revoked'
        | 'operator_underfunded'
        | 'fees_above_ceiling'
        | 'lane_paused'
        | 'key_missing'
        | 'network_unreachable'
        | 'endpoint_refuses'
        | 'outcome_unknown'
        | 'words_unreadable'
        | 'payment_not_borne_out'
        | 'deal_conflict'
        | 'deal_not_created'
        | 'declined'
        | 'canceled_before_creation'
        | 'canceled_foreign'
        | null;
      /**
       * Format: int64
       * @description Of the deal on the diamond
       */
      deal_id: number | null;
      diamond_address: components['schemas']['AddressOrNull'];
      /** @description The buyer's transaction once it was seen, until then the deal's */
      transaction_hash: components['schemas']['TransactionHashOrNull'];
      /** @description The transaction that created the deal, also once the buyer's was seen */
      deal_transaction_hash?: components['schemas']['TransactionHashOrNull'];
      /** @description When the block of the buyer's transaction was made, by the clock of the chain. Null while no such block is known, and for what is not paid on a chain */
      paid_at?: components['schemas']['TimestampOrNull'];
      /** @description The account that paid the deal */
      payer?: components['schemas']['AddressOrNull'];
      /** @description When it became `completed`; nothing changes it afterwards */
      completed_at?: components['schemas']['TimestampOrNull'];
      /** @description The hosted page where the buyer pays. This version has no such page, so it is always null */
      checkout_url: string | null;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      member: components['schemas']['Member'] | null;
      client_ip: string | null;
      /** @description Opens this payment's widget data until 24 hours after its terminal state */
      access_token: string;
    };
    PaymentPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['Payment'][];
    };
    /** @enum {string} */
    WebhookAuthType: 'basic' | 'token';
    /** @enum {string} */
    WebhookEvent:
      | 'payment.created'
      | 'payment.ready'
      | 'payment.processing'
      | 'payment.reorged'
      | 'payment.cancel_requested'
      | 'payment.anomaly';
    WebhookRequest: {
      wallet_id: components['schemas']['Uuid'];
      network_id: components['schemas']['Uuid'];
      node_id?: components['schemas']['UuidOrNull'];
      /** @description Origin, https and on the public internet; stored in lower case, without default port */
      host: string;
      /** @description Begins with one '/'; for payment.completed and for `events` */
      success_path: string;
      /** @description For payment.failed, payment.expired, payment.canceled and payment.reversed */
      error_path: string;
      auth_type: components['schemas']['WebhookAuthType'];
      /** @description Needed for auth_type basic (RFC 7617) */
      auth_basic_username?: string | null;
      /** @description Needed for auth_type basic */
      auth_basic_password?: string | null;
      /** @description Needed for auth_type token; sent as Authorization Bearer */
      auth_token?: string | null;
      /** @description What it hears of beside the ends of payments */
      events?: components['schemas']['WebhookEvent'][] | null;
      is_active?: boolean | null;
    };
    /** @description wallet_id, network_id and node_id may be given as they are */
    WebhookUpdate: {
      id: components['schemas']['Uuid'];
      wallet_id?: components['schemas']['UuidOrNull'];
      network_id?: components['schemas']['UuidOrNull'];
      node_id?: components['schemas']['UuidOrNull'];
      /** @description Origin, https and on the public internet; stored in lower case, without default port */
      host?: string | null;
      /** @description Begins with one '/'; for payment.completed and for `events` */
      success_path?: string | null;
      /** @description For payment.failed, payment.expired, payment.canceled and payment.reversed */
      error_path?: string | null;
      /** @enum {string|null} */
      auth_type?: 'basic' | 'token' | null;
      /** @description Needed for auth_type basic (RFC 7617) */
      auth_basic_username?: string | null;
      /** @description Needed for auth_type basic */
      auth_basic_password?: string | null;
      /** @description Needed for auth_type token; sent as Authorization Bearer */
      auth_token?: string | null;
      /** @description What it hears of beside the ends of payments */
      events?: components['schemas']['WebhookEvent'][] | null;
      is_active?: boolean | null;
    };
    WebhookTest: {
      /** @description What the test is; any event that the webhook hears of. `webhook.test` when absent */
      type?: components['schemas']['EventType'];
    };
    WebhookReference: {
      id: components['schemas']['Uuid'];
    };
    Webhook: {
      id: components['schemas']['Uuid'];
      wallet_id: components['schemas']['Uuid'];
      network_id: components['schemas']['Uuid'];
      node_id: components['schemas']['UuidOrNull'];
      host: string;
      success_path: string;
      error_path: string;
      auth_type: components['schemas']['WebhookAuthType'];
      events: components['schemas']['WebhookEvent'][];
      is_active: boolean;
      /** @description Why Carat stopped delivering, if it did - `gone` after an answer 410, `failing` after five days of failures, `backlog` when too much was undelivered */
      disabled_reason: string | null;
      /** @description Since when no attempt has succeeded; null while they do */
      failing_since: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    CreatedWebhook: {
      id: components['schemas']['Uuid'];
      wallet_id: components['schemas']['Uuid'];
      network_id: components['schemas']['Uuid'];
      node_id: components['schemas']['UuidOrNull'];
      host: string;
      success_path: string;
      error_path: string;
      auth_type: components['schemas']['WebhookAuthType'];
      events: components['schemas']['WebhookEvent'][];
      is_active: boolean;
      /** @description Why Carat stopped delivering, if it did - `gone` after an answer 410, `failing` after five days of failures, `backlog` when too much was undelivered */
      disabled_reason: string | null;
      /** @description Since when no attempt has succeeded; null while they do */
      failing_since: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      /** @description Signs what is delivered (Standard Webhooks); shown once */
      signing_secret: string;
    };
    WebhookPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['Webhook'][];
    };
    /** @enum {string} */
    EventType:
      | 'payment.created'
      | 'payment.ready'
      | 'payment.processing'
      | 'payment.reorged'
      | 'payment.cancel_requested'
      | 'payment.completed'
      | 'payment.failed'
      | 'payment.expired'
      | 'payment.canceled'
      | 'payment.reversed'
      | 'payment.anomaly'
      | 'webhook.test';
    /**
     * @description failed: every try of the schedule has; skipped: the webhook was disabled; canceled: it was deleted
     * @enum {string}
     */
    DeliveryState: 'pending' | 'delivered' | 'failed' | 'skipped' | 'canceled';
    Delivery: {
      id: components['schemas']['Uuid'];
      webhook_id: components['schemas']['Uuid'];
      /** @description The `webhook-id` of every try */
      event_id: components['schemas']['Uuid'];
      event_type: components['schemas']['EventType'];
      /** @description Null where the event tells of no payment */
      payment_id: components['schemas']['UuidOrNull'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; null where there is none
       */
      sequence: number | null;
      /** @description Asked for by a test; its payment, if it has one, does not exist */
      test?: boolean;
      state: components['schemas']['DeliveryState'];
      /**
       * Format: int32
       * @description Tries since it was last wanted
       */
      attempts: number;
      /** @description Null when none is to come */
      next_attempt_at: components['schemas']['TimestampOrNull'];
      delivered_at: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    /** @description Without credentials and signature */
    DeliveryHeaders: {
      [key: string]: string;
    };
    DeliveryRequest: {
      /** @enum {string} */
      method: 'POST';
      url: string;
      headers: components['schemas']['DeliveryHeaders'];
      /** @description As it was sent, byte by byte */
      body: string;
    };
    /** @description Null before the first try */
    DeliveryRequestOrNull: components['schemas']['DeliveryRequest'] | null;
    DeliveryTry: {
      at: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Of the answer; null when there was none
       */
      status: number | null;
      /** Format: int32 */
      duration_ms: number;
      /** @description The first 2 kB of the answer */
      response: string;
      /** @description Why there was no answer */
      error: string | null;
    };
    DeliveryDetails: {
      id: components['schemas']['Uuid'];
      webhook_id: components['schemas']['Uuid'];
      /** @description The `webhook-id` of every try */
      event_id: components['schemas']['Uuid'];
      event_type: components['schemas']['EventType'];
      /** @description Null where the event tells of no payment */
      payment_id: components['schemas']['UuidOrNull'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; null where there is none
       */
      sequence: number | null;
      /** @description Asked for by a test; its payment, if it has one, does not exist */
      test?: boolean;
      state: components['schemas']['DeliveryState'];
      /**
       * Format: int32
       * @description Tries since it was last wanted
       */
      attempts: number;
      /** @description Null when none is to come */
      next_attempt_at: components['schemas']['TimestampOrNull'];
      delivered_at: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      request: components['schemas']['DeliveryRequestOrNull'];
      /** @description The last ones, oldest first */
      tries: components['schemas']['DeliveryTry'][];
    };
    DeliveryPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['Delivery'][];
    };
    ReplayRequest: {
      /** @description Inclusive */
      from: components['schemas']['Timestamp'];
      /** @description Exclusive */
      to: components['schemas']['Timestamp'];
      include_delivered?: boolean | null;
    };
    Replay: {
      webhook_id: components['schemas']['Uuid'];
      /** Format: int64 */
      count: number;
    };
    /** @enum {string} */
    AlertKind:
      | 'lane_paused'
      | 'key_missing'
      | 'role_missing'
      | 'operator_underfunded'
      | 'operator_low'
      | 'fees_above_ceiling'
      | 'simulation_failed'
      | 'outcome_unknown'
      | 'deployment_failed'
      | 'registry_paused'
      | 'network_halted'
      | 'network_unreachable'
      | 'endpoint_refuses'
      | 'endpoint_at_rest'
      | 'endpoint_unfit'
      | 'words_unreadable'
      | 'plain_transfer'
      | 'webhook_failing'
      | 'webhook_disabled'
      | 'workers_gone'
      | 'temporal_unreachable'
      | 'workflows_lost'
      | 'chore_failing'
      | 'deal_unknown'
      | 'deal_not_asked_for'
      | 'cancel_not_asked_for'
      | 'deal_conflict'
      | 'payment_after_end'
      | 'paid_without_log'
      | 'payment_reversed'
      | 'payment_returned'
      | 'transaction_failed'
      | 'role_not_asked_for'
      | 'facet_not_asked_for'
      | 'facet_revoked'
      | 'release_not_asked_for'
      | 'root_not_asked_for'
      | 'registry_unpaused'
      | 'cut_not_asked_for'
      | 'deep_reorganisation';
    /** @description Addresses, hashes, blocks and reasons */
    AlertData: {
      [key: string]: unknown;
    };
    Alert: {
      id: components['schemas']['Uuid'];
      kind: components['schemas']['AlertKind'];
      /** @description It lasts for a while and is closed when its cause is gone; what is none has happened once */
      is_condition: boolean;
      /** @description Whose payment, diamond or webhook it is about; null where it is the operator's concern */
      node_id: components['schemas']['UuidOrNull'];
      network_id: components['schemas']['UuidOrNull'];
      payment_id: components['schemas']['UuidOrNull'];
      webhook_id: components['schemas']['UuidOrNull'];
      message: string;
      data: components['schemas']['AlertData'];
      created_at: components['schemas']['Timestamp'];
      closed_at: components['schemas']['TimestampOrNull'];
      /**
       * @description Who closed it is in the audit log
       * @enum {string|null}
       */
      closed_by: 'carat' | 'person' | null;
    };
    AlertPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['Alert'][];
    };
    PaymentEventData: {
      payment: components['schemas']['ToldPayment'];
    };
    TestEventData: {
      payment: components['schemas']['NoPayment'];
    };
    /** @description Always null, because a test tells of no payment */
    NoPayment: Record<string, never> | null;
    AlertEventData: {
      alert: components['schemas']['Alert'];
    };
    AliveEventData: {
      /**
       * Format: int32
       * @description The next one comes after so long, and a few seconds
       */
      interval_seconds: number;
    };
    /** @description What comes to a webhook, by its type */
    AnyEvent:
      | components['schemas']['PaymentCreatedEvent']
      | components['schemas']['PaymentReadyEvent']
      | components['schemas']['PaymentProcessingEvent']
      | components['schemas']['PaymentReorgedEvent']
      | components['schemas']['PaymentCancelRequestedEvent']
      | components['schemas']['PaymentCompletedEvent']
      | components['schemas']['PaymentFailedEvent']
      | components['schemas']['PaymentExpiredEvent']
      | components['schemas']['PaymentCanceledEvent']
      | components['schemas']['PaymentReversedEvent']
      | components['schemas']['PaymentAnomalyEvent']
      | components['schemas']['WebhookTestEvent']
      | components['schemas']['AlertRaisedEvent']
      | components['schemas']['AlertClosedEvent']
      | components['schemas']['CaratAliveEvent'];
    /** @description It is stored */
    PaymentCreatedEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.created';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description The buyer can pay */
    PaymentReadyEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.ready';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description A payment was seen */
    PaymentProcessingEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.processing';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description A payment that was seen, or a deal that could be paid, is not there any more */
    PaymentReorgedEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.reorged';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description Its merchant asked to cancel it */
    PaymentCancelRequestedEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.cancel_requested';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description It is paid */
    PaymentCompletedEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.completed';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description It can not be paid */
    PaymentFailedEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.failed';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description Nobody paid in time */
    PaymentExpiredEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.expired';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description It was canceled */
    PaymentCanceledEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.canceled';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description A reorganisation removed the payment from the chain after its end, its status stays */
    PaymentReversedEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.reversed';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description Something happened on the chain that nobody here asked for, its status stays */
    PaymentAnomalyEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.anomaly';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description A test that was asked for */
    WebhookTestEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'webhook.test';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['TestEventData'];
    };
    /** @description There is something to look at */
    AlertRaisedEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'alert.raised';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['AlertEventData'];
    };
    /** @description An alert is closed */
    AlertClosedEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'alert.closed';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['AlertEventData'];
    };
    /** @description Somebody is there */
    CaratAliveEvent: {
      /** @description The same in every try, and to every webhook; also the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'carat.alive';
      /** @enum {string} */
      api_version: 'v1';
      /** @description When it happened */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; ignore an event with a lower one than you have seen of it. Null where there is no payment
       */
      sequence: number | null;
      /**
       * @description Only there in a test that tells of a payment. That payment does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['AliveEventData'];
    };
    /** @enum {string} */
    AuditAction:
      | 'integration.created'
      | 'integration.rotated'
      | 'integration.revoked'
      | 'wallet.created'
      | 'wallet.updated'
      | 'wallet.deleted'
      | 'wallet.deployed'
      | 'wallet.upgraded'
      | 'default.created'
      | 'default.replaced'
      | 'default.deleted'
      | 'member.created'
      | 'member.updated'
      | 'member.deleted'
      | 'payment.created'
      | 'payment.settled'
      | 'payment.cancel_requested'
      | 'payment.retry_requested'
      | 'webhook.created'
      | 'webhook.updated'
      | 'webhook.deleted'
      | 'webhook.secret_rotated'
      | 'webhook.tested'
      | 'webhook.redelivered'
      | 'webhook.replayed'
      | 'payout.updated'
      | 'alert.closed'
      | 'answer.replayed';
    /** @description Something as the API answers it */
    SnapshotOrNull: {
      [key: string]: unknown;
    } | null;
    AuditEntry: {
      id: components['schemas']['Uuid'];
      node_id: components['schemas']['Uuid'];
      action: components['schemas']['AuditAction'];
      resource_id: components['schemas']['Uuid'];
      /** @enum {string} */
      actor_type: 'integration' | 'operator';
      /** @description An integration, or subject and issuer of an outside token; null for the operator */
      actor_id: string | null;
      /** @description IP address that the request came from; null for the operator */
      address: string | null;
      request_id: string | null;
      /** @description What was changed, as the API answered it before; null when it is new */
      before: components['schemas']['SnapshotOrNull'];
      /** @description What it has become; null when it is gone */
      after: components['schemas']['SnapshotOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    AuditPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['AuditEntry'][];
    };
    Accepted: {
      /** @enum {string} */
      status: 'accepted';
    };
    SettlementRequest: {
      /** @enum {string} */
      outcome: 'completed' | 'failed';
      /** @description Of the transfer or charge at the merchant's processor; kept in the payment's log */
      reference: components['schemas']['Name'];
    };
    /** @description Hashes, blocks and reasons */
    PaymentLogData: {
      [key: string]: unknown;
    };
    PaymentLog: {
      id: components['schemas']['Uuid'];
      payment_id: components['schemas']['Uuid'];
      /**
       * Format: int32
       * @description Numbers the transitions of the payment; null for what is none (waiting states, transactions)
       */
      sequence: number | null;
      /**
       * @description What happened; `message` says it in words. `waiting_*` has a `reason` in its data, as `status_detail`; `transaction_*` is about a transaction of Carat's own, with its `purpose` (`create_deal`, `cancel_deal`), hash, nonce and fees, or its block
       * @enum {string}
       */
      event_type:
        | 'payment_created'
        | 'deal_confirmed'
        | 'deal_failed'
        | 'deal_reorged'
        | 'retry_requested'
        | 'payment_detected'
        | 'payment_reorged'
        | 'payment_confirmed'
        | 'payment_expired'
        | 'payment_settled'
        | 'cancel_requested'
        | 'cancel_confirmed'
        | 'cancel_lost_race'
        | 'cancel_foreign'
        | 'payment_reversed'
        | 'payment_anomaly'
        | 'waiting_started'
        | 'waiting_ended'
        | 'transaction_sent'
        | 'transaction_bumped'
        | 'transaction_mined'
        | 'transaction_confirmed'
        | 'transaction_reorged';
      message: string;
      /** @enum {string} */
      actor_type: 'integration' | 'buyer' | 'chain' | 'system' | 'operator';
      actor_id: string | null;
      data: components['schemas']['PaymentLogData'];
      created_at: components['schemas']['Timestamp'];
    };
    PaymentLogPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['PaymentLog'][];
    };
    /** @description A function, event or error of a contract as Solidity's compiler describes it */
    AbiEntry: {
      [key: string]: unknown;
    };
    ContractCall: {
      abi: components['schemas']['AbiEntry'][];
      function_name: string;
      /** @description In the order and nesting of the ABI, integers as decimal text */
      arguments: unknown[];
      value: components['schemas']['Units'];
    };
    WidgetPayment: {
      external_id: string;
      node_id: components['schemas']['Uuid'];
      network_id: components['schemas']['ChainId'];
      deal_id: components['schemas']['DealId'];
      /**
       * Format: int64
       * @description The amount due as an integer
       */
      price: number;
      /** @description Digits of price after the decimal point */
      price_decimals: components['schemas']['Decimals'];
      payment_address: components['schemas']['Address'];
      diamond_address: components['schemas']['Address'];
      /** @description Symbol */
      currency: string;
      /** @description Null for the network's native coin */
      token_address: components['schemas']['AddressOrNull'];
      amount: components['schemas']['Units'];
      /** @description Of the currency on this network */
      decimals: components['schemas']['Decimals'];
      contract: components['schemas']['ContractCall'];
      status: components['schemas']['PaymentStatus'];
      /** @description True while the call will be accepted; false also while a reorganisation has removed the deal */
      payable: boolean;
      expires_at: components['schemas']['Timestamp'];
      transaction_hash: components['schemas']['TransactionHashOrNull'];
      /** @description Show it to the buyer. Only the call pays; a plain transfer of tokens or coins, to any address, is not recognised as this payment */
      warning: string;
    };
    Node: {
      id: components['schemas']['Uuid'];
      /** @description Null for a root; also above the caller's own node, which is out of reach */
      parent_id: components['schemas']['UuidOrNull'];
      name: components['schemas']['Name'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    NodePage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['Node'][];
    };
    Chain: {
      id: components['schemas']['Uuid'];
      name: components['schemas']['Name'];
      created_at: components['schemas']['Timestamp'];
    };
    ChainPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['Chain'][];
    };
    Network: {
      id: components['schemas']['Uuid'];
      chain_id: components['schemas']['Uuid'];
      name: components['schemas']['Name'];
      eip155: components['schemas']['ChainId'];
      /** Format: int32 */
      confirmations: number;
      /**
       * Format: int32
       * @description Blocks below the tip within which a reorganisation is followed
       */
      finality: number;
      /** Format: int32 */
      block_time_ms: number;
      explorer_url: string | null;
      /** @description Since when it takes nothing new; what it had before goes on to its end */
      retired_at: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    NetworkPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['Network'][];
    };
    CurrencyToken: {
      network_id: components['schemas']['Uuid'];
      /** @description Null is the native coin */
      address: components['schemas']['AddressOrNull'];
      decimals: components['schemas']['Decimals'];
    };
    Currency: {
      id: components['schemas']['Uuid'];
      symbol: string;
      name: components['schemas']['Name'];
      /** @description Of payments that are not paid on a chain */
      decimals: components['schemas']['Decimals'];
      tokens: components['schemas']['CurrencyToken'][];
      created_at: components['schemas']['Timestamp'];
    };
    CurrencyPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /** Format: int64 */
      total: number;
      /** @description Opens the next page; null behind the last one */
      next_cursor: string | null;
      items: components['schemas']['Currency'][];
    };
    /** @description An OpenAPI 3.1 document */
    Specification: {
      [key: string]: unknown;
    };
    Health: {
      /** @constant */
      status: 'ok';
    };
    /** @enum {string} */
    HealthGrade: 'ok' | 'late' | 'down';
    StatusFigure: {
      status: components['schemas']['HealthGrade'];
      /**
       * Format: double
       * @description Null where there is nothing, such as no command that waits, or no worker
       */
      value: number | null;
      /** Format: double */
      bound: number;
      /** @enum {string} */
      unit: 'seconds' | 'milliseconds';
    };
    /** @description Since the newest sign of life of one worker; one that was killed is shown for an hour */
    WorkerStatus: {
      id: components['schemas']['Uuid'];
      /** @description Process id and host */
      name: string;
      started_at: components['schemas']['Timestamp'];
      status: components['schemas']['HealthGrade'];
      /**
       * Format: double
       * @description Null where there is nothing, such as no command that waits, or no worker
       */
      value: number | null;
      /** Format: double */
      bound: number;
      /** @enum {string} */
      unit: 'seconds' | 'milliseconds';
    };
    /** @description Since its watcher stood at the head of the chain; while a transaction or a payment waits for blocks, since the newest block. The bound is ten blocks, or 15 seconds where that is more. */
    NetworkStatus: {
      network_id: components['schemas']['Uuid'];
      name: components['schemas']['Name'];
      /** Format: int64 */
      last_block: number | null;
      status: components['schemas']['HealthGrade'];
      /**
       * Format: double
       * @description Null where there is nothing, such as no command that waits, or no worker
       */
      value: number | null;
      /** Format: double */
      bound: number;
      /** @enum {string} */
      unit: 'seconds' | 'milliseconds';
    };
    ServiceStatus: {
      status: components['schemas']['HealthGrade'];
      at: components['schemas']['Timestamp'];
      /** @description How long a question to the database takes */
      database: components['schemas']['StatusFigure'];
      /** @description Since Temporal answered a worker, or where there is no worker an api */
      temporal: components['schemas']['StatusFigure'];
      /** @description Since the newest sign of life of any worker */
      workers: components['schemas']['StatusFigure'];
      /** @description Age of the oldest command about payments or diamonds that Temporal was not given */
      commands: components['schemas']['StatusFigure'];
      /** @description Age of the oldest transaction that is wanted and has neither a nonce nor a reason to wait */
      intents: components['schemas']['StatusFigure'];
      /** Format: int32 */
      worker_count: number;
      /** @description The newest signs of life first */
      worker_list: components['schemas']['WorkerStatus'][];
      /** Format: int32 */
      network_count: number;
      /** @description The worst first */
      network_list: components['schemas']['NetworkStatus'][];
    };
    Readiness: {
      /** @enum {string} */
      status: 'ready' | 'not_ready';
      /** @enum {string} */
      database: 'reachable' | 'unreachable';
      /** @enum {string} */
      temporal: 'reachable' | 'unreachable';
    };
  };
  responses: {
    /** @description A parameter breaks a rule; `errors` names parameters and rules */
    BadParameters: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/docs#invalid_request",
         *       "title": "The request is not valid",
         *       "status": 400,
         *       "detail": "/query/page must be >= 1",
         *       "code": "invalid_request",
         *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11",
         *       "errors": [
         *         {
         *           "path": "/query/page",
         *           "message": "must be >= 1"
         *         }
         *       ]
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The request breaks a rule; `errors` names fields and rules. `malformed_json` when the body is no JSON text */
    BadRequest: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/docs#invalid_request",
         *       "title": "The request is not valid",
         *       "status": 400,
         *       "detail": "/body/paid_price must be greater than 0",
         *       "code": "invalid_request",
         *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11",
         *       "errors": [
         *         {
         *           "path": "/body/paid_price",
         *           "message": "must be greater than 0"
         *         }
         *       ]
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The token is missing or invalid, or its integration is revoked or expired */
    Unauthorized: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "/docs#invalid_token",
         *       "title": "The token is not valid",
         *       "status": 401,
         *       "detail": "The token has expired",
         *       "code": "invalid_token",
         *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11",
         *       "errors": []
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The integration lacks the operation's permission */
    Forbidden: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The integration lacks the operation's permission, or the node of what it names is out of its reach */
    OutOfReach: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description No such node in the caller's reach */
    NodeNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description No such wallet in the caller's reach */
    WalletNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description No such wallet in the caller's reach, a node_id that is not the wallet's, or no such network */
    NotOnNetwork: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description No such member in the caller's reach */
    MemberNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description No such webhook */
    WebhookNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description No such webhook, or it has no such delivery */
    DeliveryNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The webhook is not active, or the Idempotency-Key was used for another request */
    WebhookInactive: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description No such payment in the caller's reach */
    PaymentNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description No such live integration in the caller's reach */
    IntegrationNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The Idempotency-Key was used for another request before */
    IdempotencyKeyReused: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description Too many requests of this integration, or of this address where there is none */
    TooManyRequests: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        'Retry-After': components['headers']['RetryAfter'];
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The body is larger than 512 KiB */
    TooLarge: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The body is not JSON in UTF-8, or is compressed */
    UnsupportedMediaType: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description A fault of the service; the request_id finds it in the log */
    InternalError: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The database, or the outside issuer of the token, can not be reached; try again */
    Unavailable: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The database can not be reached, or nobody could say within ten seconds what the diamond is, as when too few nodes of the network answer alike; try again */
    NotInspected: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        RateLimit: components['headers']['RateLimit'];
        'RateLimit-Policy': components['headers']['RateLimitPolicy'];
        'Retry-After': components['headers']['RetryAfter'];
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
  };
  parameters: {
    /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f70 */
    IntegrationId: components['schemas']['Uuid'];
    /** @example 4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f */
    WalletId: components['schemas']['Uuid'];
    /**
     * @description The wallet's
     * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
     */
    WalletNode: components['schemas']['Uuid'];
    /**
     * @description One of the wallet's chain
     * @example 7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e
     */
    NetworkOfWallet: components['schemas']['Uuid'];
    /** @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11 */
    PayoutNode: components['schemas']['Uuid'];
    /** @example 5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21 */
    PayoutChain: components['schemas']['Uuid'];
    /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f73 */
    MemberId: components['schemas']['Uuid'];
    /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79 */
    WebhookId: components['schemas']['Uuid'];
    /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7c */
    DeliveryId: components['schemas']['Uuid'];
    /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72 */
    PaymentId: components['schemas']['Uuid'];
    /**
     * @description The caller's node or one below it
     * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
     */
    NodeId: components['schemas']['Uuid'];
    /** @description Also what belongs to the nodes below */
    IncludeDescendants: boolean;
    Page: number;
    PerPage: number;
    /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
    Cursor: string;
    /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
    IdempotencyKey: string;
  };
  requestBodies: never;
  headers: {
    /** @description Finds the request in the log; the caller's own where it has sent one */
    RequestId: string;
    /** @description Only there when the answer is that of an earlier request with the same Idempotency-Key */
    IdempotentReplayed: 'true';
    /** @description What is left of the limit, and seconds until all of it is there again (draft-ietf-httpapi-ratelimit-headers); absent where the operator has set no limit */
    RateLimit: string;
    /** @description The limit as quota and window in seconds; absent where the operator has set none */
    RateLimitPolicy: string;
    /** @description Seconds to wait */
    RetryAfter: number;
  };
  pathItems: never;
}
export type Uuid = components['schemas']['Uuid'];
export type Name = components['schemas']['Name'];
export type Timestamp = components['schemas']['Timestamp'];
export type Address = components['schemas']['Address'];
export type UuidOrNull = components['schemas']['UuidOrNull'];
export type TimestampOrNull = components['schemas']['TimestampOrNull'];
export type AddressOrNull = components['schemas']['AddressOrNull'];
export type TransactionHashOrNull = components['schemas']['TransactionHashOrNull'];
export type Amount = components['schemas']['Amount'];
export type AmountRequest = components['schemas']['AmountRequest'];
export type PositiveAmountRequest = components['schemas']['PositiveAmountRequest'];
export type DealId = components['schemas']['DealId'];
export type Decimals = components['schemas']['Decimals'];
export type ChainId = components['schemas']['ChainId'];
export type Units = components['schemas']['Units'];
export type Permission = components['schemas']['Permission'];
export type FieldError = components['schemas']['FieldError'];
export type Problem = components['schemas']['Problem'];
export type TokenRequest = components['schemas']['TokenRequest'];
export type Token = components['schemas']['Token'];
export type TokenError = components['schemas']['TokenError'];
export type PublicKey = components['schemas']['PublicKey'];
export type Keys = components['schemas']['Keys'];
export type IntegrationRequest = components['schemas']['IntegrationRequest'];
export type CreatedIntegration = components['schemas']['CreatedIntegration'];
export type Integration = components['schemas']['Integration'];
export type IntegrationPage = components['schemas']['IntegrationPage'];
export type RotationRequest = components['schemas']['RotationRequest'];
export type RotatedIntegration = components['schemas']['RotatedIntegration'];
export type WalletRequest = components['schemas']['WalletRequest'];
export type Wallet = components['schemas']['Wallet'];
export type WalletUpdate = components['schemas']['WalletUpdate'];
export type WalletPage = components['schemas']['WalletPage'];
export type WalletDefaultType = components['schemas']['WalletDefaultType'];
export type WalletDefaultKey = components['schemas']['WalletDefaultKey'];
export type WalletDefaultRequest = components['schemas']['WalletDefaultRequest'];
export type WalletDefault = components['schemas']['WalletDefault'];
export type WalletDefaultPage = components['schemas']['WalletDefaultPage'];
export type PayoutRequest = components['schemas']['PayoutRequest'];
export type Payout = components['schemas']['Payout'];
export type DeployRequest = components['schemas']['DeployRequest'];
export type DeploymentStep = components['schemas']['DeploymentStep'];
export type DeploymentStepKey = components['schemas']['DeploymentStepKey'];
export type DeploymentStepStatus = components['schemas']['DeploymentStepStatus'];
export type DeploymentErrorOrNull = components['schemas']['DeploymentErrorOrNull'];
export type DeploymentTransaction = components['schemas']['DeploymentTransaction'];
export type LoggedStep = components['schemas']['LoggedStep'];
export type Deployment = components['schemas']['Deployment'];
export type DeploymentPage = components['schemas']['DeploymentPage'];
export type Selector = components['schemas']['Selector'];
export type Selectors = components['schemas']['Selectors'];
export type SelectorChanges = components['schemas']['SelectorChanges'];
export type HashOrNull = components['schemas']['HashOrNull'];
export type ContractVersion = components['schemas']['ContractVersion'];
export type VersionCheck = components['schemas']['VersionCheck'];
export type FacetCut = components['schemas']['FacetCut'];
export type PlannedCutOrNull = components['schemas']['PlannedCutOrNull'];
export type UpdatePlan = components['schemas']['UpdatePlan'];
export type PaymentStatus = components['schemas']['PaymentStatus'];
export type PaymentMethod = components['schemas']['PaymentMethod'];
export type PaymentGroup = components['schemas']['PaymentGroup'];
export type MemberData = components['schemas']['MemberData'];
export type MemberRequest = components['schemas']['MemberRequest'];
export type MemberUpdate = components['schemas']['MemberUpdate'];
export type Member = components['schemas']['Member'];
export type MemberPage = components['schemas']['MemberPage'];
export type PaymentItemRequest = components['schemas']['PaymentItemRequest'];
export type PaymentRequest = components['schemas']['PaymentRequest'];
export type PaymentItem = components['schemas']['PaymentItem'];
export type ToldPayment = components['schemas']['ToldPayment'];
export type Payment = components['schemas']['Payment'];
export type PaymentPage = components['schemas']['PaymentPage'];
export type WebhookAuthType = components['schemas']['WebhookAuthType'];
export type WebhookEvent = components['schemas']['WebhookEvent'];
export type WebhookRequest = components['schemas']['WebhookRequest'];
export type WebhookUpdate = components['schemas']['WebhookUpdate'];
export type WebhookTest = components['schemas']['WebhookTest'];
export type WebhookReference = components['schemas']['WebhookReference'];
export type Webhook = components['schemas']['Webhook'];
export type CreatedWebhook = components['schemas']['CreatedWebhook'];
export type WebhookPage = components['schemas']['WebhookPage'];
export type EventType = components['schemas']['EventType'];
export type DeliveryState = components['schemas']['DeliveryState'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryHeaders = components['schemas']['DeliveryHeaders'];
export type DeliveryRequest = components['schemas']['DeliveryRequest'];
export type DeliveryRequestOrNull = components['schemas']['DeliveryRequestOrNull'];
export type DeliveryTry = components['schemas']['DeliveryTry'];
export type DeliveryDetails = components['schemas']['DeliveryDetails'];
export type DeliveryPage = components['schemas']['DeliveryPage'];
export type ReplayRequest = components['schemas']['ReplayRequest'];
export type Replay = components['schemas']['Replay'];
export type AlertKind = components['schemas']['AlertKind'];
export type AlertData = components['schemas']['AlertData'];
export type Alert = components['schemas']['Alert'];
export type AlertPage = components['schemas']['AlertPage'];
export type PaymentEventData = components['schemas']['PaymentEventData'];
export type TestEventData = components['schemas']['TestEventData'];
export type NoPayment = components['schemas']['NoPayment'];
export type AlertEventData = components['schemas']['AlertEventData'];
export type AliveEventData = components['schemas']['AliveEventData'];
export type AnyEvent = components['schemas']['AnyEvent'];
export type PaymentCreatedEvent = components['schemas']['PaymentCreatedEvent'];
export type PaymentReadyEvent = components['schemas']['PaymentReadyEvent'];
export type PaymentProcessingEvent = components['schemas']['PaymentProcessingEvent'];
export type PaymentReorgedEvent = components['schemas']['PaymentReorgedEvent'];
export type PaymentCancelRequestedEvent = components['schemas']['PaymentCancelRequestedEvent'];
export type PaymentCompletedEvent = components['schemas']['PaymentCompletedEvent'];
export type PaymentFailedEvent = components['schemas']['PaymentFailedEvent'];
export type PaymentExpiredEvent = components['schemas']['PaymentExpiredEvent'];
export type PaymentCanceledEvent = components['schemas']['PaymentCanceledEvent'];
export type PaymentReversedEvent = components['schemas']['PaymentReversedEvent'];
export type PaymentAnomalyEvent = components['schemas']['PaymentAnomalyEvent'];
export type WebhookTestEvent = components['schemas']['WebhookTestEvent'];
export type AlertRaisedEvent = components['schemas']['AlertRaisedEvent'];
export type AlertClosedEvent = components['schemas']['AlertClosedEvent'];
export type CaratAliveEvent = components['schemas']['CaratAliveEvent'];
export type AuditAction = components['schemas']['AuditAction'];
export type SnapshotOrNull = components['schemas']['SnapshotOrNull'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditPage = components['schemas']['AuditPage'];
export type Accepted = components['schemas']['Accepted'];
export type SettlementRequest = components['schemas']['SettlementRequest'];
export type PaymentLogData = components['schemas']['PaymentLogData'];
export type PaymentLog = components['schemas']['PaymentLog'];
export type PaymentLogPage = components['schemas']['PaymentLogPage'];
export type AbiEntry = components['schemas']['AbiEntry'];
export type ContractCall = components['schemas']['ContractCall'];
export type WidgetPayment = components['schemas']['WidgetPayment'];
export type Node = components['schemas']['Node'];
export type NodePage = components['schemas']['NodePage'];
export type Chain = components['schemas']['Chain'];
export type ChainPage = components['schemas']['ChainPage'];
export type Network = components['schemas']['Network'];
export type NetworkPage = components['schemas']['NetworkPage'];
export type CurrencyToken = components['schemas']['CurrencyToken'];
export type Currency = components['schemas']['Currency'];
export type CurrencyPage = components['schemas']['CurrencyPage'];
export type Specification = components['schemas']['Specification'];
export type Health = components['schemas']['Health'];
export type HealthGrade = components['schemas']['HealthGrade'];
export type StatusFigure = components['schemas']['StatusFigure'];
export type WorkerStatus = components['schemas']['WorkerStatus'];
export type NetworkStatus = components['schemas']['NetworkStatus'];
export type ServiceStatus = components['schemas']['ServiceStatus'];
export type Readiness = components['schemas']['Readiness'];
export type ResponseBadParameters = components['responses']['BadParameters'];
export type ResponseBadRequest = components['responses']['BadRequest'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseOutOfReach = components['responses']['OutOfReach'];
export type ResponseNodeNotFound = components['responses']['NodeNotFound'];
export type ResponseWalletNotFound = components['responses']['WalletNotFound'];
export type ResponseNotOnNetwork = components['responses']['NotOnNetwork'];
export type ResponseMemberNotFound = components['responses']['MemberNotFound'];
export type ResponseWebhookNotFound = components['responses']['WebhookNotFound'];
export type ResponseDeliveryNotFound = components['responses']['DeliveryNotFound'];
export type ResponseWebhookInactive = components['responses']['WebhookInactive'];
export type ResponsePaymentNotFound = components['responses']['PaymentNotFound'];
export type ResponseIntegrationNotFound = components['responses']['IntegrationNotFound'];
export type ResponseIdempotencyKeyReused = components['responses']['IdempotencyKeyReused'];
export type ResponseTooManyRequests = components['responses']['TooManyRequests'];
export type ResponseTooLarge = components['responses']['TooLarge'];
export type ResponseUnsupportedMediaType = components['responses']['UnsupportedMediaType'];
export type ResponseInternalError = components['responses']['InternalError'];
export type ResponseUnavailable = components['responses']['Unavailable'];
export type ResponseNotInspected = components['responses']['NotInspected'];
export type ParameterIntegrationId = components['parameters']['IntegrationId'];
export type ParameterWalletId = components['parameters']['WalletId'];
export type ParameterWalletNode = components['parameters']['WalletNode'];
export type ParameterNetworkOfWallet = components['parameters']['NetworkOfWallet'];
export type ParameterPayoutNode = components['parameters']['PayoutNode'];
export type ParameterPayoutChain = components['parameters']['PayoutChain'];
export type ParameterMemberId = components['parameters']['MemberId'];
export type ParameterWebhookId = components['parameters']['WebhookId'];
export type ParameterDeliveryId = components['parameters']['DeliveryId'];
export type ParameterPaymentId = components['parameters']['PaymentId'];
export type ParameterNodeId = components['parameters']['NodeId'];
export type ParameterIncludeDescendants = components['parameters']['IncludeDescendants'];
export type ParameterPage = components['parameters']['Page'];
export type ParameterPerPage = components['parameters']['PerPage'];
export type ParameterCursor = components['parameters']['Cursor'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type HeaderRequestId = components['headers']['RequestId'];
export type HeaderIdempotentReplayed = components['headers']['IdempotentReplayed'];
export type HeaderRateLimit = components['headers']['RateLimit'];
export type HeaderRateLimitPolicy = components['headers']['RateLimitPolicy'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type $defs = Record<string, never>;
export interface operations {
  issueToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "grant_type": "client_credentials",
         *       "client_id": "ck_5fVwTHyhQqWJc5Xcd0Jp6A",
         *       "client_secret": "cs_tn7zWRUuC7P4Dl2L6nHDrEoV3NVpJK9ecuNxYyFQ3bE"
         *     }
         */
        'application/json': components['schemas']['TokenRequest'];
        /**
         * @example {
         *       "grant_type": "client_credentials",
         *       "client_id": "ck_5fVwTHyhQqWJc5Xcd0Jp6A",
         *       "client_secret": "cs_tn7zWRUuC7P4Dl2L6nHDrEoV3NVpJK9ecuNxYyFQ3bE"
         *     }
         */
        'application/x-www-form-urlencoded': components['schemas']['TokenRequest'];
      };
    };
    responses: {
      /** @description The token */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "access_token": "eyJhbGciOiJFZERTQSIsImtpZCI6ImszIn0.eyJpc3MiOiJodHRwczovL3BheS5leGFtcGxlIn0.c2ln",
           *       "token_type": "Bearer",
           *       "expires_in": 900,
           *       "scope": "payments.read payments.create"
           *     }
           */
          'application/json': components['schemas']['Token'];
        };
      };
      /** @description The request is not one of RFC 6749, or asks for permissions that the integration lacks */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "error": "unsupported_grant_type",
           *       "error_description": "grant_type must be client_credentials",
           *       "code": "unsupported_grant_type",
           *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11"
           *     }
           */
          'application/json': components['schemas']['TokenError'];
        };
      };
      /** @description Unknown api_key, wrong secret, or an integration that is revoked or expired */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "error": "invalid_client",
           *       "error_description": "The api_key or the secret is wrong, or the integration has ended",
           *       "code": "invalid_client",
           *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11"
           *     }
           */
          'application/json': components['schemas']['TokenError'];
        };
      };
      /** @description The body is too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TokenError'];
        };
      };
      /** @description The body is neither a form nor JSON */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TokenError'];
        };
      };
      /** @description Too many requests of this address */
      429: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Retry-After': components['headers']['RetryAfter'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "error": "invalid_request",
           *       "error_description": "There were too many requests; try again in 1 s",
           *       "code": "rate_limited",
           *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11"
           *     }
           */
          'application/json': components['schemas']['TokenError'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getKeys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keys that verify, the one that signs first. A new key is here a minute before it signs, a replaced one until the last token that it has signed has ended */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "keys": [
           *         {
           *           "kty": "OKP",
           *           "crv": "Ed25519",
           *           "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
           *           "kid": "k3Xh2aT0",
           *           "alg": "EdDSA",
           *           "use": "sig"
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['Keys'];
        };
      };
      400: components['responses']['BadParameters'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listIntegrations: {
    parameters: {
      query: {
        /**
         * @description The caller's node or one below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Also what belongs to the nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        /** @description Also those that are revoked or have expired */
        include_ended?: boolean;
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of integrations */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f70",
           *           "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *           "name": "web shop",
           *           "api_key": "ck_5fVwTHyhQqWJc5Xcd0Jp6A",
           *           "permissions": [
           *             "payments.read",
           *             "payments.create"
           *           ],
           *           "expires_at": null,
           *           "last_used_at": "2099-03-01T12:30:00.000Z",
           *           "revoked_at": null,
           *           "created_at": "2099-03-01T12:00:00.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 1,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['IntegrationPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NodeNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createIntegration: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
         *       "name": "web shop",
         *       "permissions": [
         *         "payments.read",
         *         "payments.create"
         *       ],
         *       "expires_at": null
         *     }
         */
        'application/json': components['schemas']['IntegrationRequest'];
      };
    };
    responses: {
      /** @description The integration with its secret */
      201: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f70",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "name": "web shop",
           *       "api_key": "ck_5fVwTHyhQqWJc5Xcd0Jp6A",
           *       "secret": "cs_tn7zWRUuC7P4Dl2L6nHDrEoV3NVpJK9ecuNxYyFQ3bE",
           *       "permissions": [
           *         "payments.read",
           *         "payments.create"
           *       ],
           *       "expires_at": null,
           *       "created_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['CreatedIntegration'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      /** @description The caller lacks integrations.create, or a permission it wants to grant */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      404: components['responses']['NodeNotFound'];
      /** @description A live integration of this node has that name, or it has 100 of them */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getIntegration: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f70 */
        id: components['parameters']['IntegrationId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The integration, without its secret */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f70",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "name": "web shop",
           *       "api_key": "ck_5fVwTHyhQqWJc5Xcd0Jp6A",
           *       "permissions": [
           *         "payments.read",
           *         "payments.create"
           *       ],
           *       "expires_at": null,
           *       "last_used_at": "2099-03-01T12:30:00.000Z",
           *       "revoked_at": null,
           *       "created_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Integration'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['IntegrationNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  revokeIntegration: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f70 */
        id: components['parameters']['IntegrationId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Revoked */
      204: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      /** @description The caller lacks integrations.delete, or a permission that the integration holds */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      404: components['responses']['IntegrationNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  rotateIntegration: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f70 */
        id: components['parameters']['IntegrationId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "overlap_seconds": 3600
         *     }
         */
        'application/json': components['schemas']['RotationRequest'];
      };
    };
    responses: {
      /** @description The integration with its new secret */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f70",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "name": "web shop",
           *       "api_key": "ck_5fVwTHyhQqWJc5Xcd0Jp6A",
           *       "secret": "cs_Yk3hT0pR9sVbN2mQxW8zLcD4fG6jK1aE5uI7oS0tZ_w",
           *       "permissions": [
           *         "payments.read",
           *         "payments.create"
           *       ],
           *       "expires_at": null,
           *       "previous_secret_expires_at": "2099-03-01T14:00:00.000Z",
           *       "last_used_at": "2099-03-01T12:30:00.000Z",
           *       "revoked_at": null,
           *       "created_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['RotatedIntegration'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      /** @description The caller lacks integrations.update or a permission that the integration holds, or ends before it */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      404: components['responses']['IntegrationNotFound'];
      409: components['responses']['IdempotencyKeyReused'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listWallets: {
    parameters: {
      query: {
        /**
         * @description The caller's node or one below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Also what belongs to the nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of wallets */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *           "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *           "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *           "name": "main wallet",
           *           "address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *           "is_active": true,
           *           "created_at": "2099-03-01T12:00:00.000Z",
           *           "updated_at": "2099-03-01T12:00:00.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 1,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['WalletPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NodeNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createWallet: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
         *       "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
         *       "name": "main wallet"
         *     }
         */
        'application/json': components['schemas']['WalletRequest'];
      };
    };
    responses: {
      /** @description The wallet */
      201: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *       "name": "main wallet",
           *       "address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *       "is_active": true,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Wallet'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description No such node in the caller's reach, or no such chain */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      409: components['responses']['IdempotencyKeyReused'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getWallet: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f */
        id: components['parameters']['WalletId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The wallet */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *       "name": "main wallet",
           *       "address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *       "is_active": true,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Wallet'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['WalletNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateWallet: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f */
        id: components['parameters']['WalletId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "main wallet",
         *       "is_active": false
         *     }
         */
        'application/json': components['schemas']['WalletUpdate'];
      };
    };
    responses: {
      /** @description The wallet is as it was wanted */
      204: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      /** @description The integration lacks wallets.update, or wallets.deploy for an address */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      404: components['responses']['WalletNotFound'];
      /** @description The wallet's diamond is deployed or being deployed, open web3 payments are bound to its address, or another wallet of the chain has the address */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteWallet: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f */
        id: components['parameters']['WalletId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The wallet is deleted */
      204: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['WalletNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deployWallet: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f */
        id: components['parameters']['WalletId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
         *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e"
         *     }
         */
        'application/json': components['schemas']['DeployRequest'];
      };
    };
    responses: {
      /** @description The step */
      201: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "step": "deploy_diamond",
           *       "transaction_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f71",
           *       "status": "started"
           *     }
           */
          'application/json': components['schemas']['DeploymentStep'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotOnNetwork'];
      /** @description The operator has not given this network a key for deals yet, or has retired it */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      /** @description The node has as many deployments and updates under way as it may, or the integration sends too many requests */
      429: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Retry-After': components['headers']['RetryAfter'];
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  checkVersion: {
    parameters: {
      query: {
        /**
         * @description The wallet's
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['WalletNode'];
        /**
         * @description One of the wallet's chain
         * @example 7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e
         */
        network_id: components['parameters']['NetworkOfWallet'];
      };
      header?: never;
      path: {
        /** @example 4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f */
        id: components['parameters']['WalletId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The diamond and its facets */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "any_update_available": true,
           *       "checked_at": "2099-03-01T12:00:00.000Z",
           *       "block_number": 7204311,
           *       "contracts": [
           *         {
           *           "name": "Diamond",
           *           "kind": "diamond",
           *           "address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *           "current_version": null,
           *           "latest_version": "1.2.0",
           *           "current_code_hash": "0x2f1c9d6b8e7a5f4c3b2a19087f6e5d4c3b2a190807f6e5d4c3b2a1908f7e6d5c",
           *           "latest_code_hash": "0x2f1c9d6b8e7a5f4c3b2a19087f6e5d4c3b2a190807f6e5d4c3b2a1908f7e6d5c",
           *           "current_approved": null,
           *           "latest_approved": null,
           *           "status": "update_available",
           *           "update_available": true,
           *           "selectors": {
           *             "add": [],
           *             "replace": [],
           *             "remove": []
           *           }
           *         },
           *         {
           *           "name": "DealFacet",
           *           "kind": "facet",
           *           "address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *           "current_version": "1.1.0",
           *           "latest_version": "1.1.0",
           *           "current_code_hash": "0x8f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3a2918",
           *           "latest_code_hash": "0x8f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3a2918",
           *           "current_approved": true,
           *           "latest_approved": true,
           *           "status": "update_available",
           *           "update_available": true,
           *           "selectors": {
           *             "add": [
           *               "0x8456cb59"
           *             ],
           *             "replace": [],
           *             "remove": []
           *           }
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['VersionCheck'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotOnNetwork'];
      /** @description The network is retired */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['NotInspected'];
    };
  };
  listDeployments: {
    parameters: {
      query?: {
        network_id?: components['schemas']['Uuid'];
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path: {
        /** @example 4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f */
        id: components['parameters']['WalletId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of runs */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f6f",
           *           "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "kind": "deploy",
           *           "status": "started",
           *           "status_detail": null,
           *           "created_at": "2099-03-01T12:00:00.000Z",
           *           "updated_at": "2099-03-01T12:00:00.000Z",
           *           "steps": [
           *             {
           *               "step": "preflight",
           *               "transaction_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7e",
           *               "status": "completed",
           *               "tries": 1,
           *               "error": null,
           *               "transactions": [],
           *               "created_at": "2099-03-01T12:00:00.000Z",
           *               "updated_at": "2099-03-01T12:00:00.000Z"
           *             },
           *             {
           *               "step": "deploy_facets",
           *               "transaction_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7f",
           *               "status": "completed",
           *               "tries": 1,
           *               "error": null,
           *               "transactions": [],
           *               "created_at": "2099-03-01T12:00:00.000Z",
           *               "updated_at": "2099-03-01T12:00:00.000Z"
           *             },
           *             {
           *               "step": "deploy_diamond",
           *               "transaction_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f71",
           *               "status": "started",
           *               "tries": 1,
           *               "error": null,
           *               "transactions": [
           *                 {
           *                   "purpose": "create_diamond",
           *                   "state": "mined",
           *                   "outcome": null,
           *                   "waiting": null,
           *                   "transaction_hash": "0x3e5f7a9b1c3d5e7f9a1b3c5d7e9f109f2c4b6a8d0e1f3a5b7c9d1e3f5a7b9c1d",
           *                   "block_number": 7204309,
           *                   "created_at": "2099-03-01T12:00:00.000Z"
           *                 }
           *               ],
           *               "created_at": "2099-03-01T12:00:00.000Z",
           *               "updated_at": "2099-03-01T12:00:00.000Z"
           *             },
           *             {
           *               "step": "verify",
           *               "transaction_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f80",
           *               "status": "pending",
           *               "tries": 1,
           *               "error": null,
           *               "transactions": [],
           *               "created_at": "2099-03-01T12:00:00.000Z",
           *               "updated_at": "2099-03-01T12:00:00.000Z"
           *             },
           *             {
           *               "step": "activate",
           *               "transaction_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f81",
           *               "status": "pending",
           *               "tries": 1,
           *               "error": null,
           *               "transactions": [],
           *               "created_at": "2099-03-01T12:00:00.000Z",
           *               "updated_at": "2099-03-01T12:00:00.000Z"
           *             }
           *           ]
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 1,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['DeploymentPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description No such wallet in the caller's reach, or no such network */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateDiamond: {
    parameters: {
      query?: {
        /** @description Only says what an update would do */
        dry_run?: boolean;
      };
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f */
        id: components['parameters']['WalletId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
         *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e"
         *     }
         */
        'application/json': components['schemas']['DeployRequest'];
      };
    };
    responses: {
      /** @description What an update would do; only with `dry_run` */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "any_update_available": true,
           *       "checked_at": "2099-03-01T12:00:00.000Z",
           *       "block_number": 7204311,
           *       "contracts": [
           *         {
           *           "name": "Diamond",
           *           "kind": "diamond",
           *           "address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *           "current_version": null,
           *           "latest_version": "1.2.0",
           *           "current_code_hash": "0x2f1c9d6b8e7a5f4c3b2a19087f6e5d4c3b2a190807f6e5d4c3b2a1908f7e6d5c",
           *           "latest_code_hash": "0x2f1c9d6b8e7a5f4c3b2a19087f6e5d4c3b2a190807f6e5d4c3b2a1908f7e6d5c",
           *           "current_approved": null,
           *           "latest_approved": null,
           *           "status": "update_available",
           *           "update_available": true,
           *           "selectors": {
           *             "add": [],
           *             "replace": [],
           *             "remove": []
           *           }
           *         },
           *         {
           *           "name": "DealFacet",
           *           "kind": "facet",
           *           "address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *           "current_version": "1.1.0",
           *           "latest_version": "1.1.0",
           *           "current_code_hash": "0x8f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3a2918",
           *           "latest_code_hash": "0x8f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3a2918",
           *           "current_approved": true,
           *           "latest_approved": true,
           *           "status": "update_available",
           *           "update_available": true,
           *           "selectors": {
           *             "add": [
           *               "0x8456cb59"
           *             ],
           *             "replace": [],
           *             "remove": []
           *           }
           *         }
           *       ],
           *       "cut": {
           *         "to": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *         "data": "0x20224f96",
           *         "expected_loupe_hash": "0x3b2a190807f6e5d4c3b2a1908f7e6d5c2f1c9d6b8e7a5f4c3b2a19087f6e5d4c",
           *         "cuts": [
           *           {
           *             "facet": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *             "action": "add",
           *             "selectors": [
           *               "0x8456cb59"
           *             ]
           *           }
           *         ]
           *       }
           *     }
           */
          'application/json': components['schemas']['UpdatePlan'];
        };
      };
      /** @description The step */
      201: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "step": "cut",
           *       "transaction_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f71",
           *       "status": "started"
           *     }
           */
          'application/json': components['schemas']['DeploymentStep'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotOnNetwork'];
      /** @description The wallet has no active diamond on the network, or the network is retired */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      /** @description The node has as many deployments and updates under way as it may, or the integration sends too many requests */
      429: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Retry-After': components['headers']['RetryAfter'];
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['NotInspected'];
    };
  };
  listDefaults: {
    parameters: {
      query: {
        /**
         * @description The caller's node or one below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Also what belongs to the nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        network_id?: components['schemas']['Uuid'];
        type?: components['schemas']['WalletDefaultType'];
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of mappings */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f74",
           *           "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *           "type": "node",
           *           "wallet": {
           *             "id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *             "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *             "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *             "name": "main wallet",
           *             "address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *             "is_active": true,
           *             "created_at": "2099-03-01T12:00:00.000Z",
           *             "updated_at": "2099-03-01T12:00:00.000Z"
           *           },
           *           "created_at": "2099-03-01T12:00:00.000Z",
           *           "updated_at": "2099-03-01T12:00:00.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 1,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['WalletDefaultPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description No such node in the caller's reach, or no such network */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  replaceDefault: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
         *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
         *       "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
         *       "type": "node"
         *     }
         */
        'application/json': components['schemas']['WalletDefaultRequest'];
      };
    };
    responses: {
      /** @description The mapping has that wallet */
      204: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description No such mapping in the caller's reach, or no such wallet of the node or of one above it */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The wallet or the network takes no new payments */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createDefault: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
         *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
         *       "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
         *       "type": "node"
         *     }
         */
        'application/json': components['schemas']['WalletDefaultRequest'];
      };
    };
    responses: {
      /** @description The mapping */
      201: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f74",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *       "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *       "type": "node",
           *       "wallet": {
           *         "id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *         "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *         "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *         "name": "main wallet",
           *         "address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *         "is_active": true,
           *         "created_at": "2099-03-01T12:00:00.000Z",
           *         "updated_at": "2099-03-01T12:00:00.000Z"
           *       },
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['WalletDefault'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description No such node in the caller's reach, no such network, or no such wallet of the node or of one above it */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The node has a mapping of this type for the network, or the wallet or the network takes no new payments */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteDefault: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
         *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
         *       "type": "node"
         *     }
         */
        'application/json': components['schemas']['WalletDefaultKey'];
      };
    };
    responses: {
      /** @description The mapping is gone */
      204: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description No such mapping in the caller's reach */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getPayout: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11 */
        node_id: components['parameters']['PayoutNode'];
        /** @example 5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21 */
        chain_id: components['parameters']['PayoutChain'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The payout address, set or not */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *       "payout_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *       "payout_locked": true,
           *       "locked_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Payout'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description No such node in the caller's reach, or no such chain */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  setPayout: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11 */
        node_id: components['parameters']['PayoutNode'];
        /** @example 5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21 */
        chain_id: components['parameters']['PayoutChain'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "payout_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
         *       "payout_locked": true
         *     }
         */
        'application/json': components['schemas']['PayoutRequest'];
      };
    };
    responses: {
      /** @description The payout address as it is now */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *       "payout_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *       "payout_locked": true,
           *       "locked_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Payout'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description No such node in the caller's reach, or no such chain */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A node above has locked another address */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listMembers: {
    parameters: {
      query: {
        /**
         * @description The caller's node or one below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Also what belongs to the nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of members */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f73",
           *           "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *           "external_id": "customer-42",
           *           "name": "Ada",
           *           "surname": "Lovelace",
           *           "email": "ada@example.com",
           *           "phone": null,
           *           "identity_number": null,
           *           "tax_office": null,
           *           "tax_number": null,
           *           "address": null,
           *           "district": null,
           *           "city": null,
           *           "country": null,
           *           "contact_name": null,
           *           "locale": null,
           *           "created_at": "2099-03-01T12:00:00.000Z",
           *           "updated_at": "2099-03-01T12:00:00.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 1,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['MemberPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NodeNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createMember: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
         *       "external_id": "customer-42",
         *       "name": "Ada",
         *       "surname": "Lovelace",
         *       "email": "ada@example.com"
         *     }
         */
        'application/json': components['schemas']['MemberRequest'];
      };
    };
    responses: {
      /** @description The member */
      201: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f73",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "external_id": "customer-42",
           *       "name": "Ada",
           *       "surname": "Lovelace",
           *       "email": "ada@example.com",
           *       "phone": null,
           *       "identity_number": null,
           *       "tax_office": null,
           *       "tax_number": null,
           *       "address": null,
           *       "district": null,
           *       "city": null,
           *       "country": null,
           *       "contact_name": null,
           *       "locale": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Member'];
        };
      };
      /** @description The request breaks a rule, or makes a member of more than 28,672 bytes as JSON in UTF-8 */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NodeNotFound'];
      /** @description The node has a member of that external_id; `existing_id` names it */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "/docs#member_exists",
           *       "title": "The member exists already",
           *       "status": 409,
           *       "detail": "The node has a member with this external_id",
           *       "code": "member_exists",
           *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11",
           *       "errors": [],
           *       "existing_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f73"
           *     }
           */
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getMember: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f73 */
        id: components['parameters']['MemberId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The member */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f73",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "external_id": "customer-42",
           *       "name": "Ada",
           *       "surname": "Lovelace",
           *       "email": "ada@example.com",
           *       "phone": null,
           *       "identity_number": null,
           *       "tax_office": null,
           *       "tax_number": null,
           *       "address": null,
           *       "district": null,
           *       "city": null,
           *       "country": null,
           *       "contact_name": null,
           *       "locale": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Member'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['MemberNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateMember: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f73 */
        id: components['parameters']['MemberId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "phone": null
         *     }
         */
        'application/json': components['schemas']['MemberUpdate'];
      };
    };
    responses: {
      /** @description The member as it is now */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f73",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "external_id": "customer-42",
           *       "name": "Ada",
           *       "surname": "Lovelace",
           *       "email": "ada@example.com",
           *       "phone": null,
           *       "identity_number": null,
           *       "tax_office": null,
           *       "tax_number": null,
           *       "address": null,
           *       "district": null,
           *       "city": null,
           *       "country": null,
           *       "contact_name": null,
           *       "locale": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Member'];
        };
      };
      /** @description The request breaks a rule, gives node_id or external_id another value, or makes the member too large; `errors` names the fields */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "/docs#immutable_field",
           *       "title": "The field can not be changed",
           *       "status": 400,
           *       "detail": "/body/external_id can not be changed",
           *       "code": "immutable_field",
           *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11",
           *       "errors": [
           *         {
           *           "path": "/body/external_id",
           *           "message": "must not change"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['MemberNotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteMember: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f73 */
        id: components['parameters']['MemberId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The member is deleted */
      204: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['MemberNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listPayments: {
    parameters: {
      query: {
        /**
         * @description The caller's node or one below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Also what belongs to the nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        /** @description Only payments through this wallet, of the node or of a node above it */
        wallet_id?: components['schemas']['Uuid'];
        network_id?: components['schemas']['Uuid'];
        member_id?: components['schemas']['Uuid'];
        external_id?: string;
        status?: components['schemas']['PaymentStatus'];
        payment_method?: components['schemas']['PaymentMethod'];
        /** @description Created at or after this time */
        created_from?: components['schemas']['Timestamp'];
        /** @description Created before this time */
        created_to?: components['schemas']['Timestamp'];
        /** @description Completed at or after this time */
        completed_from?: components['schemas']['Timestamp'];
        /** @description Completed before this time */
        completed_to?: components['schemas']['Timestamp'];
        /** @description Changed at or after this time, by `updated_at`, which moves with everything that is shown of a payment. A change can be seen up to 15 minutes after that: let each question begin 15 minutes before the one before it was asked, and go by `id` and `updated_at` */
        updated_from?: components['schemas']['Timestamp'];
        /** @description Of the buyer's transaction or of the one that created the deal, in any case */
        transaction_hash?: string;
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of payments, or all of them as a file */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7a",
           *           "external_id": "order-1003",
           *           "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *           "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "eip155": 11155111,
           *           "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *           "member_id": null,
           *           "member": null,
           *           "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *           "currency": "USDC",
           *           "price": 15,
           *           "price_units": "15000000",
           *           "paid_price": 12.5,
           *           "paid_price_units": "12500000",
           *           "payment_method": "web3",
           *           "payment_group": "product",
           *           "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *           "items": [],
           *           "metadata": null,
           *           "expires_at": "2099-03-01T13:00:00.000Z",
           *           "retry": true,
           *           "retry_count": 3,
           *           "client_ip": null,
           *           "status": "pending",
           *           "status_detail": null,
           *           "deal_id": 4503599627370501,
           *           "diamond_address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *           "transaction_hash": null,
           *           "deal_transaction_hash": null,
           *           "paid_at": null,
           *           "payer": null,
           *           "completed_at": null,
           *           "access_token": "wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *           "checkout_url": null,
           *           "created_at": "2099-03-01T12:00:00.000Z",
           *           "updated_at": "2099-03-01T12:00:00.000Z"
           *         },
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f76",
           *           "external_id": "order-1002",
           *           "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *           "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "eip155": 11155111,
           *           "wallet_id": null,
           *           "member_id": null,
           *           "member": null,
           *           "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *           "currency": "USDC",
           *           "price": 15,
           *           "price_units": "15000000",
           *           "paid_price": 12.5,
           *           "paid_price_units": "12500000",
           *           "payment_method": "bank_transfer",
           *           "payment_group": "product",
           *           "payment_address": "DE00 1234 5678 9012 3456 78",
           *           "items": [],
           *           "metadata": null,
           *           "expires_at": "2099-03-04T12:00:00.000Z",
           *           "retry": true,
           *           "retry_count": 3,
           *           "client_ip": null,
           *           "status": "pending",
           *           "status_detail": null,
           *           "deal_id": null,
           *           "diamond_address": null,
           *           "transaction_hash": null,
           *           "deal_transaction_hash": null,
           *           "paid_at": null,
           *           "payer": null,
           *           "completed_at": null,
           *           "access_token": "wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *           "checkout_url": null,
           *           "created_at": "2099-03-01T12:00:00.000Z",
           *           "updated_at": "2099-03-01T12:00:00.000Z"
           *         },
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72",
           *           "external_id": "order-1001",
           *           "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *           "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "eip155": 11155111,
           *           "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *           "member_id": null,
           *           "member": null,
           *           "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *           "currency": "USDC",
           *           "price": 15,
           *           "price_units": "15000000",
           *           "paid_price": 12.5,
           *           "paid_price_units": "12500000",
           *           "payment_method": "web3",
           *           "payment_group": "product",
           *           "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *           "items": [
           *             {
           *               "name": "Blue shirt, M",
           *               "price": 12.5,
           *               "price_units": "12500000",
           *               "external_id": "sku-77"
           *             }
           *           ],
           *           "metadata": "{\"cart\":\"c-9\"}",
           *           "expires_at": "2099-03-01T13:00:00.000Z",
           *           "retry": true,
           *           "retry_count": 3,
           *           "client_ip": null,
           *           "status": "awaiting_payment",
           *           "status_detail": null,
           *           "deal_id": 4503599627370497,
           *           "diamond_address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *           "transaction_hash": "0x9f2c4b6a8d0e1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1c3d5e7f9a1b3c5d7e9f10",
           *           "deal_transaction_hash": "0x9f2c4b6a8d0e1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1c3d5e7f9a1b3c5d7e9f10",
           *           "paid_at": null,
           *           "payer": null,
           *           "completed_at": null,
           *           "access_token": "wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *           "checkout_url": null,
           *           "created_at": "2099-03-01T12:00:00.000Z",
           *           "updated_at": "2099-03-01T12:01:30.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 3,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['PaymentPage'];
          /** @example id,external_id,node_id,chain_id,network_id,eip155,wallet_id,member_id,payment_method,payment_group,status,status_detail,currency_id,currency,price,price_units,paid_price,paid_price_units,payment_address,payer,diamond_address,deal_id,transaction_hash,deal_transaction_hash,created_at,expires_at,paid_at,completed_at,updated_at,retry,retry_count,metadata */
          'text/csv': string;
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description The node, or what the list is filtered by, is not there or out of reach */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createPayment: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "external_id": "order-1001",
         *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
         *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
         *       "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
         *       "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
         *       "price": 15,
         *       "paid_price": 12.5,
         *       "payment_method": "web3",
         *       "payment_group": "product",
         *       "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
         *       "items": [
         *         {
         *           "name": "Blue shirt, M",
         *           "price": 12.5,
         *           "external_id": "sku-77"
         *         }
         *       ],
         *       "metadata": "{\"cart\":\"c-9\"}",
         *       "expires_at": "2099-03-01T13:00:00Z"
         *     }
         */
        'application/json': components['schemas']['PaymentRequest'];
      };
    };
    responses: {
      /** @description The payment, with the access_token for the widget */
      201: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72",
           *       "external_id": "order-1001",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *       "eip155": 11155111,
           *       "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *       "member_id": null,
           *       "member": null,
           *       "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *       "currency": "USDC",
           *       "price": 15,
           *       "price_units": "15000000",
           *       "paid_price": 12.5,
           *       "paid_price_units": "12500000",
           *       "payment_method": "web3",
           *       "payment_group": "product",
           *       "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *       "items": [
           *         {
           *           "name": "Blue shirt, M",
           *           "price": 12.5,
           *           "price_units": "12500000",
           *           "external_id": "sku-77"
           *         }
           *       ],
           *       "metadata": "{\"cart\":\"c-9\"}",
           *       "expires_at": "2099-03-01T13:00:00.000Z",
           *       "retry": true,
           *       "retry_count": 3,
           *       "client_ip": null,
           *       "status": "pending",
           *       "status_detail": null,
           *       "deal_id": 4503599627370497,
           *       "diamond_address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *       "transaction_hash": null,
           *       "deal_transaction_hash": null,
           *       "paid_at": null,
           *       "payer": null,
           *       "completed_at": null,
           *       "access_token": "wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *       "checkout_url": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Payment'];
        };
      };
      /** @description The request breaks a rule, or makes a payment of more than 36,864 or a member of more than 28,672 bytes; `payee_not_allowed` when a locked payout address is another one than payment_address */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "/docs#payment_too_large",
           *       "title": "The payment is too large",
           *       "status": 400,
           *       "detail": "/body must make a payment of at most 36864 bytes as JSON in UTF-8, not of 59221",
           *       "code": "payment_too_large",
           *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11",
           *       "errors": [
           *         {
           *           "path": "/body",
           *           "message": "must make a payment of at most 36864 bytes as JSON in UTF-8, not of 59221"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description Something the payment refers to is not there or out of reach; without wallet_id, the node has no default wallet for the network */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The external_id is taken on this node (`existing_id` names the payment, and `errors` the terms that the request has otherwise), or the wallet or the network takes no new payments */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "/docs#payment_exists_with_other_terms",
           *       "title": "The payment exists with other terms",
           *       "status": 409,
           *       "detail": "The node has a payment with this external_id and other terms",
           *       "code": "payment_exists_with_other_terms",
           *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11",
           *       "errors": [
           *         {
           *           "path": "/body/paid_price",
           *           "message": "must be as in the payment that exists"
           *         }
           *       ],
           *       "existing_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72"
           *     }
           */
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      /** @description The node has as many open payments as it may, or the integration sends too many requests */
      429: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Retry-After': components['headers']['RetryAfter'];
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getPayment: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72 */
        id: components['parameters']['PaymentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The payment */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72",
           *       "external_id": "order-1001",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *       "eip155": 11155111,
           *       "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *       "member_id": null,
           *       "member": null,
           *       "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *       "currency": "USDC",
           *       "price": 15,
           *       "price_units": "15000000",
           *       "paid_price": 12.5,
           *       "paid_price_units": "12500000",
           *       "payment_method": "web3",
           *       "payment_group": "product",
           *       "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *       "items": [
           *         {
           *           "name": "Blue shirt, M",
           *           "price": 12.5,
           *           "price_units": "12500000",
           *           "external_id": "sku-77"
           *         }
           *       ],
           *       "metadata": "{\"cart\":\"c-9\"}",
           *       "expires_at": "2099-03-01T13:00:00.000Z",
           *       "retry": true,
           *       "retry_count": 3,
           *       "client_ip": null,
           *       "status": "awaiting_payment",
           *       "status_detail": null,
           *       "deal_id": 4503599627370497,
           *       "diamond_address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *       "transaction_hash": "0x9f2c4b6a8d0e1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1c3d5e7f9a1b3c5d7e9f10",
           *       "deal_transaction_hash": "0x9f2c4b6a8d0e1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1c3d5e7f9a1b3c5d7e9f10",
           *       "paid_at": null,
           *       "payer": null,
           *       "completed_at": null,
           *       "access_token": "wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *       "checkout_url": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:01:30.000Z"
           *     }
           */
          'application/json': components['schemas']['Payment'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['PaymentNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listPaymentLogs: {
    parameters: {
      query?: {
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72 */
        id: components['parameters']['PaymentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of log entries, newest first */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f78",
           *           "payment_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72",
           *           "sequence": 2,
           *           "event_type": "deal_confirmed",
           *           "message": "Deal confirmed on the chain; the buyer can pay",
           *           "actor_type": "chain",
           *           "actor_id": null,
           *           "data": {
           *             "transaction_hash": "0x9f2c4b6a8d0e1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1c3d5e7f9a1b3c5d7e9f10",
           *             "block_number": 9876543,
           *             "block_hash": "0x1b7d3f5a9c8e2046b8d0f2a4c6e8091b3d5f7a9c1e3b5d7f90a2c4e6f8091a2b"
           *           },
           *           "created_at": "2099-03-01T12:01:30.000Z"
           *         },
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f77",
           *           "payment_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72",
           *           "sequence": 1,
           *           "event_type": "payment_created",
           *           "message": "Payment created",
           *           "actor_type": "integration",
           *           "actor_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f70",
           *           "data": {},
           *           "created_at": "2099-03-01T12:00:00.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 2,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['PaymentLogPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['PaymentNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  settlePayment: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f76 */
        id: components['schemas']['Uuid'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "outcome": "completed",
         *       "reference": "transfer-2099-03-01-0001"
         *     }
         */
        'application/json': components['schemas']['SettlementRequest'];
      };
    };
    responses: {
      /** @description The payment */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f76",
           *       "external_id": "order-1002",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *       "eip155": 11155111,
           *       "wallet_id": null,
           *       "member_id": null,
           *       "member": null,
           *       "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *       "currency": "USDC",
           *       "price": 15,
           *       "price_units": "15000000",
           *       "paid_price": 12.5,
           *       "paid_price_units": "12500000",
           *       "payment_method": "bank_transfer",
           *       "payment_group": "product",
           *       "payment_address": "DE00 1234 5678 9012 3456 78",
           *       "items": [],
           *       "metadata": null,
           *       "expires_at": "2099-03-04T12:00:00.000Z",
           *       "retry": true,
           *       "retry_count": 3,
           *       "client_ip": null,
           *       "status": "completed",
           *       "status_detail": null,
           *       "deal_id": null,
           *       "diamond_address": null,
           *       "transaction_hash": null,
           *       "deal_transaction_hash": null,
           *       "paid_at": null,
           *       "payer": null,
           *       "completed_at": "2099-03-01T12:01:30.000Z",
           *       "access_token": "wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *       "checkout_url": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-02T09:30:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Payment'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['PaymentNotFound'];
      /** @description The payment is on a chain, has ended otherwise, or is being canceled; or the Idempotency-Key was used for another request */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  cancelPayment: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72 */
        id: components['parameters']['PaymentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The cancel is accepted */
      202: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "accepted"
           *     }
           */
          'application/json': components['schemas']['Accepted'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['OutOfReach'];
      /** @description No such payment */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The payment is paid or over; or the Idempotency-Key was used for another request */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  retrySendPayment: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7a */
        id: components['schemas']['Uuid'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The payment */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7a",
           *       "external_id": "order-1003",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *       "eip155": 11155111,
           *       "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *       "member_id": null,
           *       "member": null,
           *       "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *       "currency": "USDC",
           *       "price": 15,
           *       "price_units": "15000000",
           *       "paid_price": 12.5,
           *       "paid_price_units": "12500000",
           *       "payment_method": "web3",
           *       "payment_group": "product",
           *       "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *       "items": [],
           *       "metadata": null,
           *       "expires_at": "2099-03-01T13:00:00.000Z",
           *       "retry": true,
           *       "retry_count": 3,
           *       "client_ip": null,
           *       "status": "pending",
           *       "status_detail": null,
           *       "deal_id": 4503599627370501,
           *       "diamond_address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *       "transaction_hash": null,
           *       "deal_transaction_hash": null,
           *       "paid_at": null,
           *       "payer": null,
           *       "completed_at": null,
           *       "access_token": "wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *       "checkout_url": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:10:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Payment'];
        };
      };
      /** @description The request breaks a rule, or the payment is no `web3` payment that is `pending` */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['PaymentNotFound'];
      409: components['responses']['IdempotencyKeyReused'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getWidgetPayment: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72 */
        id: components['parameters']['PaymentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The data */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "external_id": "order-1001",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "network_id": 11155111,
           *       "deal_id": 4503599627370497,
           *       "price": 12500000,
           *       "price_decimals": 6,
           *       "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *       "diamond_address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *       "currency": "USDC",
           *       "token_address": "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238",
           *       "amount": "12500000",
           *       "decimals": 6,
           *       "contract": {
           *         "abi": [
           *           {
           *             "type": "function",
           *             "name": "payToken",
           *             "stateMutability": "nonpayable",
           *             "inputs": [
           *               {
           *                 "name": "deal",
           *                 "type": "tuple",
           *                 "internalType": "struct Deal",
           *                 "components": [
           *                   {
           *                     "name": "dealId",
           *                     "type": "uint256",
           *                     "internalType": "uint256"
           *                   },
           *                   {
           *                     "name": "token",
           *                     "type": "address",
           *                     "internalType": "address"
           *                   },
           *                   {
           *                     "name": "payee",
           *                     "type": "address",
           *                     "internalType": "address"
           *                   },
           *                   {
           *                     "name": "payer",
           *                     "type": "address",
           *                     "internalType": "address"
           *                   },
           *                   {
           *                     "name": "amount",
           *                     "type": "uint256",
           *                     "internalType": "uint256"
           *                   },
           *                   {
           *                     "name": "expiresAt",
           *                     "type": "uint256",
           *                     "internalType": "uint256"
           *                   }
           *                 ]
           *               }
           *             ],
           *             "outputs": []
           *           }
           *         ],
           *         "function_name": "payToken",
           *         "arguments": [
           *           [
           *             "4503599627370497",
           *             "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238",
           *             "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *             "0x0000000000000000000000000000000000000000",
           *             "12500000",
           *             "4076053200"
           *           ]
           *         ],
           *         "value": "0"
           *       },
           *       "status": "awaiting_payment",
           *       "payable": true,
           *       "expires_at": "2099-03-01T13:00:00.000Z",
           *       "transaction_hash": "0x9f2c4b6a8d0e1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1c3d5e7f9a1b3c5d7e9f10",
           *       "warning": "Pay only by the call in \"contract\". A plain transfer pays for nothing: sent to payment_address it reaches the payee and is not recognised, and sent to diamond_address it stays there until the operator of this service recovers it."
           *     }
           */
          'application/json': components['schemas']['WidgetPayment'];
        };
      };
      400: components['responses']['BadParameters'];
      /** @description The access token is missing, is not this payment's, or has ended */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      404: components['responses']['PaymentNotFound'];
      /** @description The payment can not be paid on a chain, or not yet - its diamond is not active */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listWebhooks: {
    parameters: {
      query?: {
        wallet_id?: components['schemas']['Uuid'];
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of webhooks */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79",
           *           "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "node_id": null,
           *           "host": "https://shop.example",
           *           "success_path": "/carat/paid",
           *           "error_path": "/carat/unpaid",
           *           "auth_type": "basic",
           *           "events": [
           *             "payment.processing"
           *           ],
           *           "is_active": true,
           *           "disabled_reason": null,
           *           "failing_since": null,
           *           "created_at": "2099-03-01T12:00:00.000Z",
           *           "updated_at": "2099-03-01T12:00:00.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 1,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['WebhookPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['WalletNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  updateWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79",
         *       "success_path": "/carat/paid",
         *       "auth_basic_password": "staple battery horse correct"
         *     }
         */
        'application/json': components['schemas']['WebhookUpdate'];
      };
    };
    responses: {
      /** @description The webhook */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79",
           *       "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *       "node_id": null,
           *       "host": "https://shop.example",
           *       "success_path": "/carat/paid",
           *       "error_path": "/carat/unpaid",
           *       "auth_type": "basic",
           *       "events": [
           *         "payment.processing"
           *       ],
           *       "is_active": true,
           *       "disabled_reason": null,
           *       "failing_since": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Webhook'];
        };
      };
      /** @description The request breaks a rule; `errors` names fields and rules */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['OutOfReach'];
      404: components['responses']['WebhookNotFound'];
      /** @description There is another webhook of this wallet, network, host and node */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  createWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
         *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
         *       "host": "https://shop.example",
         *       "success_path": "/carat/paid",
         *       "error_path": "/carat/unpaid",
         *       "auth_type": "basic",
         *       "auth_basic_username": "carat",
         *       "auth_basic_password": "correct horse battery staple",
         *       "events": [
         *         "payment.processing"
         *       ]
         *     }
         */
        'application/json': components['schemas']['WebhookRequest'];
      };
    };
    responses: {
      /** @description The webhook, with its signing secret */
      201: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79",
           *       "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *       "node_id": null,
           *       "host": "https://shop.example",
           *       "success_path": "/carat/paid",
           *       "error_path": "/carat/unpaid",
           *       "auth_type": "basic",
           *       "events": [
           *         "payment.processing"
           *       ],
           *       "is_active": true,
           *       "disabled_reason": null,
           *       "failing_since": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:00:00.000Z",
           *       "signing_secret": "whsec_c2lnbmluZyBzZWNyZXQgb2YgdGhpcnR5LXR3byBieXQ="
           *     }
           */
          'application/json': components['schemas']['CreatedWebhook'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['OutOfReach'];
      /** @description No such wallet or network, or no such node at or below the wallet's */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description There is a webhook of this wallet, network, host and node, the node has 200 or 16 of this wallet on this network, the network is retired, or the Idempotency-Key was used for another request */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  deleteWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79"
         *     }
         */
        'application/json': components['schemas']['WebhookReference'];
      };
    };
    responses: {
      /** @description It is deleted */
      204: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['OutOfReach'];
      404: components['responses']['WebhookNotFound'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listDeliveries: {
    parameters: {
      query?: {
        state?: components['schemas']['DeliveryState'];
        /** @description Of the event */
        type?: components['schemas']['EventType'];
        payment_id?: components['schemas']['Uuid'];
        /** @description Inclusive */
        created_from?: components['schemas']['Timestamp'];
        /** @description Exclusive */
        created_to?: components['schemas']['Timestamp'];
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79 */
        id: components['parameters']['WebhookId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of deliveries */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7c",
           *           "webhook_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79",
           *           "event_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7b",
           *           "event_type": "payment.processing",
           *           "payment_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72",
           *           "sequence": 3,
           *           "test": false,
           *           "state": "skipped",
           *           "attempts": 1,
           *           "next_attempt_at": null,
           *           "delivered_at": null,
           *           "created_at": "2099-03-01T12:02:00.000Z",
           *           "updated_at": "2099-03-01T12:02:00.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 1,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['DeliveryPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['OutOfReach'];
      404: components['responses']['WebhookNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79 */
        id: components['parameters']['WebhookId'];
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7c */
        delivery_id: components['parameters']['DeliveryId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7c",
           *       "webhook_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79",
           *       "event_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7b",
           *       "event_type": "payment.processing",
           *       "payment_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72",
           *       "sequence": 3,
           *       "test": false,
           *       "state": "skipped",
           *       "attempts": 1,
           *       "next_attempt_at": null,
           *       "delivered_at": null,
           *       "created_at": "2099-03-01T12:02:00.000Z",
           *       "updated_at": "2099-03-01T12:02:00.000Z",
           *       "request": {
           *         "method": "POST",
           *         "url": "https://shop.example/carat/paid",
           *         "headers": {
           *           "content-type": "application/json",
           *           "user-agent": "Carat-Webhooks/1",
           *           "webhook-id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7b",
           *           "webhook-timestamp": "4076049720"
           *         },
           *         "body": "{\"id\":\"01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7b\",\"type\":\"payment.processing\"}"
           *       },
           *       "tries": [
           *         {
           *           "at": "2099-03-01T12:02:00.000Z",
           *           "status": 503,
           *           "duration_ms": 41,
           *           "response": "try later",
           *           "error": null
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['DeliveryDetails'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['OutOfReach'];
      404: components['responses']['DeliveryNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  redeliver: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79 */
        id: components['parameters']['WebhookId'];
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7c */
        delivery_id: components['parameters']['DeliveryId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It will be sent */
      202: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7c",
           *       "webhook_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79",
           *       "event_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7b",
           *       "event_type": "payment.processing",
           *       "payment_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72",
           *       "sequence": 3,
           *       "test": false,
           *       "state": "pending",
           *       "attempts": 0,
           *       "next_attempt_at": "2099-03-01T12:05:00.000Z",
           *       "delivered_at": null,
           *       "created_at": "2099-03-01T12:02:00.000Z",
           *       "updated_at": "2099-03-01T12:05:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Delivery'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['OutOfReach'];
      404: components['responses']['DeliveryNotFound'];
      409: components['responses']['WebhookInactive'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  replayDeliveries: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79 */
        id: components['parameters']['WebhookId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "from": "2099-03-01T12:00:00.000Z",
         *       "to": "2099-03-01T12:30:00.000Z"
         *     }
         */
        'application/json': components['schemas']['ReplayRequest'];
      };
    };
    responses: {
      /** @description How many deliveries will be sent again */
      202: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "webhook_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79",
           *       "count": 1
           *     }
           */
          'application/json': components['schemas']['Replay'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['OutOfReach'];
      404: components['responses']['WebhookNotFound'];
      409: components['responses']['WebhookInactive'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      /** @description Too many deliveries of the node would be undelivered, or the integration sends too many requests */
      429: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Retry-After': components['headers']['RetryAfter'];
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  testWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79 */
        id: components['parameters']['WebhookId'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "type": "payment.completed"
         *     }
         */
        'application/json': components['schemas']['WebhookTest'];
      };
    };
    responses: {
      /** @description The delivery of it */
      202: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7e",
           *       "webhook_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79",
           *       "event_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7f",
           *       "event_type": "payment.completed",
           *       "payment_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
           *       "sequence": 4,
           *       "test": true,
           *       "state": "pending",
           *       "attempts": 0,
           *       "next_attempt_at": "2099-03-01T12:05:00.000Z",
           *       "delivered_at": null,
           *       "created_at": "2099-03-01T12:05:00.000Z",
           *       "updated_at": "2099-03-01T12:05:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Delivery'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['OutOfReach'];
      404: components['responses']['WebhookNotFound'];
      409: components['responses']['WebhookInactive'];
      413: components['responses']['TooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79 */
        id: components['parameters']['WebhookId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook with its new signing secret */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79",
           *       "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *       "node_id": null,
           *       "host": "https://shop.example",
           *       "success_path": "/carat/paid",
           *       "error_path": "/carat/unpaid",
           *       "auth_type": "basic",
           *       "events": [
           *         "payment.processing"
           *       ],
           *       "is_active": true,
           *       "disabled_reason": null,
           *       "failing_since": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:05:00.000Z",
           *       "signing_secret": "whsec_YW5vdGhlciBzZWNyZXQgb2YgdGhpcnR5LXR3byBieXQ="
           *     }
           */
          'application/json': components['schemas']['CreatedWebhook'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['OutOfReach'];
      404: components['responses']['WebhookNotFound'];
      409: components['responses']['IdempotencyKeyReused'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listAlerts: {
    parameters: {
      query?: {
        state?: 'open' | 'closed';
        kind?: components['schemas']['AlertKind'];
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of alerts */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7d",
           *           "kind": "payment_after_end",
           *           "is_condition": false,
           *           "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "payment_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72",
           *           "webhook_id": null,
           *           "message": "A payment that is over was paid on the chain",
           *           "data": {
           *             "block_number": 9876543
           *           },
           *           "created_at": "2099-03-01T12:00:00.000Z",
           *           "closed_at": null,
           *           "closed_by": null
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 1,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['AlertPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  closeAlert: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to send again: the same key and body are answered as the first time, with `Idempotent-Replayed: true`; another body is 409. Answers other than 2xx are not kept. Kept for 24 hours, or until the payment has ended if that is later. A token that can do less than the first one gets no answer that it could not have had. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7d */
        id: components['schemas']['Uuid'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The alert, closed */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7d",
           *       "kind": "payment_after_end",
           *       "is_condition": false,
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *       "payment_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72",
           *       "webhook_id": null,
           *       "message": "A payment that is over was paid on the chain",
           *       "data": {
           *         "block_number": 9876543
           *       },
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "closed_at": "2099-03-01T12:30:00.000Z",
           *       "closed_by": "person"
           *     }
           */
          'application/json': components['schemas']['Alert'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description No such alert in the caller's reach */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      409: components['responses']['IdempotencyKeyReused'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listAuditLog: {
    parameters: {
      query: {
        /**
         * @description The caller's node or one below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Also what belongs to the nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        action?: components['schemas']['AuditAction'];
        /** @description Of what was changed */
        resource_id?: components['schemas']['Uuid'];
        actor_id?: string;
        /** @description Inclusive */
        created_from?: components['schemas']['Timestamp'];
        /** @description Exclusive */
        created_to?: components['schemas']['Timestamp'];
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of changes */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f75",
           *           "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *           "action": "wallet.created",
           *           "resource_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *           "actor_type": "integration",
           *           "actor_id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f70",
           *           "address": "203.0.113.9",
           *           "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11",
           *           "before": null,
           *           "after": {
           *             "id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *             "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *             "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *             "name": "main wallet",
           *             "address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *             "is_active": true,
           *             "created_at": "2099-03-01T12:00:00.000Z",
           *             "updated_at": "2099-03-01T12:00:00.000Z"
           *           },
           *           "created_at": "2099-03-01T12:00:00.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 1,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['AuditPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NodeNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listNodes: {
    parameters: {
      query?: {
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of nodes */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *           "parent_id": "3c2b1a09-8f7e-8d6c-9b5a-4f3e2d1c0b9a",
           *           "name": "merchant",
           *           "created_at": "2099-03-01T12:00:00.000Z",
           *           "updated_at": "2099-03-01T12:00:00.000Z"
           *         },
           *         {
           *           "id": "3c2b1a09-8f7e-8d6c-9b5a-4f3e2d1c0b9a",
           *           "parent_id": null,
           *           "name": "platform",
           *           "created_at": "2099-03-01T11:00:00.000Z",
           *           "updated_at": "2099-03-01T11:00:00.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 2,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['NodePage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listChains: {
    parameters: {
      query?: {
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of chains */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *           "name": "Ethereum",
           *           "created_at": "2099-03-01T12:00:00.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 1,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['ChainPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listNetworks: {
    parameters: {
      query?: {
        /** @description Also those that are retired */
        include_retired?: boolean;
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of networks */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "chain_id": "5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21",
           *           "name": "Sepolia",
           *           "eip155": 11155111,
           *           "confirmations": 6,
           *           "finality": 96,
           *           "block_time_ms": 12000,
           *           "explorer_url": "https://sepolia.etherscan.io",
           *           "retired_at": null,
           *           "created_at": "2099-03-01T12:00:00.000Z",
           *           "updated_at": "2099-03-01T12:00:00.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 1,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['NetworkPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  listCurrencies: {
    parameters: {
      query?: {
        page?: components['parameters']['Page'];
        per_page?: components['parameters']['PerPage'];
        /** @description The next_cursor of the page before. Deep pages of a long list are as fast as the first one, and entries that are added meanwhile move nothing; `page` is not looked at then, and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of currencies */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "items": [
           *         {
           *           "id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *           "symbol": "USDC",
           *           "name": "USD Coin",
           *           "decimals": 6,
           *           "tokens": [
           *             {
           *               "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *               "address": "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238",
           *               "decimals": 6
           *             }
           *           ],
           *           "created_at": "2099-03-01T12:00:00.000Z"
           *         }
           *       ],
           *       "page": 1,
           *       "per_page": 10,
           *       "total": 1,
           *       "next_cursor": null
           *     }
           */
          'application/json': components['schemas']['CurrencyPage'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getStatus: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How it stands */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ok",
           *       "at": "2099-03-01T12:00:00.000Z",
           *       "database": {
           *         "status": "ok",
           *         "value": 0.6,
           *         "bound": 500,
           *         "unit": "milliseconds"
           *       },
           *       "temporal": {
           *         "status": "ok",
           *         "value": 2.1,
           *         "bound": 10,
           *         "unit": "seconds"
           *       },
           *       "workers": {
           *         "status": "ok",
           *         "value": 1.4,
           *         "bound": 10,
           *         "unit": "seconds"
           *       },
           *       "commands": {
           *         "status": "ok",
           *         "value": null,
           *         "bound": 30,
           *         "unit": "seconds"
           *       },
           *       "intents": {
           *         "status": "ok",
           *         "value": null,
           *         "bound": 60,
           *         "unit": "seconds"
           *       },
           *       "worker_count": 1,
           *       "worker_list": [
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f90",
           *           "name": "17@worker-1",
           *           "started_at": "2099-03-01T11:00:00.000Z",
           *           "status": "ok",
           *           "value": 1.4,
           *           "bound": 10,
           *           "unit": "seconds"
           *         }
           *       ],
           *       "network_count": 1,
           *       "network_list": [
           *         {
           *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "name": "Sepolia",
           *           "last_block": 9876543,
           *           "status": "ok",
           *           "value": 3.2,
           *           "bound": 120,
           *           "unit": "seconds"
           *         }
           *       ]
           *     }
           */
          'application/json': components['schemas']['ServiceStatus'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      /** @description The caller's node has a parent */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getHealth: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Alive */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ok"
           *     }
           */
          'application/json': components['schemas']['Health'];
        };
      };
      400: components['responses']['BadParameters'];
      500: components['responses']['InternalError'];
    };
  };
  getReadiness: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Ready */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ready",
           *       "database": "reachable",
           *       "temporal": "reachable"
           *     }
           */
          'application/json': components['schemas']['Readiness'];
        };
      };
      400: components['responses']['BadParameters'];
      500: components['responses']['InternalError'];
      /** @description The database is not reachable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "not_ready",
           *       "database": "unreachable",
           *       "temporal": "reachable"
           *     }
           */
          'application/json': components['schemas']['Readiness'];
        };
      };
    };
  };
  getDocs: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      400: components['responses']['BadParameters'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getDocsScript: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Redoc */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'text/javascript': string;
        };
      };
      400: components['responses']['BadParameters'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getSpecification: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The document */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Specification'];
        };
      };
      400: components['responses']['BadParameters'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
}

/** Whose token each operation needs. */
export interface Access {
  issueToken: 'public';
  getKeys: 'public';
  createIntegration: 'integration';
  listIntegrations: 'integration';
  getIntegration: 'integration';
  revokeIntegration: 'integration';
  rotateIntegration: 'integration';
  createWallet: 'integration';
  listWallets: 'integration';
  getWallet: 'integration';
  updateWallet: 'integration';
  deleteWallet: 'integration';
  deployWallet: 'integration';
  checkVersion: 'integration';
  listDeployments: 'integration';
  updateDiamond: 'integration';
  createDefault: 'integration';
  listDefaults: 'integration';
  replaceDefault: 'integration';
  deleteDefault: 'integration';
  getPayout: 'integration';
  setPayout: 'integration';
  createMember: 'integration';
  listMembers: 'integration';
  getMember: 'integration';
  updateMember: 'integration';
  deleteMember: 'integration';
  createPayment: 'integration';
  listPayments: 'integration';
  getPayment: 'integration';
  listPaymentLogs: 'integration';
  settlePayment: 'integration';
  cancelPayment: 'integration';
  retrySendPayment: 'integration';
  getWidgetPayment: 'widget';
  createWebhook: 'integration';
  listWebhooks: 'integration';
  updateWebhook: 'integration';
  deleteWebhook: 'integration';
  listDeliveries: 'integration';
  getDelivery: 'integration';
  redeliver: 'integration';
  replayDeliveries: 'integration';
  testWebhook: 'integration';
  rotateWebhookSecret: 'integration';
  listAlerts: 'integration';
  closeAlert: 'integration';
  listAuditLog: 'integration';
  listNodes: 'integration';
  listChains: 'integration';
  listNetworks: 'integration';
  listCurrencies: 'integration';
  getStatus: 'integration';
  getHealth: 'public';
  getReadiness: 'public';
  getDocs: 'public';
  getDocsScript: 'public';
  getSpecification: 'public';
}

/** With which others of its node each operation takes turns. */
export interface Turns {
  issueToken: 'single';
  getKeys: 'single';
  createIntegration: 'single';
  listIntegrations: 'list';
  getIntegration: 'single';
  revokeIntegration: 'single';
  rotateIntegration: 'single';
  createWallet: 'single';
  listWallets: 'list';
  getWallet: 'single';
  updateWallet: 'single';
  deleteWallet: 'single';
  deployWallet: 'single';
  checkVersion: 'slow';
  listDeployments: 'list';
  updateDiamond: 'slow';
  createDefault: 'single';
  listDefaults: 'list';
  replaceDefault: 'single';
  deleteDefault: 'single';
  getPayout: 'single';
  setPayout: 'single';
  createMember: 'single';
  listMembers: 'list';
  getMember: 'single';
  updateMember: 'single';
  deleteMember: 'single';
  createPayment: 'batched';
  listPayments: 'list';
  getPayment: 'batched';
  listPaymentLogs: 'list';
  settlePayment: 'single';
  cancelPayment: 'single';
  retrySendPayment: 'single';
  getWidgetPayment: 'single';
  createWebhook: 'single';
  listWebhooks: 'list';
  updateWebhook: 'bulk';
  deleteWebhook: 'bulk';
  listDeliveries: 'list';
  getDelivery: 'single';
  redeliver: 'single';
  replayDeliveries: 'bulk';
  testWebhook: 'single';
  rotateWebhookSecret: 'single';
  listAlerts: 'list';
  closeAlert: 'single';
  listAuditLog: 'list';
  listNodes: 'list';
  listChains: 'list';
  listNetworks: 'list';
  listCurrencies: 'list';
  getStatus: 'single';
  getHealth: 'single';
  getReadiness: 'single';
  getDocs: 'single';
  getDocsScript: 'single';
  getSpecification: 'single';
}
