import type { ErrorCode } from '../../domain/errors.ts';

/** Refusals that only exist because of HTTP and of tokens. */
export type HttpErrorCode =
  | 'malformed_json'
  | 'missing_token'
  | 'invalid_token'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable';

export type ProblemCode = ErrorCode | HttpErrorCode;

/** What clients are told of a code. */
export interface ProblemKind {
  readonly status: number;
  /** The same for every occurrence (RFC 9457). */
  readonly title: string;
  /** When it happens and what to do about it, with `code` in backticks. */
  readonly explanation: string;
  /** Seconds after which it may be otherwise, where the refusal itself does not say. */
  readonly retryAfter?: number;
}

/** The one table of all codes, by status; a new code does not compile until it is here. docs/errors.md is made from it. */
export const problems: Readonly<Record<ProblemCode, ProblemKind>> = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    explanation:
      'The request breaks a rule: a field or parameter is missing, unknown, malformed or out of bounds, or does not fit the others. `errors` names a place and its rule, often several; change the request.',
  },
  immutable_field: {
    status: 400,
    title: 'The field can not be changed',
    explanation: 'A field that never changes was given another value. Leave it out, or as it is; `errors` names it.',
  },
  payee_not_allowed: {
    status: 400,
    title: 'The payee is not allowed',
    explanation:
      'The payout address of the node, or of one above it, is locked on the chain, and `payment_address` is another address. `errors` names the address that is allowed; whoever holds `payout.update` can change the lock.',
  },
  payment_too_large: {
    status: 400,
    title: 'The payment is too large',
    explanation:
      'The payment without its member would have more than 36,864 bytes as JSON in UTF-8; `errors` says how many. Each field may be as long as its own limit, not all of them at once: shorten names and ids of items, or `metadata`.',
  },
  member_too_large: {
    status: 400,
    title: 'The member is too large',
    explanation:
      'The member would have more than 28,672 bytes as JSON in UTF-8; `errors` says how many. Shorten its longest fields, most often `address`.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not JSON',
    explanation: 'The body is not JSON text in UTF-8. Look at what the client really sends.',
  },
  unsupported_grant_type: {
    status: 400,
    title: 'The grant type is not supported',
    explanation: 'The token endpoint knows `client_credentials` only.',
  },
  invalid_scope: {
    status: 400,
    title: 'The scope is not valid',
    explanation:
      'The `scope` of the token request names a permission that the integration lacks, or that does not exist. Ask for less, or leave `scope` out.',
  },
  missing_token: {
    status: 401,
    title: 'A token is needed',
    explanation:
      "There is no `Authorization: Bearer` header. Get a token from `POST /api/v1/auth/token`; the widget endpoint takes the payment's `access_token`.",
  },
  invalid_token: {
    status: 401,
    title: 'The token is not valid',
    explanation:
      'The token is damaged, has ended, was made for something else, or its integration is revoked or expired. Get a new token once; if that is refused too, the integration is at its end.',
  },
  invalid_client: {
    status: 401,
    title: 'The credentials are not valid',
    explanation:
      'The api_key is unknown, the secret is wrong, or the integration is revoked or expired. All of them look the same, so that nobody learns which keys exist.',
  },
  permission_denied: {
    status: 403,
    title: 'A permission is missing',
    explanation:
      'The token lacks the permission that the operation needs, or one that it would pass on. Use an integration that has it.',
  },
  node_access_denied: {
    status: 403,
    title: 'The node is out of reach',
    explanation:
      'What the request names belongs to a node that the caller does not reach. Use an integration of that node or of one above it.',
  },
  route_not_found: {
    status: 404,
    title: 'There is no such route',
    explanation:
      'No operation has this path. Paths are exact in case and have no slash at the end; /docs lists them all.',
  },
  node_not_found: {
    status: 404,
    title: 'There is no such node',
    explanation: "There is no node of that id, or it is not the caller's node or one below it.",
  },
  chain_not_found: {
    status: 404,
    title: 'There is no such chain',
    explanation: 'There is no chain of that id; `GET /api/v1/chains` lists them.',
  },
  network_not_found: {
    status: 404,
    title: 'There is no such network',
    explanation: 'There is no network of that id; `GET /api/v1/networks` lists them. It is not the EIP-155 number.',
  },
  currency_not_found: {
    status: 404,
    title: 'There is no such currency',
    explanation: 'There is no currency of that id; `GET /api/v1/currencies` lists them.',
  },
  wallet_not_found: {
    status: 404,
    title: 'There is no such wallet',
    explanation:
      'There is no wallet of that id in reach, or it is deleted. For a payment without `wallet_id`: neither its node nor a node above has a default wallet for the network.',
  },
  member_not_found: {
    status: 404,
    title: 'There is no such member',
    explanation: 'There is no member of that id in reach, or it is deleted.',
  },
  payment_not_found: {
    status: 404,
    title: 'There is no such payment',
    explanation: 'There is no payment of that id in reach.',
  },
  integration_not_found: {
    status: 404,
    title: 'There is no such integration',
    explanation: 'There is no integration of that id in reach, or it is revoked.',
  },
  default_not_found: {
    status: 404,
    title: 'There is no such default',
    explanation: 'There is no mapping of that node, network and type in reach.',
  },
  webhook_not_found: {
    status: 404,
    title: 'There is no such webhook',
    explanation: 'There is no webhook of that id, or it is deleted.',
  },
  delivery_not_found: {
    status: 404,
    title: 'There is no such delivery',
    explanation: 'The webhook has no delivery of that id.',
  },
  alert_not_found: {
    status: 404,
    title: 'There is no such alert',
    explanation: 'There is no alert of that id in reach; those of networks and keys are for nodes without a parent.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The route has no such method',
    explanation: 'The path exists, but not with this method; the `Allow` header names those that it has.',
  },
  integration_exists: {
    status: 409,
    title: 'The integration exists already',
    explanation: 'A live integration of this node has that name. Choose another, or revoke the other first.',
  },
  too_many_integrations: {
    status: 409,
    title: 'There are too many integrations',
    explanation: 'The node has 100 live integrations, as many as it may have. Revoke one that is not used any more.',
  },
  payment_exists: {
    status: 409,
    title: 'The payment exists already',
    explanation:
      'The node has a payment with that external_id; `existing_id` names it. A repeated order is answered like this: fetch the payment and go on with it.',
  },
  payment_exists_with_other_terms: {
    status: 409,
    title: 'The payment exists with other terms',
    explanation:
      'The node has a payment with that external_id and other terms; `existing_id` names it, and `errors` the fields that differ: amounts, currency, network, method, payee, items or metadata. Fetch the payment and compare; a new order needs an external_id of its own.',
  },
  member_exists: {
    status: 409,
    title: 'The member exists already',
    explanation: 'The node has a member with that external_id; `existing_id` names it. Use it, or change it with PUT.',
  },
  default_exists: {
    status: 409,
    title: 'The default exists already',
    explanation: 'The node has a mapping of this type for the network. Give it another wallet with PUT.',
  },
  webhook_exists: {
    status: 409,
    title: 'The webhook exists already',
    explanation: 'There is a webhook of the same wallet, network, host and node. Change that one with PUT.',
  },
  too_many_webhooks: {
    status: 409,
    title: 'There are too many webhooks',
    explanation:
      'The node has 200 webhooks, or 16 of this wallet on this network, which is as many as it may have. Those that hear of a node below count for that node. Delete one that is not used any more.',
  },
  webhook_inactive: {
    status: 409,
    title: 'The webhook is not active',
    explanation: 'Nothing is sent to a webhook that is not active. Send `PUT` with `is_active: true` first.',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'The Idempotency-Key was used before',
    explanation: 'The key belongs to an earlier request with another body or query. Use a new one for a new request.',
  },
  payout_locked_above: {
    status: 409,
    title: 'A node above has locked the payout address',
    explanation:
      'A node above has locked its payout address on the chain, and that lock holds here too. Set the same address, or none.',
  },
  wallet_deployed: {
    status: 409,
    title: 'The wallet has a diamond',
    explanation: "The wallet's diamond is deployed or being deployed, so its address stands.",
  },
  wallet_in_use: {
    status: 409,
    title: 'The wallet has open payments',
    explanation: "Open payments are bound to the wallet's address. Wait for their end before the address changes.",
  },
  wallet_address_taken: {
    status: 409,
    title: 'Another wallet has the address',
    explanation: 'Another wallet of the chain has the address.',
  },
  wallet_inactive: {
    status: 409,
    title: 'The wallet is not active',
    explanation: 'The wallet takes no new payments. Set its `is_active` to true, or use another one.',
  },
  network_not_prepared: {
    status: 409,
    title: 'The network is not prepared',
    explanation:
      'The operator has not given this network a key that creates deals yet. Ask the operator; then the same request will do.',
  },
  network_retired: {
    status: 409,
    title: 'The network is retired',
    explanation:
      'The operator has retired the network: it takes no new payments, deployments, updates, webhooks and defaults. What was there before goes on to its end. `GET /api/v1/networks` lists the networks to choose from.',
  },
  diamond_not_active: {
    status: 409,
    title: 'There is no active diamond',
    explanation: 'The wallet has never had an active diamond on the network. Deploy it first.',
  },
  payment_not_payable: {
    status: 409,
    title: 'The payment can not be paid',
    explanation:
      "The payment is not paid on a chain, or its wallet's diamond is not active there yet. In the second case ask again later.",
  },
  payment_not_settleable: {
    status: 409,
    title: 'The payment can not be settled',
    explanation:
      'The payment is decided by the chain, or it has ended or is ending otherwise, or it was settled with another outcome or reference. Fetch it and see.',
  },
  payment_not_cancelable: {
    status: 409,
    title: 'The payment can not be canceled',
    explanation:
      'The payment is over, or the transaction of its buyer is in a block already. Fetch it and see. What is paid is given back by you.',
  },
  payment_not_retryable: {
    status: 400,
    title: 'The payment can not be sent again',
    explanation: 'Only a `web3` payment that is `pending` has a deal that can be sent again. Fetch it and see.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    explanation: 'The body has more than 512 KiB. No valid request needs that much.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The media type is not supported',
    explanation:
      'The body is not announced as a media type of the operation, as UTF-8 and uncompressed. Send `Content-Type: application/json`.',
  },
  too_many_deployments: {
    status: 429,
    title: 'There are too many deployments',
    retryAfter: 60,
    explanation:
      'The node has 100 deployments and updates of diamonds under way, which is as many as it may have. Wait until one has ended; asking for one that is under way is answered all the same.',
  },
  too_many_undelivered: {
    status: 429,
    title: 'There are too many undelivered deliveries',
    retryAfter: 300,
    explanation:
      'With what is asked for, more than 100,000 deliveries to the webhooks of the node would wait to be sent. Wait until some are delivered, mend or delete a webhook that fails, or choose a shorter time.',
  },
  too_many_open_payments: {
    status: 429,
    title: 'There are too many open payments',
    retryAfter: 300,
    explanation:
      'The node has as many payments that have not ended as this installation allows. Wait until some have ended, or let the operator raise the limit.',
  },
  rate_limited: {
    status: 429,
    title: 'There are too many requests',
    explanation:
      'There were more requests than allowed, by this integration, by all of its node together or, where there is none or its token is not valid, from this address. Wait as many seconds as `Retry-After` says.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong here',
    explanation:
      'The service has a fault. Tell the operator the `request_id`; it finds the cause in the log. A POST with an Idempotency-Key is safe to send again.',
  },
  unavailable: {
    status: 503,
    title: 'Not available at the moment',
    explanation:
      'A part that the answer needs can not be reached. Try again after as many seconds as `Retry-After` says; a POST with an Idempotency-Key.',
  },
};
