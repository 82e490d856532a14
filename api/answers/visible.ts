/** What an answer shows of other resources than its own, by the permission that reads them. */
import type { Caller, Permission } from '../../domain/access.ts';
import type { AlertKind } from '../../domain/alert.ts';
import type { AuditedKind } from '../../domain/audit.ts';
import type { Alert, AuditEntry, Delivery, VisibleMember, WalletDefault } from '../generated/openapi-types.ts';
import type { ListBody } from '../request/page.ts';
import type { OperationId } from '../request/specification.ts';
import type { Operations } from '../request/operations.ts';

/** The answer of an operation, or an entry of its list. */
type Shown<Body> = Body extends ListBody<infer Item> ? Item : Body;

/** The answer without what these permissions do not read. */
type Hide<Body> = (shown: Body, permissions: readonly Permission[]) => Body;

/** The part of a stored member that every caller sees, so that an order can be matched with its buyer. */
const memberIds = ({ id, external_id }: VisibleMember): VisibleMember => ({ id, external_id });

/** Hides a part from callers who lack the permission. */
const unless =
  <Body>(permission: Permission, hide: (shown: Body) => Body): Hide<Body> =>
  (shown, permissions) =>
    permissions.includes(permission) ? shown : hide(shown);

interface OfMember {
  readonly member: VisibleMember | null;
  readonly payment?: OfMember | null;
}

const withMemberIds = <Answer extends OfMember>(answer: Answer): Answer => ({
  ...answer,
  member: answer.member && memberIds(answer.member),
  ...(answer.payment && { payment: withMemberIds(answer.payment) }),
});

const ofMember = <Answer extends OfMember>(shown: Answer, permissions: readonly Permission[]): Answer =>
  permissions.includes('members.read') ? shown : withMemberIds(shown);
const member = unless('members.read', memberIds);
const mapping = unless<WalletDefault>('wallets.read', (shown) => ({ ...shown, wallet: null }));
const delivery = unless<Delivery>('payments.read', (shown) => ({
  ...shown,
  payment_id: null,
  checkout_id: null,
  sequence: null,
}));

/** The alerts of the whole installation that name diamonds. */
const aboutDiamonds: readonly AlertKind[] = ['deal_unknown', 'lane_resumed', 'plain_transfer', 'words_unreadable'];

/** The permission that reads the subject of an alert; null for the operator's own subjects. */
const subjectOf = ({ kind, payment_id, webhook_id, node_id }: Alert): Permission | null => {
  if (payment_id !== null) return 'payments.read';
  if (webhook_id !== null) return 'webhooks.read';
  return node_id !== null || aboutDiamonds.includes(kind) ? 'wallets.read' : null;
};

const alert: Hide<Alert> = (shown, permissions) => {
  const subject = subjectOf(shown);
  if (subject === null || permissions.includes(subject)) return shown;
  return { ...shown, message: `Message and data need the permission ${subject}`, data: {} };
};

/** The answers that show another resource than the operation's permission reads. */
const guarded: { readonly [Id in OperationId]?: Hide<Shown<Operations[Id]['result']['body']>> } = {
  createPayment: ofMember,
  getPayment: ofMember,
  listPayments: ofMember,
  settlePayment: ofMember,
  retrySendPayment: ofMember,
  createCheckout: ofMember,
  getCheckout: ofMember,
  listCheckouts: ofMember,
  updateMember: member,
  createDefault: mapping,
  listDefaults: mapping,
  redeliver: delivery,
  listAlerts: alert,
  closeAlert: alert,
};

/** The part of an operation's answers that a caller may not see. It is hidden from new and from stored answers alike. */
export const hiddenFrom = (
  operation: OperationId,
  caller: Caller | undefined,
): ((shown: unknown) => unknown) | null => {
  const hide = guarded[operation] as Hide<unknown> | undefined;
  return hide === undefined || caller === undefined ? null : (shown) => hide(shown, caller.permissions);
};

/** The permission that reads the resource of a change, null where every reader of the log sees it, and what it shows of others. */
interface Audited {
  readonly reader: Permission | null;
  readonly hide?: (shown: never, permissions: readonly Permission[]) => unknown;
}

/** A change of a webhook, or a delivery that was sent again. */
const ofWebhook: Hide<Delivery> = (shown, permissions) =>
  'payment_id' in shown ? delivery(shown, permissions) : shown;

const audited: { readonly [Kind in AuditedKind]: Audited } = {
  integration: { reader: 'integrations.read' },
  wallet: { reader: 'wallets.read' },
  default: { reader: 'defaults.read', hide: mapping },
  member: { reader: null, hide: member },
  payment: { reader: 'payments.read' },
  checkout: { reader: 'payments.read' },
  webhook: { reader: 'webhooks.read', hide: ofWebhook },
  payout: { reader: 'wallets.read' },
  branding: { reader: 'payments.read' },
  alert: { reader: 'alerts.read', hide: alert },
  answer: { reader: null },
};

type Snapshot = AuditEntry['after'];

/** A resource as the audit log shows it; null where the caller may not read it. */
export const snapshotFor = ({ permissions }: Caller, action: string, snapshot: Snapshot): Snapshot => {
  // Undefined for a kind of a later version.
  const kind = (audited as Readonly<Record<string, Audited | undefined>>)[action.split('.')[0]!];
  const isReadable = kind !== undefined && (kind.reader === null || permissions.includes(kind.reader));
  if (snapshot === null || !isReadable) return null;
  return kind.hide === undefined ? snapshot : (kind.hide(snapshot as never, permissions) as Snapshot);
};
