/** Who may do what: callers and their permissions. What is in reach of a node is a condition of queries: `db/query/base-model.ts`. */
import { DomainError } from './errors.ts';

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
] as const;

export type Permission = CrudPermission | (typeof extraPermissions)[number];

/** Every permission there is, in a stable order. */
export const permissions: readonly Permission[] = [
  ...resources.flatMap((resource) => actions.map((action): CrudPermission => `${resource}.${action}`)),
  ...extraPermissions,
];

/** Those that an integration holds only where its creator named them. */
const namedOnly: readonly Permission[] = ['payout.update'];

/** The permissions of an integration whose creator names none: its creator's, without those that have to be named. */
export const inheritedPermissions = (held: readonly Permission[]): Permission[] =>
  held.filter((permission) => !namedOnly.includes(permission));

/** Who calls, with which permissions, for which node and all below it. */
export interface Caller {
  /** Names who calls: an integration's id, or of an outside token `issuer#subject`. */
  readonly actorId: string;
  /** Null when the token is an outside issuer's. */
  readonly integrationId: string | null;
  readonly nodeId: string;
  readonly permissions: readonly Permission[];
}

/** True when the text names a permission. */
export const isPermission = (text: string): text is Permission => (permissions as readonly string[]).includes(text);

/** The permissions of `wanted` that the caller lacks, and so can not grant. */
export const lackedPermissions = (caller: Caller, wanted: readonly Permission[]): Permission[] =>
  wanted.filter((permission) => !caller.permissions.includes(permission));

/**
 * Sees to it that nobody grants, or is handed, what they lack.
 * @param rule which of the two it is
 * @throws DomainError permission_denied that names what the caller lacks
 */
export const assertHolds = (caller: Caller, wanted: readonly Permission[], rule: string): void => {
  const lacked = lackedPermissions(caller, wanted);
  if (lacked.length > 0) throw new DomainError('permission_denied', `${rule}: ${lacked.join(', ')}`);
};
