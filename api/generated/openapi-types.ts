// Written by scripts/generate-api-types.ts from openapi.yaml. Do not edit.

export type Uuid = string;

export type Name = string;

/** RFC 3339 */
export type Timestamp = string;

/** EVM address with checksum (EIP-55) */
export type Address = string;

export type NullableUuid = string | null;

/** RFC 3339 */
export type NullableTimestamp = string | null;

/** EVM address with checksum (EIP-55) */
export type NullableAddress = string | null;

export type NullableTransactionHash = string | null;

export type Amount = number;

export type PositiveAmount = number;

/** Of the deal on the diamond */
export type DealId = number;

export type Decimals = number;

/** EIP-155 chain id */
export type ChainId = number;

/** Base units as decimal text */
export type Units = string;

export type Permission =
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
  | 'audit.read'
  | 'reports.read';

export interface FieldError {
  /** JSON pointer below the request, such as /body/paid_price or /query/page */
  path: string;
  message: string;
}

/** RFC 9457 */
export interface Problem {
  /** Where the code is explained */
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Stable; programs decide by it */
  code: string;
  request_id: string;
  errors: Array<FieldError>;
  existing_id?: Uuid;
  [name: string]: unknown;
}

/** With client_id and client_secret, or by the names they have here api_key and secret, unless they are in HTTP Basic */
export interface TokenRequest {
  grant_type: string;
  client_id?: Name;
  client_secret?: Name;
  api_key?: Name;
  secret?: Name;
  /** Permissions the token shall have at most, separated by spaces; all of the integration's when absent */
  scope?: string;
}

export interface Token {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds */
  expires_in: number;
  scope: string;
}

export interface TokenError {
  error: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope';
  error_description: string;
  code: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope' | 'rate_limited';
  request_id: string;
}

export interface PublicKey {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  alg: 'EdDSA';
  use: 'sig';
}

export interface Keys {
  keys: Array<PublicKey>;
}

export interface IntegrationRequest {
  node_id: Uuid;
  name: Name;
  permissions?: Array<Permission> | null;
  expires_at?: NullableTimestamp;
}

export interface CreatedIntegration {
  id: Uuid;
  node_id: Uuid;
  name: Name;
  api_key: string;
  permissions: Array<Permission>;
  expires_at: NullableTimestamp;
  created_at: Timestamp;
  /** Shown only here */
  secret: string;
}

export interface Integration {
  id: Uuid;
  node_id: Uuid;
  name: Name;
  api_key: string;
  permissions: Array<Permission>;
  expires_at: NullableTimestamp;
  created_at: Timestamp;
  /** When it last took a token; null before the first one */
  last_used_at: NullableTimestamp;
  revoked_at: NullableTimestamp;
}

export interface IntegrationPage {
  page: number;
  per_page: number;
  total: number;
  /** Opens the next page; null behind the last one */
  next_cursor: string | null;
  items: Array<Integration>;
}

export interface RotationRequest {
  /** Seconds for which the secret before stays good */
  overlap_seconds?: number;
}

export interface RotatedIntegration {
  id: Uuid;
  node_id: Uuid;
  name: Name;
  api_key: string;
  permissions: Array<Permission>;
  expires_at: NullableTimestamp;
  created_at: Timestamp;
  /** Shown only here */
  secret: string;
  /** Until then the secret before is good; null if it is not */
  previous_secret_expires_at: NullableTimestamp;
  last_used_at: NullableTimestamp;
  revoked_at: NullableTimestamp;
}

export interface WalletRequest {
  node_id: Uuid;
  chain_id: Uuid;
  name: Name;
}

export interface Wallet {
  id: Uuid;
  node_id: Uuid;
  chain_id: Uuid;
  name: Name;
  address: Address;
  /** An inactive wallet takes no new payments */
  is_active: boolean;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface WalletUpdate {
  name?: Name;
  /** EVM address of a diamond to adopt, in any valid case */
  address?: Name;
  /** An inactive wallet takes no new payments */
  is_active?: boolean;
}

export interface WalletPage {
  page: number;
  per_page: number;
  total: number;
  /** Opens the next page; null behind the last one */
  next_cursor: string | null;
  items: Array<Wallet>;
}

export type WalletDefaultType = 'apex' | 'node';

export interface WalletDefaultKey {
  node_id: Uuid;
  network_id: Uuid;
  type: WalletDefaultType;
}

export interface WalletDefaultRequest {
  node_id: Uuid;
  network_id: Uuid;
  wallet_id: Uuid;
  type: WalletDefaultType;
}

export interface WalletDefault {
  id: Uuid;
  node_id: Uuid;
  network_id: Uuid;
  wallet_id: Uuid;
  type: WalletDefaultType;
  wallet: Wallet;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface WalletDefaultPage {
  page: number;
  per_page: number;
  total: number;
  /** Opens the next page; null behind the last one */
  next_cursor: string | null;
  items: Array<WalletDefault>;
}

export interface DeployRequest {
  node_id: Uuid;
  network_id: Uuid;
}

export interface DeploymentStep {
  /** - `preflight`: the network, its keys and the wallet's address are checked
- `deploy_facets`: the facets that the network lacks are deployed
- `deploy_diamond`: the registry creates the wallet's diamond
- `verify`: the diamond's code and its operator are read back from the chain
- `activate`: the diamond takes deals */
  step: 'preflight' | 'deploy_facets' | 'deploy_diamond' | 'verify' | 'activate';
  transaction_id: Uuid;
  /** - `pending`: the steps before it are not done
- `started`: it is being worked on
- `completed`: it is done
- `failed`: it could not be done; the next request tries it again */
  status: 'started' | 'pending' | 'completed' | 'failed';
}

/** - `pending`: stored; the deal of a web3 payment is not confirmed on the chain yet, any other payment waits to be settled
- `awaiting_payment`: the deal is on the chain, and the buyer can pay
- `processing`: the buyer's payment was seen in a block and gathers confirmations
- `completed`: paid and confirmed, or settled by the merchant. Final
- `expired`: the time to pay ended without a payment. Final
- `canceling`: a cancel was accepted and is on its way to the chain
- `canceled`: the deal was canceled; it can not be paid any more. Final
- `failed`: the deal could not be created, or the merchant declined. Final */
export type PaymentStatus =
  'pending' | 'awaiting_payment' | 'processing' | 'completed' | 'expired' | 'canceling' | 'canceled' | 'failed';

export type PaymentMethod = 'web3' | 'credit_card' | 'bank_transfer';

export type PaymentGroup = 'product' | 'listing_or_subscription';

/** Creates the member, or links the node's member of that external_id unchanged */
export interface MemberData {
  external_id: Name;
  name: Name;
  surname?: string | null;
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
}

export interface MemberRequest {
  node_id: Uuid;
  external_id: Name;
  name: Name;
  surname?: string | null;
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
}

export interface MemberUpdate {
  node_id?: Uuid;
  external_id?: Name;
  name?: Name;
  surname?: string | null;
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
}

export interface Member {
  node_id: Uuid;
  external_id: Name;
  name: Name;
  surname: string | null;
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
  id: Uuid;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface MemberPage {
  page: number;
  per_page: number;
  total: number;
  /** Opens the next page; null behind the last one */
  next_cursor: string | null;
  items: Array<Member>;
}

export interface PaymentItemRequest {
  name: Name;
  price: Amount;
  external_id?: string | null;
}

export interface PaymentRequest {
  /** Unique per node */
  external_id: Name;
  node_id: Uuid;
  /** If given, the network's */
  chain_id?: NullableUuid;
  network_id: Uuid;
  /** A wallet of the node or of a node above it, on the network's chain */
  wallet_id?: NullableUuid;
  /** A member of the node; not together with member */
  member_id?: NullableUuid;
  member?: MemberData | null;
  currency_id: Uuid;
  /** List price */
  price: PositiveAmount;
  /** The amount due */
  paid_price: PositiveAmount;
  payment_method: PaymentMethod;
  payment_group: PaymentGroup;
  /** Where the money goes; an EVM address for web3 */
  payment_address: string;
  items?: Array<PaymentItemRequest> | null;
  /** At most 8 KiB in UTF-8 */
  metadata?: string | null;
  /** In the future, at most 366 days; the chain counts whole seconds */
  expires_at: Timestamp;
  /** Create the deal again when a creation was mined without it */
  retry?: boolean | null;
  retry_count?: number | null;
  client_ip?: string | null;
}

export interface PaymentItem {
  name: Name;
  price: Amount;
  price_units: Units;
  external_id: string | null;
}

export interface Payment {
  id: Uuid;
  external_id: string;
  node_id: Uuid;
  chain_id: Uuid;
  network_id: Uuid;
  wallet_id: NullableUuid;
  member_id: NullableUuid;
  member: Member | null;
  currency_id: Uuid;
  price: Amount;
  price_units: Units;
  paid_price: Amount;
  paid_price_units: Units;
  payment_method: PaymentMethod;
  payment_group: PaymentGroup;
  payment_address: string;
  items: Array<PaymentItem>;
  metadata: string | null;
  expires_at: Timestamp;
  retry: boolean;
  retry_count: number;
  client_ip: string | null;
  status: PaymentStatus;
  /** Why it waits, or why it ended as it did. It waits because
- `diamond_missing`: the wallet's diamond is not active on the network yet
- `network_paused`: the network's contracts are paused
- `operator_revoked`: the diamond does not accept the key that creates its deals
- `operator_underfunded`: that key has too little of the network's coin
- `fees_above_ceiling`: the network's fees are above the operator's ceiling
- `lane_paused`: the operator of this installation has paused that key
- `network_unreachable`: no node of the network answers

It ended because
- `deal_conflict`: the diamond has another deal under the same id
- `deal_not_created`: the creation was mined without the deal, as often as it may be tried
- `declined`: the merchant settled it as failed
- `canceled_before_creation`: it was canceled before its deal was on the chain
- `canceled_foreign`: a key of the operator canceled it on the chain, not asked for here */
  status_detail:
    | 'diamond_missing'
    | 'network_paused'
    | 'operator_revoked'
    | 'operator_underfunded'
    | 'fees_above_ceiling'
    | 'lane_paused'
    | 'network_unreachable'
    | 'deal_conflict'
    | 'deal_not_created'
    | 'declined'
    | 'canceled_before_creation'
    | 'canceled_foreign'
    | null;
  /** Of the deal on the diamond */
  deal_id: number | null;
  diamond_address: NullableAddress;
  /** The buyer's transaction once it was seen, until then the deal's */
  transaction_hash: NullableTransactionHash;
  /** Opens this payment's widget data until 24 hours after its terminal state */
  access_token: string;
  /** The hosted page where the buyer pays. This version has no such page, so it is always null */
  checkout_url: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface PaymentPage {
  page: number;
  per_page: number;
  total: number;
  /** Opens the next page; null behind the last one */
  next_cursor: string | null;
  items: Array<Payment>;
}

export type WebhookAuthType = 'basic' | 'token';

export type WebhookEvent =
  | 'payment.created'
  | 'payment.ready'
  | 'payment.processing'
  | 'payment.reorged'
  | 'payment.cancel_requested'
  | 'payment.anomaly';

export interface WebhookRequest {
  wallet_id: Uuid;
  network_id: Uuid;
  node_id?: NullableUuid;
  /** Origin, https and on the public internet; stored in lower case, without default port */
  host: string;
  /** Begins with one '/'; for payment.completed and for `events` */
  success_path: string;
  /** For payment.failed, payment.expired, payment.canceled and payment.reversed */
  error_path: string;
  auth_type: WebhookAuthType;
  /** Needed for auth_type basic (RFC 7617) */
  auth_basic_username?: string | null;
  /** Needed for auth_type basic */
  auth_basic_password?: string | null;
  /** Needed for auth_type token; sent as Authorization Bearer */
  auth_token?: string | null;
  /** What it hears of beside the ends of payments */
  events?: Array<WebhookEvent> | null;
  is_active?: boolean | null;
}

export interface WebhookUpdate {
  id: Uuid;
  node_id?: NullableUuid;
  /** Origin, https and on the public internet; stored in lower case, without default port */
  host?: string | null;
  /** Begins with one '/'; for payment.completed and for `events` */
  success_path?: string | null;
  /** For payment.failed, payment.expired, payment.canceled and payment.reversed */
  error_path?: string | null;
  auth_type?: 'basic' | 'token' | null;
  /** Needed for auth_type basic (RFC 7617) */
  auth_basic_username?: string | null;
  /** Needed for auth_type basic */
  auth_basic_password?: string | null;
  /** Needed for auth_type token; sent as Authorization Bearer */
  auth_token?: string | null;
  /** What it hears of beside the ends of payments */
  events?: Array<WebhookEvent> | null;
  is_active?: boolean | null;
}

export interface WebhookReference {
  id: Uuid;
}

export interface Webhook {
  id: Uuid;
  wallet_id: Uuid;
  network_id: Uuid;
  node_id: NullableUuid;
  host: string;
  success_path: string;
  error_path: string;
  auth_type: WebhookAuthType;
  events: Array<WebhookEvent>;
  is_active: boolean;
  /** Why Carat stopped delivering, if it did */
  disabled_reason: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface CreatedWebhook {
  id: Uuid;
  wallet_id: Uuid;
  network_id: Uuid;
  node_id: NullableUuid;
  host: string;
  success_path: string;
  error_path: string;
  auth_type: WebhookAuthType;
  events: Array<WebhookEvent>;
  is_active: boolean;
  /** Why Carat stopped delivering, if it did */
  disabled_reason: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** Signs what is delivered (Standard Webhooks); shown once */
  signing_secret: string;
}

export interface WebhookPage {
  page: number;
  per_page: number;
  total: number;
  /** Opens the next page; null behind the last one */
  next_cursor: string | null;
  items: Array<Webhook>;
}

export type AuditAction =
  | 'integration.created'
  | 'integration.rotated'
  | 'integration.revoked'
  | 'wallet.created'
  | 'wallet.updated'
  | 'wallet.deleted'
  | 'wallet.deployed'
  | 'default.created'
  | 'default.replaced'
  | 'default.deleted'
  | 'member.created'
  | 'member.updated'
  | 'member.deleted'
  | 'payment.created'
  | 'payment.settled'
  | 'webhook.created'
  | 'webhook.updated'
  | 'webhook.deleted';

/** Something as the API answers it */
export type NullableSnapshot = {
  [name: string]: unknown;
} | null;

export interface AuditEntry {
  id: Uuid;
  node_id: Uuid;
  action: AuditAction;
  resource_id: Uuid;
  actor_type: 'integration' | 'operator';
  /** An integration, or subject and issuer of an outside token; null for the operator */
  actor_id: string | null;
  /** IP address that the request came from; null for the operator */
  address: string | null;
  request_id: string | null;
  /** What was changed, as the API answered it before; null when it is new */
  before: NullableSnapshot;
  /** What it has become; null when it is gone */
  after: NullableSnapshot;
  created_at: Timestamp;
}

export interface AuditPage {
  page: number;
  per_page: number;
  total: number;
  /** Opens the next page; null behind the last one */
  next_cursor: string | null;
  items: Array<AuditEntry>;
}

export interface SettlementRequest {
  outcome: 'completed' | 'failed';
  /** Of the transfer or charge at the merchant's processor; kept in the payment's log */
  reference: Name;
}

/** Hashes, blocks and reasons */
export interface PaymentLogData {
  [name: string]: unknown;
}

export interface PaymentLog {
  id: Uuid;
  payment_id: Uuid;
  /** Numbers the entries of the payment */
  sequence: number;
  /** What happened; `message` says it in words */
  event_type:
    | 'payment_created'
    | 'deal_confirmed'
    | 'deal_failed'
    | 'retry_requested'
    | 'payment_detected'
    | 'payment_reorged'
    | 'payment_confirmed'
    | 'payment_expired'
    | 'payment_settled'
    | 'cancel_requested'
    | 'cancel_confirmed'
    | 'cancel_lost_race'
    | 'cancel_foreign';
  message: string;
  actor_type: 'integration' | 'buyer' | 'chain' | 'system' | 'operator';
  actor_id: string | null;
  data: PaymentLogData;
  created_at: Timestamp;
}

export interface PaymentLogPage {
  page: number;
  per_page: number;
  total: number;
  /** Opens the next page; null behind the last one */
  next_cursor: string | null;
  items: Array<PaymentLog>;
}

/** A function, event or error of a contract as Solidity's compiler describes it */
export interface AbiEntry {
  [name: string]: unknown;
}

export interface ContractCall {
  abi: Array<AbiEntry>;
  function_name: string;
  /** In the order and nesting of the ABI, integers as decimal text */
  arguments: Array<unknown>;
  value: Units;
}

export interface WidgetPayment {
  external_id: string;
  node_id: Uuid;
  network_id: ChainId;
  deal_id: DealId;
  /** The amount due as an integer */
  price: number;
  /** Digits of price after the decimal point */
  price_decimals: Decimals;
  payment_address: Address;
  diamond_address: Address;
  /** Symbol */
  currency: string;
  /** Null for the network's native coin */
  token_address: NullableAddress;
  amount: Units;
  /** Of the currency on this network */
  decimals: Decimals;
  contract: ContractCall;
  status: PaymentStatus;
  /** True while the call will be accepted */
  payable: boolean;
  expires_at: Timestamp;
  transaction_hash: NullableTransactionHash;
}

export interface Node {
  id: Uuid;
  /** Null for a root; also above the caller's own node, which is out of reach */
  parent_id: NullableUuid;
  name: Name;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface NodePage {
  page: number;
  per_page: number;
  total: number;
  /** Opens the next page; null behind the last one */
  next_cursor: string | null;
  items: Array<Node>;
}

export interface Chain {
  id: Uuid;
  name: Name;
  created_at: Timestamp;
}

export interface ChainPage {
  page: number;
  per_page: number;
  total: number;
  /** Opens the next page; null behind the last one */
  next_cursor: string | null;
  items: Array<Chain>;
}

export interface Network {
  id: Uuid;
  chain_id: Uuid;
  name: Name;
  eip155: ChainId;
  confirmations: number;
  /** Blocks below the tip within which a reorganisation is followed */
  finality: number;
  block_time_ms: number;
  explorer_url: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface NetworkPage {
  page: number;
  per_page: number;
  total: number;
  /** Opens the next page; null behind the last one */
  next_cursor: string | null;
  items: Array<Network>;
}

export interface CurrencyToken {
  network_id: Uuid;
  /** Null is the native coin */
  address: NullableAddress;
  decimals: Decimals;
}

export interface Currency {
  id: Uuid;
  symbol: string;
  name: Name;
  /** Of payments that are not paid on a chain */
  decimals: Decimals;
  tokens: Array<CurrencyToken>;
  created_at: Timestamp;
}

export interface CurrencyPage {
  page: number;
  per_page: number;
  total: number;
  /** Opens the next page; null behind the last one */
  next_cursor: string | null;
  items: Array<Currency>;
}

/** An OpenAPI 3.1 document */
export interface Specification {
  [name: string]: unknown;
}

export interface Health {
  status: 'ok';
}

export interface Readiness {
  status: 'ready' | 'not_ready';
  database: 'reachable' | 'unreachable';
  temporal: 'reachable' | 'unreachable';
}

/** What the handler of each operation gets, and what it may answer besides a thrown problem. */
export interface Operations {
  /** Exchange api_key and secret for a bearer token (RFC 6749, client credentials) */
  issueToken: {
    access: 'public';
    params: Record<string, never>;
    query: Record<string, never>;
    body: TokenRequest;
    result:
      | { status: 200; body: Token }
      | { status: 400; body: TokenError }
      | { status: 401; body: TokenError }
      | { status: 413; body: TokenError }
      | { status: 415; body: TokenError }
      | { status: 429; body: TokenError };
  };
  /** Public keys of the bearer tokens (RFC 7517) */
  getKeys: {
    access: 'public';
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: { status: 200; body: Keys };
  };
  /** Create an integration with an api_key and a secret */
  createIntegration: {
    access: 'integration';
    params: Record<string, never>;
    query: Record<string, never>;
    body: IntegrationRequest;
    result: { status: 201; body: CreatedIntegration };
  };
  /** List the integrations of a node */
  listIntegrations: {
    access: 'integration';
    params: Record<string, never>;
    query: {
      node_id: Uuid;
      include_descendants: boolean;
      include_ended: boolean;
      page: number;
      per_page: number;
      cursor?: string;
    };
    body: undefined;
    result: { status: 200; body: IntegrationPage };
  };
  /** Get a live integration */
  getIntegration: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: undefined;
    result: { status: 200; body: Integration };
  };
  /** Revoke an integration */
  revokeIntegration: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: undefined;
    result: { status: 204; body: null };
  };
  /** Give an integration a new secret */
  rotateIntegration: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: RotationRequest;
    result: { status: 200; body: RotatedIntegration };
  };
  /** Create a wallet of a node on a chain */
  createWallet: {
    access: 'integration';
    params: Record<string, never>;
    query: Record<string, never>;
    body: WalletRequest;
    result: { status: 201; body: Wallet };
  };
  /** List the wallets of a node */
  listWallets: {
    access: 'integration';
    params: Record<string, never>;
    query: {
      node_id: Uuid;
      include_descendants: boolean;
      page: number;
      per_page: number;
      cursor?: string;
    };
    body: undefined;
    result: { status: 200; body: WalletPage };
  };
  /** Get a wallet */
  getWallet: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: undefined;
    result: { status: 200; body: Wallet };
  };
  /** Change a wallet */
  updateWallet: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: WalletUpdate;
    result: { status: 204; body: null };
  };
  /** Delete a wallet */
  deleteWallet: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: undefined;
    result: { status: 204; body: null };
  };
  /** Start or continue the deployment of the wallet's diamond on a network */
  deployWallet: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: DeployRequest;
    result: { status: 201; body: DeploymentStep };
  };
  /** Choose the wallet of payments that name none */
  createDefault: {
    access: 'integration';
    params: Record<string, never>;
    query: Record<string, never>;
    body: WalletDefaultRequest;
    result: { status: 201; body: WalletDefault };
  };
  /** List the default wallets of a node */
  listDefaults: {
    access: 'integration';
    params: Record<string, never>;
    query: {
      node_id: Uuid;
      include_descendants: boolean;
      network_id?: Uuid;
      type?: WalletDefaultType;
      page: number;
      per_page: number;
      cursor?: string;
    };
    body: undefined;
    result: { status: 200; body: WalletDefaultPage };
  };
  /** Give a mapping another wallet */
  replaceDefault: {
    access: 'integration';
    params: Record<string, never>;
    query: Record<string, never>;
    body: WalletDefaultRequest;
    result: { status: 204; body: null };
  };
  /** Remove a mapping */
  deleteDefault: {
    access: 'integration';
    params: Record<string, never>;
    query: Record<string, never>;
    body: WalletDefaultKey;
    result: { status: 204; body: null };
  };
  /** Create a member of a node */
  createMember: {
    access: 'integration';
    params: Record<string, never>;
    query: Record<string, never>;
    body: MemberRequest;
    result: { status: 201; body: Member };
  };
  /** List the members of a node */
  listMembers: {
    access: 'integration';
    params: Record<string, never>;
    query: {
      node_id: Uuid;
      include_descendants: boolean;
      page: number;
      per_page: number;
      cursor?: string;
    };
    body: undefined;
    result: { status: 200; body: MemberPage };
  };
  /** Get a member */
  getMember: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: undefined;
    result: { status: 200; body: Member };
  };
  /** Change fields of a member */
  updateMember: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: MemberUpdate;
    result: { status: 200; body: Member };
  };
  /** Delete a member */
  deleteMember: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: undefined;
    result: { status: 204; body: null };
  };
  /** Create a payment */
  createPayment: {
    access: 'integration';
    params: Record<string, never>;
    query: Record<string, never>;
    body: PaymentRequest;
    result: { status: 201; body: Payment };
  };
  /** List the payments of a node */
  listPayments: {
    access: 'integration';
    params: Record<string, never>;
    query: {
      node_id: Uuid;
      include_descendants: boolean;
      wallet_id?: Uuid;
      network_id?: Uuid;
      member_id?: Uuid;
      external_id?: string;
      status?: PaymentStatus;
      payment_method?: PaymentMethod;
      created_from?: Timestamp;
      created_to?: Timestamp;
      page: number;
      per_page: number;
      cursor?: string;
    };
    body: undefined;
    result: { status: 200; body: PaymentPage };
  };
  /** Get a payment */
  getPayment: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: undefined;
    result: { status: 200; body: Payment };
  };
  /** List what happened to a payment */
  listPaymentLogs: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: {
      page: number;
      per_page: number;
      cursor?: string;
    };
    body: undefined;
    result: { status: 200; body: PaymentLogPage };
  };
  /** Say what became of a payment by card or bank transfer */
  settlePayment: {
    access: 'integration';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: SettlementRequest;
    result: { status: 200; body: Payment };
  };
  /** Get what a buyer needs to pay */
  getWidgetPayment: {
    access: 'widget';
    params: {
      id: Uuid;
    };
    query: Record<string, never>;
    body: undefined;
    result: { status: 200; body: WidgetPayment };
  };
  /** Create a webhook of a wallet on a network */
  createWebhook: {
    access: 'integration';
    params: Record<string, never>;
    query: Record<string, never>;
    body: WebhookRequest;
    result: { status: 201; body: CreatedWebhook };
  };
  /** List webhooks */
  listWebhooks: {
    access: 'integration';
    params: Record<string, never>;
    query: {
      wallet_id?: Uuid;
      page: number;
      per_page: number;
      cursor?: string;
    };
    body: undefined;
    result: { status: 200; body: WebhookPage };
  };
  /** Change a webhook */
  updateWebhook: {
    access: 'integration';
    params: Record<string, never>;
    query: Record<string, never>;
    body: WebhookUpdate;
    result: { status: 200; body: Webhook };
  };
  /** Delete a webhook */
  deleteWebhook: {
    access: 'integration';
    params: Record<string, never>;
    query: Record<string, never>;
    body: WebhookReference;
    result: { status: 204; body: null };
  };
  /** List who changed what */
  listAuditLog: {
    access: 'integration';
    params: Record<string, never>;
    query: {
      node_id: Uuid;
      include_descendants: boolean;
      action?: AuditAction;
      resource_id?: Uuid;
      actor_id?: string;
      created_from?: Timestamp;
      created_to?: Timestamp;
      page: number;
      per_page: number;
      cursor?: string;
    };
    body: undefined;
    result: { status: 200; body: AuditPage };
  };
  /** List the caller's node and everything below it */
  listNodes: {
    access: 'integration';
    params: Record<string, never>;
    query: {
      page: number;
      per_page: number;
      cursor?: string;
    };
    body: undefined;
    result: { status: 200; body: NodePage };
  };
  /** List the chains */
  listChains: {
    access: 'integration';
    params: Record<string, never>;
    query: {
      page: number;
      per_page: number;
      cursor?: string;
    };
    body: undefined;
    result: { status: 200; body: ChainPage };
  };
  /** List the networks */
  listNetworks: {
    access: 'integration';
    params: Record<string, never>;
    query: {
      page: number;
      per_page: number;
      cursor?: string;
    };
    body: undefined;
    result: { status: 200; body: NetworkPage };
  };
  /** List the currencies and where their tokens are */
  listCurrencies: {
    access: 'integration';
    params: Record<string, never>;
    query: {
      page: number;
      per_page: number;
      cursor?: string;
    };
    body: undefined;
    result: { status: 200; body: CurrencyPage };
  };
  /** Tell that the process is alive */
  getHealth: {
    access: 'public';
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: { status: 200; body: Health };
  };
  /** Tell whether requests can be served */
  getReadiness: {
    access: 'public';
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: { status: 200; body: Readiness } | { status: 503; body: Readiness };
  };
  /** This document for people */
  getDocs: {
    access: 'public';
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: { status: 200; body: string };
  };
  /** The script of the document for people */
  getDocsScript: {
    access: 'public';
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: { status: 200; body: string };
  };
  /** This document for programs */
  getSpecification: {
    access: 'public';
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: { status: 200; body: Specification };
  };
}
