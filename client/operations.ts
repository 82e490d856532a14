// Written by scripts/generate-client.ts from openapi.yaml. Do not edit.
import type {
  operations,
  TokenRequest,
  Token,
  Keys,
  IntegrationRequest,
  CreatedIntegration,
  Integration,
  IntegrationPage,
  RotationRequest,
  RotatedIntegration,
  WalletRequest,
  Wallet,
  WalletUpdate,
  WalletPage,
  WalletDefaultKey,
  WalletDefaultRequest,
  WalletDefault,
  WalletDefaultPage,
  PayoutRequest,
  Payout,
  DeployRequest,
  DeploymentStep,
  DeploymentPage,
  VersionCheck,
  UpdatePlan,
  MemberRequest,
  MemberUpdate,
  Member,
  MemberPage,
  PaymentRequest,
  Payment,
  PaymentPage,
  WebhookRequest,
  WebhookUpdate,
  WebhookTest,
  WebhookReference,
  Webhook,
  CreatedWebhook,
  WebhookPage,
  Delivery,
  DeliveryDetails,
  DeliveryPage,
  ReplayRequest,
  Replay,
  Alert,
  AlertPage,
  AuditPage,
  Accepted,
  SettlementRequest,
  PaymentLogPage,
  WidgetPayment,
  NodePage,
  ChainPage,
  NetworkPage,
  CurrencyPage,
  Specification,
  Health,
  ServiceStatus,
  Readiness,
} from '../api/generated/openapi-types.ts';
import { pages, type Pages } from './pages.ts';
import { fillPath, type CallOptions, type PostOptions, type Transport } from './transport.ts';

/** Query of {@link CaratOperations.listIntegrations}. */
export type ListIntegrationsQuery = NonNullable<operations['listIntegrations']['parameters']['query']>;

/** Query of {@link CaratOperations.listWallets}. */
export type ListWalletsQuery = NonNullable<operations['listWallets']['parameters']['query']>;

/** Query of {@link CaratOperations.checkVersion}. */
export type CheckVersionQuery = NonNullable<operations['checkVersion']['parameters']['query']>;

/** Query of {@link CaratOperations.listDeployments}. */
export type ListDeploymentsQuery = NonNullable<operations['listDeployments']['parameters']['query']>;

/** Query of {@link CaratOperations.updateDiamond}. */
export type UpdateDiamondQuery = NonNullable<operations['updateDiamond']['parameters']['query']>;

/** Query of {@link CaratOperations.listDefaults}. */
export type ListDefaultsQuery = NonNullable<operations['listDefaults']['parameters']['query']>;

/** Query of {@link CaratOperations.listMembers}. */
export type ListMembersQuery = NonNullable<operations['listMembers']['parameters']['query']>;

/** Query of {@link CaratOperations.listPayments}. */
export type ListPaymentsQuery = NonNullable<operations['listPayments']['parameters']['query']>;

/** Query of {@link CaratOperations.listPaymentLogs}. */
export type ListPaymentLogsQuery = NonNullable<operations['listPaymentLogs']['parameters']['query']>;

/** Query of {@link CaratOperations.listWebhooks}. */
export type ListWebhooksQuery = NonNullable<operations['listWebhooks']['parameters']['query']>;

/** Query of {@link CaratOperations.listDeliveries}. */
export type ListDeliveriesQuery = NonNullable<operations['listDeliveries']['parameters']['query']>;

/** Query of {@link CaratOperations.listAlerts}. */
export type ListAlertsQuery = NonNullable<operations['listAlerts']['parameters']['query']>;

/** Query of {@link CaratOperations.listAuditLog}. */
export type ListAuditLogQuery = NonNullable<operations['listAuditLog']['parameters']['query']>;

/** Query of {@link CaratOperations.listNodes}. */
export type ListNodesQuery = NonNullable<operations['listNodes']['parameters']['query']>;

/** Query of {@link CaratOperations.listChains}. */
export type ListChainsQuery = NonNullable<operations['listChains']['parameters']['query']>;

/** Query of {@link CaratOperations.listNetworks}. */
export type ListNetworksQuery = NonNullable<operations['listNetworks']['parameters']['query']>;

/** Query of {@link CaratOperations.listCurrencies}. */
export type ListCurrenciesQuery = NonNullable<operations['listCurrencies']['parameters']['query']>;

/** One method for every operation of the API, and one more for each list that can be a file. */
export interface CaratOperations {
  /**
   * Exchange api_key and secret for a bearer token (RFC 6749, client credentials). The api_key is the client id, the secret the client secret: in the body or by HTTP Basic, not both. Errors have the form of RFC 6749 section 5.2, with `code` and `request_id` beside it.
   *
   * `POST /api/v1/auth/token`
   * @throws CaratError `unsupported_grant_type`, `invalid_scope`, `invalid_client`
   */
  issueToken(body: TokenRequest, options?: CallOptions): Promise<Token>;

  /**
   * Public keys of the bearer tokens (RFC 7517).
   *
   * `GET /.well-known/jwks.json`
   */
  getKeys(options?: CallOptions): Promise<Keys>;

  /**
   * Create an integration with an api_key and a secret. Without `permissions` it gets those of its creator; nobody grants what they lack. It ends no later than its creator. The secret is shown in this answer only.
   *
   * `POST /api/v1/integrations`, permission `integrations.create`
   * @throws CaratError `node_not_found`, `integration_exists`, `too_many_integrations`
   */
  createIntegration(body: IntegrationRequest, options?: PostOptions): Promise<CreatedIntegration>;

  /**
   * List the integrations of a node. Without secrets. Those that are revoked or have expired are left out, unless they are asked for.
   *
   * `GET /api/v1/integrations`, permission `integrations.read`
   * @throws CaratError `node_not_found`
   */
  listIntegrations(query: ListIntegrationsQuery, options?: CallOptions): Pages<IntegrationPage>;

  /**
   * Get a live integration.
   *
   * `GET /api/v1/integrations/{id}`, permission `integrations.read`
   * @throws CaratError `integration_not_found`
   */
  getIntegration(id: string, options?: CallOptions): Promise<Integration>;

  /**
   * Revoke an integration. For good, and at once: no request that is sent after the answer is let in, with whatever token. Needs every permission that the integration holds. Integrations that it has created go on; revoke them too if you do not trust them.
   *
   * `DELETE /api/v1/integrations/{id}`, permission `integrations.delete`
   * @throws CaratError `integration_not_found`
   */
  revokeIntegration(id: string, options?: CallOptions): Promise<void>;

  /**
   * Give an integration a new secret. The api_key stays. The secret before is good for `overlap_seconds` more; one from before that ends at once. The new one is shown in this answer only: send an Idempotency-Key, so that an answer that was lost can be had again. Tokens that were issued stay valid until they end by themselves, within 15 minutes; to cut them off, revoke the integration. Needs every permission that the integration holds, and a caller that ends no earlier.
   *
   * `POST /api/v1/integrations/{id}/rotate`, permission `integrations.update`
   * @throws CaratError `integration_not_found`
   */
  rotateIntegration(id: string, body: RotationRequest, options?: PostOptions): Promise<RotatedIntegration>;

  /**
   * Create a wallet of a node on a chain. Its address, the same on every network of the chain, is known at once; its diamonds are deployed by deployWallet.
   *
   * `POST /api/v1/wallets`, permission `wallets.create`
   * @throws CaratError `node_not_found`, `chain_not_found`
   */
  createWallet(body: WalletRequest, options?: PostOptions): Promise<Wallet>;

  /**
   * List the wallets of a node.
   *
   * `GET /api/v1/wallets`, permission `wallets.read`
   * @throws CaratError `node_not_found`
   */
  listWallets(query: ListWalletsQuery, options?: CallOptions): Pages<WalletPage>;

  /**
   * Get a wallet.
   *
   * `GET /api/v1/wallets/{id}`, permission `wallets.read`
   * @throws CaratError `wallet_not_found`
   */
  getWallet(id: string, options?: CallOptions): Promise<Wallet>;

  /**
   * Change a wallet. Only fields that are given change. `address` also needs wallets.deploy: it adopts the diamond at that address, which the next deployment accepts only if the registry created it. The wallet's first address may be given back.
   *
   * `PUT /api/v1/wallets/{id}`, permission `wallets.update`
   * @throws CaratError `wallet_not_found`, `wallet_deployed`, `wallet_in_use`, `wallet_address_taken`
   */
  updateWallet(id: string, body: WalletUpdate, options?: CallOptions): Promise<void>;

  /**
   * Delete a wallet. The defaults that name it go with it. Its open payments and their webhooks finish.
   *
   * `DELETE /api/v1/wallets/{id}`, permission `wallets.delete`
   * @throws CaratError `wallet_not_found`
   */
  deleteWallet(id: string, options?: CallOptions): Promise<void>;

  /**
   * Start or continue the deployment of the wallet's diamond on a network. Safe to repeat in any state: there is one diamond per wallet and network. The answer is the first unfinished step, or the last one when all are done. A failed step is tried again.
   *
   * `POST /api/v1/wallets/{id}/deploy`, permission `wallets.deploy`
   * @throws CaratError `wallet_not_found`, `node_not_found`, `network_not_found`, `network_not_prepared`, `network_retired`, `too_many_deployments`
   */
  deployWallet(id: string, body: DeployRequest, options?: PostOptions): Promise<DeploymentStep>;

  /**
   * Compare the wallet's diamond on a network with the network's release. Everything is read from the chain at one confirmed block, from as many endpoints as the operator wants to agree. A wallet without a diamond there is answered as well, with `missing` in each place. The target is the release that the operator has set for the network.
   *
   * `GET /api/v1/wallets/{id}/deploy/version-check`, permission `wallets.read`
   * @throws CaratError `wallet_not_found`, `node_not_found`, `network_not_found`, `network_retired`
   */
  checkVersion(id: string, query: CheckVersionQuery, options?: CallOptions): Promise<VersionCheck>;

  /**
   * List the deployments and updates of the wallet's diamonds. One entry for each run, with its steps in the order in which they are done and the transactions of each.
   *
   * `GET /api/v1/wallets/{id}/deployments`, permission `wallets.read`
   * @throws CaratError `wallet_not_found`, `network_not_found`
   */
  listDeployments(id: string, query?: ListDeploymentsQuery, options?: CallOptions): Pages<DeploymentPage>;

  /**
   * Bring the wallet's diamond on a network to the network's release. Safe to repeat in any state, and answers like deployWallet; with nothing to do it answers the last step, `completed`, and sends nothing. An update that failed is planned anew. While the diamond is cut, new payments wait with `diamond_updating`; those that are there can be paid and canceled. With `dry_run` nothing is stored or sent: the answer is what an update would do now, for a second person to compute again and compare.
   *
   * `POST /api/v1/wallets/{id}/update`, permission `wallets.deploy`
   * @throws CaratError `wallet_not_found`, `node_not_found`, `network_not_found`, `diamond_not_active`, `network_retired`, `too_many_deployments`
   */
  updateDiamond(
    id: string,
    body: DeployRequest,
    query?: UpdateDiamondQuery,
    options?: PostOptions,
  ): Promise<UpdatePlan | DeploymentStep>;

  /**
   * Choose the wallet of payments that name none. A payment without wallet_id uses its node's `node` mapping for the network, else its `apex` mapping, else the `apex` mapping of the nearest node above that has one. The wallet belongs to the node or to one above it.
   *
   * `POST /api/v1/node-network-wallet-defaults`, permission `defaults.create`
   * @throws CaratError `node_not_found`, `network_not_found`, `wallet_not_found`, `default_exists`, `wallet_inactive`, `network_retired`
   */
  createDefault(body: WalletDefaultRequest, options?: PostOptions): Promise<WalletDefault>;

  /**
   * List the default wallets of a node.
   *
   * `GET /api/v1/node-network-wallet-defaults`, permission `defaults.read`
   * @throws CaratError `node_not_found`, `network_not_found`
   */
  listDefaults(query: ListDefaultsQuery, options?: CallOptions): Pages<WalletDefaultPage>;

  /**
   * Give a mapping another wallet. Payments that exist keep the wallet that was chosen for them.
   *
   * `PUT /api/v1/node-network-wallet-defaults`, permission `defaults.update`
   * @throws CaratError `default_not_found`, `wallet_not_found`, `wallet_inactive`, `network_retired`
   */
  replaceDefault(body: WalletDefaultRequest, options?: CallOptions): Promise<void>;

  /**
   * Remove a mapping.
   *
   * `DELETE /api/v1/node-network-wallet-defaults`, permission `defaults.delete`
   * @throws CaratError `default_not_found`
   */
  deleteDefault(body: WalletDefaultKey, options?: CallOptions): Promise<void>;

  /**
   * Get the payout address of a node on a chain.
   *
   * `GET /api/v1/nodes/{node_id}/payouts/{chain_id}`, permission `wallets.read`
   * @throws CaratError `node_not_found`, `chain_not_found`
   */
  getPayout(nodeId: string, chainId: string, options?: CallOptions): Promise<Payout>;

  /**
   * Set or lock the payout address of a node on a chain. A lock holds for every web3 payment of the node and of all nodes below it, through whatever wallet: a payment with another payment_address is refused. A stolen key that may create payments and wallets can not send buyers' money elsewhere. Of several locks the one nearest the root decides. Payments that exist keep their payee. No integration gets the permission payout.update unless its creator names it.
   *
   * `PUT /api/v1/nodes/{node_id}/payouts/{chain_id}`, permission `payout.update`
   * @throws CaratError `node_not_found`, `chain_not_found`, `payout_locked_above`
   */
  setPayout(nodeId: string, chainId: string, body: PayoutRequest, options?: CallOptions): Promise<Payout>;

  /**
   * Create a member of a node. The external_id of a deleted member may be used again, for another member.
   *
   * `POST /api/v1/members`, permission `members.create`
   * @throws CaratError `member_too_large`, `node_not_found`, `member_exists`
   */
  createMember(body: MemberRequest, options?: PostOptions): Promise<Member>;

  /**
   * List the members of a node.
   *
   * `GET /api/v1/members`, permission `members.read`
   * @throws CaratError `node_not_found`
   */
  listMembers(query: ListMembersQuery, options?: CallOptions): Pages<MemberPage>;

  /**
   * Get a member.
   *
   * `GET /api/v1/members/{id}`, permission `members.read`
   * @throws CaratError `member_not_found`
   */
  getMember(id: string, options?: CallOptions): Promise<Member>;

  /**
   * Change fields of a member. Only fields that are given change; null clears an optional one. node_id and external_id may be given as they are, and never change.
   *
   * `PUT /api/v1/members/{id}`, permission `members.update`
   * @throws CaratError `immutable_field`, `member_too_large`, `member_not_found`
   */
  updateMember(id: string, body: MemberUpdate, options?: CallOptions): Promise<Member>;

  /**
   * Delete a member. Its payments keep it and still show it; its external_id may be used again.
   *
   * `DELETE /api/v1/members/{id}`, permission `members.delete`
   * @throws CaratError `member_not_found`
   */
  deleteMember(id: string, options?: CallOptions): Promise<void>;

  /**
   * Create a payment. Answers as soon as the payment is stored; its deal gets on the chain by itself. Without `wallet_id` a web3 payment uses the node's default wallet for the network, else the nearest apex default. A wallet without an active diamond on the network is fine: the payment waits for it. As JSON in UTF-8 the payment without its member has at most 36,864 bytes, and a new member 28,672.
   *
   * `POST /api/v1/payments`, permission `payments.create`
   * @throws CaratError `payee_not_allowed`, `payment_too_large`, `member_too_large`, `node_not_found`, `chain_not_found`, `network_not_found`, `currency_not_found`, `wallet_not_found`, `member_not_found`, `payment_exists`, `payment_exists_with_other_terms`, `wallet_inactive`, `network_retired`, `too_many_open_payments`
   */
  createPayment(body: PaymentRequest, options?: PostOptions): Promise<Payment>;

  /**
   * List the payments of a node. As JSON by pages; as one file where `Accept` wants `text/csv` more than JSON. A file has no `page`, `per_page` and `cursor`, and what comes after its head can not be a problem any more: where something fails, the connection ends before the body does. It must be read within 90 seconds, so let a filter bound what takes longer.
   *
   * `GET /api/v1/payments`, permission `payments.read`
   * @throws CaratError `node_not_found`, `wallet_not_found`, `network_not_found`, `member_not_found`
   */
  listPayments(query: ListPaymentsQuery, options?: CallOptions): Pages<PaymentPage>;

  /**
   * List the payments of a node, all of them as a file. Reading it throws where it ends too early; `timeoutMs` is for its head.
   *
   * `GET /api/v1/payments` with `Accept: text/csv`, permission `payments.read`
   */
  listPaymentsCsv(
    query: Omit<ListPaymentsQuery, 'page' | 'per_page' | 'cursor'>,
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>>;

  /**
   * Get a payment.
   *
   * `GET /api/v1/payments/{id}`, permission `payments.read`
   * @throws CaratError `payment_not_found`
   */
  getPayment(id: string, options?: CallOptions): Promise<Payment>;

  /**
   * List what happened to a payment.
   *
   * `GET /api/v1/payments/{id}/logs`, permission `payments.read`
   * @throws CaratError `payment_not_found`
   */
  listPaymentLogs(id: string, query?: ListPaymentLogsQuery, options?: CallOptions): Pages<PaymentLogPage>;

  /**
   * Say what became of a payment by card or bank transfer. For the callback of your own processor. The same outcome and reference again are answered with the payment; anything else about a payment that has ended is a conflict. Web3 payments are settled by the chain alone.
   *
   * `POST /api/v1/payments/{id}/settle`, permission `payments.settle`
   * @throws CaratError `payment_not_found`, `payment_not_settleable`
   */
  settlePayment(id: string, body: SettlementRequest, options?: PostOptions): Promise<Payment>;

  /**
   * Cancel a payment. Accepted, not done yet: the payment is `canceling` until its deal is canceled on the chain. If its buyer pays in the meantime, what comes into a block first decides: see what its status becomes. A payment whose deal has never been sent, or that is on no chain, is `canceled` a moment later. Asked again, the answer is the same.
   *
   * `POST /api/v1/payments/{id}/cancel`, permission `payments.cancel`
   * @throws CaratError `node_access_denied`, `payment_not_found`, `payment_not_cancelable`
   */
  cancelPayment(id: string, options?: PostOptions): Promise<Accepted>;

  /**
   * Send the deal of a payment again. For a `web3` payment that is `pending` longer than you like. Its transaction goes to every endpoint of the network again, with higher fees and more gas where that helps; a deal that has come to nothing is made anew. There is never a second deal. What waits for something, as `status_detail` says, goes on waiting. None of the `retry_count` is used up. Asked again before there is news of that transaction, it is the same retry, and the payment is answered as it is.
   *
   * `POST /api/v1/payments/{id}/retry-send`, permission `payments.retry`
   * @throws CaratError `payment_not_retryable`, `payment_not_found`
   */
  retrySendPayment(id: string, options?: PostOptions): Promise<Payment>;

  /**
   * Get what a buyer needs to pay. Opened by the payment's own access_token, which ends 24 hours after the payment's terminal state. `contract` goes as it is into ethers, viem or web3.py; for a token the buyer first approves `amount` to `diamond_address`. Pages of any origin may call this.
   *
   * `GET /api/v1/widget/payments/{id}`
   * @throws CaratError `payment_not_found`, `payment_not_payable`
   */
  getWidgetPayment(id: string, accessToken: string, options?: CallOptions): Promise<WidgetPayment>;

  /**
   * Create a webhook of a wallet on a network. It hears of every payment through the wallet on the network, whichever node's; `node_id` narrows it to one node and those below. With its own `node_id` a caller may also name a wallet above it that its defaults lead to, and see, change and delete what is there for that node. `signing_secret` is shown in this answer only, the credentials in none.
   *
   * `POST /api/v1/webhooks`, permission `webhooks.create`
   * @throws CaratError `node_access_denied`, `wallet_not_found`, `network_not_found`, `node_not_found`, `webhook_exists`, `too_many_webhooks`, `network_retired`
   */
  createWebhook(body: WebhookRequest, options?: PostOptions): Promise<CreatedWebhook>;

  /**
   * List webhooks. Of the wallets of the caller's node and everything below it, and those with such a `node_id`; or of one wallet, deleted or not. Without credentials.
   *
   * `GET /api/v1/webhooks`, permission `webhooks.read`
   * @throws CaratError `wallet_not_found`
   */
  listWebhooks(query?: ListWebhooksQuery, options?: CallOptions): Pages<WebhookPage>;

  /**
   * Change a webhook. What is not given stays as it is. Another `auth_type` needs its credentials in the same request, and so does another `host` or path where the wallet is out of the caller's reach. `is_active: true` lets a webhook that was disabled go on.
   *
   * `PUT /api/v1/webhooks`, permission `webhooks.update`
   * @throws CaratError `immutable_field`, `node_access_denied`, `webhook_not_found`, `webhook_exists`
   */
  updateWebhook(body: WebhookUpdate, options?: CallOptions): Promise<Webhook>;

  /**
   * Delete a webhook. Its credentials and its signing secret are erased.
   *
   * `DELETE /api/v1/webhooks`, permission `webhooks.delete`
   * @throws CaratError `node_access_denied`, `webhook_not_found`
   */
  deleteWebhook(body: WebhookReference, options?: CallOptions): Promise<void>;

  /**
   * List what a webhook was told. One delivery for each event that the webhook hears of, also of what it missed while it was disabled. Needs `payments.read` as well. Whoever reaches the webhook reaches every payment that it hears of.
   *
   * `GET /api/v1/webhooks/{id}/deliveries`, permission `webhooks.read`
   * @throws CaratError `node_access_denied`, `webhook_not_found`
   */
  listDeliveries(id: string, query?: ListDeliveriesQuery, options?: CallOptions): Pages<DeliveryPage>;

  /**
   * Show a delivery with what was sent and what came of each try. The headers are those of the last try, without credentials and signature; the body is the same in every try. Needs `payments.read` as well.
   *
   * `GET /api/v1/webhooks/{id}/deliveries/{delivery_id}`, permission `webhooks.read`
   * @throws CaratError `node_access_denied`, `webhook_not_found`, `delivery_not_found`
   */
  getDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<DeliveryDetails>;

  /**
   * Send a delivery again. Whatever has become of it, it is pending with the whole schedule before it, with the same id and the same body. Its tries are kept.
   *
   * `POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver`, permission `webhooks.update`
   * @throws CaratError `node_access_denied`, `webhook_not_found`, `delivery_not_found`, `webhook_inactive`
   */
  redeliver(id: string, deliveryId: string, options?: PostOptions): Promise<Delivery>;

  /**
   * Send again what a webhook has missed in a time. What failed and what was skipped while it was disabled, by when the event was; with `include_delivered` also what was delivered; at most 50,000 at once, and not more than 100,000 deliveries of the node may wait to be sent then. `sequence` lets the receiver ignore what is older than it has.
   *
   * `POST /api/v1/webhooks/{id}/replay`, permission `webhooks.update`
   * @throws CaratError `node_access_denied`, `webhook_not_found`, `webhook_inactive`, `too_many_undelivered`
   */
  replayDeliveries(id: string, body: ReplayRequest, options?: PostOptions): Promise<Replay>;

  /**
   * Send a test event to a webhook. Without `type` the event `webhook.test` goes to the success path, with `payment` null. With `type` an event of that type goes where it would, with `test` true and a payment that does not exist, whose `external_id` is `test`. A test is sent once, and what comes of it does not count for the webhook. Of the tests of a webhook the newest 100 are kept.
   *
   * `POST /api/v1/webhooks/{id}/test`, permission `webhooks.update`
   * @throws CaratError `node_access_denied`, `webhook_not_found`, `webhook_inactive`
   */
  testWebhook(id: string, body?: WebhookTest, options?: PostOptions): Promise<Delivery>;

  /**
   * Give a webhook a new signing secret. The new one is shown in this answer only. For 24 hours what is sent is signed with the one before as well; one from before that ends at once.
   *
   * `POST /api/v1/webhooks/{id}/rotate-secret`, permission `webhooks.update`
   * @throws CaratError `node_access_denied`, `webhook_not_found`
   */
  rotateWebhookSecret(id: string, options?: PostOptions): Promise<CreatedWebhook>;

  /**
   * List what an operator must look at. Alerts about payments, diamonds and webhooks of the caller's node and those below; to a node without a parent also those about networks, keys and registries.
   *
   * `GET /api/v1/alerts`, permission `alerts.read`
   */
  listAlerts(query?: ListAlertsQuery, options?: CallOptions): Pages<AlertPage>;

  /**
   * Close an alert. A condition is closed by Carat when its cause is gone; one that is closed while it lasts mostly comes back as a new alert.
   *
   * `POST /api/v1/alerts/{id}/close`, permission `alerts.update`
   * @throws CaratError `alert_not_found`
   */
  closeAlert(id: string, options?: PostOptions): Promise<Alert>;

  /**
   * List who changed what. Every change over the API, and every answer that was shown again under its Idempotency-Key, by the node of what it is about. What an integration of a node above the caller's, or the operator of this installation, did is shown as done by `operator`.
   *
   * `GET /api/v1/audit-log`, permission `audit.read`
   * @throws CaratError `node_not_found`
   */
  listAuditLog(query: ListAuditLogQuery, options?: CallOptions): Pages<AuditPage>;

  /**
   * List the caller's node and everything below it.
   *
   * `GET /api/v1/nodes`
   */
  listNodes(query?: ListNodesQuery, options?: CallOptions): Pages<NodePage>;

  /**
   * List the chains.
   *
   * `GET /api/v1/chains`
   */
  listChains(query?: ListChainsQuery, options?: CallOptions): Pages<ChainPage>;

  /**
   * List the networks. Those to choose from. Retired ones, which take nothing new, are left out, unless they are asked for.
   *
   * `GET /api/v1/networks`
   */
  listNetworks(query?: ListNetworksQuery, options?: CallOptions): Pages<NetworkPage>;

  /**
   * List the currencies and where their tokens are.
   *
   * `GET /api/v1/currencies`
   */
  listCurrencies(query?: ListCurrenciesQuery, options?: CallOptions): Pages<CurrencyPage>;

  /**
   * Tell how everything stands that the service needs. For integrations of nodes without a parent. Each figure has a bound: beyond it the figure is `late`, beyond three times the bound it is `down`. `status` is the worst of all figures and networks.
   *
   * `GET /api/v1/status`
   * @throws CaratError `node_access_denied`
   */
  getStatus(options?: CallOptions): Promise<ServiceStatus>;

  /**
   * Tell that the process is alive.
   *
   * `GET /healthz`
   */
  getHealth(options?: CallOptions): Promise<Health>;

  /**
   * Tell whether requests can be served. Needs the database. Temporal is named but not needed, because commands wait for it in the database.
   *
   * `GET /readyz`
   */
  getReadiness(options?: CallOptions): Promise<Readiness>;

  /**
   * This document for people.
   *
   * `GET /docs`
   */
  getDocs(options?: CallOptions): Promise<string>;

  /**
   * The script of the document for people.
   *
   * `GET /docs/redoc.js`
   */
  getDocsScript(options?: CallOptions): Promise<string>;

  /**
   * This document for programs.
   *
   * `GET /openapi.json`
   */
  getSpecification(options?: CallOptions): Promise<Specification>;
}

/** The operations over a transport. */
export const createOperations = ({ send, stream }: Transport): CaratOperations => ({
  issueToken: async (body, options) =>
    send<Token>({ method: 'POST', path: '/api/v1/auth/token', auth: 'none', repeatable: true, body }, options),
  getKeys: async (options) =>
    send<Keys>({ method: 'GET', path: '/.well-known/jwks.json', auth: 'none', repeatable: true }, options),
  createIntegration: async (body, options) =>
    send<CreatedIntegration>(
      { method: 'POST', path: '/api/v1/integrations', auth: 'integration', repeatable: true, keyed: true, body },
      options,
    ),
  listIntegrations: (query, options) =>
    pages(query, async (page) =>
      send<IntegrationPage>(
        { method: 'GET', path: '/api/v1/integrations', auth: 'integration', repeatable: true, query: page },
        options,
      ),
    ),
  getIntegration: async (id, options) =>
    send<Integration>(
      { method: 'GET', path: fillPath`/api/v1/integrations/${id}`, auth: 'integration', repeatable: true },
      options,
    ),
  revokeIntegration: async (id, options) =>
    send<void>(
      { method: 'DELETE', path: fillPath`/api/v1/integrations/${id}`, auth: 'integration', repeatable: true },
      options,
    ),
  rotateIntegration: async (id, body, options) =>
    send<RotatedIntegration>(
      {
        method: 'POST',
        path: fillPath`/api/v1/integrations/${id}/rotate`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
        body,
      },
      options,
    ),
  createWallet: async (body, options) =>
    send<Wallet>(
      { method: 'POST', path: '/api/v1/wallets', auth: 'integration', repeatable: true, keyed: true, body },
      options,
    ),
  listWallets: (query, options) =>
    pages(query, async (page) =>
      send<WalletPage>(
        { method: 'GET', path: '/api/v1/wallets', auth: 'integration', repeatable: true, query: page },
        options,
      ),
    ),
  getWallet: async (id, options) =>
    send<Wallet>(
      { method: 'GET', path: fillPath`/api/v1/wallets/${id}`, auth: 'integration', repeatable: true },
      options,
    ),
  updateWallet: async (id, body, options) =>
    send<void>(
      { method: 'PUT', path: fillPath`/api/v1/wallets/${id}`, auth: 'integration', repeatable: true, body },
      options,
    ),
  deleteWallet: async (id, options) =>
    send<void>(
      { method: 'DELETE', path: fillPath`/api/v1/wallets/${id}`, auth: 'integration', repeatable: true },
      options,
    ),
  deployWallet: async (id, body, options) =>
    send<DeploymentStep>(
      {
        method: 'POST',
        path: fillPath`/api/v1/wallets/${id}/deploy`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
        body,
      },
      options,
    ),
  checkVersion: async (id, query, options) =>
    send<VersionCheck>(
      {
        method: 'GET',
        path: fillPath`/api/v1/wallets/${id}/deploy/version-check`,
        auth: 'integration',
        repeatable: true,
        query,
      },
      options,
    ),
  listDeployments: (id, query = {}, options) =>
    pages(query, async (page) =>
      send<DeploymentPage>(
        {
          method: 'GET',
          path: fillPath`/api/v1/wallets/${id}/deployments`,
          auth: 'integration',
          repeatable: true,
          query: page,
        },
        options,
      ),
    ),
  updateDiamond: async (id, body, query = {}, options) =>
    send<UpdatePlan | DeploymentStep>(
      {
        method: 'POST',
        path: fillPath`/api/v1/wallets/${id}/update`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
        body,
        query,
      },
      options,
    ),
  createDefault: async (body, options) =>
    send<WalletDefault>(
      {
        method: 'POST',
        path: '/api/v1/node-network-wallet-defaults',
        auth: 'integration',
        repeatable: true,
        keyed: true,
        body,
      },
      options,
    ),
  listDefaults: (query, options) =>
    pages(query, async (page) =>
      send<WalletDefaultPage>(
        {
          method: 'GET',
          path: '/api/v1/node-network-wallet-defaults',
          auth: 'integration',
          repeatable: true,
          query: page,
        },
        options,
      ),
    ),
  replaceDefault: async (body, options) =>
    send<void>(
      { method: 'PUT', path: '/api/v1/node-network-wallet-defaults', auth: 'integration', repeatable: true, body },
      options,
    ),
  deleteDefault: async (body, options) =>
    send<void>(
      { method: 'DELETE', path: '/api/v1/node-network-wallet-defaults', auth: 'integration', repeatable: true, body },
      options,
    ),
  getPayout: async (nodeId, chainId, options) =>
    send<Payout>(
      {
        method: 'GET',
        path: fillPath`/api/v1/nodes/${nodeId}/payouts/${chainId}`,
        auth: 'integration',
        repeatable: true,
      },
      options,
    ),
  setPayout: async (nodeId, chainId, body, options) =>
    send<Payout>(
      {
        method: 'PUT',
        path: fillPath`/api/v1/nodes/${nodeId}/payouts/${chainId}`,
        auth: 'integration',
        repeatable: true,
        body,
      },
      options,
    ),
  createMember: async (body, options) =>
    send<Member>(
      { method: 'POST', path: '/api/v1/members', auth: 'integration', repeatable: true, keyed: true, body },
      options,
    ),
  listMembers: (query, options) =>
    pages(query, async (page) =>
      send<MemberPage>(
        { method: 'GET', path: '/api/v1/members', auth: 'integration', repeatable: true, query: page },
        options,
      ),
    ),
  getMember: async (id, options) =>
    send<Member>(
      { method: 'GET', path: fillPath`/api/v1/members/${id}`, auth: 'integration', repeatable: true },
      options,
    ),
  updateMember: async (id, body, options) =>
    send<Member>(
      { method: 'PUT', path: fillPath`/api/v1/members/${id}`, auth: 'integration', repeatable: true, body },
      options,
    ),
  deleteMember: async (id, options) =>
    send<void>(
      { method: 'DELETE', path: fillPath`/api/v1/members/${id}`, auth: 'integration', repeatable: true },
      options,
    ),
  createPayment: async (body, options) =>
    send<Payment>(
      { method: 'POST', path: '/api/v1/payments', auth: 'integration', repeatable: true, keyed: true, body },
      options,
    ),
  listPayments: (query, options) =>
    pages(query, async (page) =>
      send<PaymentPage>(
        { method: 'GET', path: '/api/v1/payments', auth: 'integration', repeatable: true, query: page },
        options,
      ),
    ),
  listPaymentsCsv: async (query, options) =>
    stream(
      'text/csv',
      { method: 'GET', path: '/api/v1/payments', auth: 'integration', repeatable: true, query },
      options,
    ),
  getPayment: async (id, options) =>
    send<Payment>(
      { method: 'GET', path: fillPath`/api/v1/payments/${id}`, auth: 'integration', repeatable: true },
      options,
    ),
  listPaymentLogs: (id, query = {}, options) =>
    pages(query, async (page) =>
      send<PaymentLogPage>(
        {
          method: 'GET',
          path: fillPath`/api/v1/payments/${id}/logs`,
          auth: 'integration',
          repeatable: true,
          query: page,
        },
        options,
      ),
    ),
  settlePayment: async (id, body, options) =>
    send<Payment>(
      {
        method: 'POST',
        path: fillPath`/api/v1/payments/${id}/settle`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
        body,
      },
      options,
    ),
  cancelPayment: async (id, options) =>
    send<Accepted>(
      {
        method: 'POST',
        path: fillPath`/api/v1/payments/${id}/cancel`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
      },
      options,
    ),
  retrySendPayment: async (id, options) =>
    send<Payment>(
      {
        method: 'POST',
        path: fillPath`/api/v1/payments/${id}/retry-send`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
      },
      options,
    ),
  getWidgetPayment: async (id, accessToken, options) =>
    send<WidgetPayment>(
      { method: 'GET', path: fillPath`/api/v1/widget/payments/${id}`, auth: { token: accessToken }, repeatable: true },
      options,
    ),
  createWebhook: async (body, options) =>
    send<CreatedWebhook>(
      { method: 'POST', path: '/api/v1/webhooks', auth: 'integration', repeatable: true, keyed: true, body },
      options,
    ),
  listWebhooks: (query = {}, options) =>
    pages(query, async (page) =>
      send<WebhookPage>(
        { method: 'GET', path: '/api/v1/webhooks', auth: 'integration', repeatable: true, query: page },
        options,
      ),
    ),
  updateWebhook: async (body, options) =>
    send<Webhook>({ method: 'PUT', path: '/api/v1/webhooks', auth: 'integration', repeatable: true, body }, options),
  deleteWebhook: async (body, options) =>
    send<void>({ method: 'DELETE', path: '/api/v1/webhooks', auth: 'integration', repeatable: true, body }, options),
  listDeliveries: (id, query = {}, options) =>
    pages(query, async (page) =>
      send<DeliveryPage>(
        {
          method: 'GET',
          path: fillPath`/api/v1/webhooks/${id}/deliveries`,
          auth: 'integration',
          repeatable: true,
          query: page,
        },
        options,
      ),
    ),
  getDelivery: async (id, deliveryId, options) =>
    send<DeliveryDetails>(
      {
        method: 'GET',
        path: fillPath`/api/v1/webhooks/${id}/deliveries/${deliveryId}`,
        auth: 'integration',
        repeatable: true,
      },
      options,
    ),
  redeliver: async (id, deliveryId, options) =>
    send<Delivery>(
      {
        method: 'POST',
        path: fillPath`/api/v1/webhooks/${id}/deliveries/${deliveryId}/redeliver`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
      },
      options,
    ),
  replayDeliveries: async (id, body, options) =>
    send<Replay>(
      {
        method: 'POST',
        path: fillPath`/api/v1/webhooks/${id}/replay`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
        body,
      },
      options,
    ),
  testWebhook: async (id, body, options) =>
    send<Delivery>(
      {
        method: 'POST',
        path: fillPath`/api/v1/webhooks/${id}/test`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
        body,
      },
      options,
    ),
  rotateWebhookSecret: async (id, options) =>
    send<CreatedWebhook>(
      {
        method: 'POST',
        path: fillPath`/api/v1/webhooks/${id}/rotate-secret`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
      },
      options,
    ),
  listAlerts: (query = {}, options) =>
    pages(query, async (page) =>
      send<AlertPage>(
        { method: 'GET', path: '/api/v1/alerts', auth: 'integration', repeatable: true, query: page },
        options,
      ),
    ),
  closeAlert: async (id, options) =>
    send<Alert>(
      {
        method: 'POST',
        path: fillPath`/api/v1/alerts/${id}/close`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
      },
      options,
    ),
  listAuditLog: (query, options) =>
    pages(query, async (page) =>
      send<AuditPage>(
        { method: 'GET', path: '/api/v1/audit-log', auth: 'integration', repeatable: true, query: page },
        options,
      ),
    ),
  listNodes: (query = {}, options) =>
    pages(query, async (page) =>
      send<NodePage>(
        { method: 'GET', path: '/api/v1/nodes', auth: 'integration', repeatable: true, query: page },
        options,
      ),
    ),
  listChains: (query = {}, options) =>
    pages(query, async (page) =>
      send<ChainPage>(
        { method: 'GET', path: '/api/v1/chains', auth: 'integration', repeatable: true, query: page },
        options,
      ),
    ),
  listNetworks: (query = {}, options) =>
    pages(query, async (page) =>
      send<NetworkPage>(
        { method: 'GET', path: '/api/v1/networks', auth: 'integration', repeatable: true, query: page },
        options,
      ),
    ),
  listCurrencies: (query = {}, options) =>
    pages(query, async (page) =>
      send<CurrencyPage>(
        { method: 'GET', path: '/api/v1/currencies', auth: 'integration', repeatable: true, query: page },
        options,
      ),
    ),
  getStatus: async (options) =>
    send<ServiceStatus>({ method: 'GET', path: '/api/v1/status', auth: 'integration', repeatable: true }, options),
  getHealth: async (options) =>
    send<Health>({ method: 'GET', path: '/healthz', auth: 'none', repeatable: true }, options),
  getReadiness: async (options) =>
    send<Readiness>({ method: 'GET', path: '/readyz', auth: 'none', repeatable: true }, options),
  getDocs: async (options) => send<string>({ method: 'GET', path: '/docs', auth: 'none', repeatable: true }, options),
  getDocsScript: async (options) =>
    send<string>({ method: 'GET', path: '/docs/redoc.js', auth: 'none', repeatable: true }, options),
  getSpecification: async (options) =>
    send<Specification>({ method: 'GET', path: '/openapi.json', auth: 'none', repeatable: true }, options),
});
