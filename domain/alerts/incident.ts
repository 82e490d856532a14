/** The table of all incidents. The second table of docs/operations/alerts.md is made of it. */

/** The words of an alert in the documents. */
export interface AlertText {
  /** Its words concern the installation alone. Those of all others may name a diamond, which `wallets.read` reads. */
  readonly isOfInstallation?: true;
  readonly meaning: string;
  /** What to do. `NETWORK` and `ADDRESS` stand for those of a lane. */
  readonly remedy: string;
}

const stolen = 'An operator key may be stolen: a guardian revokes its role ([stolen-keys.md](stolen-keys.md)).';

/** Incidents are events. Such an alert stays open until a person closes it. */
export const incidents = {
  lane_resumed: {
    meaning:
      "In a database that is marked as restored, a lane has gone on by itself after transactions that the database did not know, and that were borne out as Carat's. The alert lists their `nonces`, `deals_unknown` and `cancels_not_asked_for`.",
    remedy:
      'Compare with what was lost ([backup.md](backup.md)): `carat restored --show`. Deals that no merchant knows mean that the key is in other hands: a guardian revokes its role.',
  },
  deal_unknown: {
    meaning:
      'One of our diamonds has a deal, or the payment of a deal, whose id or terms belong to no payment. The deal completed nothing.',
    remedy: stolen,
  },
  deal_not_asked_for: {
    meaning: 'A deal of ours was created without an intent under way.',
    remedy: stolen,
  },
  cancel_not_asked_for: {
    meaning: 'A deal was cancelled without a request here. The payment becomes `canceled`.',
    remedy: stolen,
  },
  deal_conflict: {
    meaning: "Another deal with other terms has the id of a payment's deal. The payment fails.",
    remedy: `${stolen} Ids are random, so this is no accident.`,
  },
  payment_after_end: {
    meaning:
      "A payment was paid on the chain after its end; its merchant receives `payment.anomaly`. Without a `transaction_hash`, the deal's word shows the payment, and no endpoint shows the transaction.",
    remedy: 'The payee has the money; agree with the buyer on a refund.',
  },
  paid_without_log: {
    meaning:
      "The deal's word shows a payment, and no endpoint shows the transaction. The payment completed without a `transaction_hash`.",
    remedy: 'Find the transaction in a block explorer; give the network endpoints that return all logs.',
  },
  payment_reversed: {
    meaning:
      "A reorganisation removed the buyer's transaction of a completed payment, or of a payment that was paid after its end. The status stays. Each removal is an alert; the merchant receives `payment.reversed`.",
    remedy:
      "Raise `confirmations`; watch for the buyer's transaction. Until it returns the payee does not have the money.",
  },
  payment_returned: {
    meaning:
      "The removed payment is on the chain again, in the block of the alert; the merchant receives `payment.anomaly`. Without a `transaction_hash`, the deal's word shows the payment, and no endpoint shows the transaction.",
    remedy: 'None: the payee has the money. Close this alert and the earlier `payment_reversed`.',
  },
  transaction_failed: {
    meaning:
      "A lane's transaction was mined and failed as a whole, usually because the chain needed more gas than it had estimated. Its deals are retried with more gas and use up no retry; all transactions of the next ten minutes get more. The step of a deployment or update fails; the next request for it uses more gas too.",
    remedy: 'None if rare; otherwise give the network endpoints with reliable estimates.',
  },
  role_not_asked_for: {
    isOfInstallation: true,
    meaning:
      'The registry gave a role to an account that the catalogue does not list for it, took a role from an account that it lists, or has a role that this release does not know.',
    remedy:
      "If the role was given, and nobody of yours gave it, root's key is stolen: a guardian takes the role away and pauses; nothing stops root itself. If the role was taken, root or a guardian took it: the lane waits until root gives the role back or the catalogue names another key.",
  },
  facet_not_asked_for: {
    isOfInstallation: true,
    meaning: 'Root approved code that is not in this release. Diamonds may be cut to it from `effective_at`.',
    remedy:
      "Unless you prepare that release, a guardian revokes it before that time (`carat registry revoke NETWORK FACET`), and root's key counts as stolen.",
  },
  facet_revoked: {
    isOfInstallation: true,
    meaning: 'A guardian or root revoked a facet; Carat never does.',
    remedy:
      'Ask the guardian for the reason. If the facet is in this release, no diamond can be deployed until root sets another release. If nobody of yours did it, root takes the role from `by`.',
  },
  release_not_asked_for: {
    isOfInstallation: true,
    meaning: 'New diamonds start with a release that this version does not know, or with an older one.',
    remedy:
      'Unknown release: deployments stop at `release_mismatch`; older release: updates go back to it. Upgrade Carat, or root sets the release again (`carat registry set-release`). If root did not do it, its key is stolen.',
  },
  root_not_asked_for: {
    isOfInstallation: true,
    meaning: 'Root was offered or handed to an account other than the expected root, or an offer was withdrawn.',
    remedy:
      'Root can withdraw an offer until it is accepted. If nobody of yours did it, pause, stop taking payments, and start anew with another root.',
  },
  registry_unpaused: {
    isOfInstallation: true,
    meaning: 'Root has allowed creation and payment of deals again.',
    remedy: 'None if `by` is your root and the cause of the pause is gone.',
  },
  cut_not_asked_for: {
    meaning:
      'A transaction that no deployment of ours sent changed a diamond of ours. `served` maps the selectors to their facets since the cut; removed selectors are under the zero address.',
    remedy:
      "The upgrader's or root's key is stolen: a guardian takes the role away. All facets are still approved ones; check which functions are gone, and cut the diamond back.",
  },
  deep_reorganisation: {
    isOfInstallation: true,
    meaning: 'A network went back further than its confirmations, or than the stored headers.',
    remedy:
      'Raise `confirmations` and `finality`. Carat creates removed deals again; their payments are `pending` until then (`deal_reorged` in their logs).',
  },
} as const satisfies Readonly<Record<string, AlertText>>;

export type IncidentKind = keyof typeof incidents;
export const incidentKinds = Object.keys(incidents) as readonly IncidentKind[];
