/** Hides from an answer the parts of other resources that the caller may not read. */
import type { Caller, Permission } from '../../domain/access.ts';
import { alertRows } from '../../domain/alerts/alert.ts';
import type { AuditedKind } from '../../domain/audit.ts';
import type {
  Alert,
  AuditEntry,
  Delivery,
  Payout,
  Replay,
  VisibleMember,
  WalletDefault,
} from '../generated/openapi-types.ts';
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

/** Without the permission a caller sees the node's own lock, which the answer sets, but the address of no lock of a node above. */
const payout = unless<Payout>('wallets.read', (shown) => ({
  ...shown,
  locked_address: shown.payout_locked ? shown.payout_address : null,
}));

/** The permissions that read what an alert is about; none for the installation's own. */
const readersOf = ({ kind, payment_id, webhook_id, node_id }: Alert): readonly Permission[] => {
  if (payment_id !== null) return ['payments.read'];
  if (webhook_id !== null) return ['webhooks.read'];
  // They name diamonds, and deals of payments that are stored.
  if (kind === 'lane_paused' || kind === 'lane_resumed') return ['wallets.read', 'payments.read'];
  return node_id === null && alertRows[kind].isOfInstallation ? [] : ['wallets.read'];
};

const alert: Hide<Alert> = (shown, permissions) => {
  const lacked = readersOf(shown).filter((reader) => !permissions.includes(reader));
  if (lacked.length === 0) return shown;
  return { ...shown, message: `Message and data need the permission ${lacked.join(' and ')}`, data: {} };
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
  setPayout: payout,
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

/** Who sees a change in the audit log, and what is hidden from them. */
interface Audited {
  /** The permission that reads the changed resource; null if the permission for the log suffices. */
  readonly reader: Permission | null;
  /** Removes parts of other resources. */
  readonly hide?: (shown: never, permissions: readonly Permission[]) => unknown;
}

const replay = unless<Replay>('payments.read', (shown) => ({ ...shown, count: null as never }));

/** A change of a webhook, a delivery that was sent again, or the number of deliveries of a replay. */
const ofWebhook: Hide<Delivery | Replay> = (shown, permissions) => {
  if ('payment_id' in shown) return delivery(shown, permissions);
  return 'count' in shown ? replay(shown, permissions) : shown;
};

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
