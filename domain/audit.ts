/** Who changes something over the API, from where, and under which idempotency key. */

/** The key of a request with what it takes to store the answer: the bytes are sealed, because they may hold secrets. */
export interface IdempotencyKey {
  readonly key: string;
  /** Method and path. */
  readonly target: string;
  /** SHA-256 of the request's body in a canonical form. */
  readonly requestHash: Uint8Array;
  readonly encrypt: (answer: string) => Uint8Array;
}

export interface AuditContext {
  /** An integration's id, or of an outside token `issuer#subject`. */
  readonly actorId: string;
  readonly actorNodeId: string;
  readonly requestId: string;
  /** Of the client, as the trusted proxies tell; null when it is not known. */
  readonly address: string | null;
  /** Null when the request has no key. */
  readonly idempotency: IdempotencyKey | null;
}

/** Everything that can be done over the API, as the audit log names it. */
export const auditActions = [
  'integration.created',
  'integration.rotated',
  'integration.revoked',
  'wallet.created',
  'wallet.updated',
  'wallet.deleted',
  'wallet.deployed',
  'default.created',
  'default.replaced',
  'default.deleted',
  'member.created',
  'member.updated',
  'member.deleted',
  'payment.created',
  'payment.settled',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** One change for the audit log. `before` and `after` are the resource as the API answers it, without secrets. */
export interface Change {
  readonly action: AuditAction;
  /** Node of what was changed. */
  readonly nodeId: string;
  readonly resourceId: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** What a client is told. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}
