/** The context of a change over the API, its entry in the audit log, and its answer. */

/** The idempotency key of a request, and the encryption of its stored answer, which may contain secrets. */
export interface IdempotencyKey {
  readonly key: string;
  /** Method and path, with decoded parameters. */
  readonly target: string;
  /** SHA-256 of the request's body and query in a canonical form. */
  readonly requestHash: Uint8Array;
  readonly encrypt: (answer: string) => Uint8Array;
}

export interface AuditContext {
  /** An integration's id, or `issuer#subject` of an outside token. */
  readonly actorId: string;
  readonly actorNodeId: string;
  readonly requestId: string;
  /** Address of the client, as trusted proxies forward it; null when it is unknown. */
  readonly address: string | null;
  /** Null when the request has no key. */
  readonly idempotency: IdempotencyKey | null;
}

/** All changes over the API, as the audit log names them. */
export const auditActions = [
  'integration.created',
  'integration.rotated',
  'integration.revoked',
  'wallet.created',
  'wallet.updated',
  'wallet.deleted',
  'wallet.deployed',
  'wallet.upgraded',
  'default.created',
  'default.replaced',
  'default.deleted',
  'member.created',
  'member.updated',
  'member.deleted',
  // by an operator's command
  'member.erased',
  'payment.created',
  'payment.settled',
  'payment.cancel_requested',
  'payment.retry_requested',
  'checkout.created',
  'checkout.cancel_requested',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secret_rotated',
  'webhook.tested',
  'webhook.redelivered',
  'webhook.replayed',
  'payout.updated',
  'branding.updated',
  'alert.closed',
  // the stored answer to an idempotency key was sent again
  'answer.replayed',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** The kinds of resources that changes are about. */
export type AuditedKind = AuditAction extends `${infer Kind}.${string}` ? Kind : never;

/** One entry of the audit log. `before` and `after` are the resource as the API answers it, without secrets. */
export interface Change {
  readonly action: AuditAction;
  /** Node of the changed resource. */
  readonly nodeId: string;
  readonly resourceId: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** An answer of the API. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The answer of an operation, with its change. */
export interface AuditedWork<A extends Answer = Answer> {
  readonly answer: A;
  /** Null when nothing was changed. */
  readonly change: Change | null;
}

/** The kinds of resources with an action of this verb. */
type KindOf<Verb extends string, Action = AuditAction> = Action extends `${infer Kind}.${Verb}` ? Kind : never;

/** A resource as the API answers it. */
interface Resource {
  readonly id: string;
  readonly node_id: string | null;
}

/** Describes the change of a resource, for the audit log of the resource's own node unless another is given. */
export const changed = (
  action: AuditAction,
  before: Resource | null,
  after: Resource | null,
  nodeId = (after ?? before)?.node_id,
): Change => {
  const resourceId = (after ?? before)?.id;
  if (resourceId === undefined || nodeId == null) throw new Error(`${action} names no resource or no node`);
  return { action, nodeId, resourceId, before, after };
};

/**
 * Answers a created resource.
 * @param nodeId of the entry in the audit log, where that is not the resource's own
 * @param secrets added to this answer alone, and never to the audit log
 */
export const created = <R extends Resource, Secrets extends object = object>(
  kind: KindOf<'created'>,
  after: R,
  { nodeId, secrets }: { readonly nodeId?: string; readonly secrets?: Secrets } = {},
): AuditedWork<{ status: 201; body: R & Secrets }> => ({
  answer: { status: 201, body: { ...after, ...(secrets as Secrets) } },
  change: changed(`${kind}.created`, null, after, nodeId),
});

/**
 * Answers a changed resource.
 * @param nodeId of the entry in the audit log, where that is not the resource's own
 * @param note added to `after` in the audit log
 */
export const updated = <R extends Resource>(
  kind: KindOf<'updated'>,
  before: R,
  after: R,
  { nodeId, note }: { readonly nodeId?: string; readonly note?: object } = {},
): AuditedWork<{ status: 200; body: R }> => ({
  answer: { status: 200, body: after },
  change: changed(`${kind}.updated`, before, { ...after, ...note }, nodeId),
});

/** Answers a resource that already is as requested. */
export const unchanged = <R>(resource: R): AuditedWork<{ status: 200; body: R }> => ({
  answer: { status: 200, body: resource },
  change: null,
});

/** Answers without a body. */
export const withoutBody = (change: Change | null): AuditedWork<{ status: 204; body: null }> => ({
  answer: { status: 204, body: null },
  change,
});

/** Answers the deletion of a resource. */
export const deleted = (
  kind: KindOf<'deleted'>,
  before: Resource,
  nodeId?: string,
): AuditedWork<{ status: 204; body: null }> => withoutBody(changed(`${kind}.deleted`, before, null, nodeId));

/** Picks the fields whose wanted value differs from the stored one. Undefined fields stay as they are. */
export const differences = <T extends object, Field extends keyof T>(
  stored: T,
  wanted: { readonly [Name in Field]?: T[Name] | undefined },
): Partial<Pick<T, Field>> =>
  Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && value !== stored[name as Field]),
  ) as Partial<Pick<T, Field>>;
