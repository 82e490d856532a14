/** Callers and their permissions. The reach of a node is a condition of queries: `db/query/base-model.ts`. */
const resources = ['payments', 'wallets', 'members', 'webhooks', 'defaults', 'integrations'] as const;
const actions = ['read', 'create', 'update', 'delete'] as const;

type CrudPermission = `${(typeof resources)[number]}.${(typeof actions)[number]}`;

const extraPermissions = [
  'payments.cancel',
  'payments.retry',
  'payments.settle',
  'wallets.deploy',
  'alerts.read',
  'alerts.update',
  'audit.read',
  'reports.read',
  'payout.update',
  'branding.update',
] as const;

export type Permission = CrudPermission | (typeof extraPermissions)[number];

/** All permissions, in a stable order. */
export const permissions: readonly Permission[] = [
  ...resources.flatMap((resource) => actions.map((action): CrudPermission => `${resource}.${action}`)),
  ...extraPermissions,
];

/** Permissions that an integration has only when its creator named them. */
const namedOnly: readonly Permission[] = ['payout.update', 'branding.update'];

/** The permissions of an integration whose creator names none: the creator's own, except those that must be named. */
export const inheritedPermissions = (held: readonly Permission[]): Permission[] =>
  held.filter((permission) => !namedOnly.includes(permission));

/** A caller, with its permissions for a node and all nodes below it. */
export interface Caller {
  /** An integration's id, or `issuer#subject` of an outside token. */
  readonly actorId: string;
  /** Null for a token of an outside issuer. */
  readonly integrationId: string | null;
  readonly nodeId: string;
  readonly permissions: readonly Permission[];
}

/** True when the text names a permission. */
export const isPermission = (text: string): text is Permission => (permissions as readonly string[]).includes(text);

/** The permissions of `wanted` that the caller lacks, and so cannot grant. */
export const lackedPermissions = (caller: Caller, wanted: readonly Permission[]): Permission[] =>
  wanted.filter((permission) => !caller.permissions.includes(permission));
