// Written by tools/build/generate-api-types.ts from openapi.yaml. Do not edit.

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
     * Exchange an api_key and secret for a bearer token (RFC 6749, client credentials)
     * @description The api_key is the client id and the secret is the client secret. Send them in the body or by HTTP Basic, not both. Errors follow RFC 6749 section 5.2, with the additional members `code` and `request_id`.
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
    /** List the public keys that verify bearer tokens (RFC 7517) */
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
     * @description Secrets are never returned. Revoked and expired integrations are left out unless `include_ended` is true.
     */
    get: operations['listIntegrations'];
    put?: never;
    /**
     * Create an integration with an api_key and a secret
     * @description Without `permissions`, the integration gets its creator's permissions. A creator cannot grant permissions it lacks, and the integration expires no later than its creator. Only this answer contains the secret.
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
     * @description Takes effect at once and cannot be undone: every later request is refused, whichever of its tokens it uses. The caller needs every permission that the integration holds. Integrations that it created stay valid; revoke them too if you do not trust them.
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
     * Rotate the secret of an integration
     * @description The api_key stays the same. The previous secret stays valid for `overlap_seconds`; the secret before that one ends at once. Only this answer contains the new secret: send an Idempotency-Key, so that you can fetch a lost answer again. Issued tokens stay valid until they expire, within 15 minutes; revoke the integration to cut them off. The caller needs every permission that the integration holds, and must not expire before it.
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
     * Create a wallet
     * @description The address is known at once and is the same on every network of the chain. `deployWallet` deploys the wallet's diamond on a network.
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
     * Update a wallet
     * @description Only the given fields change. `address` also needs wallets.deploy: the wallet adopts the diamond at that address, and the next deployment accepts it only if the registry created it. A wallet can return to its first address. `deal_modes` also needs wallets.deploy and changes the networks that it names, for new payments only. A network takes the mode `offered` once the wallet's diamond there has a release with offers.
     */
    put: operations['updateWallet'];
    post?: never;
    /**
     * Delete a wallet
     * @description Also deletes the defaults that name the wallet. Its open payments and their webhooks proceed to their end.
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
     * Start or continue the deployment of a wallet's diamond on a network
     * @description Safe to repeat in any state: a wallet has one diamond per network. The answer is the first unfinished step, or the last step when all are completed. A failed step is retried.
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
     * Compare a wallet's diamond with the network's release
     * @description The diamond is inspected at one confirmed block, and as many RPC endpoints as the operator requires must agree. A wallet without a diamond gets the status `missing` everywhere. The target is the release that the operator has set for the network.
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
     * List the deployments and updates of a wallet's diamonds
     * @description One entry for each run, with its steps in order and the transactions of each step.
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
     * Update a wallet's diamond to the network's release
     * @description Safe to repeat in any state, and answers like `deployWallet`. When nothing needs updating, the answer is the last step, `completed`, and no transaction is sent. A failed update is planned again. While the diamond is being cut, new payments wait with `diamond_updating`; existing deals can be paid and canceled. `dry_run` stores and sends nothing: the answer is the plan of an update at this moment, which a second person can recompute and compare.
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
     * Change the wallet of a default
     * @description Existing payments keep their wallet.
     */
    put: operations['replaceDefault'];
    /**
     * Create a default wallet
     * @description A payment without `wallet_id` uses the `node` default of its node for the network, else the node's `apex` default, else the `apex` default of the nearest node above that has one. The wallet must belong to the node or to a node above it.
     */
    post: operations['createDefault'];
    /** Delete a default wallet */
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
     * @description A lock applies to every web3 payment of the node and of all nodes below it, whichever wallet it uses: a payment with another `payment_address` is refused. A stolen key that can create payments and wallets therefore cannot redirect buyers' money. If several nodes have locks, the one nearest the root applies. Existing payments keep their payee. An integration gets the permission payout.update only if its creator names it.
     */
    put: operations['setPayout'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/nodes/{node_id}/branding': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get the look of a node's pages for buyers */
    get: operations['getBranding'];
    /**
     * Change the look of a node's pages for buyers
     * @description Fields that are left out stay as they are; null, or an empty list, clears one. The branding applies to the payments of the node, and to those of the nodes below it that have no branding of their own. An integration gets the permission branding.update only if its creator names it.
     */
    put: operations['setBranding'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/pay/logos/{sha256}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the logo of a merchant
     * @description The content never changes, and pages of any origin may show it.
     */
    get: operations['getLogo'];
    put?: never;
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
     * Create a member
     * @description A deleted member frees its `external_id`.
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
     * Update a member
     * @description Only the given fields change; null clears an optional field. `node_id` and `external_id` never change; the request may repeat their values.
     */
    put: operations['updateMember'];
    post?: never;
    /**
     * Delete a member
     * @description Its payments keep and still show the member. Its `external_id` becomes free.
     */
    delete: operations['deleteMember'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/checkouts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the orders of a node */
    get: operations['listCheckouts'];
    put?: never;
    /**
     * Create an order whose buyer chooses how to pay
     * @description The buyer picks one of the `options` on a page; the choice makes an ordinary web3 payment with `checkout_id`. Until then nothing is created on any chain, and an order that nobody chooses costs no gas. The buyer may choose up to five times. A new choice cancels the former payment first, and its own deal is neither created nor offered before that cancel is confirmed: at no instant are two payments of an order payable. The order counts among the open payments of the node until the buyer chooses; from then on its payment does. As JSON in UTF-8, an order without member and payment has at most 36,864 bytes, and so has the payment that each option makes.
     */
    post: operations['createCheckout'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/checkouts/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get an order */
    get: operations['getCheckout'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/checkouts/{id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel an order
     * @description The buyer can choose no more. The open payment of the order is canceled first, by a transaction where the order has `on_chain_cancel`; the order becomes `canceled` when the outcome of that is known, and `completed` if the buyer paid after all. Without an open payment the order is `canceled` at once. Repeating the request returns the same answer.
     */
    post: operations['cancelCheckout'];
    delete?: never;
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
     * @description Returns pages of JSON, or one CSV file if `Accept` prefers `text/csv` to JSON. A file takes no `page`, `per_page` or `cursor`. If a file fails after its headers are sent, the connection closes before the end of the body. Read the file within 90 seconds; use filters to split a longer one.
     */
    get: operations['listPayments'];
    put?: never;
    /**
     * Create a payment
     * @description Returns as soon as the payment is stored; Carat then creates its deal on the chain. Without `wallet_id`, a web3 payment uses the node's default wallet for the network, else the nearest apex default. The wallet may lack an active diamond on the network: the payment waits for it. As JSON in UTF-8, the payment without its member has at most 36,864 bytes, and a new member at most 28,672.
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
    /** List the log entries of a payment */
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
     * Settle a payment by card or bank transfer
     * @description Call this from the callback of your payment processor. Repeating the same outcome and reference returns the payment; any other settlement of a payment that has ended is a conflict. Only the chain settles web3 payments.
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
     * @description The cancel is accepted, not done: the payment is `canceling` until its deal is canceled on the chain. If the buyer pays in the meantime, the transaction that is mined first decides; read the status to see which. A payment whose deal was never sent, or that is not paid on a chain, becomes `canceled` a moment later. Repeating the request returns the same answer.
     *     A payment with an offered deal (`deal_modes` of its wallet) needs no transaction: it becomes `canceled` a moment later if no buyer's page has read its offer, else when the chain is past the end of the last offer that a page has read, 15 minutes at most unless the operator has set another window. Until then the buyer may still pay. With `on_chain` the operator cancels the deal by a transaction at once; a repeated request may add it.
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
     * Retry the deal of a pending payment
     * @description For a `web3` payment that stays `pending` too long. Carat sends its transaction to every RPC endpoint of the network again, with higher fees and more gas where that helps, and creates the deal again if its creation has failed. A payment never has two deals. A payment that waits for a reason in `status_detail` keeps waiting. This uses none of the `retry_count`. Repeating the request before the transaction has an outcome is the same retry and returns the payment unchanged.
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
     * Get the data a buyer needs to pay
     * @description Needs the payment's own access_token, which expires 24 hours after the payment reaches a final status. Pass `contract` to ethers, viem or web3.py unchanged; to pay with a token, the buyer first approves `amount` to `diamond_address`. Pages of any origin may call this.
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
  '/api/v1/widget/payments/{id}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Follow the state of a payment on its buyer's page
     * @description Needs the payment's own access_token, as the widget's data does. Starts the use of no offer: a page shows this, and gets the widget's data when the buyer wants to pay. Answers the state as JSON, or, if `Accept` prefers `text/event-stream` to JSON, a stream of server-sent events: the state at once, at each change and with each confirmation. Every event has the whole state. A payment has at most 4 streams of events. A stream ends with its token, and when the process stops; connect again after a random pause, and ask for JSON where streams are refused. Pages of any origin may call this.
     */
    get: operations['getWidgetPaymentEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/widget/checkouts/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the options of an order
     * @description Needs the order's own access_token, which expires 24 hours after the order reaches a final status. The buyer pays by the widget data of `payment`. Pages of any origin may call this.
     */
    get: operations['getWidgetCheckout'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/widget/checkouts/{id}/choose': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Choose how to pay an order
     * @description Makes a payment of an option. The option that is chosen now gives the same payment and counts for nothing; any other makes a new payment, and so does one that was chosen earlier. The former payment is canceled first. While it may still be paid, the new one is `pending` with `status_detail: former_choice_open`. Pages of any origin may call this.
     */
    post: operations['chooseOption'];
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
     * @description Returns the webhooks of all wallets of the caller's node and the nodes below, and those with such a `node_id`. `wallet_id` selects one wallet, which may be deleted. Credentials are never returned.
     */
    get: operations['listWebhooks'];
    /**
     * Update a webhook
     * @description Only the given fields change. A new `auth_type` needs its credentials in the same request; so does a new `host` or path if the wallet is out of the caller's reach. `is_active: true` resumes a disabled webhook.
     */
    put: operations['updateWebhook'];
    /**
     * Create a webhook configuration
     * @description The webhook receives the events of every payment through the wallet on the network, whichever node owns the payment; `node_id` limits it to one node and the nodes below. With its own `node_id`, a caller may also name a wallet of a node above that its defaults lead to, and may read, change and delete the webhooks for that node. Only this answer contains `signing_secret`; no answer contains the credentials.
     */
    post: operations['createWebhook'];
    /**
     * Delete a webhook
     * @description Erases its credentials and signing secret.
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
     * List the deliveries of a webhook
     * @description One delivery for each event of the webhook, including events that it missed while it was disabled. A caller that reaches the webhook reaches every payment of its events.
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
     * Get a delivery with its request and the result of each attempt
     * @description The headers are those of the last attempt, without credentials and signature; every attempt has the same body.
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
     * Redeliver an event
     * @description The delivery becomes pending again, whatever its state, with a full schedule of attempts and the same id and body. Earlier attempts stay listed.
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
     * Replay the events a webhook missed in a period
     * @description Sends the failed deliveries again, and those skipped while the webhook was disabled, selected by the time of the event; with `include_delivered`, the delivered ones too. At most 50,000 deliveries at once, and at most 100,000 undelivered deliveries per node. `sequence` lets the receiver ignore outdated events.
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
     * @description Without `type`, Carat sends the event `webhook.test` to the success path, with `payment` null. With `type`, it sends an event of that type to that type's path, with `test` true and a made-up payment or order whose `external_id` is `test`. A test is sent once, and its result does not count for the webhook. Carat keeps the newest 100 tests of each webhook.
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
     * Rotate the signing secret of a webhook
     * @description Only this answer contains the new secret. For 24 hours Carat signs with the previous secret as well; the secret before that one ends at once.
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
     * List alerts
     * @description Returns alerts about payments, diamonds and webhooks of the caller's node and the nodes below. A node without a parent also sees alerts about networks, keys and registries. Message and data need the permission that reads the subject, too: `payments.read`, `webhooks.read`, or `wallets.read` for diamonds.
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
     * @description Carat closes a condition when its cause is gone. A condition that is closed while it lasts usually comes back as a new alert.
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
     * List changes
     * @description Lists every change over the API and every answer repeated under its Idempotency-Key, by the node of the changed resource. Changes by an integration of a node above the caller's, or by the operator of this installation, appear as done by `operator`. `before` and `after` need the permission that reads the resource, too. Without it they show the `id` and `external_id` of a member, and are null for any other resource.
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
    /** List the caller's node and all nodes below it */
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
    /** List chains */
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
     * List networks
     * @description Retired networks, which take nothing new, are left out unless `include_retired` is true.
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
    /** List currencies and their tokens */
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
     * Get the status of the installation
     * @description For integrations of a node without a parent. A figure above its `bound` is `late`; above three times its bound it is `down`. `status` is the worst of all figures and networks.
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
    /** Check that the process is alive */
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
     * Check that the process can serve requests
     * @description Readiness needs the database. Temporal is shown but not needed, because commands wait for it in the database.
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
    /** Get this document as a page */
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
    /** Get the script of the page */
    get: operations['getDocsScript'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/docs/guides/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get a guide for merchants as a page */
    get: operations['getGuide'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/pay/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the page on which a buyer pays
     * @description `checkout_url` of a payment leads here. The page is the same for every id: it reads the access token from the fragment of its address, which no server sees, and talks only to the widget endpoints and to the buyer's wallet. Only pages of the origins in the branding of the payment's node may frame it. A query is ignored: mail programs and social networks add one to links.
     */
    get: operations['getPayPage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/widget/v1/{file}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the element that shows a payment on a page
     * @description `carat-pay.js` defines the element `<carat-pay>` and may be up to five minutes old in caches. A file with a hash in its name never changes, and files of released versions stay, so that a page can pin them by subresource integrity.
     */
    get: operations['getWidgetFile'];
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
    /** Get this document as JSON */
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
     * @description RFC 3339 in answers; requests accept any ISO 8601 form that names one instant
     */
    Timestamp: string;
    /** @description EVM address with checksum (EIP-55) */
    Address: string;
    /** Format: uuid */
    UuidOrNull: string | null;
    /**
     * Format: date-time
     * @description RFC 3339 in answers; requests accept any ISO 8601 form that names one instant
     */
    TimestampOrNull: string | null;
    /** @description EVM address with checksum (EIP-55) */
    AddressOrNull: string | null;
    TransactionHashOrNull: string | null;
    /** Format: double */
    Amount: number;
    /** @description Amount as a JSON number or a decimal string */
    AmountRequest: number | string;
    /** @description Amount as a JSON number or a decimal string; greater than 0 */
    PositiveAmountRequest: number | string;
    /**
     * Format: int64
     * @description Id of the deal on the diamond
     */
    DealId: number;
    /** Format: int32 */
    Decimals: number;
    /**
     * Format: int64
     * @description EIP-155 chain id
     */
    ChainId: number;
    /** @description Amount in base units, as a decimal string */
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
      | 'payout.update'
      | 'branding.update';
    FieldError: {
      /** @description JSON pointer into the request, such as /body/paid_price or /query/page */
      path: string;
      message: string;
    };
    /** @description Problem details (RFC 9457) */
    Problem: {
      /** @description Link to the explanation of the code */
      type: string;
      title: string;
      /** Format: int32 */
      status: number;
      detail: string;
      /** @description Stable error code for programs */
      code: string;
      request_id: string;
      errors: components['schemas']['FieldError'][];
      existing_id?: components['schemas']['Uuid'];
    } & {
      [key: string]: unknown;
    };
    /** @description The credentials are client_id and client_secret, or api_key and secret, unless HTTP Basic carries them */
    TokenRequest: {
      grant_type: string;
      client_id?: components['schemas']['Name'];
      client_secret?: components['schemas']['Name'];
      api_key?: components['schemas']['Name'];
      secret?: components['schemas']['Name'];
      /** @description Permissions to limit the token to, separated by spaces; all of the integration's if absent */
      scope?: string;
    };
    Token: {
      access_token: string;
      /** @constant */
      token_type: 'Bearer';
      /**
       * Format: int32
       * @description Lifetime of the token, in seconds
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
      /** @description Permissions to grant. If absent or null, the creator's permissions without payout.update and branding.update, which must be named */
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
      /** @description The secret; only this answer contains it */
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
      /** @description Time when the integration last obtained a token; null if it never has */
      last_used_at: components['schemas']['TimestampOrNull'];
      revoked_at: components['schemas']['TimestampOrNull'];
    };
    IntegrationPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
      next_cursor: string | null;
      items: components['schemas']['Integration'][];
    };
    RotationRequest: {
      /**
       * Format: int32
       * @description Seconds for which the previous secret stays valid
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
      /** @description The new secret; only this answer contains it */
      secret: string;
      /** @description Time when the previous secret expires; null if it is no longer valid */
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
      deal_modes: components['schemas']['WalletDealModes'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    /**
     * @description How the deal of a payment comes about:
     *     - `created`: an operator's transaction creates the deal. Once it is confirmed, the buyer can pay
     *     - `offered`: an operator's signature offers the deal, and the payment carries it. The buyer can pay at once, and a deal
     *       that nobody pays costs no transaction
     * @enum {string}
     */
    DealMode: 'created' | 'offered';
    WalletDealMode: {
      network_id: components['schemas']['Uuid'];
      mode: components['schemas']['DealMode'];
    };
    /** @description How the deals of new payments come about on a network; a network that is absent has `created` */
    WalletDealModes: components['schemas']['WalletDealMode'][];
    WalletUpdate: {
      name?: components['schemas']['Name'];
      /** @description EVM address of a diamond to adopt, in any valid case */
      address?: components['schemas']['Name'];
      /** @description An inactive wallet takes no new payments */
      is_active?: boolean;
      deal_modes?: components['schemas']['WalletDealModes'];
    };
    WalletPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
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
      /** @description The wallet; null for callers without the permission `wallets.read` */
      wallet: components['schemas']['Wallet'] | null;
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    WalletDefaultPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
      next_cursor: string | null;
      items: components['schemas']['WalletDefault'][];
    };
    PayoutRequest: {
      /** @description Payee of web3 payments on this chain; null for none. Must not be a contract of a token or of Carat */
      payout_address: string | null;
      /** @description Whether every web3 payment of the node, and of the nodes below it, must name this address */
      payout_locked: boolean;
    };
    Payout: {
      node_id: components['schemas']['Uuid'];
      chain_id: components['schemas']['Uuid'];
      payout_address: components['schemas']['AddressOrNull'];
      payout_locked: boolean;
      /** @description The only address that web3 payments of the node may name, by its own lock or that of a node above; null without a lock, and, for callers without `wallets.read`, where only a node above has one */
      locked_address: components['schemas']['AddressOrNull'];
      updated_at: components['schemas']['TimestampOrNull'];
    };
    BrandingRequest: {
      /** @description Name of the merchant. No control characters, and none that turn the direction of text. Without it, pages show the name of the payment's node */
      display_name?: string | null;
      /** @description Colour of buttons */
      accent_color?: string | null;
      /** @description A still PNG image of at most 65,536 bytes and 1,024 × 1,024 pixels, in base64 with padding */
      logo?: string | null;
      /** @description https origins whose pages may show the page at `checkout_url` in a frame, each exact and without a wildcard. Stored in lower case, without the default port */
      frame_origins?: string[];
    };
    Branding: {
      node_id: components['schemas']['Uuid'];
      display_name: string | null;
      accent_color: string | null;
      logo_url: string | null;
      frame_origins: string[];
      /** @description The merchant as pages show it, where the node has no branding by that of the nearest node above */
      merchant: components['schemas']['WidgetMerchant'];
      /** @description Time of the last change; null if the node has no branding */
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
     * @description - `preflight`: checks the network, its keys and the wallet's address
     *     - `deploy_facets`: deploys the facets that the network lacks
     *     - `deploy_diamond`: has the registry create the wallet's diamond; deployments only
     *     - `cut`: changes the diamond's functions to those of the release; updates only
     *     - `verify`: reads the diamond's code and functions back from the chain
     *     - `activate`: opens the diamond for deals
     * @enum {string}
     */
    DeploymentStepKey: 'preflight' | 'deploy_facets' | 'deploy_diamond' | 'cut' | 'verify' | 'activate';
    /**
     * @description - `pending`: earlier steps are not completed
     *     - `started`: the step is under way
     *     - `completed`: the step is done
     *     - `failed`: the step failed; the next request retries it
     * @enum {string}
     */
    DeploymentStepStatus: 'started' | 'pending' | 'completed' | 'failed';
    /** @description Reason of the failure of the step */
    DeploymentErrorOrNull: {
      code: string;
      message: string;
    } | null;
    DeploymentTransaction: {
      /** @enum {string} */
      purpose: 'deploy_facet' | 'create_diamond' | 'diamond_cut';
      /**
       * @description - `queued`: waits for its turn
       *     - `sent`: has a nonce and may be on its way
       *     - `mined`: is in a block that gathers confirmations
       *     - `confirmed`: its block has the network's confirmations
       *     - `withdrawn`: was no longer needed, and was never sent
       * @enum {string}
       */
      state: 'queued' | 'sent' | 'mined' | 'confirmed' | 'withdrawn';
      /**
       * @description Whether the requested effect is on the chain; null until the transaction is confirmed
       * @enum {string|null}
       */
      outcome: 'effective' | 'no_effect' | null;
      /** @description Reason why the transaction waits */
      waiting: string | null;
      /** @description Hash of the mined transaction; until then, of the newest signed one */
      transaction_hash: components['schemas']['TransactionHashOrNull'];
      /** Format: int64 */
      block_number: number | null;
      created_at: components['schemas']['Timestamp'];
    };
    LoggedStep: {
      step: components['schemas']['DeploymentStepKey'];
      /** @description The `transaction_id` in the answers of `deployWallet` and `updateDiamond` */
      transaction_id: components['schemas']['Uuid'];
      status: components['schemas']['DeploymentStepStatus'];
      /** Format: int32 */
      tries: number;
      error: components['schemas']['DeploymentErrorOrNull'];
      /** @description Transactions of the step in all its tries, oldest first */
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
       * @description Reason why the current step waits, with the values of a payment's `status_detail`, about the key that deploys. Null if the
       *     step waits only for its transactions and their confirmations
       * @enum {string|null}
       */
      status_detail:
        | 'network_paused'
        | 'operator_revoked'
        | 'operator_underfunded'
        | 'fees_above_ceiling'
        | 'lane_paused'
        | 'key_missing'
        | 'signer_revoked'
        | 'signing_stalled'
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
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
      next_cursor: string | null;
      items: components['schemas']['Deployment'][];
    };
    /** @description Selector of a function: its first 4 bytes of call data */
    Selector: string;
    Selectors: components['schemas']['Selector'][];
    /** @description Changes that an update would make to the diamond's functions */
    SelectorChanges: {
      /** @description Functions that this facet would add to the diamond */
      add: components['schemas']['Selectors'];
      /** @description Functions that this facet would take over from other facets */
      replace: components['schemas']['Selectors'];
      /** @description Functions of this facet that would be removed without a replacement */
      remove: components['schemas']['Selectors'];
    };
    HashOrNull: string | null;
    ContractVersion: {
      /** @description Name of the contract; null for a facet of no release */
      name: string | null;
      /** @enum {string} */
      kind: 'diamond' | 'facet';
      /** @description Address of the contract; while it is missing, its future address */
      address: components['schemas']['Address'];
      /** @description Release of the current code; for the diamond, the release that it matches exactly. Null if the contract is missing or of no release */
      current_version: string | null;
      /** @description Version in the network's release; null if that release does not have the contract */
      latest_version: string | null;
      /** @description Hash of the code at the address */
      current_code_hash: components['schemas']['HashOrNull'];
      latest_code_hash: components['schemas']['HashOrNull'];
      /** @description Whether the network's registry approves the diamond's facet; false if the facet was revoked or never approved. Null for the diamond, and while the facet is missing */
      current_approved: boolean | null;
      /** @description Whether the network's registry approves the release's facet; an update to an unapproved facet is refused */
      latest_approved: boolean | null;
      /**
       * @description - `up_to_date`: matches the release
       *     - `update_available`: is of a release, and an update would change it
       *     - `missing`: does not exist, or the diamond has none of its functions
       *     - `unknown`: is of no release
       *     - `obsolete`: is of a release, and the network's release replaces or drops it
       * @enum {string}
       */
      status: 'up_to_date' | 'update_available' | 'missing' | 'unknown' | 'obsolete';
      update_available: boolean;
      selectors: components['schemas']['SelectorChanges'];
    };
    VersionCheck: {
      /** @description Whether an update would change anything; false if there is no diamond, or if this version of Carat does not know the network's release */
      any_update_available: boolean;
      checked_at: components['schemas']['Timestamp'];
      /**
       * Format: int64
       * @description Number of the confirmed block at which everything was read
       */
      block_number: number;
      /** @description The diamond first, then the release's facets, then other facets of the diamond */
      contracts: components['schemas']['ContractVersion'][];
    };
    /** @description One entry of a diamond cut (EIP-2535) */
    FacetCut: {
      /** @description Address of the facet; the zero address for a removal */
      facet: components['schemas']['Address'];
      /** @enum {string} */
      action: 'add' | 'replace' | 'remove';
      selectors: components['schemas']['Selectors'];
    };
    /** @description The call that an update would make. Null if nothing needs updating, or if this version of Carat does not know the network's release */
    PlannedCutOrNull: {
      /** @description Address of the diamond */
      to: components['schemas']['Address'];
      /** @description Call data of `diamondCutChecked`; the same diamond and release always give the same data */
      data: string;
      /** @description Hash of the result of the diamond's `facets()`; the call reverts in any other state */
      expected_loupe_hash: string;
      cuts: components['schemas']['FacetCut'][];
    } | null;
    UpdatePlan: {
      /** @description Whether an update would change anything; false if there is no diamond, or if this version of Carat does not know the network's release */
      any_update_available: boolean;
      checked_at: components['schemas']['Timestamp'];
      /**
       * Format: int64
       * @description Number of the confirmed block at which everything was read
       */
      block_number: number;
      /** @description The diamond first, then the release's facets, then other facets of the diamond */
      contracts: components['schemas']['ContractVersion'][];
      cut: components['schemas']['PlannedCutOrNull'];
    };
    /**
     * @description - `pending`: stored; the deal of a web3 payment is not confirmed on the chain yet, and any other payment waits to be settled
     *     - `awaiting_payment`: the deal is on the chain, and the buyer can pay
     *     - `processing`: the buyer's payment is in a block that gathers confirmations
     *     - `completed`: paid and confirmed, or settled by the merchant. Final
     *     - `expired`: not paid in time. Final
     *     - `canceling`: a cancel is accepted and on its way to the chain
     *     - `canceled`: the deal is canceled and cannot be paid. Final
     *     - `failed`: the deal could not be created, or the merchant declined. Final
     * @enum {string}
     */
    PaymentStatus:
      'pending' | 'awaiting_payment' | 'processing' | 'completed' | 'expired' | 'canceling' | 'canceled' | 'failed';
    /** @enum {string} */
    PaymentMethod: 'web3' | 'credit_card' | 'bank_transfer';
    /** @enum {string} */
    PaymentGroup: 'product' | 'listing_or_subscription';
    /** @description Creates the member, or links the node's existing member with this external_id unchanged. `node_id`, if given, must be that of the payment */
    MemberData: {
      node_id?: components['schemas']['Uuid'];
      external_id: components['schemas']['Name'];
      name: components['schemas']['Name'];
      surname?: string | null;
      /**
       * Format: email
       * @description Email address; may be an empty string
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
       * @description Email address; may be an empty string
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
       * @description Email address; may be an empty string
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
       * @description Email address; may be an empty string
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
    /** @description Callers without the permission `members.read` see `id` and `external_id` alone */
    VisibleMember: {
      node_id?: components['schemas']['Uuid'];
      external_id: components['schemas']['Name'];
      name?: components['schemas']['Name'];
      surname?: string | null;
      /**
       * Format: email
       * @description Email address; may be an empty string
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
      id: components['schemas']['Uuid'];
      created_at?: components['schemas']['Timestamp'];
      updated_at?: components['schemas']['Timestamp'];
    };
    MemberPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
      next_cursor: string | null;
      items: components['schemas']['Member'][];
    };
    PaymentItemRequest: {
      name: components['schemas']['Name'];
      price: components['schemas']['AmountRequest'];
      external_id?: string | null;
    };
    PaymentRequest: {
      /** @description Your reference for the payment; unique per node */
      external_id: components['schemas']['Name'];
      node_id: components['schemas']['Uuid'];
      /** @description Chain of the network; optional, because the network implies it */
      chain_id?: components['schemas']['UuidOrNull'];
      network_id: components['schemas']['Uuid'];
      /** @description A wallet of the node or of a node above it, on the network's chain. If absent, a web3 payment uses the default wallet */
      wallet_id?: components['schemas']['UuidOrNull'];
      /** @description A member of the node; not together with `member` */
      member_id?: components['schemas']['UuidOrNull'];
      member?: components['schemas']['MemberData'] | null;
      currency_id: components['schemas']['Uuid'];
      /** @description List price, in units of the currency */
      price: components['schemas']['PositiveAmountRequest'];
      /** @description Amount due, in units of the currency */
      paid_price: components['schemas']['PositiveAmountRequest'];
      payment_method: components['schemas']['PaymentMethod'];
      payment_group: components['schemas']['PaymentGroup'];
      /** @description Payee of the money; an EVM address for web3 */
      payment_address: string;
      items?: components['schemas']['PaymentItemRequest'][] | null;
      /** @description Free text; at most 8 KiB in UTF-8 */
      metadata?: string | null;
      /** @description Time until which the buyer can pay: in the future, at most 366 days ahead. The chain counts whole seconds */
      expires_at: components['schemas']['Timestamp'];
      /**
       * @description Whether Carat creates the deal again if its creation was mined without effect
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
      /** @description https URL to which the page at `checkout_url` leads the buyer after the payment */
      success_url?: string | null;
      /** @description https URL to which that page leads a buyer who does not pay */
      cancel_url?: string | null;
      /** @description Language of that page, as in BCP 47; if absent, the language of the buyer's browser */
      locale?: string | null;
    };
    PaymentItem: {
      name: components['schemas']['Name'];
      price: components['schemas']['Amount'];
      price_units: components['schemas']['Units'];
      external_id: string | null;
    };
    /** @description The payment at the time of the event, without secrets and personal data */
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
      /** @description Symbol of the currency */
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
       * @description Reason why the payment waits, went back or ended. It waits because
       *     - `diamond_missing`: the wallet's diamond is not active on the network yet
       *     - `diamond_updating`: the wallet's diamond is being updated; its deals are created afterwards
       *     - `simulation_failed`: the simulation of its transaction fails; an alert gives the operator of this installation the reason
       *     - `network_paused`: the network's contracts are paused
       *     - `operator_revoked`: the diamond does not accept the key that creates its deals
       *     - `operator_underfunded`: that key has too little of the network's coin
       *     - `fees_above_ceiling`: the network's fees are above the operator's ceiling
       *     - `lane_paused`: Carat has paused that key, because the chain has transactions of it that Carat does not know
       *     - `key_missing`: no process of this installation holds that key
       *     - `signer_revoked`: no key of this installation may offer deals on the network
       *     - `signing_stalled`: no process of this installation signs offers on the network, for a reason that Carat does not know
       *     - `network_unreachable`: no RPC endpoint of the network responds
       *     - `endpoint_refuses`: the RPC endpoints of the network respond, but refuse a call that its transaction needs
       *     - `outcome_unknown`: too few RPC endpoints of the network report the outcome of its transaction
       *     - `words_unreadable`: too few RPC endpoints of the network report the state of its deal at a confirmed block
       *     - `former_choice_open`: the buyer chose another option of the order before, which may still be paid
       *
       *     It went back because
       *     - `payment_not_borne_out`: a log reported a payment that the deal does not show at a confirmed block
       *
       *     It ended because
       *     - `deal_conflict`: the diamond has another deal under the same id
       *     - `deal_not_created`: the creation was mined without effect, and no retry is left
       *     - `declined`: the merchant settled it as failed
       *     - `canceled_before_creation`: it was canceled before its deal was on the chain, or before anybody saw its offer
       *     - `canceled_foreign`: a key of the operator canceled it on the chain without a request to Carat
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
        | 'signer_revoked'
        | 'signing_stalled'
        | 'network_unreachable'
        | 'endpoint_refuses'
        | 'outcome_unknown'
        | 'words_unreadable'
        | 'former_choice_open'
        | 'payment_not_borne_out'
        | 'deal_conflict'
        | 'deal_not_created'
        | 'declined'
        | 'canceled_before_creation'
        | 'canceled_foreign'
        | null;
      /**
       * Format: int64
       * @description Id of the deal on the diamond
       */
      deal_id: number | null;
      diamond_address: components['schemas']['AddressOrNull'];
      /** @description Hash of the buyer's transaction; until that is seen, of the transaction that created the deal */
      transaction_hash: components['schemas']['TransactionHashOrNull'];
      /** @description Hash of the transaction that created the deal */
      deal_transaction_hash?: components['schemas']['TransactionHashOrNull'];
      /** @description Time of the block of the buyer's transaction, by the clock of the chain. Null until that block is known, and for payments that are not paid on a chain */
      paid_at?: components['schemas']['TimestampOrNull'];
      /** @description Address of the account that paid the deal */
      payer?: components['schemas']['AddressOrNull'];
      /** @description Time when the payment became `completed`; never changes afterwards */
      completed_at?: components['schemas']['TimestampOrNull'];
      /** @description URL to which the page at `checkout_url` leads the buyer after the payment */
      success_url?: string | null;
      /** @description URL to which that page leads a buyer who does not pay */
      cancel_url?: string | null;
      /** @description Language of that page, as in BCP 47 */
      locale?: string | null;
      /** @description URL of the hosted page where the buyer pays a web3 payment. Contains the access_token, so it is null in events and in the audit log */
      checkout_url: string | null;
      /** @description The order whose buyer chose the payment; null for a payment that a merchant created */
      checkout_id?: components['schemas']['UuidOrNull'];
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
      /** @description Symbol of the currency */
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
       * @description Reason why the payment waits, went back or ended. It waits because
       *     - `diamond_missing`: the wallet's diamond is not active on the network yet
       *     - `diamond_updating`: the wallet's diamond is being updated; its deals are created afterwards
       *     - `simulation_failed`: the simulation of its transaction fails; an alert gives the operator of this installation the reason
       *     - `network_paused`: the network's contracts are paused
       *     - `operator_revoked`: the diamond does not accept the key that creates its deals
       *     - `operator_underfunded`: that key has too little of the network's coin
       *     - `fees_above_ceiling`: the network's fees are above the operator's ceiling
       *     - `lane_paused`: Carat has paused that key, because the chain has transactions of it that Carat does not know
       *     - `key_missing`: no process of this installation holds that key
       *     - `signer_revoked`: no key of this installation may offer deals on the network
       *     - `signing_stalled`: no process of this installation signs offers on the network, for a reason that Carat does not know
       *     - `network_unreachable`: no RPC endpoint of the network responds
       *     - `endpoint_refuses`: the RPC endpoints of the network respond, but refuse a call that its transaction needs
       *     - `outcome_unknown`: too few RPC endpoints of the network report the outcome of its transaction
       *     - `words_unreadable`: too few RPC endpoints of the network report the state of its deal at a confirmed block
       *     - `former_choice_open`: the buyer chose another option of the order before, which may still be paid
       *
       *     It went back because
       *     - `payment_not_borne_out`: a log reported a payment that the deal does not show at a confirmed block
       *
       *     It ended because
       *     - `deal_conflict`: the diamond has another deal under the same id
       *     - `deal_not_created`: the creation was mined without effect, and no retry is left
       *     - `declined`: the merchant settled it as failed
       *     - `canceled_before_creation`: it was canceled before its deal was on the chain, or before anybody saw its offer
       *     - `canceled_foreign`: a key of the operator canceled it on the chain without a request to Carat
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
        | 'signer_revoked'
        | 'signing_stalled'
        | 'network_unreachable'
        | 'endpoint_refuses'
        | 'outcome_unknown'
        | 'words_unreadable'
        | 'former_choice_open'
        | 'payment_not_borne_out'
        | 'deal_conflict'
        | 'deal_not_created'
        | 'declined'
        | 'canceled_before_creation'
        | 'canceled_foreign'
        | null;
      /**
       * Format: int64
       * @description Id of the deal on the diamond
       */
      deal_id: number | null;
      diamond_address: components['schemas']['AddressOrNull'];
      /** @description Hash of the buyer's transaction; until that is seen, of the transaction that created the deal */
      transaction_hash: components['schemas']['TransactionHashOrNull'];
      /** @description Hash of the transaction that created the deal */
      deal_transaction_hash?: components['schemas']['TransactionHashOrNull'];
      /** @description Time of the block of the buyer's transaction, by the clock of the chain. Null until that block is known, and for payments that are not paid on a chain */
      paid_at?: components['schemas']['TimestampOrNull'];
      /** @description Address of the account that paid the deal */
      payer?: components['schemas']['AddressOrNull'];
      /** @description Time when the payment became `completed`; never changes afterwards */
      completed_at?: components['schemas']['TimestampOrNull'];
      /** @description URL to which the page at `checkout_url` leads the buyer after the payment */
      success_url?: string | null;
      /** @description URL to which that page leads a buyer who does not pay */
      cancel_url?: string | null;
      /** @description Language of that page, as in BCP 47 */
      locale?: string | null;
      /** @description URL of the hosted page where the buyer pays a web3 payment. Contains the access_token, so it is null in events and in the audit log */
      checkout_url: string | null;
      /** @description The order whose buyer chose the payment; null for a payment that a merchant created */
      checkout_id?: components['schemas']['UuidOrNull'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      member: components['schemas']['VisibleMember'] | null;
      client_ip: string | null;
      /** @description Token for this payment's widget data; expires 24 hours after the payment reaches a final status */
      access_token: string;
    };
    PaymentPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
      next_cursor: string | null;
      items: components['schemas']['Payment'][];
    };
    /**
     * @description - `open`: the buyer has chosen nothing, or the chosen payment has failed or was canceled without the order
     *     - `chosen`: a payment of the order is open
     *     - `completed`: a payment of the order is completed. Final
     *     - `expired`: not paid in time. Final
     *     - `canceled`: canceled by the merchant, and not paid. Final
     * @enum {string}
     */
    CheckoutStatus: 'open' | 'chosen' | 'completed' | 'expired' | 'canceled';
    OptionRequest: {
      network_id: components['schemas']['Uuid'];
      currency_id: components['schemas']['Uuid'];
      /** @description Amount due, in units of the currency */
      paid_price: components['schemas']['PositiveAmountRequest'];
      /** @description List price, in units of the currency; the amount due if absent */
      price?: components['schemas']['PositiveAmountRequest'] | null;
      /** @description A wallet of the node or of a node above it, on the network's chain. If absent, the default wallet at the creation of the order */
      wallet_id?: components['schemas']['UuidOrNull'];
    };
    CheckoutRequest: {
      /** @description Your reference for the order; unique among the orders of the node. The external_id of its payments are this one, cut where it is too long, with the last 12 digits of the order's id and the number of the choice, as in `order-2001-9f2c4e81ab03-1` */
      external_id: components['schemas']['Name'];
      node_id: components['schemas']['Uuid'];
      payment_group: components['schemas']['PaymentGroup'];
      /** @description Payee of the money; optional only if a payout lock decides for every option */
      payment_address?: string | null;
      /** @description The options of the buyer, counted from 0; no two of the same wallet, network, currency and amount due */
      options: components['schemas']['OptionRequest'][];
      /** @description Items with prices in the currency of the order, which go along into the payment that the buyer chooses */
      items?: components['schemas']['PaymentItemRequest'][] | null;
      /** @description Free text; at most 8 KiB in UTF-8 */
      metadata?: string | null;
      /** @description A member of the node; not together with `member` */
      member_id?: components['schemas']['UuidOrNull'];
      member?: components['schemas']['MemberData'] | null;
      /** @description Time until which the buyer can choose and pay: in the future, at most 366 days ahead. The chain counts whole seconds */
      expires_at: components['schemas']['Timestamp'];
      /** @description https URL to which the page at `checkout_url` leads the buyer after the payment */
      success_url?: string | null;
      /** @description https URL to which that page leads a buyer who does not pay */
      cancel_url?: string | null;
      /** @description Language of that page, as in BCP 47; if absent, the language of the buyer's browser */
      locale?: string | null;
      /**
       * @description Whether a payment with an offered deal is canceled by a transaction, at the operator's cost, where the buyer chooses anew or the order is canceled. Otherwise the next choice waits until its last offer is over
       * @default false
       */
      on_chain_cancel?: boolean | null;
    };
    CheckoutOption: {
      network_id: components['schemas']['Uuid'];
      eip155: components['schemas']['ChainId'];
      wallet_id: components['schemas']['Uuid'];
      currency_id: components['schemas']['Uuid'];
      /** @description Symbol of the currency */
      currency: string;
      price: components['schemas']['Amount'];
      price_units: components['schemas']['Units'];
      paid_price: components['schemas']['Amount'];
      paid_price_units: components['schemas']['Units'];
      /** @description Payee at the creation of the order; without payment_address, a later payout lock decides */
      payment_address: components['schemas']['Address'];
    };
    CheckoutItem: {
      name: components['schemas']['Name'];
      price: components['schemas']['Amount'];
      external_id: string | null;
    };
    /** @description The order at the time of the event, without secrets and personal data */
    ToldCheckout: {
      id: components['schemas']['Uuid'];
      external_id: string;
      node_id: components['schemas']['Uuid'];
      payment_group: components['schemas']['PaymentGroup'];
      payment_address: components['schemas']['AddressOrNull'];
      options: components['schemas']['CheckoutOption'][];
      items: components['schemas']['CheckoutItem'][];
      metadata: string | null;
      member_id: components['schemas']['UuidOrNull'];
      success_url: string | null;
      cancel_url: string | null;
      locale: string | null;
      on_chain_cancel: boolean;
      expires_at: components['schemas']['Timestamp'];
      status: components['schemas']['CheckoutStatus'];
      /**
       * Format: int32
       * @description The option of `payment`, counted from 0
       */
      option: number | null;
      /**
       * Format: int32
       * @description Number of choices so far
       */
      choices: number;
      /** @description Ids of the payments that the choices have made, oldest first */
      payments: components['schemas']['Uuid'][];
      /** @description Time when a cancel was accepted */
      cancel_requested_at: components['schemas']['TimestampOrNull'];
      completed_at: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      payment: components['schemas']['ToldPayment'] | null;
    };
    Checkout: {
      id: components['schemas']['Uuid'];
      external_id: string;
      node_id: components['schemas']['Uuid'];
      payment_group: components['schemas']['PaymentGroup'];
      payment_address: components['schemas']['AddressOrNull'];
      options: components['schemas']['CheckoutOption'][];
      items: components['schemas']['CheckoutItem'][];
      metadata: string | null;
      member_id: components['schemas']['UuidOrNull'];
      success_url: string | null;
      cancel_url: string | null;
      locale: string | null;
      on_chain_cancel: boolean;
      expires_at: components['schemas']['Timestamp'];
      status: components['schemas']['CheckoutStatus'];
      /**
       * Format: int32
       * @description The option of `payment`, counted from 0
       */
      option: number | null;
      /**
       * Format: int32
       * @description Number of choices so far
       */
      choices: number;
      /** @description Ids of the payments that the choices have made, oldest first */
      payments: components['schemas']['Uuid'][];
      /** @description Time when a cancel was accepted */
      cancel_requested_at: components['schemas']['TimestampOrNull'];
      completed_at: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      payment: components['schemas']['Payment'] | null;
      member: components['schemas']['VisibleMember'] | null;
      /** @description Token for the page of this order; expires 24 hours after the order reaches a final status */
      access_token: string;
      /** @description URL of the hosted page where the buyer chooses. Contains the access_token, so it is absent in events */
      checkout_url: string | null;
    };
    CheckoutPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
      next_cursor: string | null;
      items: components['schemas']['Checkout'][];
    };
    ChoiceRequest: {
      /**
       * Format: int32
       * @description Index of the option
       */
      option: number;
    };
    WidgetOption: {
      /** Format: int32 */
      index: number;
      network_id: components['schemas']['ChainId'];
      network: components['schemas']['WidgetOptionNetwork'];
      /** @description Symbol of the currency */
      currency: string;
      amount: components['schemas']['Units'];
      /** Format: int32 */
      decimals: number;
    };
    WidgetOptionNetwork: {
      name: string;
    };
    WidgetCheckoutItem: {
      name: components['schemas']['Name'];
      /** @description Price as an exact decimal, in the currency of the order */
      price: string;
    };
    /** @description The completed payment, else the newest open one; its widget data has all that the buyer needs to pay */
    WidgetChoiceOrNull: {
      id: components['schemas']['Uuid'];
      /** @description Token for the widget data of the payment */
      access_token: string;
      status: components['schemas']['PaymentStatus'];
      /**
       * @description Reason why the payment waits, went back or ended. It waits because
       *     - `diamond_missing`: the wallet's diamond is not active on the network yet
       *     - `diamond_updating`: the wallet's diamond is being updated; its deals are created afterwards
       *     - `simulation_failed`: the simulation of its transaction fails; an alert gives the operator of this installation the reason
       *     - `network_paused`: the network's contracts are paused
       *     - `operator_revoked`: the diamond does not accept the key that creates its deals
       *     - `operator_underfunded`: that key has too little of the network's coin
       *     - `fees_above_ceiling`: the network's fees are above the operator's ceiling
       *     - `lane_paused`: Carat has paused that key, because the chain has transactions of it that Carat does not know
       *     - `key_missing`: no process of this installation holds that key
       *     - `signer_revoked`: no key of this installation may offer deals on the network
       *     - `signing_stalled`: no process of this installation signs offers on the network, for a reason that Carat does not know
       *     - `network_unreachable`: no RPC endpoint of the network responds
       *     - `endpoint_refuses`: the RPC endpoints of the network respond, but refuse a call that its transaction needs
       *     - `outcome_unknown`: too few RPC endpoints of the network report the outcome of its transaction
       *     - `words_unreadable`: too few RPC endpoints of the network report the state of its deal at a confirmed block
       *     - `former_choice_open`: the buyer chose another option of the order before, which may still be paid
       *
       *     It went back because
       *     - `payment_not_borne_out`: a log reported a payment that the deal does not show at a confirmed block
       *
       *     It ended because
       *     - `deal_conflict`: the diamond has another deal under the same id
       *     - `deal_not_created`: the creation was mined without effect, and no retry is left
       *     - `declined`: the merchant settled it as failed
       *     - `canceled_before_creation`: it was canceled before its deal was on the chain, or before anybody saw its offer
       *     - `canceled_foreign`: a key of the operator canceled it on the chain without a request to Carat
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
        | 'signer_revoked'
        | 'signing_stalled'
        | 'network_unreachable'
        | 'endpoint_refuses'
        | 'outcome_unknown'
        | 'words_unreadable'
        | 'former_choice_open'
        | 'payment_not_borne_out'
        | 'deal_conflict'
        | 'deal_not_created'
        | 'declined'
        | 'canceled_before_creation'
        | 'canceled_foreign'
        | null;
    } | null;
    /** @description The order as its page shows it, without anything that is the merchant's alone */
    WidgetCheckout: {
      id: components['schemas']['Uuid'];
      external_id: string;
      status: components['schemas']['CheckoutStatus'];
      merchant: components['schemas']['WidgetMerchant'];
      options: components['schemas']['WidgetOption'][];
      items: components['schemas']['WidgetCheckoutItem'][];
      /**
       * Format: int32
       * @description The option of `payment`, counted from 0
       */
      option: number | null;
      payment: components['schemas']['WidgetChoiceOrNull'];
      /** @description While the chosen payment waits for the cancel of a former one: the time when that has ended at the latest, by its last offer and the confirmations of its network. Null if nothing waits, or if the time is unknown because the cancel needs a transaction */
      former_open_until: components['schemas']['TimestampOrNull'];
      /** Format: int32 */
      choices_left: number;
      success_url: string | null;
      cancel_url: string | null;
      locale: string | null;
      expires_at: components['schemas']['Timestamp'];
      /** @description Time of the answer, by the clock of the service */
      server_time: components['schemas']['Timestamp'];
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
      | 'payment.anomaly'
      | 'checkout.completed'
      | 'checkout.expired'
      | 'checkout.canceled';
    WebhookRequest: {
      wallet_id: components['schemas']['Uuid'];
      network_id: components['schemas']['Uuid'];
      node_id?: components['schemas']['UuidOrNull'];
      /** @description Origin of the receiver: https, on the public internet. Stored in lower case, without the default port */
      host: string;
      /** @description Path for `payment.completed` and for the events in `events`. Begins with exactly one '/' */
      success_path: string;
      /** @description Path for `payment.failed`, `payment.expired`, `payment.canceled` and `payment.reversed` */
      error_path: string;
      auth_type: components['schemas']['WebhookAuthType'];
      /** @description User name; required when auth_type is basic (RFC 7617) */
      auth_basic_username?: string | null;
      /** @description Password; required when auth_type is basic */
      auth_basic_password?: string | null;
      /** @description Token; required when auth_type is token. Sent as `Authorization: Bearer` */
      auth_token?: string | null;
      /** @description Optional events to receive, in addition to the events that end a payment */
      events?: components['schemas']['WebhookEvent'][] | null;
      is_active?: boolean | null;
    };
    /** @description The request may repeat the values of `wallet_id`, `network_id` and `node_id`, which never change */
    WebhookUpdate: {
      id: components['schemas']['Uuid'];
      wallet_id?: components['schemas']['UuidOrNull'];
      network_id?: components['schemas']['UuidOrNull'];
      node_id?: components['schemas']['UuidOrNull'];
      /** @description Origin of the receiver: https, on the public internet. Stored in lower case, without the default port */
      host?: string | null;
      /** @description Path for `payment.completed` and for the events in `events`. Begins with exactly one '/' */
      success_path?: string | null;
      /** @description Path for `payment.failed`, `payment.expired`, `payment.canceled` and `payment.reversed` */
      error_path?: string | null;
      /** @enum {string|null} */
      auth_type?: 'basic' | 'token' | null;
      /** @description User name; required when auth_type is basic (RFC 7617) */
      auth_basic_username?: string | null;
      /** @description Password; required when auth_type is basic */
      auth_basic_password?: string | null;
      /** @description Token; required when auth_type is token. Sent as `Authorization: Bearer` */
      auth_token?: string | null;
      /** @description Optional events to receive, in addition to the events that end a payment */
      events?: components['schemas']['WebhookEvent'][] | null;
      is_active?: boolean | null;
    };
    WebhookTest: {
      /** @description Type of the event to send, one that the webhook receives; `webhook.test` if absent */
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
      /** @description Why Carat disabled the webhook - `gone` after a 410 response, `failing` after five days of failures, `backlog` when too many deliveries were undelivered. Null if it did not */
      disabled_reason: string | null;
      /** @description Time since which every attempt has failed; null while attempts succeed */
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
      /** @description Why Carat disabled the webhook - `gone` after a 410 response, `failing` after five days of failures, `backlog` when too many deliveries were undelivered. Null if it did not */
      disabled_reason: string | null;
      /** @description Time since which every attempt has failed; null while attempts succeed */
      failing_since: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      /** @description Secret that signs the deliveries (Standard Webhooks); only this answer contains it */
      signing_secret: string;
    };
    WebhookPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
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
      | 'checkout.completed'
      | 'checkout.expired'
      | 'checkout.canceled'
      | 'webhook.test';
    /**
     * @description `failed`: every attempt of the schedule failed; `skipped`: the webhook was disabled; `canceled`: the webhook was deleted
     * @enum {string}
     */
    DeliveryState: 'pending' | 'delivered' | 'failed' | 'skipped' | 'canceled';
    Delivery: {
      id: components['schemas']['Uuid'];
      webhook_id: components['schemas']['Uuid'];
      /** @description Id of the event; the `webhook-id` of every attempt */
      event_id: components['schemas']['Uuid'];
      event_type: components['schemas']['EventType'];
      /** @description Id of the payment; null for an event without a payment, and for callers without `payments.read` */
      payment_id: components['schemas']['UuidOrNull'];
      /** @description Id of the order of an event of an order; null for any other, and for callers without `payments.read` */
      checkout_id?: components['schemas']['UuidOrNull'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1; null for an event without either
       */
      sequence: number | null;
      /** @description Whether this is a test, whose payment, if any, does not exist */
      test?: boolean;
      state: components['schemas']['DeliveryState'];
      /**
       * Format: int32
       * @description Attempts since the delivery was last requested
       */
      attempts: number;
      /** @description Time of the next attempt; null if none is due */
      next_attempt_at: components['schemas']['TimestampOrNull'];
      delivered_at: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    /** @description Headers of the request, without credentials and signature */
    DeliveryHeaders: {
      [key: string]: string;
    };
    DeliveryRequest: {
      /** @enum {string} */
      method: 'POST';
      url: string;
      headers: components['schemas']['DeliveryHeaders'];
      /** @description Body of the request, byte for byte */
      body: string;
    };
    /** @description The request; null before the first attempt */
    DeliveryRequestOrNull: components['schemas']['DeliveryRequest'] | null;
    DeliveryTry: {
      at: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Status of the response; null if there was none
       */
      status: number | null;
      /** Format: int32 */
      duration_ms: number;
      /** @description The first 2 kB of the response */
      response: string;
      /** @description Why there was no response */
      error: string | null;
    };
    DeliveryDetails: {
      id: components['schemas']['Uuid'];
      webhook_id: components['schemas']['Uuid'];
      /** @description Id of the event; the `webhook-id` of every attempt */
      event_id: components['schemas']['Uuid'];
      event_type: components['schemas']['EventType'];
      /** @description Id of the payment; null for an event without a payment, and for callers without `payments.read` */
      payment_id: components['schemas']['UuidOrNull'];
      /** @description Id of the order of an event of an order; null for any other, and for callers without `payments.read` */
      checkout_id?: components['schemas']['UuidOrNull'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1; null for an event without either
       */
      sequence: number | null;
      /** @description Whether this is a test, whose payment, if any, does not exist */
      test?: boolean;
      state: components['schemas']['DeliveryState'];
      /**
       * Format: int32
       * @description Attempts since the delivery was last requested
       */
      attempts: number;
      /** @description Time of the next attempt; null if none is due */
      next_attempt_at: components['schemas']['TimestampOrNull'];
      delivered_at: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
      request: components['schemas']['DeliveryRequestOrNull'];
      /** @description The latest attempts, oldest first */
      tries: components['schemas']['DeliveryTry'][];
    };
    DeliveryPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
      next_cursor: string | null;
      items: components['schemas']['Delivery'][];
    };
    ReplayRequest: {
      /** @description Start of the period, inclusive */
      from: components['schemas']['Timestamp'];
      /** @description End of the period, exclusive */
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
      | 'network_still'
      | 'endpoint_refuses'
      | 'endpoint_at_rest'
      | 'endpoint_unfit'
      | 'words_unreadable'
      | 'plain_transfer'
      | 'token_changed'
      | 'payee_refused'
      | 'webhook_failing'
      | 'webhook_disabled'
      | 'signing_stalled'
      | 'workers_gone'
      | 'temporal_unreachable'
      | 'workflows_lost'
      | 'chore_failing'
      | 'notifications_missing'
      | 'clock_wrong'
      | 'certificate_ends'
      | 'lane_resumed'
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
    /** @description Addresses, hashes, blocks and reasons, by kind; empty without the permission that reads the subject */
    AlertData: {
      [key: string]: unknown;
    };
    Alert: {
      id: components['schemas']['Uuid'];
      kind: components['schemas']['AlertKind'];
      /** @description Whether the alert is a condition, which lasts and which Carat closes when its cause is gone; false for a single incident */
      is_condition: boolean;
      /** @description Node of the payment, diamond or webhook; null for an alert that concerns the operator */
      node_id: components['schemas']['UuidOrNull'];
      network_id: components['schemas']['UuidOrNull'];
      payment_id: components['schemas']['UuidOrNull'];
      webhook_id: components['schemas']['UuidOrNull'];
      /** @description A sentence; without the permission that reads the subject, the name of that permission */
      message: string;
      data: components['schemas']['AlertData'];
      created_at: components['schemas']['Timestamp'];
      closed_at: components['schemas']['TimestampOrNull'];
      /**
       * @description `carat` if the cause is gone, `person` if a caller closed it; the audit log has the caller
       * @enum {string|null}
       */
      closed_by: 'carat' | 'person' | null;
    };
    AlertPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
      next_cursor: string | null;
      items: components['schemas']['Alert'][];
    };
    PaymentEventData: {
      payment: components['schemas']['ToldPayment'];
    };
    CheckoutEventData: {
      checkout: components['schemas']['ToldCheckout'];
    };
    TestEventData: {
      payment: components['schemas']['NoPayment'];
    };
    /** @description Always null: a test has no payment */
    NoPayment: Record<string, never> | null;
    AlertEventData: {
      alert: components['schemas']['Alert'];
    };
    AliveEventData: {
      /**
       * Format: int32
       * @description Interval of the event, in seconds; the next one follows after this time and a few seconds
       */
      interval_seconds: number;
    };
    /** @description An event, by its `type` */
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
      | components['schemas']['CheckoutCompletedEvent']
      | components['schemas']['CheckoutExpiredEvent']
      | components['schemas']['CheckoutCanceledEvent']
      | components['schemas']['WebhookTestEvent']
      | components['schemas']['AlertRaisedEvent']
      | components['schemas']['AlertClosedEvent']
      | components['schemas']['CaratAliveEvent'];
    /** @description The payment is stored */
    PaymentCreatedEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.created';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description The buyer can pay */
    PaymentReadyEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.ready';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description The buyer's payment is in a block */
    PaymentProcessingEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.processing';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description A reorganisation removed the buyer's payment, or the deal */
    PaymentReorgedEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.reorged';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description The merchant requested a cancel */
    PaymentCancelRequestedEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.cancel_requested';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description The payment is paid and confirmed, or settled by the merchant */
    PaymentCompletedEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.completed';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description The deal could not be created, or the merchant declined */
    PaymentFailedEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.failed';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description The buyer did not pay in time */
    PaymentExpiredEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.expired';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description The payment is canceled */
    PaymentCanceledEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.canceled';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description A reorganisation removed the payment from the chain after its end; its status stays */
    PaymentReversedEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.reversed';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description Something happened to the payment on the chain that nobody requested; its status stays */
    PaymentAnomalyEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.anomaly';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['PaymentEventData'];
    };
    /** @description The order is paid: a payment of it is completed */
    CheckoutCompletedEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'checkout.completed';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['CheckoutEventData'];
    };
    /** @description The order was not paid in time */
    CheckoutExpiredEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'checkout.expired';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['CheckoutEventData'];
    };
    /** @description The order is canceled and was not paid */
    CheckoutCanceledEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'checkout.canceled';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['CheckoutEventData'];
    };
    /** @description A test that was requested without a type */
    WebhookTestEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'webhook.test';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['TestEventData'];
    };
    /** @description An alert is raised */
    AlertRaisedEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'alert.raised';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['AlertEventData'];
    };
    /** @description An alert is closed */
    AlertClosedEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'alert.closed';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
       * @enum {boolean}
       */
      test?: true;
      data: components['schemas']['AlertEventData'];
    };
    /** @description The installation is alive */
    CaratAliveEvent: {
      /** @description Id of the event, the same in every attempt and for every webhook; also sent as the header `webhook-id` */
      id: components['schemas']['Uuid'];
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'carat.alive';
      /** @enum {string} */
      api_version: 'v1';
      /** @description Time of the event */
      timestamp: components['schemas']['Timestamp'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment or the order, from 1. Ignore an event whose sequence is lower than one you have seen for it. Null for an event without either
       */
      sequence: number | null;
      /**
       * @description Present only in a test event with a made-up payment or order, which does not exist
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
      | 'member.erased'
      | 'payment.created'
      | 'payment.settled'
      | 'payment.cancel_requested'
      | 'payment.retry_requested'
      | 'checkout.created'
      | 'checkout.cancel_requested'
      | 'webhook.created'
      | 'webhook.updated'
      | 'webhook.deleted'
      | 'webhook.secret_rotated'
      | 'webhook.tested'
      | 'webhook.redelivered'
      | 'webhook.replayed'
      | 'payout.updated'
      | 'branding.updated'
      | 'alert.closed'
      | 'answer.replayed';
    /** @description The resource as the API returns it */
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
      /** @description Id of the integration, or subject and issuer of an outside token; null for the operator */
      actor_id: string | null;
      /** @description IP address of the caller; null for the operator */
      address: string | null;
      request_id: string | null;
      /** @description The resource before the change; null for a new one, and for callers who may not read it */
      before: components['schemas']['SnapshotOrNull'];
      /** @description The resource after the change; null for a deleted one, and for callers who may not read it */
      after: components['schemas']['SnapshotOrNull'];
      created_at: components['schemas']['Timestamp'];
    };
    AuditPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
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
      /** @description Reference of the transfer or charge at the merchant's processor; kept in the payment's log */
      reference: components['schemas']['Name'];
    };
    /** @description Hashes, blocks and reasons, by event type */
    PaymentLogData: {
      [key: string]: unknown;
    };
    PaymentLog: {
      id: components['schemas']['Uuid'];
      payment_id: components['schemas']['Uuid'];
      /**
       * Format: int32
       * @description Position among the transitions of the payment, from 1; null for entries that are not transitions (waiting reasons, transactions)
       */
      sequence: number | null;
      /**
       * @description Type of the entry; `message` describes it. `waiting_*` entries have a `reason` in their data, with the values of `status_detail`. `transaction_*` entries are about a transaction of Carat and have its `purpose` (`create_deal`, `cancel_deal`), hash, nonce and fees, or its block
       * @enum {string}
       */
      event_type:
        | 'payment_created'
        | 'deal_confirmed'
        | 'deal_offered'
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
        | 'choice_dropped'
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
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
      next_cursor: string | null;
      items: components['schemas']['PaymentLog'][];
    };
    /** @description A function, event or error of a contract, as the Solidity compiler describes it */
    AbiEntry: {
      [key: string]: unknown;
    };
    CancelRequest: {
      /**
       * @description Cancels an offered deal by a transaction, instead of waiting for the end of its offers
       * @default false
       */
      on_chain?: boolean;
    };
    ContractCall: {
      abi: components['schemas']['AbiEntry'][];
      function_name: string;
      /** @description Arguments in the order and nesting of the ABI; integers are decimal strings */
      arguments: unknown[];
      data: components['schemas']['CallData'];
      value: components['schemas']['Units'];
      /** @description The contract's own errors with which the call can revert; a token may revert with an error of its own */
      errors: components['schemas']['ContractError'][];
    };
    /** @description Encoded call, 0x-prefixed hex */
    CallData: string;
    ContractError: {
      /** @description First four bytes of the revert data */
      selector: string;
      name: string;
      /** @description Sentence for the buyer, in English */
      message: string;
    };
    /** @description To pay without an approval: add `owner`, the buyer's address, and `nonce`, a decimal string that the token answers to `nonces(owner)`, to the message; have the data signed by eth_signTypedData_v4; append v, r and s of the signature to `data`, 32 bytes each; and send that to `diamond_address`, without coins */
    TokenPermitOrNull: {
      /** @enum {string} */
      function_name: 'payTokenWithPermit' | 'payOfferedTokenWithPermit';
      typed_data: components['schemas']['PermitData'];
      /** @description Hash of the domain (EIP-712). A token whose `DOMAIN_SEPARATOR()` is another one has changed, and refuses the permit: use the approval */
      domain_separator: string;
      /** @description The encoded call without its last three words */
      data: string;
    } | null;
    /** @description Typed data (EIP-712) */
    PermitData: {
      types: components['schemas']['PermitTypes'];
      /** @enum {string} */
      primaryType: 'Permit';
      domain: components['schemas']['PermitDomain'];
      message: components['schemas']['PermitMessage'];
    };
    PermitTypes: {
      EIP712Domain: components['schemas']['TypedField'][];
      Permit: components['schemas']['TypedField'][];
    };
    PermitDomain: {
      name: string;
      version: string;
      chainId: components['schemas']['ChainId'];
      verifyingContract: components['schemas']['Address'];
    };
    PermitMessage: {
      spender: components['schemas']['Address'];
      value: components['schemas']['Units'];
      /** @description End of the permit, in Unix seconds - that of the deal, or of its offer */
      deadline: string;
    };
    TypedField: {
      name: string;
      type: string;
    };
    /** @description Calls on the token that let the diamond take the amount. Some tokens refuse a new amount while another one is left over: send `reset_data` first there */
    TokenApprovalOrNull: {
      spender: components['schemas']['Address'];
      data: components['schemas']['CallData'];
      reset_data: components['schemas']['CallData'];
    } | null;
    WidgetNetwork: {
      name: components['schemas']['Name'];
      /** @description Symbol of the coin in which the network's fees are paid */
      native_symbol: string;
      explorer_url: string | null;
      /** @description Public endpoints that a wallet without the network can add */
      rpc_urls: string[];
      /**
       * Format: int32
       * @description Usual time between blocks, in milliseconds
       */
      block_time_ms: number;
    };
    /** @description Confirmations of the buyer's transaction, in blocks */
    WidgetConfirmations: {
      /** Format: int32 */
      needed: number;
      /**
       * Format: int32
       * @description 0 while no block has the transaction
       */
      seen: number;
    };
    WidgetItem: {
      name: components['schemas']['Name'];
      amount: components['schemas']['Units'];
    };
    WidgetMerchant: {
      name: components['schemas']['Name'];
      accent_color: string | null;
      logo_url: string | null;
    };
    /** @description A payment as its buyer's page shows it */
    WidgetPaymentState: {
      id: components['schemas']['Uuid'];
      external_id: string;
      node_id: components['schemas']['Uuid'];
      status: components['schemas']['PaymentStatus'];
      /**
       * @description Reason why the payment waits, went back or ended. It waits because
       *     - `diamond_missing`: the wallet's diamond is not active on the network yet
       *     - `diamond_updating`: the wallet's diamond is being updated; its deals are created afterwards
       *     - `simulation_failed`: the simulation of its transaction fails; an alert gives the operator of this installation the reason
       *     - `network_paused`: the network's contracts are paused
       *     - `operator_revoked`: the diamond does not accept the key that creates its deals
       *     - `operator_underfunded`: that key has too little of the network's coin
       *     - `fees_above_ceiling`: the network's fees are above the operator's ceiling
       *     - `lane_paused`: Carat has paused that key, because the chain has transactions of it that Carat does not know
       *     - `key_missing`: no process of this installation holds that key
       *     - `signer_revoked`: no key of this installation may offer deals on the network
       *     - `signing_stalled`: no process of this installation signs offers on the network, for a reason that Carat does not know
       *     - `network_unreachable`: no RPC endpoint of the network responds
       *     - `endpoint_refuses`: the RPC endpoints of the network respond, but refuse a call that its transaction needs
       *     - `outcome_unknown`: too few RPC endpoints of the network report the outcome of its transaction
       *     - `words_unreadable`: too few RPC endpoints of the network report the state of its deal at a confirmed block
       *     - `former_choice_open`: the buyer chose another option of the order before, which may still be paid
       *
       *     It went back because
       *     - `payment_not_borne_out`: a log reported a payment that the deal does not show at a confirmed block
       *
       *     It ended because
       *     - `deal_conflict`: the diamond has another deal under the same id
       *     - `deal_not_created`: the creation was mined without effect, and no retry is left
       *     - `declined`: the merchant settled it as failed
       *     - `canceled_before_creation`: it was canceled before its deal was on the chain, or before anybody saw its offer
       *     - `canceled_foreign`: a key of the operator canceled it on the chain without a request to Carat
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
        | 'signer_revoked'
        | 'signing_stalled'
        | 'network_unreachable'
        | 'endpoint_refuses'
        | 'outcome_unknown'
        | 'words_unreadable'
        | 'former_choice_open'
        | 'payment_not_borne_out'
        | 'deal_conflict'
        | 'deal_not_created'
        | 'declined'
        | 'canceled_before_creation'
        | 'canceled_foreign'
        | null;
      /** @description Whether the buyer can pay now: the deal is in a block, or offered, and its time is not over. Get the widget's data for the call */
      payable: boolean;
      network_id: components['schemas']['ChainId'];
      network: components['schemas']['WidgetNetwork'];
      /** @description Symbol of the currency */
      currency: string;
      amount: components['schemas']['Units'];
      /** @description Decimals of the currency on this network */
      decimals: components['schemas']['Decimals'];
      /** @description Address of the token; null for the network's native coin */
      token_address: components['schemas']['AddressOrNull'];
      payment_address: components['schemas']['Address'];
      /** @description Null until the wallet's diamond is active on the network */
      diamond_address: components['schemas']['AddressOrNull'];
      confirmations: components['schemas']['WidgetConfirmations'];
      items: components['schemas']['WidgetItem'][];
      /** @description Account that has paid; null before, and while no transaction proves it */
      payer: components['schemas']['AddressOrNull'];
      /** @description The buyer's transaction; null before, and where it is unknown */
      transaction_hash: components['schemas']['TransactionHashOrNull'];
      expires_at: components['schemas']['Timestamp'];
      /** @description Time of the answer, for a countdown that does not trust the clock of the buyer's device */
      server_time: components['schemas']['Timestamp'];
      merchant: components['schemas']['WidgetMerchant'];
      success_url: string | null;
      cancel_url: string | null;
      locale: string | null;
      checkout_id: components['schemas']['UuidOrNull'];
    };
    WidgetPayment: {
      id: components['schemas']['Uuid'];
      external_id: string;
      node_id: components['schemas']['Uuid'];
      status: components['schemas']['PaymentStatus'];
      /**
       * @description Reason why the payment waits, went back or ended. It waits because
       *     - `diamond_missing`: the wallet's diamond is not active on the network yet
       *     - `diamond_updating`: the wallet's diamond is being updated; its deals are created afterwards
       *     - `simulation_failed`: the simulation of its transaction fails; an alert gives the operator of this installation the reason
       *     - `network_paused`: the network's contracts are paused
       *     - `operator_revoked`: the diamond does not accept the key that creates its deals
       *     - `operator_underfunded`: that key has too little of the network's coin
       *     - `fees_above_ceiling`: the network's fees are above the operator's ceiling
       *     - `lane_paused`: Carat has paused that key, because the chain has transactions of it that Carat does not know
       *     - `key_missing`: no process of this installation holds that key
       *     - `signer_revoked`: no key of this installation may offer deals on the network
       *     - `signing_stalled`: no process of this installation signs offers on the network, for a reason that Carat does not know
       *     - `network_unreachable`: no RPC endpoint of the network responds
       *     - `endpoint_refuses`: the RPC endpoints of the network respond, but refuse a call that its transaction needs
       *     - `outcome_unknown`: too few RPC endpoints of the network report the outcome of its transaction
       *     - `words_unreadable`: too few RPC endpoints of the network report the state of its deal at a confirmed block
       *     - `former_choice_open`: the buyer chose another option of the order before, which may still be paid
       *
       *     It went back because
       *     - `payment_not_borne_out`: a log reported a payment that the deal does not show at a confirmed block
       *
       *     It ended because
       *     - `deal_conflict`: the diamond has another deal under the same id
       *     - `deal_not_created`: the creation was mined without effect, and no retry is left
       *     - `declined`: the merchant settled it as failed
       *     - `canceled_before_creation`: it was canceled before its deal was on the chain, or before anybody saw its offer
       *     - `canceled_foreign`: a key of the operator canceled it on the chain without a request to Carat
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
        | 'signer_revoked'
        | 'signing_stalled'
        | 'network_unreachable'
        | 'endpoint_refuses'
        | 'outcome_unknown'
        | 'words_unreadable'
        | 'former_choice_open'
        | 'payment_not_borne_out'
        | 'deal_conflict'
        | 'deal_not_created'
        | 'declined'
        | 'canceled_before_creation'
        | 'canceled_foreign'
        | null;
      /** @description Whether the call would be accepted now; also false while a reorganisation has removed the deal */
      payable: boolean;
      network_id: components['schemas']['ChainId'];
      network: components['schemas']['WidgetNetwork'];
      /** @description Symbol of the currency */
      currency: string;
      amount: components['schemas']['Units'];
      /** @description Decimals of the currency on this network */
      decimals: components['schemas']['Decimals'];
      /** @description Address of the token; null for the network's native coin */
      token_address: components['schemas']['AddressOrNull'];
      payment_address: components['schemas']['Address'];
      diamond_address: components['schemas']['Address'];
      confirmations: components['schemas']['WidgetConfirmations'];
      items: components['schemas']['WidgetItem'][];
      /** @description Account that has paid; null before, and while no transaction proves it */
      payer: components['schemas']['AddressOrNull'];
      transaction_hash: components['schemas']['TransactionHashOrNull'];
      expires_at: components['schemas']['Timestamp'];
      /** @description Time of the answer, for a countdown that does not trust the clock of the buyer's device */
      server_time: components['schemas']['Timestamp'];
      merchant: components['schemas']['WidgetMerchant'];
      success_url: string | null;
      cancel_url: string | null;
      locale: string | null;
      checkout_id: components['schemas']['UuidOrNull'];
      deal_id: components['schemas']['DealId'];
      /**
       * Format: int64
       * @description Amount due, as an integer at the scale of `price_decimals`
       */
      price: number;
      /** @description Digits of `price` after the decimal point */
      price_decimals: components['schemas']['Decimals'];
      contract: components['schemas']['ContractCall'];
      /** @description Null for the network's native coin */
      approval: components['schemas']['TokenApprovalOrNull'];
      /** @description A signature in place of the approval (EIP-2612); null for a token whose permits the operator has not listed, and for the network's native coin */
      permit: components['schemas']['TokenPermitOrNull'];
      /** @description End of the offer in the call, for a payment with an offered deal; read the data again before it. Null for a created deal, and while the payment is not payable: then the call has an empty offer, which the contract refuses */
      offer_valid_until: components['schemas']['TimestampOrNull'];
      /** @description Warning to show to the buyer. Only the call pays; a plain transfer of tokens or coins, to any address, is not recognised as this payment */
      warning: string;
    };
    Node: {
      id: components['schemas']['Uuid'];
      /** @description Id of the node above; null for a root, and for the caller's own node, whose parent is out of reach */
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
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
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
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
      next_cursor: string | null;
      items: components['schemas']['Chain'][];
    };
    Network: {
      id: components['schemas']['Uuid'];
      chain_id: components['schemas']['Uuid'];
      name: components['schemas']['Name'];
      eip155: components['schemas']['ChainId'];
      /**
       * Format: int32
       * @description Confirmations that a transaction needs, in blocks
       */
      confirmations: number;
      /**
       * Format: int32
       * @description Blocks below the head within which Carat follows reorganisations
       */
      finality: number;
      /**
       * Format: int32
       * @description Usual time between blocks, in milliseconds
       */
      block_time_ms: number;
      explorer_url: string | null;
      /** @description Time when the network was retired. A retired network takes nothing new; existing work goes on to its end */
      retired_at: components['schemas']['TimestampOrNull'];
      created_at: components['schemas']['Timestamp'];
      updated_at: components['schemas']['Timestamp'];
    };
    NetworkPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
      next_cursor: string | null;
      items: components['schemas']['Network'][];
    };
    CurrencyToken: {
      network_id: components['schemas']['Uuid'];
      /** @description Address of the token; null for the native coin */
      address: components['schemas']['AddressOrNull'];
      decimals: components['schemas']['Decimals'];
    };
    Currency: {
      id: components['schemas']['Uuid'];
      symbol: string;
      name: components['schemas']['Name'];
      /** @description Decimals of payments that are not paid on a chain */
      decimals: components['schemas']['Decimals'];
      tokens: components['schemas']['CurrencyToken'][];
      created_at: components['schemas']['Timestamp'];
    };
    CurrencyPage: {
      /** Format: int32 */
      page: number;
      /** Format: int32 */
      per_page: number;
      /**
       * Format: int64
       * @description Number of entries on all pages
       */
      total: number;
      /** @description Cursor of the next page; null on the last page */
      next_cursor: string | null;
      items: components['schemas']['Currency'][];
    };
    /** @description Texts of the element in one language, by their keys */
    WidgetTexts: {
      [key: string]: string;
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
       * @description Measured value, in `unit`; null if there is nothing to measure, such as no waiting command or no worker
       */
      value: number | null;
      /** Format: double */
      bound: number;
      /** @enum {string} */
      unit: 'seconds' | 'milliseconds';
    };
    /** @description Time since Temporal last responded to the worker, which each sign of life of the worker records; a killed worker is shown for an hour */
    WorkerStatus: {
      id: components['schemas']['Uuid'];
      /** @description Process id and host of the worker */
      name: string;
      started_at: components['schemas']['Timestamp'];
      status: components['schemas']['HealthGrade'];
      /**
       * Format: double
       * @description Measured value, in `unit`; null if there is nothing to measure, such as no waiting command or no worker
       */
      value: number | null;
      /** Format: double */
      bound: number;
      /** @enum {string} */
      unit: 'seconds' | 'milliseconds';
    };
    /** @description Time since the watcher last reached the head of the chain; while a transaction or a payment waits for blocks, time since the newest block. The bound is ten blocks or 15 seconds, whichever is longer */
    NetworkStatus: {
      network_id: components['schemas']['Uuid'];
      name: components['schemas']['Name'];
      /** Format: int64 */
      last_block: number | null;
      limits: components['schemas']['NetworkLimits'];
      status: components['schemas']['HealthGrade'];
      /**
       * Format: double
       * @description Measured value, in `unit`; null if there is nothing to measure, such as no waiting command or no worker
       */
      value: number | null;
      /** Format: double */
      bound: number;
      /** @enum {string} */
      unit: 'seconds' | 'milliseconds';
    };
    /** @description What the endpoints of the network demand of Carat's transactions, as their rejections of the last hour have shown; null where they have shown nothing */
    NetworkLimits: {
      /** @description The least priority fee for each unit of gas, in wei */
      least_tip_wei: string | null;
      /**
       * Format: int64
       * @description The most bytes of call data of a transaction
       */
      most_data_bytes: number | null;
      /**
       * Format: int64
       * @description The highest gas limit of a transaction
       */
      most_gas: number | null;
    };
    ServiceStatus: {
      status: components['schemas']['HealthGrade'];
      at: components['schemas']['Timestamp'];
      /** @description Response time of the database */
      database: components['schemas']['StatusFigure'];
      /** @description Time since Temporal last responded to a worker, or to an api if there is no worker */
      temporal: components['schemas']['StatusFigure'];
      /** @description Time since the newest sign of life of any worker */
      workers: components['schemas']['StatusFigure'];
      /** @description Age of the oldest command about payments or diamonds that Temporal has not received */
      commands: components['schemas']['StatusFigure'];
      /** @description Age of the oldest requested transaction that has neither a nonce nor a waiting reason */
      intents: components['schemas']['StatusFigure'];
      /** @description Age of the oldest payment that has no offer of its deal and no known reason to wait for one */
      offers: components['schemas']['StatusFigure'];
      /** @description Time since the most overdue first attempt of a webhook that is not failing was due; `late` at worst */
      webhooks: components['schemas']['StatusFigure'];
      /** @description Time since the most overdue retry of a webhook was due; `late` at worst */
      webhook_retries: components['schemas']['StatusFigure'];
      /** Format: int32 */
      worker_count: number;
      /** @description The workers, newest sign of life first */
      worker_list: components['schemas']['WorkerStatus'][];
      /** Format: int32 */
      network_count: number;
      /** @description The networks, worst first */
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
    /** @description A parameter is invalid; `errors` names the parameters and rules */
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
         *       "detail": "/query/page must be at least 1",
         *       "code": "invalid_request",
         *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11",
         *       "errors": [
         *         {
         *           "path": "/query/page",
         *           "message": "must be at least 1"
         *         }
         *       ]
         *     }
         */
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The request is invalid; `errors` names the fields and rules. `malformed_json` if the body is not JSON */
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
    /** @description The integration lacks the operation's permission, or the named resource belongs to a node out of its reach */
    OutOfReach: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The node does not exist in the caller's reach */
    NodeNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The wallet does not exist in the caller's reach */
    WalletNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The wallet does not exist in the caller's reach, node_id is not the wallet's node, or the network does not exist */
    NotOnNetwork: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The member does not exist in the caller's reach */
    MemberNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The webhook does not exist */
    WebhookNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The webhook does not exist, or has no such delivery */
    DeliveryNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The webhook is not active, or the Idempotency-Key belongs to another request */
    WebhookInactive: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The payment does not exist in the caller's reach */
    PaymentNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The order does not exist in the caller's reach */
    CheckoutNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The integration does not exist in the caller's reach, or is revoked */
    IntegrationNotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The Idempotency-Key belongs to another request */
    IdempotencyKeyReused: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description Too many requests from this integration, or from this address if there is none */
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
    /** @description Internal error; the log has the details under the request_id */
    InternalError: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The database, or the outside issuer of the token, cannot be reached; try again */
    Unavailable: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description The database cannot be reached, or the diamond could not be inspected within ten seconds, for example because too few RPC endpoints of the network agree; try again */
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
     * @description Node of the wallet
     * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
     */
    WalletNode: components['schemas']['Uuid'];
    /**
     * @description A network of the wallet's chain
     * @example 7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e
     */
    NetworkOfWallet: components['schemas']['Uuid'];
    /** @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11 */
    PayoutNode: components['schemas']['Uuid'];
    /** @example 5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21 */
    PayoutChain: components['schemas']['Uuid'];
    /** @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11 */
    BrandedNode: components['schemas']['Uuid'];
    /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f73 */
    MemberId: components['schemas']['Uuid'];
    /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f79 */
    WebhookId: components['schemas']['Uuid'];
    /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7c */
    DeliveryId: components['schemas']['Uuid'];
    /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72 */
    PaymentId: components['schemas']['Uuid'];
    /** @example 01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03 */
    CheckoutId: components['schemas']['Uuid'];
    /**
     * @description The caller's node or a node below it
     * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
     */
    NodeId: components['schemas']['Uuid'];
    /** @description Include the resources of all nodes below */
    IncludeDescendants: boolean;
    /** @description Number of the page, from 1 */
    Page: number;
    /** @description Entries per page */
    PerPage: number;
    /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
    Cursor: string;
    /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
    IdempotencyKey: string;
  };
  requestBodies: never;
  headers: {
    /** @description Id of the request in the log; the caller's own `X-Request-Id` if it sent one */
    RequestId: string;
    /** @description Identifies the content in this encoding, for `If-None-Match` (RFC 9110 section 8.8.3) */
    ETag: string;
    /** @description Present only if this is the stored answer of an earlier request with the same Idempotency-Key */
    IdempotentReplayed: 'true';
    /** @description Requests left, and seconds until the limit is full again (draft-ietf-httpapi-ratelimit-headers); absent if the operator has set no limit */
    RateLimit: string;
    /** @description The limit as a quota and its window in seconds; absent if the operator has set no limit */
    RateLimitPolicy: string;
    /** @description Seconds to wait before the next request */
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
export type DealMode = components['schemas']['DealMode'];
export type WalletDealMode = components['schemas']['WalletDealMode'];
export type WalletDealModes = components['schemas']['WalletDealModes'];
export type WalletUpdate = components['schemas']['WalletUpdate'];
export type WalletPage = components['schemas']['WalletPage'];
export type WalletDefaultType = components['schemas']['WalletDefaultType'];
export type WalletDefaultKey = components['schemas']['WalletDefaultKey'];
export type WalletDefaultRequest = components['schemas']['WalletDefaultRequest'];
export type WalletDefault = components['schemas']['WalletDefault'];
export type WalletDefaultPage = components['schemas']['WalletDefaultPage'];
export type PayoutRequest = components['schemas']['PayoutRequest'];
export type Payout = components['schemas']['Payout'];
export type BrandingRequest = components['schemas']['BrandingRequest'];
export type Branding = components['schemas']['Branding'];
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
export type VisibleMember = components['schemas']['VisibleMember'];
export type MemberPage = components['schemas']['MemberPage'];
export type PaymentItemRequest = components['schemas']['PaymentItemRequest'];
export type PaymentRequest = components['schemas']['PaymentRequest'];
export type PaymentItem = components['schemas']['PaymentItem'];
export type ToldPayment = components['schemas']['ToldPayment'];
export type Payment = components['schemas']['Payment'];
export type PaymentPage = components['schemas']['PaymentPage'];
export type CheckoutStatus = components['schemas']['CheckoutStatus'];
export type OptionRequest = components['schemas']['OptionRequest'];
export type CheckoutRequest = components['schemas']['CheckoutRequest'];
export type CheckoutOption = components['schemas']['CheckoutOption'];
export type CheckoutItem = components['schemas']['CheckoutItem'];
export type ToldCheckout = components['schemas']['ToldCheckout'];
export type Checkout = components['schemas']['Checkout'];
export type CheckoutPage = components['schemas']['CheckoutPage'];
export type ChoiceRequest = components['schemas']['ChoiceRequest'];
export type WidgetOption = components['schemas']['WidgetOption'];
export type WidgetOptionNetwork = components['schemas']['WidgetOptionNetwork'];
export type WidgetCheckoutItem = components['schemas']['WidgetCheckoutItem'];
export type WidgetChoiceOrNull = components['schemas']['WidgetChoiceOrNull'];
export type WidgetCheckout = components['schemas']['WidgetCheckout'];
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
export type CheckoutEventData = components['schemas']['CheckoutEventData'];
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
export type CheckoutCompletedEvent = components['schemas']['CheckoutCompletedEvent'];
export type CheckoutExpiredEvent = components['schemas']['CheckoutExpiredEvent'];
export type CheckoutCanceledEvent = components['schemas']['CheckoutCanceledEvent'];
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
export type CancelRequest = components['schemas']['CancelRequest'];
export type ContractCall = components['schemas']['ContractCall'];
export type CallData = components['schemas']['CallData'];
export type ContractError = components['schemas']['ContractError'];
export type TokenPermitOrNull = components['schemas']['TokenPermitOrNull'];
export type PermitData = components['schemas']['PermitData'];
export type PermitTypes = components['schemas']['PermitTypes'];
export type PermitDomain = components['schemas']['PermitDomain'];
export type PermitMessage = components['schemas']['PermitMessage'];
export type TypedField = components['schemas']['TypedField'];
export type TokenApprovalOrNull = components['schemas']['TokenApprovalOrNull'];
export type WidgetNetwork = components['schemas']['WidgetNetwork'];
export type WidgetConfirmations = components['schemas']['WidgetConfirmations'];
export type WidgetItem = components['schemas']['WidgetItem'];
export type WidgetMerchant = components['schemas']['WidgetMerchant'];
export type WidgetPaymentState = components['schemas']['WidgetPaymentState'];
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
export type WidgetTexts = components['schemas']['WidgetTexts'];
export type Specification = components['schemas']['Specification'];
export type Health = components['schemas']['Health'];
export type HealthGrade = components['schemas']['HealthGrade'];
export type StatusFigure = components['schemas']['StatusFigure'];
export type WorkerStatus = components['schemas']['WorkerStatus'];
export type NetworkStatus = components['schemas']['NetworkStatus'];
export type NetworkLimits = components['schemas']['NetworkLimits'];
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
export type ResponseCheckoutNotFound = components['responses']['CheckoutNotFound'];
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
export type ParameterBrandedNode = components['parameters']['BrandedNode'];
export type ParameterMemberId = components['parameters']['MemberId'];
export type ParameterWebhookId = components['parameters']['WebhookId'];
export type ParameterDeliveryId = components['parameters']['DeliveryId'];
export type ParameterPaymentId = components['parameters']['PaymentId'];
export type ParameterCheckoutId = components['parameters']['CheckoutId'];
export type ParameterNodeId = components['parameters']['NodeId'];
export type ParameterIncludeDescendants = components['parameters']['IncludeDescendants'];
export type ParameterPage = components['parameters']['Page'];
export type ParameterPerPage = components['parameters']['PerPage'];
export type ParameterCursor = components['parameters']['Cursor'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type HeaderRequestId = components['headers']['RequestId'];
export type HeaderETag = components['headers']['ETag'];
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
      /** @description The bearer token */
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
      /** @description The request is not a valid token request of RFC 6749, or its scope names a permission that the integration lacks */
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
      /** @description The api_key is unknown, the secret is wrong, or the integration is revoked or expired */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "error": "invalid_client",
           *       "error_description": "The api_key or the secret is wrong, or the integration is revoked or expired",
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
      /** @description Too many requests from this address */
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
           *       "error_description": "Too many requests; try again in 1 s",
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
      /** @description The verification keys; the current signing key comes first. A new key appears one minute before it signs; a replaced key stays until the last token it signed has expired */
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
         * @description The caller's node or a node below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Include the resources of all nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        /** @description Include revoked and expired integrations */
        include_ended?: boolean;
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
      /** @description The integration, with its secret */
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
      /** @description A live integration of this node already has the name, or the node has 100 live integrations */
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
      /** @description The integration is revoked */
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
      /** @description The integration, with its new secret */
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
      /** @description The caller lacks integrations.update or a permission that the integration holds, or expires before it */
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
         * @description The caller's node or a node below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Include the resources of all nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
           *           "deal_modes": [],
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
           *       "deal_modes": [],
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
      /** @description The chain does not exist, or the node does not exist in the caller's reach */
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
           *       "deal_modes": [],
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
      /** @description The wallet is updated */
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
      /** @description The integration lacks wallets.update, or wallets.deploy when the request has an address or deal modes */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The wallet, or a network of its deal modes, does not exist */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The wallet's diamond is deployed or being deployed, open web3 payments are bound to its address, another wallet of the chain has the address, or deals cannot be offered on a network yet */
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
      /** @description The current step */
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
      /** @description The operator has not prepared the network with a key for deals, or has retired it */
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
      /** @description The node has reached its limit of deployments and updates under way, or the integration sends too many requests */
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
         * @description Node of the wallet
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['WalletNode'];
        /**
         * @description A network of the wallet's chain
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
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
      /** @description A page of deployments and updates */
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
      /** @description The network does not exist, or the wallet does not exist in the caller's reach */
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
        /** @description Return the plan of the update without storing or sending anything */
        dry_run?: boolean;
      };
      header?: {
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
      /** @description The plan of an update; only with `dry_run` */
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
      /** @description The current step */
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
      /** @description The node has reached its limit of deployments and updates under way, or the integration sends too many requests */
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
         * @description The caller's node or a node below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Include the resources of all nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        network_id?: components['schemas']['Uuid'];
        type?: components['schemas']['WalletDefaultType'];
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of defaults */
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
           *             "deal_modes": [],
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
      /** @description The network does not exist, or the node does not exist in the caller's reach */
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
      /** @description The default is updated */
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
      /** @description The default does not exist in the caller's reach, or neither the node nor a node above it owns the wallet */
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
      /** @description The default */
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
           *         "deal_modes": [],
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
      /** @description The network does not exist, the node does not exist in the caller's reach, or neither the node nor a node above it owns the wallet */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The node already has a default of this type for the network, or the wallet or network takes no new payments */
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
      /** @description The default is deleted */
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
      /** @description The default does not exist in the caller's reach */
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
      /** @description The payout address; null if none is set */
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
      /** @description The chain does not exist, or the node does not exist in the caller's reach */
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
      /** @description The updated payout address */
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
      /** @description The chain does not exist, or the node does not exist in the caller's reach */
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
  getBranding: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11 */
        node_id: components['parameters']['BrandedNode'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The branding; null and empty where the node has none */
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
           *       "display_name": "Blue Shirts",
           *       "accent_color": "#1d4ed8",
           *       "logo_url": "https://pay.test/pay/logos/e4a900219c4e66acf3b7bb3fe56e5fe81ffec902f6a91d102d7b06d09d25f51b",
           *       "frame_origins": [
           *         "https://shop.example"
           *       ],
           *       "merchant": {
           *         "name": "Blue Shirts",
           *         "accent_color": "#1d4ed8",
           *         "logo_url": "https://pay.test/pay/logos/e4a900219c4e66acf3b7bb3fe56e5fe81ffec902f6a91d102d7b06d09d25f51b"
           *       },
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Branding'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description The node does not exist in the caller's reach */
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
  setBranding: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11 */
        node_id: components['parameters']['BrandedNode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "display_name": "Blue Shirts and Socks",
         *       "accent_color": "#1D4ED8",
         *       "logo": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGOQ9bvxHwAEEgJD6R8JuAAAAABJRU5ErkJggg==",
         *       "frame_origins": [
         *         "https://Shop.example:443/"
         *       ]
         *     }
         */
        'application/json': components['schemas']['BrandingRequest'];
      };
    };
    responses: {
      /** @description The updated branding */
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
           *       "display_name": "Blue Shirts and Socks",
           *       "accent_color": "#1d4ed8",
           *       "logo_url": "https://pay.test/pay/logos/e4a900219c4e66acf3b7bb3fe56e5fe81ffec902f6a91d102d7b06d09d25f51b",
           *       "frame_origins": [
           *         "https://shop.example"
           *       ],
           *       "merchant": {
           *         "name": "Blue Shirts and Socks",
           *         "accent_color": "#1d4ed8",
           *         "logo_url": "https://pay.test/pay/logos/e4a900219c4e66acf3b7bb3fe56e5fe81ffec902f6a91d102d7b06d09d25f51b"
           *       },
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Branding'];
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description The node does not exist in the caller's reach */
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
  getLogo: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description SHA-256 of the image, in lower-case hex
         * @example e4a900219c4e66acf3b7bb3fe56e5fe81ffec902f6a91d102d7b06d09d25f51b
         */
        sha256: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The image */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'image/png': string;
        };
      };
      /** @description The client has this content */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadParameters'];
      /** @description No node has this logo now */
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
  listMembers: {
    parameters: {
      query: {
        /**
         * @description The caller's node or a node below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Include the resources of all nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
      /** @description The request is invalid, or the member exceeds 28,672 bytes as JSON in UTF-8 */
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
      /** @description The node already has a member with this external_id; `existing_id` is its id */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "/docs#member_exists",
           *       "title": "The member already exists",
           *       "status": 409,
           *       "detail": "The node already has a member with this external_id",
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
      /** @description The updated member */
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
          'application/json': components['schemas']['VisibleMember'];
        };
      };
      /** @description The request is invalid, changes node_id or external_id, or makes the member too large; `errors` names the fields */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "type": "/docs#immutable_field",
           *       "title": "The field cannot be changed",
           *       "status": 400,
           *       "detail": "/body/external_id cannot be changed",
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
  listCheckouts: {
    parameters: {
      query: {
        /**
         * @description The caller's node or a node below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Include the resources of all nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        external_id?: string;
        status?: components['schemas']['CheckoutStatus'];
        /** @description Created at or after this time */
        created_from?: components['schemas']['Timestamp'];
        /** @description Created before this time */
        created_to?: components['schemas']['Timestamp'];
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of orders */
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
           *           "id": "01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03",
           *           "external_id": "order-2001",
           *           "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *           "payment_group": "product",
           *           "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *           "options": [
           *             {
           *               "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *               "eip155": 11155111,
           *               "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *               "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *               "currency": "USDC",
           *               "price": 12.5,
           *               "price_units": "12500000",
           *               "paid_price": 12.5,
           *               "paid_price_units": "12500000",
           *               "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
           *             },
           *             {
           *               "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *               "eip155": 11155111,
           *               "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *               "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *               "currency": "USDC",
           *               "price": 12.5,
           *               "price_units": "12500000",
           *               "paid_price": 12,
           *               "paid_price_units": "12000000",
           *               "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
           *             }
           *           ],
           *           "items": [
           *             {
           *               "name": "Blue shirt, M",
           *               "price": 12.5,
           *               "external_id": "sku-77"
           *             }
           *           ],
           *           "metadata": null,
           *           "member_id": null,
           *           "member": null,
           *           "success_url": null,
           *           "cancel_url": null,
           *           "locale": null,
           *           "on_chain_cancel": false,
           *           "expires_at": "2099-03-01T13:00:00.000Z",
           *           "status": "open",
           *           "option": null,
           *           "choices": 0,
           *           "payments": [],
           *           "payment": null,
           *           "access_token": "ct_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *           "checkout_url": "https://pay.example/pay/01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03#ct_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *           "cancel_requested_at": null,
           *           "completed_at": null,
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
          'application/json': components['schemas']['CheckoutPage'];
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
  createCheckout: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "external_id": "order-2001",
         *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
         *       "payment_group": "product",
         *       "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
         *       "options": [
         *         {
         *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
         *           "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
         *           "paid_price": 12.5,
         *           "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f"
         *         },
         *         {
         *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
         *           "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
         *           "paid_price": 12,
         *           "price": 12.5,
         *           "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f"
         *         }
         *       ],
         *       "items": [
         *         {
         *           "name": "Blue shirt, M",
         *           "price": 12.5,
         *           "external_id": "sku-77"
         *         }
         *       ],
         *       "expires_at": "2099-03-01T13:00:00Z"
         *     }
         */
        'application/json': components['schemas']['CheckoutRequest'];
      };
    };
    responses: {
      /** @description The order, with the access_token for its page */
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
           *       "id": "01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03",
           *       "external_id": "order-2001",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "payment_group": "product",
           *       "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *       "options": [
           *         {
           *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "eip155": 11155111,
           *           "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *           "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *           "currency": "USDC",
           *           "price": 12.5,
           *           "price_units": "12500000",
           *           "paid_price": 12.5,
           *           "paid_price_units": "12500000",
           *           "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
           *         },
           *         {
           *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "eip155": 11155111,
           *           "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *           "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *           "currency": "USDC",
           *           "price": 12.5,
           *           "price_units": "12500000",
           *           "paid_price": 12,
           *           "paid_price_units": "12000000",
           *           "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
           *         }
           *       ],
           *       "items": [
           *         {
           *           "name": "Blue shirt, M",
           *           "price": 12.5,
           *           "external_id": "sku-77"
           *         }
           *       ],
           *       "metadata": null,
           *       "member_id": null,
           *       "member": null,
           *       "success_url": null,
           *       "cancel_url": null,
           *       "locale": null,
           *       "on_chain_cancel": false,
           *       "expires_at": "2099-03-01T13:00:00.000Z",
           *       "status": "open",
           *       "option": null,
           *       "choices": 0,
           *       "payments": [],
           *       "payment": null,
           *       "access_token": "ct_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *       "checkout_url": "https://pay.example/pay/01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03#ct_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *       "cancel_requested_at": null,
           *       "completed_at": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Checkout'];
        };
      };
      /** @description The request is invalid, the order, a payment of it or its member is too large, or, with `payee_not_allowed`, payment_address is not the locked payout address */
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
      /** @description A resource that the order refers to does not exist or is out of reach, or an option has no wallet_id and the node has no default wallet for its network */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The external_id is taken by another order of this node (`existing_id` is its id, and `errors` names the terms that differ), or the wallet or network of an option takes no new payments */
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
      /** @description The node has reached its limit of open payments, or the integration sends too many requests */
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
  getCheckout: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03 */
        id: components['parameters']['CheckoutId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The order */
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
           *       "id": "01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03",
           *       "external_id": "order-2001",
           *       "node_id": "0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11",
           *       "payment_group": "product",
           *       "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *       "options": [
           *         {
           *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "eip155": 11155111,
           *           "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *           "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *           "currency": "USDC",
           *           "price": 12.5,
           *           "price_units": "12500000",
           *           "paid_price": 12.5,
           *           "paid_price_units": "12500000",
           *           "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
           *         },
           *         {
           *           "network_id": "7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e",
           *           "eip155": 11155111,
           *           "wallet_id": "4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
           *           "currency_id": "9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d",
           *           "currency": "USDC",
           *           "price": 12.5,
           *           "price_units": "12500000",
           *           "paid_price": 12,
           *           "paid_price_units": "12000000",
           *           "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
           *         }
           *       ],
           *       "items": [
           *         {
           *           "name": "Blue shirt, M",
           *           "price": 12.5,
           *           "external_id": "sku-77"
           *         }
           *       ],
           *       "metadata": null,
           *       "member_id": null,
           *       "member": null,
           *       "success_url": null,
           *       "cancel_url": null,
           *       "locale": null,
           *       "on_chain_cancel": false,
           *       "expires_at": "2099-03-01T13:00:00.000Z",
           *       "status": "open",
           *       "option": null,
           *       "choices": 0,
           *       "payments": [],
           *       "payment": null,
           *       "access_token": "ct_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *       "checkout_url": "https://pay.example/pay/01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03#ct_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *       "cancel_requested_at": null,
           *       "completed_at": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Checkout'];
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['CheckoutNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  cancelCheckout: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03 */
        id: components['parameters']['CheckoutId'];
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
      /** @description The order does not exist */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The order is being paid, is paid or has expired, or the Idempotency-Key belongs to another request */
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
  listPayments: {
    parameters: {
      query: {
        /**
         * @description The caller's node or a node below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Include the resources of all nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        /** @description Only payments through this wallet, which belongs to the node or to a node above it */
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
        /** @description Changed at or after this time, by `updated_at`, which every visible change of a payment moves. A change can become visible up to 15 minutes later: start each poll 15 minutes before the start of the previous one, and deduplicate by `id` and `updated_at` */
        updated_from?: components['schemas']['Timestamp'];
        /** @description Hash of the buyer's transaction or of the transaction that created the deal, in any case */
        transaction_hash?: string;
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
        cursor?: components['parameters']['Cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of payments, or a file with all of them */
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
           *           "success_url": null,
           *           "cancel_url": null,
           *           "locale": null,
           *           "checkout_url": "https://pay.example/pay/01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7a#wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *           "checkout_id": null,
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
           *           "success_url": null,
           *           "cancel_url": null,
           *           "locale": null,
           *           "checkout_url": null,
           *           "checkout_id": null,
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
           *           "success_url": "https://shop.example/thanks?order=1001",
           *           "cancel_url": "https://shop.example/cart",
           *           "locale": "de",
           *           "checkout_url": "https://pay.example/pay/01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72#wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *           "checkout_id": null,
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
          /** @example id,external_id,node_id,chain_id,network_id,eip155,wallet_id,member_id,payment_method,payment_group,status,status_detail,currency_id,currency,price,price_units,paid_price,paid_price_units,payment_address,payer,diamond_address,deal_id,transaction_hash,deal_transaction_hash,created_at,expires_at,paid_at,completed_at,updated_at,retry,retry_count,metadata,checkout_id */
          'text/csv': string;
        };
      };
      400: components['responses']['BadParameters'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description The node, or a resource that a filter names, does not exist or is out of reach */
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
         *       "expires_at": "2099-03-01T13:00:00Z",
         *       "success_url": "https://shop.example/thanks?order=1001",
         *       "cancel_url": "https://shop.example/cart",
         *       "locale": "de"
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
           *       "success_url": "https://shop.example/thanks?order=1001",
           *       "cancel_url": "https://shop.example/cart",
           *       "locale": "de",
           *       "checkout_url": "https://pay.example/pay/01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72#wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *       "checkout_id": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:00:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Payment'];
        };
      };
      /** @description The request is invalid, the payment exceeds 36,864 bytes or its member 28,672, or, with `payee_not_allowed`, payment_address is not the locked payout address */
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
           *       "detail": "/body must make a payment of at most 36864 bytes as JSON in UTF-8; it has 59221",
           *       "code": "payment_too_large",
           *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11",
           *       "errors": [
           *         {
           *           "path": "/body",
           *           "message": "must make a payment of at most 36864 bytes as JSON in UTF-8; it has 59221"
           *         }
           *       ]
           *     }
           */
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      /** @description A resource that the payment refers to does not exist or is out of reach, or the request has no wallet_id and the node has no default wallet for the network */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The external_id is taken on this node (`existing_id` is the id of the payment, and `errors` names the terms that differ), or the wallet or network takes no new payments */
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
           *       "detail": "The node already has a payment with this external_id and other terms",
           *       "code": "payment_exists_with_other_terms",
           *       "request_id": "0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11",
           *       "errors": [
           *         {
           *           "path": "/body/paid_price",
           *           "message": "must equal that of the existing payment"
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
      /** @description The node has reached its limit of open payments, or the integration sends too many requests */
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
           *       "success_url": "https://shop.example/thanks?order=1001",
           *       "cancel_url": "https://shop.example/cart",
           *       "locale": "de",
           *       "checkout_url": "https://pay.example/pay/01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72#wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *       "checkout_id": null,
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
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
           *       "success_url": null,
           *       "cancel_url": null,
           *       "locale": null,
           *       "checkout_url": null,
           *       "checkout_id": null,
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
      /** @description The payment is a web3 payment, has ended with another outcome or reference, or is being canceled; or the Idempotency-Key belongs to another request */
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72 */
        id: components['parameters']['PaymentId'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "on_chain": true
         *     }
         */
        'application/json': components['schemas']['CancelRequest'];
      };
    };
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
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['OutOfReach'];
      /** @description The payment does not exist */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description The payment is paid or has ended, or the Idempotency-Key belongs to another request */
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
  retrySendPayment: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
           *       "success_url": null,
           *       "cancel_url": null,
           *       "locale": null,
           *       "checkout_url": "https://pay.example/pay/01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f7a#wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *       "checkout_id": null,
           *       "created_at": "2099-03-01T12:00:00.000Z",
           *       "updated_at": "2099-03-01T12:10:00.000Z"
           *     }
           */
          'application/json': components['schemas']['Payment'];
        };
      };
      /** @description The request is invalid, or the payment is not a pending `web3` payment */
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
      /** @description The payment data */
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
           *         "data": "0x6a0a214300000000000000000000000000000000000000000000000000100000000000010000000000000000000000001c7d4b196cb0c7b01d743fbc6116a902379c723800000000000000000000000090f79bf6eb2c4f870365e785982e1f101e93b90600000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000bebc2000000000000000000000000000000000000000000000000000000000f2f3a2d0",
           *         "value": "0",
           *         "errors": [
           *           {
           *             "selector": "0xea31a91f",
           *             "name": "DealNotOpen",
           *             "message": "This order was already paid or canceled, or it cannot be paid yet."
           *           },
           *           {
           *             "selector": "0xb4a51592",
           *             "name": "TermsMismatch",
           *             "message": "The terms of this order do not match; nothing was paid."
           *           },
           *           {
           *             "selector": "0x4f39efbc",
           *             "name": "DealExpired",
           *             "message": "The time to pay this order is over."
           *           },
           *           {
           *             "selector": "0x2f081df3",
           *             "name": "NotPayer",
           *             "message": "Only one account may pay this order, and it is another one."
           *           },
           *           {
           *             "selector": "0x38f74fa8",
           *             "name": "WrongToken",
           *             "message": "This order is paid in another currency."
           *           },
           *           {
           *             "selector": "0x52d9c6c8",
           *             "name": "InvalidPayee",
           *             "message": "The order names no usable recipient."
           *           },
           *           {
           *             "selector": "0x3728b83d",
           *             "name": "InvalidAmount",
           *             "message": "The order names no usable amount."
           *           },
           *           {
           *             "selector": "0x195a3ca1",
           *             "name": "WrongValue",
           *             "message": "The transaction carries another amount than the order asks for."
           *           },
           *           {
           *             "selector": "0x9366facf",
           *             "name": "InexactTransfer",
           *             "message": "The token did not deliver the exact amount; nothing was paid."
           *           },
           *           {
           *             "selector": "0xbf7e35a3",
           *             "name": "NativeTransferFailed",
           *             "message": "The recipient did not accept the coins; nothing was paid."
           *           },
           *           {
           *             "selector": "0xfecb69b4",
           *             "name": "TokenCallFailed",
           *             "message": "The token refused the transfer: check your balance and the approved amount."
           *           },
           *           {
           *             "selector": "0xed3ba6a6",
           *             "name": "Reentrant",
           *             "message": "The token or the recipient interfered with the payment; nothing was paid."
           *           },
           *           {
           *             "selector": "0x9e87fac8",
           *             "name": "Paused",
           *             "message": "Payments are paused on this network. Try again later."
           *           },
           *           {
           *             "selector": "0x2a6edb2b",
           *             "name": "NotSigner",
           *             "message": "The offer of this order is no longer valid. Reload the page."
           *           },
           *           {
           *             "selector": "0xdb70bdfd",
           *             "name": "OfferExpired",
           *             "message": "The offer of this order is over. Reload the page."
           *           },
           *           {
           *             "selector": "0x5416eb98",
           *             "name": "FunctionNotFound",
           *             "message": "The shop’s contract does not know this kind of payment."
           *           },
           *           {
           *             "selector": "0x1f1feef0",
           *             "name": "NativeRefused",
           *             "message": "Coins can only be paid by the call of an order."
           *           }
           *         ]
           *       },
           *       "approval": {
           *         "spender": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *         "data": "0x095ea7b30000000000000000000000005aaeb6053f3e94c9b9a09f33669435e7ef1beaed0000000000000000000000000000000000000000000000000000000000bebc20",
           *         "reset_data": "0x095ea7b30000000000000000000000005aaeb6053f3e94c9b9a09f33669435e7ef1beaed0000000000000000000000000000000000000000000000000000000000000000"
           *       },
           *       "permit": {
           *         "function_name": "payTokenWithPermit",
           *         "typed_data": {
           *           "types": {
           *             "EIP712Domain": [
           *               {
           *                 "name": "name",
           *                 "type": "string"
           *               },
           *               {
           *                 "name": "version",
           *                 "type": "string"
           *               },
           *               {
           *                 "name": "chainId",
           *                 "type": "uint256"
           *               },
           *               {
           *                 "name": "verifyingContract",
           *                 "type": "address"
           *               }
           *             ],
           *             "Permit": [
           *               {
           *                 "name": "owner",
           *                 "type": "address"
           *               },
           *               {
           *                 "name": "spender",
           *                 "type": "address"
           *               },
           *               {
           *                 "name": "value",
           *                 "type": "uint256"
           *               },
           *               {
           *                 "name": "nonce",
           *                 "type": "uint256"
           *               },
           *               {
           *                 "name": "deadline",
           *                 "type": "uint256"
           *               }
           *             ]
           *           },
           *           "primaryType": "Permit",
           *           "domain": {
           *             "name": "USDC",
           *             "version": "2",
           *             "chainId": 11155111,
           *             "verifyingContract": "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238"
           *           },
           *           "message": {
           *             "spender": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *             "value": "12500000",
           *             "deadline": "4076053200"
           *           }
           *         },
           *         "domain_separator": "0xb90e5057db141a932946e64d09ccb7ffc9b00bd79fec26f698d29af0c83320a6",
           *         "data": "0x16642e6500000000000000000000000000000000000000000000000000100000000000010000000000000000000000001c7d4b196cb0c7b01d743fbc6116a902379c723800000000000000000000000090f79bf6eb2c4f870365e785982e1f101e93b90600000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000bebc2000000000000000000000000000000000000000000000000000000000f2f3a2d000000000000000000000000000000000000000000000000000000000f2f3a2d0"
           *       },
           *       "network": {
           *         "name": "Sepolia",
           *         "native_symbol": "ETH",
           *         "explorer_url": "https://sepolia.etherscan.io",
           *         "rpc_urls": [
           *           "https://rpc.sepolia.example"
           *         ],
           *         "block_time_ms": 12000
           *       },
           *       "confirmations": {
           *         "needed": 6,
           *         "seen": 0
           *       },
           *       "items": [
           *         {
           *           "name": "Blue shirt, M",
           *           "amount": "12500000"
           *         }
           *       ],
           *       "status": "awaiting_payment",
           *       "status_detail": null,
           *       "payable": true,
           *       "offer_valid_until": null,
           *       "expires_at": "2099-03-01T13:00:00.000Z",
           *       "server_time": "2099-03-01T12:01:30.000Z",
           *       "payer": null,
           *       "transaction_hash": "0x9f2c4b6a8d0e1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1c3d5e7f9a1b3c5d7e9f10",
           *       "merchant": {
           *         "name": "Blue Shirts",
           *         "accent_color": "#1d4ed8",
           *         "logo_url": "https://pay.test/pay/logos/e4a900219c4e66acf3b7bb3fe56e5fe81ffec902f6a91d102d7b06d09d25f51b"
           *       },
           *       "success_url": "https://shop.example/thanks?order=1001",
           *       "cancel_url": "https://shop.example/cart",
           *       "locale": "de",
           *       "checkout_id": null,
           *       "warning": "Pay only by the call in \"contract\". A plain transfer pays for nothing: sent to payment_address it reaches the payee and is not recognised, and sent to diamond_address it stays there until the operator of this service recovers it."
           *     }
           */
          'application/json': components['schemas']['WidgetPayment'];
        };
      };
      400: components['responses']['BadParameters'];
      /** @description The access token is missing, belongs to another payment, or has expired */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      404: components['responses']['PaymentNotFound'];
      /** @description The payment is not paid on a chain, or its diamond is not active yet */
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
  getWidgetPaymentEvents: {
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
      /** @description The state */
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
           *       "status": "awaiting_payment",
           *       "status_detail": null,
           *       "payable": true,
           *       "network_id": 11155111,
           *       "network": {
           *         "name": "Sepolia",
           *         "native_symbol": "ETH",
           *         "explorer_url": "https://sepolia.etherscan.io",
           *         "rpc_urls": [
           *           "https://rpc.sepolia.example"
           *         ],
           *         "block_time_ms": 12000
           *       },
           *       "currency": "USDC",
           *       "amount": "12500000",
           *       "decimals": 6,
           *       "token_address": "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238",
           *       "payment_address": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
           *       "diamond_address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
           *       "confirmations": {
           *         "needed": 6,
           *         "seen": 0
           *       },
           *       "items": [
           *         {
           *           "name": "Blue shirt, M",
           *           "amount": "12500000"
           *         }
           *       ],
           *       "payer": null,
           *       "transaction_hash": null,
           *       "expires_at": "2099-03-01T13:00:00.000Z",
           *       "server_time": "2099-03-01T12:01:30.000Z",
           *       "merchant": {
           *         "name": "Blue Shirts",
           *         "accent_color": "#1d4ed8",
           *         "logo_url": "https://pay.test/pay/logos/e4a900219c4e66acf3b7bb3fe56e5fe81ffec902f6a91d102d7b06d09d25f51b"
           *       },
           *       "success_url": "https://shop.example/thanks?order=1001",
           *       "cancel_url": "https://shop.example/cart",
           *       "locale": "de",
           *       "checkout_id": null
           *     }
           */
          'application/json': components['schemas']['WidgetPaymentState'];
          /**
           * @example event: state
           *     data: {"id":"01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72","external_id":"order-1001","node_id":"0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11","status":"awaiting_payment","status_detail":null,"payable":true,"network_id":11155111,"network":{"name":"Sepolia","native_symbol":"ETH","explorer_url":"https://sepolia.etherscan.io","rpc_urls":["https://rpc.sepolia.example"],"block_time_ms":12000},"currency":"USDC","amount":"12500000","decimals":6,"token_address":"0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238","payment_address":"0x90F79bf6EB2c4f870365E785982E1f101E93b906","diamond_address":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed","confirmations":{"needed":6,"seen":0},"items":[{"name":"Blue shirt, M","amount":"12500000"}],"payer":null,"transaction_hash":null,"expires_at":"2099-03-01T13:00:00.000Z","server_time":"2099-03-01T12:01:30.000Z","merchant":{"name":"Blue Shirts","accent_color":"#1d4ed8","logo_url":"https://pay.test/pay/logos/e4a900219c4e66acf3b7bb3fe56e5fe81ffec902f6a91d102d7b06d09d25f51b"},"success_url":"https://shop.example/thanks?order=1001","cancel_url":"https://shop.example/cart","locale":"de","checkout_id":null}
           */
          'text/event-stream': string;
        };
      };
      400: components['responses']['BadParameters'];
      /** @description The access token is missing, belongs to another payment, or has expired */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      404: components['responses']['PaymentNotFound'];
      /** @description The payment is not paid on a chain */
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
  getWidgetCheckout: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03 */
        id: components['parameters']['CheckoutId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The order as its page shows it */
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
           *       "id": "01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03",
           *       "external_id": "order-2001",
           *       "status": "open",
           *       "merchant": {
           *         "name": "Blue Shirts",
           *         "accent_color": "#1d4ed8",
           *         "logo_url": "https://pay.test/pay/logos/e4a900219c4e66acf3b7bb3fe56e5fe81ffec902f6a91d102d7b06d09d25f51b"
           *       },
           *       "options": [
           *         {
           *           "index": 0,
           *           "network_id": 11155111,
           *           "network": {
           *             "name": "Sepolia"
           *           },
           *           "currency": "USDC",
           *           "amount": "12500000",
           *           "decimals": 6
           *         },
           *         {
           *           "index": 1,
           *           "network_id": 11155111,
           *           "network": {
           *             "name": "Sepolia"
           *           },
           *           "currency": "USDC",
           *           "amount": "12000000",
           *           "decimals": 6
           *         }
           *       ],
           *       "items": [
           *         {
           *           "name": "Blue shirt, M",
           *           "price": "12.5"
           *         }
           *       ],
           *       "option": null,
           *       "payment": null,
           *       "former_open_until": null,
           *       "choices_left": 5,
           *       "success_url": null,
           *       "cancel_url": null,
           *       "locale": null,
           *       "expires_at": "2099-03-01T13:00:00.000Z",
           *       "server_time": "2099-03-01T12:01:30.000Z"
           *     }
           */
          'application/json': components['schemas']['WidgetCheckout'];
        };
      };
      400: components['responses']['BadParameters'];
      /** @description The access token is missing, belongs to another order, or has expired */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      404: components['responses']['CheckoutNotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  chooseOption: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03 */
        id: components['parameters']['CheckoutId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "option": 0
         *     }
         */
        'application/json': components['schemas']['ChoiceRequest'];
      };
    };
    responses: {
      /** @description The option is the one chosen now */
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
           *       "id": "01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03",
           *       "external_id": "order-2001",
           *       "status": "chosen",
           *       "merchant": {
           *         "name": "Blue Shirts",
           *         "accent_color": "#1d4ed8",
           *         "logo_url": "https://pay.test/pay/logos/e4a900219c4e66acf3b7bb3fe56e5fe81ffec902f6a91d102d7b06d09d25f51b"
           *       },
           *       "options": [
           *         {
           *           "index": 0,
           *           "network_id": 11155111,
           *           "network": {
           *             "name": "Sepolia"
           *           },
           *           "currency": "USDC",
           *           "amount": "12500000",
           *           "decimals": 6
           *         },
           *         {
           *           "index": 1,
           *           "network_id": 11155111,
           *           "network": {
           *             "name": "Sepolia"
           *           },
           *           "currency": "USDC",
           *           "amount": "12000000",
           *           "decimals": 6
           *         }
           *       ],
           *       "items": [
           *         {
           *           "name": "Blue shirt, M",
           *           "price": "12.5"
           *         }
           *       ],
           *       "option": 0,
           *       "payment": {
           *         "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72",
           *         "access_token": "wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *         "status": "pending",
           *         "status_detail": null
           *       },
           *       "former_open_until": null,
           *       "choices_left": 4,
           *       "success_url": null,
           *       "cancel_url": null,
           *       "locale": null,
           *       "expires_at": "2099-03-01T13:00:00.000Z",
           *       "server_time": "2099-03-01T12:01:30.000Z"
           *     }
           */
          'application/json': components['schemas']['WidgetCheckout'];
        };
      };
      /** @description The order with its new payment */
      201: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03",
           *       "external_id": "order-2001",
           *       "status": "chosen",
           *       "merchant": {
           *         "name": "Blue Shirts",
           *         "accent_color": "#1d4ed8",
           *         "logo_url": "https://pay.test/pay/logos/e4a900219c4e66acf3b7bb3fe56e5fe81ffec902f6a91d102d7b06d09d25f51b"
           *       },
           *       "options": [
           *         {
           *           "index": 0,
           *           "network_id": 11155111,
           *           "network": {
           *             "name": "Sepolia"
           *           },
           *           "currency": "USDC",
           *           "amount": "12500000",
           *           "decimals": 6
           *         },
           *         {
           *           "index": 1,
           *           "network_id": 11155111,
           *           "network": {
           *             "name": "Sepolia"
           *           },
           *           "currency": "USDC",
           *           "amount": "12000000",
           *           "decimals": 6
           *         }
           *       ],
           *       "items": [
           *         {
           *           "name": "Blue shirt, M",
           *           "price": "12.5"
           *         }
           *       ],
           *       "option": 0,
           *       "payment": {
           *         "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f72",
           *         "access_token": "wt_w1k9Qz_7PjA3sHqk0pXnJr5m2u8bWfZ6vT1cY4dE9gL3xoRiKs",
           *         "status": "pending",
           *         "status_detail": null
           *       },
           *       "former_open_until": null,
           *       "choices_left": 4,
           *       "success_url": null,
           *       "cancel_url": null,
           *       "locale": null,
           *       "expires_at": "2099-03-01T13:00:00.000Z",
           *       "server_time": "2099-03-01T12:01:30.000Z"
           *     }
           */
          'application/json': components['schemas']['WidgetCheckout'];
        };
      };
      400: components['responses']['BadRequest'];
      /** @description The access token is missing, belongs to another order, or has expired */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      404: components['responses']['CheckoutNotFound'];
      /** @description The order has ended, is being canceled or its time is over; the payment that was chosen before is in a block; the buyer has chosen five times; or the wallet, network or payee of the option takes no new payments */
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
  listWebhooks: {
    parameters: {
      query?: {
        wallet_id?: components['schemas']['Uuid'];
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
      /** @description The updated webhook */
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
      /** @description The request is invalid; `errors` names the fields and rules */
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
      /** @description Another webhook has this wallet, network, host and node */
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
      /** @description The wallet or network does not exist, or the node does not exist at or below the wallet's node */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A webhook with this wallet, network, host and node exists, the node has 200 webhooks or 16 of this wallet on this network, the network is retired, or the Idempotency-Key belongs to another request */
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
      /** @description The webhook is deleted */
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
        /** @description Type of the event */
        type?: components['schemas']['EventType'];
        payment_id?: components['schemas']['Uuid'];
        /** @description Of the events that tell of this order; those of its payments have the payment_id */
        checkout_id?: components['schemas']['Uuid'];
        /** @description Created at or after this time */
        created_from?: components['schemas']['Timestamp'];
        /** @description Created before this time */
        created_to?: components['schemas']['Timestamp'];
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
           *           "checkout_id": null,
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
           *       "checkout_id": null,
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
      /** @description The delivery is pending */
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
           *       "checkout_id": null,
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
      /** @description The number of deliveries to be sent again */
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
      /** @description The node would have too many undelivered deliveries, or the integration sends too many requests */
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
      /** @description The delivery of the test */
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
           *       "checkout_id": null,
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
      /** @description The webhook, with its new signing secret */
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
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
        /** @description Makes the request safe to retry: a repeated request with the same key and body gets the first answer, with `Idempotent-Replayed: true`; another body gets 409. Only 2xx answers are kept, for 24 hours or until the payment has ended, whichever is later. A request repeated with a weaker token gets the stored answer only if that token may see it. If the answer was erased with the data of a member, the repeated request is refused with 409 and not done again. */
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
      /** @description The closed alert */
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
      /** @description The alert does not exist in the caller's reach */
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
         * @description The caller's node or a node below it
         * @example 0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11
         */
        node_id: components['parameters']['NodeId'];
        /** @description Include the resources of all nodes below */
        include_descendants?: components['parameters']['IncludeDescendants'];
        action?: components['schemas']['AuditAction'];
        /** @description Id of the changed resource */
        resource_id?: components['schemas']['Uuid'];
        actor_id?: string;
        /** @description Changed at or after this time */
        created_from?: components['schemas']['Timestamp'];
        /** @description Changed before this time */
        created_to?: components['schemas']['Timestamp'];
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
           *             "deal_modes": [],
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
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
        /** @description Include retired networks */
        include_retired?: boolean;
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
        /** @description Number of the page, from 1 */
        page?: components['parameters']['Page'];
        /** @description Entries per page */
        per_page?: components['parameters']['PerPage'];
        /** @description The `next_cursor` of the previous page. Deep pages of a long list are as fast as the first, and new entries do not shift them. With a cursor, `page` is ignored and `total` is that of the first page. */
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
      /** @description The status */
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
           *       "offers": {
           *         "status": "ok",
           *         "value": null,
           *         "bound": 10,
           *         "unit": "seconds"
           *       },
           *       "webhooks": {
           *         "status": "ok",
           *         "value": null,
           *         "bound": 15,
           *         "unit": "seconds"
           *       },
           *       "webhook_retries": {
           *         "status": "ok",
           *         "value": null,
           *         "bound": 300,
           *         "unit": "seconds"
           *       },
           *       "worker_count": 1,
           *       "worker_list": [
           *         {
           *           "id": "01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f90",
           *           "name": "17@worker-1",
           *           "started_at": "2099-03-01T11:00:00.000Z",
           *           "status": "ok",
           *           "value": 2.1,
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
           *           "limits": {
           *             "least_tip_wei": null,
           *             "most_data_bytes": null,
           *             "most_gas": null
           *           },
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
      /** @description The process is alive */
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
      /** @description The process is ready */
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
      /** @description The database cannot be reached */
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
      /** @description The page */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description The client has this content */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
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
      /** @description The script, Redoc */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'text/javascript': string;
        };
      };
      /** @description The client has this content */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadParameters'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getGuide: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example take-a-payment */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The guide */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description The client has this content */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadParameters'];
      /** @description There is no such guide */
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
  getPayPage: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 6f1d2c3b-4a59-4e68-8f7d-9c0b1a2d3e4f */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The page */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description The client has this content */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadParameters'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['Unavailable'];
    };
  };
  getWidgetFile: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example carat-pay.js */
        file: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The file */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'text/javascript': string;
          'application/json': components['schemas']['WidgetTexts'];
          'text/plain': string;
        };
      };
      /** @description The client has this content */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadParameters'];
      /** @description No version of the element has this file */
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
  getSpecification: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The OpenAPI document */
      200: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Specification'];
        };
      };
      /** @description The client has this content */
      304: {
        headers: {
          'X-Request-Id': components['headers']['RequestId'];
          RateLimit: components['headers']['RateLimit'];
          'RateLimit-Policy': components['headers']['RateLimitPolicy'];
          ETag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content?: never;
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
  getBranding: 'integration';
  setBranding: 'integration';
  getLogo: 'public';
  createMember: 'integration';
  listMembers: 'integration';
  getMember: 'integration';
  updateMember: 'integration';
  deleteMember: 'integration';
  createCheckout: 'integration';
  listCheckouts: 'integration';
  getCheckout: 'integration';
  cancelCheckout: 'integration';
  createPayment: 'integration';
  listPayments: 'integration';
  getPayment: 'integration';
  listPaymentLogs: 'integration';
  settlePayment: 'integration';
  cancelPayment: 'integration';
  retrySendPayment: 'integration';
  getWidgetPayment: 'widget';
  getWidgetPaymentEvents: 'widget';
  getWidgetCheckout: 'widget';
  chooseOption: 'widget';
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
  getGuide: 'public';
  getPayPage: 'public';
  getWidgetFile: 'public';
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
  getBranding: 'single';
  setBranding: 'single';
  getLogo: 'single';
  createMember: 'single';
  listMembers: 'list';
  getMember: 'single';
  updateMember: 'single';
  deleteMember: 'single';
  createCheckout: 'single';
  listCheckouts: 'list';
  getCheckout: 'single';
  cancelCheckout: 'single';
  createPayment: 'batched';
  listPayments: 'list';
  getPayment: 'batched';
  listPaymentLogs: 'list';
  settlePayment: 'single';
  cancelPayment: 'single';
  retrySendPayment: 'single';
  getWidgetPayment: 'single';
  getWidgetPaymentEvents: 'single';
  getWidgetCheckout: 'single';
  chooseOption: 'single';
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
  getGuide: 'single';
  getPayPage: 'single';
  getWidgetFile: 'single';
  getSpecification: 'single';
}
