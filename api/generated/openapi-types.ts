// Written by scripts/generate-api-types.ts from openapi.yaml. Do not edit.

export type Uuid = string;

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

/** Base units as decimal text */
export type Units = string;

export type Count = number;

export type PageNumber = number;

/** Opens the next page; null behind the last one */
export type NextCursor = string | null;

export type PerPageNumber = number;

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
  errors: Array<{
    /** JSON pointer below the request, such as /body/paid_price or /query/page */
    path: string;
    message: string;
  }>;
  existing_id?: Uuid;
  [name: string]: unknown;
}

/** client_id and client_secret, or by the names they have here, api_key and secret */
export interface TokenRequest {
  grant_type?: string;
  client_id?: string;
  client_secret?: string;
  api_key?: string;
  secret?: string;
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

export interface Keys {
  keys: Array<{
    kty: 'OKP';
    crv: 'Ed25519';
    x: string;
    kid: string;
    alg: 'EdDSA';
    use: 'sig';
  }>;
}

export interface IntegrationRequest {
  node_id: Uuid;
  name: string;
  permissions?: Array<Permission> | null;
  expires_at?: NullableTimestamp;
}

export interface CreatedIntegration {
  id: Uuid;
  node_id: Uuid;
  name: string;
  api_key: string;
  /** Shown only here */
  secret: string;
  permissions: Array<Permission>;
  expires_at: NullableTimestamp;
  created_at: Timestamp;
}

export interface Integration {
  id: Uuid;
  node_id: Uuid;
  name: string;
  api_key: string;
  permissions: Array<Permission>;
  expires_at: NullableTimestamp;
  /** When it last took a token; null before the first one */
  last_used_at: string | null;
  revoked_at: NullableTimestamp;
  created_at: Timestamp;
}

export interface IntegrationPage {
  items: Array<Integration>;
  page: PageNumber;
  per_page: PerPageNumber;
  total: Count;
  next_cursor: NextCursor;
}

export interface RotationRequest {
  /** Seconds for which the secret before stays good */
  overlap_seconds?: number;
}

export interface RotatedIntegration {
  id: Uuid;
  node_id: Uuid;
  name: string;
  api_key: string;
  /** Shown only here */
  secret: string;
  permissions: Array<Permission>;
  expires_at: NullableTimestamp;
  /** Until then the secret before is good; null if it is not */
  previous_secret_expires_at: string | null;
  last_used_at: NullableTimestamp;
  revoked_at: NullableTimestamp;
  created_at: Timestamp;
}

export interface WalletRequest {
  node_id: Uuid;
  chain_id: Uuid;
  name: string;
}

export interface Wallet {
  id: Uuid;
  node_id: Uuid;
  chain_id: Uuid;
  name: string;
  address: Address;
  /** An inactive wallet takes no new payments */
  is_active: boolean;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface WalletUpdate {
  name?: string;
  /** EVM address of a diamond to adopt, in any valid case */
  address?: string;
  /** An inactive wallet takes no new payments */
  is_active?: boolean;
}

export interface WalletPage {
  items: Array<Wallet>;
  page: PageNumber;
  per_page: PerPageNumber;
  total: Count;
  next_cursor: NextCursor;
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
  items: Array<WalletDefault>;
  page: PageNumber;
  per_page: PerPageNumber;
  total: Count;
  next_cursor: NextCursor;
}

export interface DeployRequest {
  node_id: Uuid;
  network_id: Uuid;
}

export interface DeploymentStep {
  step: 'preflight' | 'deploy_facets' | 'deploy_diamond' | 'verify' | 'activate';
  transaction_id: Uuid;
  status: 'started' | 'pending' | 'completed' | 'failed';
}

export type PaymentStatus =
  'pending' | 'awaiting_payment' | 'processing' | 'completed' | 'expired' | 'canceling' | 'canceled' | 'failed';

export type PaymentMethod = 'web3' | 'credit_card' | 'bank_transfer';

export type PaymentGroup = 'product' | 'listing_or_subscription';

/** Creates the member, or links the node's member of that external_id unchanged */
export interface MemberData {
  external_id: string;
  name: string;
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
  external_id: string;
  name: string;
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
  external_id?: string;
  name?: string;
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
  id: Uuid;
  node_id: Uuid;
  external_id: string;
  name: string;
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
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface MemberPage {
  items: Array<Member>;
  page: PageNumber;
  per_page: PerPageNumber;
  total: Count;
  next_cursor: NextCursor;
}

export interface PaymentItemRequest {
  name: string;
  price: number;
  external_id?: string | null;
}

export interface PaymentRequest {
  /** Unique per node */
  external_id: string;
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
  price: number;
  /** The amount due */
  paid_price: number;
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
  name: string;
  price: number;
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
  price: number;
  price_units: Units;
  paid_price: number;
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
  /** Why it waits, or why it ended as it did */
  status_detail: string | null;
  /** Id of the deal on the diamond */
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
  items: Array<Payment>;
  page: PageNumber;
  per_page: PerPageNumber;
  total: Count;
  next_cursor: NextCursor;
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
  items: Array<Webhook>;
  page: PageNumber;
  per_page: PerPageNumber;
  total: Count;
  next_cursor: NextCursor;
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
  before: {
    [name: string]: unknown;
  } | null;
  /** What it has become; null when it is gone */
  after: {
    [name: string]: unknown;
  } | null;
  created_at: Timestamp;
}

export interface AuditPage {
  items: Array<AuditEntry>;
  page: PageNumber;
  per_page: PerPageNumber;
  total: Count;
  next_cursor: NextCursor;
}

export interface SettlementRequest {
  outcome: 'completed' | 'failed';
  /** Of the transfer or charge at the merchant's processor; kept in the payment's log */
  reference: string;
}

export interface PaymentLog {
  id: Uuid;
  payment_id: Uuid;
  /** Numbers the entries of the payment */
  sequence: number;
  event_type: string;
  message: string;
  actor_type: 'integration' | 'buyer' | 'chain' | 'system' | 'operator';
  actor_id: string | null;
  /** Hashes, blocks and reasons */
  data: {
    [name: string]: unknown;
  };
  created_at: Timestamp;
}

export interface PaymentLogPage {
  items: Array<PaymentLog>;
  page: PageNumber;
  per_page: PerPageNumber;
  total: Count;
  next_cursor: NextCursor;
}

export interface WidgetPayment {
  external_id: string;
  node_id: Uuid;
  /** EIP-155 chain id */
  network_id: number;
  deal_id: number;
  /** The amount due as an integer */
  price: number;
  /** Digits of price after the decimal point */
  price_decimals: number;
  payment_address: Address;
  diamond_address: Address;
  /** Symbol */
  currency: string;
  /** Null for the network's native coin */
  token_address: NullableAddress;
  amount: Units;
  /** Of the currency on this network */
  decimals: number;
  contract: {
    abi: Array<{
      [name: string]: unknown;
    }>;
    function_name: string;
    /** In the order and nesting of the ABI, integers as decimal text */
    arguments: Array<unknown>;
    value: Units;
  };
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
  name: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface NodePage {
  items: Array<Node>;
  page: PageNumber;
  per_page: PerPageNumber;
  total: Count;
  next_cursor: NextCursor;
}

export interface Chain {
  id: Uuid;
  name: string;
  created_at: Timestamp;
}

export interface ChainPage {
  items: Array<Chain>;
  page: PageNumber;
  per_page: PerPageNumber;
  total: Count;
  next_cursor: NextCursor;
}

export interface Network {
  id: Uuid;
  chain_id: Uuid;
  name: string;
  /** EIP-155 chain id */
  eip155: number;
  confirmations: number;
  /** Blocks below the tip within which a reorganisation is followed */
  finality: number;
  block_time_ms: number;
  explorer_url: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface NetworkPage {
  items: Array<Network>;
  page: PageNumber;
  per_page: PerPageNumber;
  total: Count;
  next_cursor: NextCursor;
}

export interface Currency {
  id: Uuid;
  symbol: string;
  name: string;
  /** Of payments that are not paid on a chain */
  decimals: number;
  tokens: Array<{
    network_id: Uuid;
    /** Null is the native coin */
    address: NullableAddress;
    decimals: number;
  }>;
  created_at: Timestamp;
}

export interface CurrencyPage {
  items: Array<Currency>;
  page: PageNumber;
  per_page: PerPageNumber;
  total: Count;
  next_cursor: NextCursor;
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
    result: {
      status: 200;
      body: {
        status: 'ok';
      };
    };
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
  /** This document for programs */
  getSpecification: {
    access: 'public';
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    result: {
      status: 200;
      body: {
        [name: string]: unknown;
      };
    };
  };
}
