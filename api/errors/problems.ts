import type { ErrorCode } from '../../domain/errors.ts';

/** Description of a code for clients. */
export interface ProblemKind {
  readonly status: number;
  /** The same for every occurrence (RFC 9457). */
  readonly title: string;
  /** Cause and remedy, with `code` in backticks. */
  readonly explanation: string;
  /** Seconds in `Retry-After`, unless the refusal sets its own. */
  readonly retryAfter?: number;
}

/** All codes, by status: those of the domain, and those that belong to HTTP and tokens. */
const table = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    explanation:
      'A field, parameter or header is missing, unknown, malformed, out of bounds, or contradicts another. `errors` names a field and its rule, often several. Change the request.',
  },
  immutable_field: {
    status: 400,
    title: 'The field cannot be changed',
    explanation:
      'The request gives another value to a field that never changes. Leave the field out or repeat its value; `errors` names it.',
  },
  payee_not_allowed: {
    status: 400,
    title: 'The payee is not allowed',
    explanation:
      'The node, or a node above it, has locked its payout address on the chain, and `payment_address` is another address. With `wallets.read`, `errors` names the allowed address. An integration with `payout.update` can change the lock.',
  },
  payment_too_large: {
    status: 400,
    title: 'The payment is too large',
    explanation:
      'The payment without its member would exceed 36,864 bytes as JSON in UTF-8; `errors` gives its size. Each field may reach its own limit, but not all of them at once: shorten names and ids of items, or `metadata`.',
  },
  checkout_too_large: {
    status: 400,
    title: 'The order is too large',
    explanation:
      'The order without member and payment would exceed 36,864 bytes as JSON in UTF-8; `errors` gives its size. Offer fewer options, or shorten names and ids of items, or `metadata`.',
  },
  member_too_large: {
    status: 400,
    title: 'The member is too large',
    explanation:
      'The member would exceed 28,672 bytes as JSON in UTF-8; with `members.read`, `errors` gives its size. Shorten its longest fields, most often `address`.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON',
    explanation: 'The body is not JSON in UTF-8. Check the bytes that the client sends.',
  },
  unsupported_grant_type: {
    status: 400,
    title: 'The grant type is not supported',
    explanation: 'The token endpoint supports `client_credentials` only.',
  },
  invalid_scope: {
    status: 400,
    title: 'The scope is not valid',
    explanation:
      'The `scope` of the token request names a permission that does not exist or that the integration lacks. Request fewer permissions, or leave `scope` out.',
  },
  missing_token: {
    status: 401,
    title: 'A token is required',
    explanation:
      "The request has no `Authorization: Bearer` header. Get a token from `POST /api/v1/auth/token`; the widget endpoint takes the payment's `access_token`.",
  },
  invalid_token: {
    status: 401,
    title: 'The token is not valid',
    explanation:
      'The token is malformed, expired or meant for another purpose, or its integration is revoked or expired. Get a new token once; if that is refused too, the integration is revoked or expired.',
  },
  invalid_client: {
    status: 401,
    title: 'The credentials are not valid',
    explanation:
      'The api_key is unknown, the secret is wrong, or the integration is revoked or expired. The answer does not say which, so that nobody can find out which keys exist.',
  },
  permission_denied: {
    status: 403,
    title: 'A permission is missing',
    explanation:
      'The token lacks a permission that the operation needs, or one that the operation would grant or reveal. Use an integration that has it.',
  },
  node_access_denied: {
    status: 403,
    title: 'The node is out of reach',
    explanation:
      "The resource belongs to a node out of the caller's reach. Use an integration of that node or of a node above it.",
  },
  route_not_found: {
    status: 404,
    title: 'Route not found',
    explanation:
      'No operation has this path. Paths are case-sensitive and have no trailing slash; /docs lists them all.',
  },
  node_not_found: {
    status: 404,
    title: 'Node not found',
    explanation:
      "The node does not exist, is not the caller's node or below it, or does not fit the rest of the request.",
  },
  chain_not_found: {
    status: 404,
    title: 'Chain not found',
    explanation: 'The chain does not exist; `GET /api/v1/chains` lists all chains.',
  },
  network_not_found: {
    status: 404,
    title: 'Network not found',
    explanation:
      'The network does not exist; `GET /api/v1/networks` lists all networks. The id is a UUID, not the EIP-155 number.',
  },
  currency_not_found: {
    status: 404,
    title: 'Currency not found',
    explanation: 'The currency does not exist; `GET /api/v1/currencies` lists all currencies.',
  },
  wallet_not_found: {
    status: 404,
    title: 'Wallet not found',
    explanation:
      'The wallet does not exist in reach or is deleted. For a payment without `wallet_id`: neither its node nor a node above has a default wallet for the network.',
  },
  member_not_found: {
    status: 404,
    title: 'Member not found',
    explanation: 'The member does not exist in reach or is deleted.',
  },
  payment_not_found: {
    status: 404,
    title: 'Payment not found',
    explanation: 'The payment does not exist in reach.',
  },
  checkout_not_found: {
    status: 404,
    title: 'Order not found',
    explanation: 'The order does not exist in reach.',
  },
  integration_not_found: {
    status: 404,
    title: 'Integration not found',
    explanation: 'The integration does not exist in reach or is revoked.',
  },
  default_not_found: {
    status: 404,
    title: 'Default not found',
    explanation: 'No default in reach has this node, network and type.',
  },
  webhook_not_found: {
    status: 404,
    title: 'Webhook not found',
    explanation: 'The webhook does not exist or is deleted.',
  },
  delivery_not_found: {
    status: 404,
    title: 'Delivery not found',
    explanation: 'The webhook has no such delivery.',
  },
  alert_not_found: {
    status: 404,
    title: 'Alert not found',
    explanation: 'The alert does not exist in reach. Only nodes without a parent reach alerts about networks and keys.',
  },
  logo_not_found: {
    status: 404,
    title: 'Logo not found',
    explanation:
      'No node has a logo of this content now. `GET /api/v1/nodes/{node_id}/branding` gives the URL of the present one.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    explanation: 'The path does not support this method; the `Allow` header lists the methods it supports.',
  },
  integration_exists: {
    status: 409,
    title: 'The integration already exists',
    explanation:
      'A live integration of this node has this name. Choose another name, or revoke that integration first.',
  },
  too_many_integrations: {
    status: 409,
    title: 'Too many integrations',
    explanation: 'The node has reached its limit of 100 live integrations. Revoke an unused one.',
  },
  payment_exists: {
    status: 409,
    title: 'The payment already exists',
    explanation:
      'The node already has a payment with this external_id; `existing_id` is its id. A repeated order gets this answer: fetch the payment and continue with it.',
  },
  payment_exists_with_other_terms: {
    status: 409,
    title: 'The payment exists with other terms',
    explanation:
      'The node already has a payment with this external_id but other terms; `existing_id` is its id. With `payments.read`, `errors` names the fields that differ: amounts, currency, network, method, payee, items, metadata or links. Fetch the payment and compare; a new order needs a new external_id.',
  },
  checkout_exists: {
    status: 409,
    title: 'The order already exists',
    explanation:
      'The node already has an order with this external_id; `existing_id` is its id. A repeated order gets this answer: fetch the order and continue with it.',
  },
  checkout_exists_with_other_terms: {
    status: 409,
    title: 'The order exists with other terms',
    explanation:
      'The node already has an order with this external_id but other terms; `existing_id` is its id. With `payments.read`, `errors` names the fields that differ: number, networks, currencies or amounts of the options, payee, items, metadata, links or the way of canceling. Fetch the order and compare; a new order needs a new external_id.',
  },
  member_exists: {
    status: 409,
    title: 'The member already exists',
    explanation:
      'The node already has a member with this external_id; `existing_id` is its id. Use that member, or update it with PUT.',
  },
  default_exists: {
    status: 409,
    title: 'The default already exists',
    explanation: 'The node already has a default of this type for the network. Change its wallet with PUT.',
  },
  webhook_exists: {
    status: 409,
    title: 'The webhook already exists',
    explanation: 'A webhook with the same wallet, network, host and node exists. Update that one with PUT.',
  },
  too_many_webhooks: {
    status: 409,
    title: 'Too many webhooks',
    explanation:
      'The node has reached its limit of 200 webhooks, or of 16 for this wallet on this network. A webhook with a `node_id` counts for that node. Delete an unused one.',
  },
  webhook_inactive: {
    status: 409,
    title: 'The webhook is not active',
    explanation: 'Carat sends nothing to an inactive webhook. Send `PUT` with `is_active: true` first.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'The Idempotency-Key was already used',
    explanation:
      'The key belongs to an earlier request with another body or query, or to one whose answer was erased with the data of a ' +
      'member; that request was done. Use a new key for a new request.',
  },
  payout_locked_above: {
    status: 409,
    title: 'A node above has locked the payout address',
    explanation:
      'A node above has locked its payout address on the chain, and its lock applies here too. With `wallets.read`, `detail` names that address. Set the same address, or none.',
  },
  wallet_deployed: {
    status: 409,
    title: 'The wallet has a diamond',
    explanation: "The wallet's diamond is deployed or being deployed, so its address cannot change.",
  },
  wallet_in_use: {
    status: 409,
    title: 'The wallet has open payments',
    explanation: "Open payments are bound to the wallet's address. Change the address after they have ended.",
  },
  wallet_address_taken: {
    status: 409,
    title: 'Another wallet has the address',
    explanation: 'Another wallet of the chain already has this address.',
  },
  wallet_inactive: {
    status: 409,
    title: 'The wallet is not active',
    explanation: 'The wallet takes no new payments. Set its `is_active` to true, or use another wallet.',
  },
  network_not_prepared: {
    status: 409,
    title: 'The network is not prepared',
    explanation:
      'The operator has not prepared this network with a key for deals yet. Ask the operator, then send the same request again.',
  },
  network_retired: {
    status: 409,
    title: 'The network is retired',
    explanation:
      'The operator has retired the network: it takes no new payments, deployments, updates, webhooks or defaults. Existing work goes on to its end. `GET /api/v1/networks` lists the networks in use.',
  },
  diamond_not_active: {
    status: 409,
    title: 'The wallet has no active diamond',
    explanation: 'The wallet has never had an active diamond on the network. Deploy it first.',
  },
  deal_mode_unavailable: {
    status: 409,
    title: 'Deals cannot be offered there yet',
    explanation:
      "The wallet's diamond must be active on the network with a release that takes offers, the operator must have a key for offers there, and no process of an older version may run. `detail` names what is missing.",
  },
  payment_not_payable: {
    status: 409,
    title: 'The payment cannot be paid',
    explanation:
      "The payment is not paid on a chain, its wallet's diamond is not active there yet, or its deal is not offered yet. In the last two cases, try again later.",
  },
  payment_not_settleable: {
    status: 409,
    title: 'The payment cannot be settled',
    explanation:
      'The payment is a web3 payment, has ended, is being canceled, or was settled with another outcome or reference. Fetch it to see its status.',
  },
  payment_not_cancelable: {
    status: 409,
    title: 'The payment cannot be canceled',
    explanation:
      "The payment has ended, or the buyer's transaction is already in a block. Fetch it to see its status. Refund a paid payment yourself.",
  },
  checkout_not_cancelable: {
    status: 409,
    title: 'The order cannot be canceled',
    explanation:
      "The order has ended, or the buyer's transaction is already in a block. Fetch it to see its status. Refund a paid order yourself.",
  },
  checkout_not_open: {
    status: 409,
    title: 'The order takes no choice any more',
    explanation:
      'The order is completed, expired or canceled, is being canceled, or its time is over. Show its status.',
  },
  choice_being_paid: {
    status: 409,
    title: 'The former choice is being paid',
    explanation:
      'The transaction that pays the chosen payment is in a block. If it stands, it completes the order; if a reorganisation removes it, the buyer can choose again.',
  },
  too_many_choices: {
    status: 409,
    title: 'Too many choices',
    explanation:
      'The buyer of an order may choose five times, because each choice may cost the operator gas. The payment that is chosen now stays payable.',
  },
  option_unavailable: {
    status: 409,
    title: 'The option is not available',
    explanation:
      'The wallet, the network or the payee of the option takes no new payments any more. The buyer can choose another option.',
  },
  payment_not_retryable: {
    status: 400,
    title: 'The payment cannot be retried',
    explanation: 'Only a pending `web3` payment has a deal to retry. Fetch the payment to see its status.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    explanation: 'The body exceeds 512 KiB. No valid request is that large.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The media type is not supported',
    explanation:
      'The headers of the body do not declare a media type of the operation, in UTF-8 and uncompressed. Send `Content-Type: application/json`.',
  },
  too_many_deployments: {
    status: 429,
    title: 'Too many deployments',
    retryAfter: 60,
    explanation:
      'The node has reached its limit of 100 deployments and updates of diamonds under way. Wait until one has ended; a repeated request for one that is under way is still answered.',
  },
  too_many_undelivered: {
    status: 429,
    title: 'Too many undelivered deliveries',
    retryAfter: 300,
    explanation:
      "The request would leave more than 100,000 undelivered deliveries to the node's webhooks. Wait until some are delivered, repair or delete a failing webhook, or choose a shorter period.",
  },
  too_many_open_payments: {
    status: 429,
    title: 'Too many open payments',
    retryAfter: 300,
    explanation:
      'The node has reached the limit of open payments of this installation. Wait until some have ended, or ask the operator to raise the limit.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    explanation:
      'The integration, its node as a whole or, without a valid token, the client address has exceeded its rate limit. Wait the seconds in `Retry-After`.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    explanation:
      'The service has a defect. Give the operator the `request_id`, which leads to the cause in the log. A POST with an Idempotency-Key is safe to retry.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    explanation:
      'A service that the answer needs cannot be reached. Try again after the seconds in `Retry-After`; a POST with its Idempotency-Key.',
  },
} satisfies Readonly<Record<ErrorCode, ProblemKind>> & Readonly<Record<string, ProblemKind>>;

export type ProblemCode = keyof typeof table;

/** The only table of all codes: a code without an entry does not compile. docs/errors.md is generated from it. */
export const problems: Readonly<Record<ProblemCode, ProblemKind>> = table;
