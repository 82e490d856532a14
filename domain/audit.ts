/** Who changes something over the API, from where, under which idempotency key, and what is recorded and answered. */

/** The key of a request with what it takes to store the answer: the bytes are encrypted, because they may hold secrets. */
export interface IdempotencyKey {
  readonly key: string;
  /** Method and path, with decoded parameters. */
  readonly target: string;
  /** SHA-256 of the request's body and query in a canonical form. */
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
  'wallet.upgraded',
  'default.created',
  'default.replaced',
  'default.deleted',
  'member.created',
  'member.updated',
  'member.deleted',
  'payment.created',
  'payment.settled',
  'payment.cancel_requested',
  'payment.retry_requested',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secret_rotated',
  'webhook.tested',
  'webhook.redelivered',
  'webhook.replayed',
  'payout.updated',
  'alert.closed',
  // what a request under the same idempotency key was answered before, shown again
  'answer.replayed',
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

/** What a piece of work changed, if anything, and what the client is told of it. */
export interface AuditedWork<A extends Answer = Answer> {
  readonly answer: A;
  /** Null when nothing was changed. */
  readonly change: Change | null;
}

/** The kinds of resources that have an action of this verb. */
type KindOf<Verb extends string, Action = AuditAction> = Action extends `${infer Kind}.${Verb}` ? Kind : never;

/** A resource as the API answers it. */
interface Resource {
  readonly id: string;
  readonly node_id: string | null;
}

/** The change of a resource: the log has it under the resource's own node, if no other is named. */
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
 * A resource was made; the client is shown it.
 * @param nodeId of the entry in the audit log, where that is not the resource's own
 * @param secrets what the client is shown beside it, this once, and the audit log never is
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
 * A resource was changed; the client is shown what it has become.
 * @param nodeId of the entry in the audit log, where that is not the resource's own
 * @param note what the audit log says beside it
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

/** The request asks for what is so already; the client is shown it. */
export const unchanged = <R>(resource: R): AuditedWork<{ status: 200; body: R }> => ({
  answer: { status: 200, body: resource },
  change: null,
});

/** A change, or none, of which the client is told no more than the status. */
export const withoutBody = (change: Change | null): AuditedWork<{ status: 204; body: null }> => ({
  answer: { status: 204, body: null },
  change,
});

/** A resource was deleted. */
export const deleted = (
  kind: KindOf<'deleted'>,
  before: Resource,
  nodeId?: string,
): AuditedWork<{ status: 204; body: null }> => withoutBody(changed(`${kind}.deleted`, before, null, nodeId));

/** The fields that are to get another value than they have; what is undefined is to stay. */
export const differences = <T extends object, Field extends keyof T>(
  stored: T,
  wanted: { readonly [Name in Field]?: T[Name] | undefined },
): Partial<Pick<T, Field>> =>
  Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && value !== stored[name as Field]),
  ) as Partial<Pick<T, Field>>;
