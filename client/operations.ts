// Written by tools/build/generate-client.ts from openapi.yaml. Do not edit.
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
  BrandingRequest,
  Branding,
  DeployRequest,
  DeploymentStep,
  DeploymentPage,
  VersionCheck,
  UpdatePlan,
  MemberRequest,
  MemberUpdate,
  Member,
  VisibleMember,
  MemberPage,
  PaymentRequest,
  Payment,
  PaymentPage,
  CheckoutRequest,
  Checkout,
  CheckoutPage,
  ChoiceRequest,
  WidgetCheckout,
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
  CancelRequest,
  WidgetPaymentState,
  WidgetPayment,
  NodePage,
  ChainPage,
  NetworkPage,
  CurrencyPage,
  WidgetTexts,
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

/** Query of {@link CaratOperations.listCheckouts}. */
export type ListCheckoutsQuery = NonNullable<operations['listCheckouts']['parameters']['query']>;

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
   * Exchange an api_key and secret for a bearer token (RFC 6749, client credentials). The api_key is the client id and the secret is the client secret. Send them in the body or by HTTP Basic, not both. Errors follow RFC 6749 section 5.2, with the additional members `code` and `request_id`.
   *
   * `POST /api/v1/auth/token`
   * @throws CaratError `unsupported_grant_type`, `invalid_scope`, `invalid_client`
   */
  issueToken(body: TokenRequest, options?: CallOptions): Promise<Token>;

  /**
   * List the public keys that verify bearer tokens (RFC 7517).
   *
   * `GET /.well-known/jwks.json`
   */
  getKeys(options?: CallOptions): Promise<Keys>;

  /**
   * Create an integration with an api_key and a secret. Without `permissions`, the integration gets its creator's permissions. A creator cannot grant permissions it lacks, and the integration expires no later than its creator. Only this answer contains the secret.
   *
   * `POST /api/v1/integrations`, permission `integrations.create`
   * @throws CaratError `node_not_found`, `integration_exists`, `too_many_integrations`
   */
  createIntegration(body: IntegrationRequest, options?: PostOptions): Promise<CreatedIntegration>;

  /**
   * List the integrations of a node. Secrets are never returned. Revoked and expired integrations are left out unless `include_ended` is true.
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
   * Revoke an integration. Takes effect at once and cannot be undone: every later request is refused, whichever of its tokens it uses. The caller needs every permission that the integration holds. Integrations that it created stay valid; revoke them too if you do not trust them.
   *
   * `DELETE /api/v1/integrations/{id}`, permission `integrations.delete`
   * @throws CaratError `integration_not_found`
   */
  revokeIntegration(id: string, options?: CallOptions): Promise<void>;

  /**
   * Rotate the secret of an integration. The api_key stays the same. The previous secret stays valid for `overlap_seconds`; the secret before that one ends at once. Only this answer contains the new secret: send an Idempotency-Key, so that you can fetch a lost answer again. Issued tokens stay valid until they expire, within 15 minutes; revoke the integration to cut them off. The caller needs every permission that the integration holds, and must not expire before it.
   *
   * `POST /api/v1/integrations/{id}/rotate`, permission `integrations.update`
   * @throws CaratError `integration_not_found`
   */
  rotateIntegration(id: string, body: RotationRequest, options?: PostOptions): Promise<RotatedIntegration>;

  /**
   * Create a wallet. The address is known at once and is the same on every network of the chain. `deployWallet` deploys the wallet's diamond on a network.
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
   * Update a wallet. Only the given fields change. `address` also needs wallets.deploy: the wallet adopts the diamond at that address, and the next deployment accepts it only if the registry created it. A wallet can return to its first address. `deal_modes` also needs wallets.deploy and changes the networks that it names, for new payments only. A network takes the mode `offered` once the wallet's diamond there has a release with offers.
   *
   * `PUT /api/v1/wallets/{id}`, permission `wallets.update`
   * @throws CaratError `wallet_not_found`, `network_not_found`, `wallet_deployed`, `wallet_in_use`, `wallet_address_taken`, `deal_mode_unavailable`
   */
  updateWallet(id: string, body: WalletUpdate, options?: CallOptions): Promise<void>;

  /**
   * Delete a wallet. Also deletes the defaults that name the wallet. Its open payments and their webhooks proceed to their end.
   *
   * `DELETE /api/v1/wallets/{id}`, permission `wallets.delete`
   * @throws CaratError `wallet_not_found`
   */
  deleteWallet(id: string, options?: CallOptions): Promise<void>;

  /**
   * Start or continue the deployment of a wallet's diamond on a network. Safe to repeat in any state: a wallet has one diamond per network. The answer is the first unfinished step, or the last step when all are completed. A failed step is retried.
   *
   * `POST /api/v1/wallets/{id}/deploy`, permission `wallets.deploy`
   * @throws CaratError `wallet_not_found`, `node_not_found`, `network_not_found`, `network_not_prepared`, `network_retired`, `too_many_deployments`
   */
  deployWallet(id: string, body: DeployRequest, options?: PostOptions): Promise<DeploymentStep>;

  /**
   * Compare a wallet's diamond with the network's release. The diamond is inspected at one confirmed block, and as many RPC endpoints as the operator requires must agree. A wallet without a diamond gets the status `missing` everywhere. The target is the release that the operator has set for the network.
   *
   * `GET /api/v1/wallets/{id}/deploy/version-check`, permission `wallets.read`
   * @throws CaratError `wallet_not_found`, `node_not_found`, `network_not_found`, `network_retired`
   */
  checkVersion(id: string, query: CheckVersionQuery, options?: CallOptions): Promise<VersionCheck>;

  /**
   * List the deployments and updates of a wallet's diamonds. One entry for each run, with its steps in order and the transactions of each step.
   *
   * `GET /api/v1/wallets/{id}/deployments`, permission `wallets.read`
   * @throws CaratError `wallet_not_found`, `network_not_found`
   */
  listDeployments(id: string, query?: ListDeploymentsQuery, options?: CallOptions): Pages<DeploymentPage>;

  /**
   * Update a wallet's diamond to the network's release. Safe to repeat in any state, and answers like `deployWallet`. When nothing needs updating, the answer is the last step, `completed`, and no transaction is sent. A failed update is planned again. While the diamond is being cut, new payments wait with `diamond_updating`; existing deals can be paid and canceled. `dry_run` stores and sends nothing: the answer is the plan of an update at this moment, which a second person can recompute and compare.
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
   * Create a default wallet. A payment without `wallet_id` uses the `node` default of its node for the network, else the node's `apex` default, else the `apex` default of the nearest node above that has one. The wallet must belong to the node or to a node above it.
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
   * Change the wallet of a default. Existing payments keep their wallet.
   *
   * `PUT /api/v1/node-network-wallet-defaults`, permission `defaults.update`
   * @throws CaratError `default_not_found`, `wallet_not_found`, `wallet_inactive`, `network_retired`
   */
  replaceDefault(body: WalletDefaultRequest, options?: CallOptions): Promise<void>;

  /**
   * Delete a default wallet.
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
   * Set or lock the payout address of a node on a chain. A lock applies to every web3 payment of the node and of all nodes below it, whichever wallet it uses: a payment with another `payment_address` is refused. A stolen key that can create payments and wallets therefore cannot redirect buyers' money. If several nodes have locks, the one nearest the root applies. Existing payments keep their payee. An integration gets the permission payout.update only if its creator names it.
   *
   * `PUT /api/v1/nodes/{node_id}/payouts/{chain_id}`, permission `payout.update`
   * @throws CaratError `node_not_found`, `chain_not_found`, `payout_locked_above`
   */
  setPayout(nodeId: string, chainId: string, body: PayoutRequest, options?: CallOptions): Promise<Payout>;

  /**
   * Get the look of a node's pages for buyers.
   *
   * `GET /api/v1/nodes/{node_id}/branding`, permission `payments.read`
   * @throws CaratError `node_not_found`
   */
  getBranding(nodeId: string, options?: CallOptions): Promise<Branding>;

  /**
   * Change the look of a node's pages for buyers. Fields that are left out stay as they are; null, or an empty list, clears one. The branding applies to the payments of the node, and to those of the nodes below it that have no branding of their own. An integration gets the permission branding.update only if its creator names it.
   *
   * `PUT /api/v1/nodes/{node_id}/branding`, permission `branding.update`
   * @throws CaratError `node_not_found`
   */
  setBranding(nodeId: string, body: BrandingRequest, options?: CallOptions): Promise<Branding>;

  /**
   * Get the logo of a merchant. The content never changes, and pages of any origin may show it.
   *
   * `GET /pay/logos/{sha256}`
   * @throws CaratError `logo_not_found`
   */
  getLogo(sha256: string, options?: CallOptions): Promise<string>;

  /**
   * Create a member. A deleted member frees its `external_id`.
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
   * Update a member. Only the given fields change; null clears an optional field. `node_id` and `external_id` never change; the request may repeat their values.
   *
   * `PUT /api/v1/members/{id}`, permission `members.update`
   * @throws CaratError `immutable_field`, `member_too_large`, `member_not_found`
   */
  updateMember(id: string, body: MemberUpdate, options?: CallOptions): Promise<VisibleMember>;

  /**
   * Delete a member. Its payments keep and still show the member. Its `external_id` becomes free.
   *
   * `DELETE /api/v1/members/{id}`, permission `members.delete`
   * @throws CaratError `member_not_found`
   */
  deleteMember(id: string, options?: CallOptions): Promise<void>;

  /**
   * Create an order whose buyer chooses how to pay. The buyer picks one of the `options` on a page; the choice makes an ordinary web3 payment with `checkout_id`. Until then nothing is created on any chain, and an order that nobody chooses costs no gas. The buyer may choose up to five times. A new choice cancels the former payment first, and its own deal is neither created nor offered before that cancel is confirmed: at no instant are two payments of an order payable. The order counts among the open payments of the node until the buyer chooses; from then on its payment does. As JSON in UTF-8, an order without member and payment has at most 36,864 bytes, and so has the payment that each option makes.
   *
   * `POST /api/v1/checkouts`, permission `payments.create`
   * @throws CaratError `payee_not_allowed`, `checkout_too_large`, `payment_too_large`, `member_too_large`, `node_not_found`, `network_not_found`, `currency_not_found`, `wallet_not_found`, `member_not_found`, `checkout_exists`, `checkout_exists_with_other_terms`, `wallet_inactive`, `network_retired`, `too_many_open_payments`
   */
  createCheckout(body: CheckoutRequest, options?: PostOptions): Promise<Checkout>;

  /**
   * List the orders of a node.
   *
   * `GET /api/v1/checkouts`, permission `payments.read`
   * @throws CaratError `node_not_found`
   */
  listCheckouts(query: ListCheckoutsQuery, options?: CallOptions): Pages<CheckoutPage>;

  /**
   * Get an order.
   *
   * `GET /api/v1/checkouts/{id}`, permission `payments.read`
   * @throws CaratError `checkout_not_found`
   */
  getCheckout(id: string, options?: CallOptions): Promise<Checkout>;

  /**
   * Cancel an order. The buyer can choose no more. The open payment of the order is canceled first, by a transaction where the order has `on_chain_cancel`; the order becomes `canceled` when the outcome of that is known, and `completed` if the buyer paid after all. Without an open payment the order is `canceled` at once. Repeating the request returns the same answer.
   *
   * `POST /api/v1/checkouts/{id}/cancel`, permission `payments.cancel`
   * @throws CaratError `node_access_denied`, `checkout_not_found`, `checkout_not_cancelable`
   */
  cancelCheckout(id: string, options?: PostOptions): Promise<Accepted>;

  /**
   * Create a payment. Returns as soon as the payment is stored; Carat then creates its deal on the chain. Without `wallet_id`, a web3 payment uses the node's default wallet for the network, else the nearest apex default. The wallet may lack an active diamond on the network: the payment waits for it. As JSON in UTF-8, the payment without its member has at most 36,864 bytes, and a new member at most 28,672.
   *
   * `POST /api/v1/payments`, permission `payments.create`
   * @throws CaratError `payee_not_allowed`, `payment_too_large`, `member_too_large`, `node_not_found`, `chain_not_found`, `network_not_found`, `currency_not_found`, `wallet_not_found`, `member_not_found`, `payment_exists`, `payment_exists_with_other_terms`, `wallet_inactive`, `network_retired`, `too_many_open_payments`
   */
  createPayment(body: PaymentRequest, options?: PostOptions): Promise<Payment>;

  /**
   * List the payments of a node. Returns pages of JSON, or one CSV file if `Accept` prefers `text/csv` to JSON. A file takes no `page`, `per_page` or `cursor`. If a file fails after its headers are sent, the connection closes before the end of the body. Read the file within 90 seconds; use filters to split a longer one.
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
   * List the log entries of a payment.
   *
   * `GET /api/v1/payments/{id}/logs`, permission `payments.read`
   * @throws CaratError `payment_not_found`
   */
  listPaymentLogs(id: string, query?: ListPaymentLogsQuery, options?: CallOptions): Pages<PaymentLogPage>;

  /**
   * Settle a payment by card or bank transfer. Call this from the callback of your payment processor. Repeating the same outcome and reference returns the payment; any other settlement of a payment that has ended is a conflict. Only the chain settles web3 payments.
   *
   * `POST /api/v1/payments/{id}/settle`, permission `payments.settle`
   * @throws CaratError `payment_not_found`, `payment_not_settleable`
   */
  settlePayment(id: string, body: SettlementRequest, options?: PostOptions): Promise<Payment>;

  /**
 * Cancel a payment. The cancel is accepted, not done: the payment is `canceling` until its deal is canceled on the chain. If the buyer pays in the meantime, the transaction that is mined first decides; read the status to see which. A payment whose deal was never sent, or that is not paid on a chain, becomes `canceled` a moment later. Repeating the request returns the same answer.
A payment with an offered deal (`deal_modes` of its wallet) needs no transaction: it becomes `canceled` a moment later if no buyer's page has read its offer, else when the chain is past the end of the last offer that a page has read, 15 minutes at most unless the operator has set another window. Until then the buyer may still pay. With `on_chain` the operator cancels the deal by a transaction at once; a repeated request may add it.
 * 
 * `POST /api/v1/payments/{id}/cancel`, permission `payments.cancel`
 * @throws CaratError `node_access_denied`, `payment_not_found`, `payment_not_cancelable`
 */
  cancelPayment(id: string, body?: CancelRequest, options?: PostOptions): Promise<Accepted>;

  /**
   * Retry the deal of a pending payment. For a `web3` payment that stays `pending` too long. Carat sends its transaction to every RPC endpoint of the network again, with higher fees and more gas where that helps, and creates the deal again if its creation has failed. A payment never has two deals. A payment that waits for a reason in `status_detail` keeps waiting. This uses none of the `retry_count`. Repeating the request before the transaction has an outcome is the same retry and returns the payment unchanged.
   *
   * `POST /api/v1/payments/{id}/retry-send`, permission `payments.retry`
   * @throws CaratError `payment_not_retryable`, `payment_not_found`
   */
  retrySendPayment(id: string, options?: PostOptions): Promise<Payment>;

  /**
   * Get the data a buyer needs to pay. Needs the payment's own access_token, which expires 24 hours after the payment reaches a final status. Pass `contract` to ethers, viem or web3.py unchanged; to pay with a token, the buyer first approves `amount` to `diamond_address`. Pages of any origin may call this.
   *
   * `GET /api/v1/widget/payments/{id}`
   * @throws CaratError `payment_not_found`, `payment_not_payable`
   */
  getWidgetPayment(id: string, accessToken: string, options?: CallOptions): Promise<WidgetPayment>;

  /**
   * Follow the state of a payment on its buyer's page. Needs the payment's own access_token, as the widget's data does. Starts the use of no offer: a page shows this, and gets the widget's data when the buyer wants to pay. Answers the state as JSON, or, if `Accept` prefers `text/event-stream` to JSON, a stream of server-sent events: the state at once, at each change and with each confirmation. Every event has the whole state. A payment has at most 4 streams of events. A stream ends with its token, and when the process stops; connect again after a random pause, and ask for JSON where streams are refused. Pages of any origin may call this.
   *
   * `GET /api/v1/widget/payments/{id}/events`
   * @throws CaratError `payment_not_found`, `payment_not_payable`
   */
  getWidgetPaymentEvents(id: string, accessToken: string, options?: CallOptions): Promise<WidgetPaymentState>;

  /**
   * Get the options of an order. Needs the order's own access_token, which expires 24 hours after the order reaches a final status. The buyer pays by the widget data of `payment`. Pages of any origin may call this.
   *
   * `GET /api/v1/widget/checkouts/{id}`
   * @throws CaratError `checkout_not_found`
   */
  getWidgetCheckout(id: string, accessToken: string, options?: CallOptions): Promise<WidgetCheckout>;

  /**
   * Choose how to pay an order. Makes a payment of an option. The option that is chosen now gives the same payment and counts for nothing; any other makes a new payment, and so does one that was chosen earlier. The former payment is canceled first. While it may still be paid, the new one is `pending` with `status_detail: former_choice_open`. Pages of any origin may call this.
   *
   * `POST /api/v1/widget/checkouts/{id}/choose`
   * @throws CaratError `checkout_not_found`, `checkout_not_open`, `choice_being_paid`, `too_many_choices`, `option_unavailable`
   */
  chooseOption(id: string, accessToken: string, body: ChoiceRequest, options?: CallOptions): Promise<WidgetCheckout>;

  /**
   * Create a webhook configuration. The webhook receives the events of every payment through the wallet on the network, whichever node owns the payment; `node_id` limits it to one node and the nodes below. With its own `node_id`, a caller may also name a wallet of a node above that its defaults lead to, and may read, change and delete the webhooks for that node. Only this answer contains `signing_secret`; no answer contains the credentials.
   *
   * `POST /api/v1/webhooks`, permission `webhooks.create` and `payments.read`
   * @throws CaratError `node_access_denied`, `wallet_not_found`, `network_not_found`, `node_not_found`, `webhook_exists`, `too_many_webhooks`, `network_retired`
   */
  createWebhook(body: WebhookRequest, options?: PostOptions): Promise<CreatedWebhook>;

  /**
   * List webhooks. Returns the webhooks of all wallets of the caller's node and the nodes below, and those with such a `node_id`. `wallet_id` selects one wallet, which may be deleted. Credentials are never returned.
   *
   * `GET /api/v1/webhooks`, permission `webhooks.read`
   * @throws CaratError `wallet_not_found`
   */
  listWebhooks(query?: ListWebhooksQuery, options?: CallOptions): Pages<WebhookPage>;

  /**
   * Update a webhook. Only the given fields change. A new `auth_type` needs its credentials in the same request; so does a new `host` or path if the wallet is out of the caller's reach. `is_active: true` resumes a disabled webhook.
   *
   * `PUT /api/v1/webhooks`, permission `webhooks.update` and `payments.read`
   * @throws CaratError `immutable_field`, `node_access_denied`, `webhook_not_found`, `webhook_exists`
   */
  updateWebhook(body: WebhookUpdate, options?: CallOptions): Promise<Webhook>;

  /**
   * Delete a webhook. Erases its credentials and signing secret.
   *
   * `DELETE /api/v1/webhooks`, permission `webhooks.delete`
   * @throws CaratError `node_access_denied`, `webhook_not_found`
   */
  deleteWebhook(body: WebhookReference, options?: CallOptions): Promise<void>;

  /**
   * List the deliveries of a webhook. One delivery for each event of the webhook, including events that it missed while it was disabled. A caller that reaches the webhook reaches every payment of its events.
   *
   * `GET /api/v1/webhooks/{id}/deliveries`, permission `webhooks.read` and `payments.read`
   * @throws CaratError `node_access_denied`, `webhook_not_found`
   */
  listDeliveries(id: string, query?: ListDeliveriesQuery, options?: CallOptions): Pages<DeliveryPage>;

  /**
   * Get a delivery with its request and the result of each attempt. The headers are those of the last attempt, without credentials and signature; every attempt has the same body.
   *
   * `GET /api/v1/webhooks/{id}/deliveries/{delivery_id}`, permission `webhooks.read` and `payments.read`
   * @throws CaratError `node_access_denied`, `webhook_not_found`, `delivery_not_found`
   */
  getDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<DeliveryDetails>;

  /**
   * Redeliver an event. The delivery becomes pending again, whatever its state, with a full schedule of attempts and the same id and body. Earlier attempts stay listed.
   *
   * `POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver`, permission `webhooks.update`
   * @throws CaratError `node_access_denied`, `webhook_not_found`, `delivery_not_found`, `webhook_inactive`
   */
  redeliver(id: string, deliveryId: string, options?: PostOptions): Promise<Delivery>;

  /**
   * Replay the events a webhook missed in a period. Sends the failed deliveries again, and those skipped while the webhook was disabled, selected by the time of the event; with `include_delivered`, the delivered ones too. At most 50,000 deliveries at once, and at most 100,000 undelivered deliveries per node. `sequence` lets the receiver ignore outdated events.
   *
   * `POST /api/v1/webhooks/{id}/replay`, permission `webhooks.update` and `payments.read`
   * @throws CaratError `node_access_denied`, `webhook_not_found`, `webhook_inactive`, `too_many_undelivered`
   */
  replayDeliveries(id: string, body: ReplayRequest, options?: PostOptions): Promise<Replay>;

  /**
   * Send a test event to a webhook. Without `type`, Carat sends the event `webhook.test` to the success path, with `payment` null. With `type`, it sends an event of that type to that type's path, with `test` true and a made-up payment or order whose `external_id` is `test`. A test is sent once, and its result does not count for the webhook. Carat keeps the newest 100 tests of each webhook.
   *
   * `POST /api/v1/webhooks/{id}/test`, permission `webhooks.update`
   * @throws CaratError `node_access_denied`, `webhook_not_found`, `webhook_inactive`
   */
  testWebhook(id: string, body?: WebhookTest, options?: PostOptions): Promise<Delivery>;

  /**
   * Rotate the signing secret of a webhook. Only this answer contains the new secret. For 24 hours Carat signs with the previous secret as well; the secret before that one ends at once.
   *
   * `POST /api/v1/webhooks/{id}/rotate-secret`, permission `webhooks.update`
   * @throws CaratError `node_access_denied`, `webhook_not_found`
   */
  rotateWebhookSecret(id: string, options?: PostOptions): Promise<CreatedWebhook>;

  /**
   * List alerts. Returns alerts about payments, diamonds and webhooks of the caller's node and the nodes below. A node without a parent also sees alerts about networks, keys and registries. Message and data need the permission that reads the subject, too: `payments.read`, `webhooks.read`, or `wallets.read` for diamonds.
   *
   * `GET /api/v1/alerts`, permission `alerts.read`
   */
  listAlerts(query?: ListAlertsQuery, options?: CallOptions): Pages<AlertPage>;

  /**
   * Close an alert. Carat closes a condition when its cause is gone. A condition that is closed while it lasts usually comes back as a new alert.
   *
   * `POST /api/v1/alerts/{id}/close`, permission `alerts.update`
   * @throws CaratError `alert_not_found`
   */
  closeAlert(id: string, options?: PostOptions): Promise<Alert>;

  /**
   * List changes. Lists every change over the API and every answer repeated under its Idempotency-Key, by the node of the changed resource. Changes by an integration of a node above the caller's, or by the operator of this installation, appear as done by `operator`. `before` and `after` need the permission that reads the resource, too. Without it they show the `id` and `external_id` of a member, and are null for any other resource.
   *
   * `GET /api/v1/audit-log`, permission `audit.read`
   * @throws CaratError `node_not_found`
   */
  listAuditLog(query: ListAuditLogQuery, options?: CallOptions): Pages<AuditPage>;

  /**
   * List the caller's node and all nodes below it.
   *
   * `GET /api/v1/nodes`
   */
  listNodes(query?: ListNodesQuery, options?: CallOptions): Pages<NodePage>;

  /**
   * List chains.
   *
   * `GET /api/v1/chains`
   */
  listChains(query?: ListChainsQuery, options?: CallOptions): Pages<ChainPage>;

  /**
   * List networks. Retired networks, which take nothing new, are left out unless `include_retired` is true.
   *
   * `GET /api/v1/networks`
   */
  listNetworks(query?: ListNetworksQuery, options?: CallOptions): Pages<NetworkPage>;

  /**
   * List currencies and their tokens.
   *
   * `GET /api/v1/currencies`
   */
  listCurrencies(query?: ListCurrenciesQuery, options?: CallOptions): Pages<CurrencyPage>;

  /**
   * Get the status of the installation. For integrations of a node without a parent. A figure above its `bound` is `late`; above three times its bound it is `down`. `status` is the worst of all figures and networks.
   *
   * `GET /api/v1/status`
   * @throws CaratError `node_access_denied`
   */
  getStatus(options?: CallOptions): Promise<ServiceStatus>;

  /**
   * Check that the process is alive.
   *
   * `GET /healthz`
   */
  getHealth(options?: CallOptions): Promise<Health>;

  /**
   * Check that the process can serve requests. Readiness needs the database. Temporal is shown but not needed, because commands wait for it in the database.
   *
   * `GET /readyz`
   */
  getReadiness(options?: CallOptions): Promise<Readiness>;

  /**
   * Get this document as a page.
   *
   * `GET /docs`
   */
  getDocs(options?: CallOptions): Promise<string>;

  /**
   * Get the script of the page.
   *
   * `GET /docs/redoc.js`
   */
  getDocsScript(options?: CallOptions): Promise<string>;

  /**
   * Get a guide for merchants as a page.
   *
   * `GET /docs/guides/{name}`
   * @throws CaratError `route_not_found`
   */
  getGuide(name: string, options?: CallOptions): Promise<string>;

  /**
   * Get the page on which a buyer pays. `checkout_url` of a payment leads here. The page is the same for every id: it reads the access token from the fragment of its address, which no server sees, and talks only to the widget endpoints and to the buyer's wallet. Only pages of the origins in the branding of the payment's node may frame it. A query is ignored: mail programs and social networks add one to links.
   *
   * `GET /pay/{id}`
   */
  getPayPage(id: string, options?: CallOptions): Promise<string>;

  /**
   * Get the element that shows a payment on a page. `carat-pay.js` defines the element `<carat-pay>` and may be up to five minutes old in caches. A file with a hash in its name never changes, and files of released versions stay, so that a page can pin them by subresource integrity.
   *
   * `GET /widget/v1/{file}`
   * @throws CaratError `route_not_found`
   */
  getWidgetFile(file: string, options?: CallOptions): Promise<string | WidgetTexts>;

  /**
   * Get this document as JSON.
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
  getBranding: async (nodeId, options) =>
    send<Branding>(
      { method: 'GET', path: fillPath`/api/v1/nodes/${nodeId}/branding`, auth: 'integration', repeatable: true },
      options,
    ),
  setBranding: async (nodeId, body, options) =>
    send<Branding>(
      { method: 'PUT', path: fillPath`/api/v1/nodes/${nodeId}/branding`, auth: 'integration', repeatable: true, body },
      options,
    ),
  getLogo: async (sha256, options) =>
    send<string>({ method: 'GET', path: fillPath`/pay/logos/${sha256}`, auth: 'none', repeatable: true }, options),
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
    send<VisibleMember>(
      { method: 'PUT', path: fillPath`/api/v1/members/${id}`, auth: 'integration', repeatable: true, body },
      options,
    ),
  deleteMember: async (id, options) =>
    send<void>(
      { method: 'DELETE', path: fillPath`/api/v1/members/${id}`, auth: 'integration', repeatable: true },
      options,
    ),
  createCheckout: async (body, options) =>
    send<Checkout>(
      { method: 'POST', path: '/api/v1/checkouts', auth: 'integration', repeatable: true, keyed: true, body },
      options,
    ),
  listCheckouts: (query, options) =>
    pages(query, async (page) =>
      send<CheckoutPage>(
        { method: 'GET', path: '/api/v1/checkouts', auth: 'integration', repeatable: true, query: page },
        options,
      ),
    ),
  getCheckout: async (id, options) =>
    send<Checkout>(
      { method: 'GET', path: fillPath`/api/v1/checkouts/${id}`, auth: 'integration', repeatable: true },
      options,
    ),
  cancelCheckout: async (id, options) =>
    send<Accepted>(
      {
        method: 'POST',
        path: fillPath`/api/v1/checkouts/${id}/cancel`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
      },
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
  cancelPayment: async (id, body, options) =>
    send<Accepted>(
      {
        method: 'POST',
        path: fillPath`/api/v1/payments/${id}/cancel`,
        auth: 'integration',
        repeatable: true,
        keyed: true,
        body,
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
  getWidgetPaymentEvents: async (id, accessToken, options) =>
    send<WidgetPaymentState>(
      {
        method: 'GET',
        path: fillPath`/api/v1/widget/payments/${id}/events`,
        auth: { token: accessToken },
        repeatable: true,
      },
      options,
    ),
  getWidgetCheckout: async (id, accessToken, options) =>
    send<WidgetCheckout>(
      { method: 'GET', path: fillPath`/api/v1/widget/checkouts/${id}`, auth: { token: accessToken }, repeatable: true },
      options,
    ),
  chooseOption: async (id, accessToken, body, options) =>
    send<WidgetCheckout>(
      {
        method: 'POST',
        path: fillPath`/api/v1/widget/checkouts/${id}/choose`,
        auth: { token: accessToken },
        repeatable: false,
        body,
      },
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
  getGuide: async (name, options) =>
    send<string>({ method: 'GET', path: fillPath`/docs/guides/${name}`, auth: 'none', repeatable: true }, options),
  getPayPage: async (id, options) =>
    send<string>({ method: 'GET', path: fillPath`/pay/${id}`, auth: 'none', repeatable: true }, options),
  getWidgetFile: async (file, options) =>
    send<string | WidgetTexts>(
      { method: 'GET', path: fillPath`/widget/v1/${file}`, auth: 'none', repeatable: true },
      options,
    ),
  getSpecification: async (options) =>
    send<Specification>({ method: 'GET', path: '/openapi.json', auth: 'none', repeatable: true }, options),
});
