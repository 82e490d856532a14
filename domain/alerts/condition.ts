import type { WaitingDetail } from '../payment.ts';
import type { AlertText } from './incident.ts';

/** The table of all conditions. docs/operations/alerts.md, follow-a-payment.md and faults.md, and the remedies of the commands, are made of it. */

/** What a condition is about; `subject_id` of its alert is the id, name or address of one. */
export type Subject =
  'key' | 'network' | 'key or network' | 'deployment' | 'webhook' | 'process' | 'certificate' | 'installation';

export interface ConditionRow extends AlertText {
  readonly subject: Subject;
  /** Tells several conditions of one subject apart: words that the code knows, or a name from elsewhere. None: there is one. */
  readonly causes?: readonly string[] | 'named';
  /**
   * The observer, which says that it holds or does not hold: the run with the lease of a lane or a watcher, a process, or a pass over
   * stored data. An observer that is merely gone ends nothing: the next one does, or the end of the subject.
   */
  readonly observer: 'lane' | 'watcher' | 'process' | 'data';
  /** How long it holds before Carat raises the alert. */
  readonly after: string;
  /** The waiting reasons of payments that it explains (`status_detail`). */
  readonly details?: readonly WaitingDetail[];
  /** When Carat closes the alert. */
  readonly ends: string;
}

/** Conditions last for a while. Carat closes such an alert when its cause is gone; a recurrence is a new alert. */
export const conditions = {
  lane_paused: {
    subject: 'key',
    observer: 'lane',
    after: 'at once',
    details: ['lane_paused'],
    meaning: 'The chain has transactions of a key that Carat does not know; its lane sends nothing.',
    remedy:
      'Stop the other user of the key, then `carat lane resume NETWORK ADDRESS` ([paused-lane.md](paused-lane.md)).',
    ends: 'The lane is resumed, or its key has left the catalogue and has no work left.',
  },
  key_missing: {
    subject: 'key',
    observer: 'data',
    after: '15 s',
    details: ['key_missing'],
    isOfInstallation: true,
    meaning:
      'No worker holds a key that the catalogue names: a typo, a wrong keystore, or a worker that Temporal does not answer while it answers others. Its lane sends nothing; a signer offers nothing.',
    remedy:
      'Give a worker a keystore with the key, or replace the key: `carat lane move` ([rotate-keys.md](rotate-keys.md)).',
    ends: 'A worker holds the key, or the key was dismissed and has no work left.',
  },
  role_missing: {
    subject: 'key',
    observer: 'process',
    after: 'at once',
    details: ['operator_revoked', 'signer_revoked'],
    isOfInstallation: true,
    meaning: 'A key of the catalogue, or every batcher, lacks its role in the registry.',
    remedy:
      'Root gives the role back: `carat role give NETWORK ROLE ADDRESS`; or another key replaces this one ([rotate-keys.md](rotate-keys.md)).',
    ends: 'The key has its role, or left the catalogue.',
  },
  operator_underfunded: {
    subject: 'key',
    observer: 'lane',
    after: 'at once',
    details: ['operator_underfunded'],
    isOfInstallation: true,
    meaning:
      "A lane's account cannot pay for its next transaction, or an endpoint rejects a signed transaction for lack of funds (some chains charge for data, or for their operator, on top of the gas). Where Carat does not see such a fee, `need_wei` is the balance and the known cost together.",
    remedy:
      "Send at least `need_wei` minus `balance_wei` of the alert to the lane's address (`carat lane list`). Sending resumes without further action.",
    ends: 'Nothing waits for funds.',
  },
  operator_low: {
    subject: 'key',
    observer: 'lane',
    after: 'at once',
    isOfInstallation: true,
    meaning:
      "A lane's balance covers fewer than `CARAT_LOW_FUNDS` usual transactions at current fees (default 20; 0: off): ten deals for an operator, one diamond for an upgrader. Most responding endpoints, and at least the quorum, say so.",
    remedy: 'Send at least `enough_wei` before the account runs dry.',
    ends: 'The balance is 1.5 times the limit, or the key left the catalogue.',
  },
  fees_above_ceiling: {
    subject: 'key',
    observer: 'lane',
    after: 'at once',
    details: ['fees_above_ceiling'],
    isOfInstallation: true,
    meaning: "The base fee, or the fee of a replacement, is above the network's ceiling.",
    remedy: 'Wait, or raise `max_fee_per_gas_gwei` in the catalogue.',
    ends: 'Nothing waits for lower fees.',
  },
  simulation_failed: {
    subject: 'key',
    causes: 'named',
    observer: 'lane',
    after: 'at once',
    details: ['simulation_failed'],
    meaning:
      'A diamond rejects deals for a reason that no other condition has; or a deal, or the call of a deployment, needs more gas than a transaction may have, or than three times the gas of others; or more gas or call data than endpoints take.',
    remedy: 'Read the revert data in the alert: `carat alerts --kind simulation_failed`.',
    ends: 'None of its deals waits.',
  },
  outcome_unknown: {
    subject: 'key',
    observer: 'lane',
    after: '40 s',
    details: ['outcome_unknown'],
    meaning:
      'A lane cannot learn the outcome of the transactions with these `nonces`, or how many its key has sent: too few endpoints agree, or none has the receipt of a transaction whose block is known.',
    remedy: 'Repair or replace the endpoints that the alert names.',
    ends: 'The outcome is known, or the lane has no work left.',
  },
  deployment_failed: {
    subject: 'deployment',
    observer: 'data',
    after: 'at once',
    meaning:
      "A deployment or update of a wallet's diamond has failed finally, at `step` with `code`. Payments of a missing diamond wait.",
    remedy:
      'Fix the cause of `code` ([deploy-a-wallet.md](deploy-a-wallet.md)), then request the deployment or update again.',
    ends: 'It is requested again, or the wallet is deleted.',
  },
  registry_paused: {
    subject: 'network',
    observer: 'watcher',
    after: 'at once',
    details: ['network_paused'],
    isOfInstallation: true,
    meaning:
      'A guardian or root has stopped creation and payment of deals: buyers cannot pay. `by` is null if a watcher found the pause when it started.',
    remedy: 'Ask `by` for the reason. Only root unpauses: `carat registry unpause NETWORK`.',
    ends: 'The registry is unpaused.',
  },
  network_halted: {
    subject: 'network',
    observer: 'watcher',
    after: 'at once',
    isOfInstallation: true,
    meaning: 'The chain is not the one that the stored data belongs to.',
    remedy: 'Give the network the right RPC URLs.',
    ends: 'The quorum has shown the stored blocks three times in a row, five seconds apart.',
  },
  network_unreachable: {
    subject: 'network',
    observer: 'watcher',
    after: 'ten blocks, 3 to 30 s',
    details: ['network_unreachable'],
    meaning: 'No RPC endpoint of a network gives a usable response. Carat neither reads nor sends there.',
    remedy: 'Repair or add endpoints in the catalogue ([endpoints.md](endpoints.md)): `carat doctor` shows each.',
    ends: 'An endpoint responds.',
  },
  network_still: {
    subject: 'network',
    observer: 'data',
    after: '`CARAT_SILENCE_SECONDS` or ten blocks, whichever is longer',
    isOfInstallation: true,
    meaning:
      'The endpoints of a network respond, but no new block comes while a transaction, a payment or the cancel of an offered deal waits for one; or the blocks of a transaction were reorganised away three times or more, and it still waits.',
    remedy: "Ask the chain's operator or your provider. On a chain that makes blocks on demand, any transaction helps.",
    ends: 'A block comes, and blocks stay; or nothing waits for one.',
  },
  endpoint_refuses: {
    subject: 'key or network',
    causes: ['cost', 'send', 'head', 'kept', 'words'],
    observer: 'lane',
    after: 'ten blocks, 3 to 30 s; `cost` and `send` at once',
    details: ['endpoint_refuses'],
    meaning:
      'The RPC endpoints of a network respond, but refuse a request that no other endpoint grants, or reject a transaction: [more](alerts.md#endpoint_refuses).',
    remedy:
      'Read the words of the endpoint: `carat alerts --kind endpoint_refuses`. Ask your provider for the method or a higher limit, or add another endpoint.',
    ends: 'An endpoint grants the request, or nothing waits for it.',
  },
  endpoint_at_rest: {
    subject: 'network',
    causes: 'named',
    observer: 'process',
    after: 'at once, unless it is slow for a moment',
    meaning:
      'An RPC endpoint, named by its position in the catalogue, was demoted: it is silent, lags, follows its own fork, sends no JSON-RPC or results without form, contradicts the others, or drops the transactions that it accepts. Carat asks it last for a while: [more](alerts.md#endpoint_at_rest).',
    remedy: 'Read the reason; replace an endpoint that is often demoted.',
    ends: 'The endpoint has been well for a minute; the worker that saw it last has been gone for two, and no other has seen it since; or the endpoint has left the catalogue.',
  },
  endpoint_unfit: {
    subject: 'network',
    causes: 'named',
    observer: 'process',
    after: 'at once',
    isOfInstallation: true,
    meaning:
      'An RPC endpoint lacks something the network needs or benefits from: the state of confirmed blocks, `eth_getBlockReceipts`, batches, block 0, the right chain.',
    remedy: 'Give the network another endpoint, or fewer `confirmations`.',
    ends: 'A check finds it fit; checks run when a worker starts and when the catalogue changes.',
  },
  words_unreadable: {
    subject: 'network',
    observer: 'watcher',
    after: '30 s',
    details: ['words_unreadable'],
    meaning:
      'The words of deals cannot be read at the confirmed block: too few endpoints agree, or a diamond does not respond. Endpoints that refuse the state are `endpoint_refuses` instead.',
    remedy: 'Check that the endpoints keep state as old as `confirmations`, and that `quorum` of them respond.',
    ends: 'All words were read.',
  },
  plain_transfer: {
    subject: 'network',
    causes: 'named',
    observer: 'watcher',
    after: 'at once',
    meaning:
      'Diamonds hold a token of the catalogue; one condition per network and token. Payments only pass through diamonds, so a plain transfer brought the tokens, and it pays for nothing. `data` counts the diamonds, sums their base units and lists the newest 20.',
    remedy:
      'Find the buyer by the transfers to the diamond; root recovers the tokens ([sweep](../contracts/sweep.md)).',
    ends: 'No diamond holds the token, or the token left the catalogue.',
  },
  token_changed: {
    subject: 'network',
    causes: 'named',
    observer: 'process',
    after: 'at once; tokens are checked when a worker starts, when the catalogue changes, and daily',
    isOfInstallation: true,
    meaning:
      'A token is not as the catalogue says any more: its code, its `decimals`, or its permits; one condition per network and token. Buyers are not asked for its permits meanwhile: [more](alerts.md#token_changed).',
    remedy:
      'Correct `decimals` or `permit` of the token in the catalogue, or leave its permit out, then `carat catalogue apply`. Stop taking payments in a token with other decimals or without code.',
    ends: 'A check finds the token as the catalogue says, or the token left the catalogue.',
  },
  payee_refused: {
    subject: 'network',
    causes: 'named',
    observer: 'process',
    after: 'at once; payees are checked within a minute of their first payment in a token, and daily',
    meaning:
      "A token refuses the payee of a payment: the payee is on the list of accounts that the token's issuer has blocked, or is no recipient for it. Buyers cannot pay; one condition per network, token and payee, on the node of the first such payment.",
    remedy:
      'The merchant names another payee, or another currency, for new payments, and cancels the open ones. Only the issuer takes an account off the list.',
    ends: 'A check finds that the token accepts the payee, or no open payment names it.',
  },
  webhook_failing: {
    subject: 'webhook',
    observer: 'data',
    after: 'a day',
    meaning: 'A webhook has failed every attempt.',
    remedy: 'Inform its owner, who sees the attempts in the deliveries ([webhooks.md](webhooks.md)).',
    ends: 'An attempt succeeds.',
  },
  webhook_disabled: {
    subject: 'webhook',
    observer: 'data',
    after: 'at once',
    meaning:
      'Carat disabled a webhook: its receiver responded with 410 (`gone`), it failed for five days (`failing`), or had the largest backlog of a node above its limit (`backlog`).',
    remedy: 'Its owner fixes the receiver, sends `PUT` with `is_active: true`, and replays the skipped events.',
    ends: 'The webhook is active or deleted.',
  },
  signing_stalled: {
    subject: 'network',
    observer: 'data',
    after: '`CARAT_SILENCE_SECONDS`',
    details: ['signing_stalled'],
    isOfInstallation: true,
    meaning:
      'No run signs the offers that payments of the network need, although a worker holds the key of a signer that has its role. Pages get no offer.',
    remedy:
      'Open the workflow `offers/{network_id}` in the Temporal UI: its activity `runOffers` shows the failure. Read the logs of the workers.',
    ends: 'Offers are signed again, or no payment waits for one.',
  },
  workers_gone: {
    subject: 'installation',
    observer: 'data',
    after: '`CARAT_SILENCE_SECONDS`',
    isOfInstallation: true,
    meaning:
      'No worker shows a sign of life. Nothing is sent to chains or merchants, and nothing on chains is seen. Payments are still accepted, and wait. A starting worker shows no sign of life while it waits for Temporal.',
    remedy: 'Check that workers run ([outages.md](outages.md#what-to-do)); read the last lines of their logs.',
    ends: 'A worker shows a sign of life.',
  },
  temporal_unreachable: {
    subject: 'process',
    observer: 'data',
    after: '`CARAT_SILENCE_SECONDS`',
    isOfInstallation: true,
    meaning:
      'Temporal answers no worker; if no worker runs, it answers no api. Stored commands wait for Temporal. If the alert has a `process`, Temporal answers other workers and not this one, which does no work.',
    remedy:
      'Check Temporal and its database, and the network between it and the workers, or that of `process` ([outages.md](outages.md#what-to-do)).',
    ends: 'Temporal answers, or `process` has stopped or shows no sign of life.',
  },
  workflows_lost: {
    subject: 'installation',
    observer: 'process',
    after: 'at once',
    isOfInstallation: true,
    meaning:
      'A recovery found payments or deployments without a workflow, or workflows that missed the end of their payments: Temporal lost them with its data, was set back, or somebody terminated them. Carat starts and informs them again; nothing is done twice. `started_again` and `told_again` keep counting.',
    remedy: "Nothing if you know the cause; otherwise check Temporal's database.",
    ends: 'A recovery that begins ten seconds or more after the alert finds them all running.',
  },
  chore_failing: {
    subject: 'process',
    causes: 'named',
    observer: 'process',
    after: 'three failures in a row, at most 15 s apart',
    isOfInstallation: true,
    meaning:
      'A chore of an api or a worker fails; `chore` and `error` name it: [more](alerts.md#chore_failing). Failures during an outage of the database do not count.',
    remedy:
      'Search the log of `process` for `chore`, then check PostgreSQL. For `search_attributes` and `disk_room`, `carat doctor` says what to do.',
    ends: 'The chore succeeds in that process, or the process has been gone for a minute.',
  },
  notifications_missing: {
    subject: 'process',
    observer: 'process',
    after: '10 s',
    isOfInstallation: true,
    meaning:
      "Two notifications that an api sent to itself through PostgreSQL did not arrive. Buyers' open pages show changes up to five seconds late: the api reads all of them that often instead.",
    remedy:
      'Let the apis reach PostgreSQL in session mode: poolers of transactions drop `LISTEN` without an error. Otherwise search the log of `process` for the notification connection.',
    ends: 'A notification arrives, or the process has been gone for a minute.',
  },
  clock_wrong: {
    subject: 'process',
    causes: ['outside'],
    observer: 'process',
    after: 'at once',
    isOfInstallation: true,
    meaning:
      "The clock of `process` differs by 30 seconds or more from the database's, or from those of most RPC endpoints. Tokens, offers and expiries go by clocks. If the alert names every process, the database's clock is wrong: [more](alerts.md#clock_wrong).",
    remedy:
      'Correct the clock: `chronyc tracking`, or `timedatectl timesync-status`. `carat doctor` on a machine compares its clock, too.',
    ends: 'The clocks agree again, or the process has been gone for a minute.',
  },
  certificate_ends: {
    subject: 'certificate',
    causes: ['soon', 'ended'],
    observer: 'process',
    after: 'at once',
    isOfInstallation: true,
    meaning:
      'A certificate ends within seven days (short-lived ones: within the last quarter of their time), or has ended, which is a second alert: [more](alerts.md#certificate_ends).',
    remedy: 'Renew it. Processes read `CARAT_TEMPORAL_CERTIFICATE` when they start: restart them.',
    ends: 'Three looks in a row find certificates that are valid for longer.',
  },
} as const satisfies Readonly<Record<string, ConditionRow>>;

export type ConditionKind = keyof typeof conditions;
export const conditionKinds = Object.keys(conditions) as readonly ConditionKind[];

/** The words by which the code tells conditions of one kind and subject apart. */
export type CauseOf<Kind extends ConditionKind> = (typeof conditions)[Kind] extends { readonly causes: infer Causes }
  ? Causes extends readonly (infer Cause)[]
    ? Cause
    : string
  : never;

/** One condition. No two of them are open at once. */
export type Condition<Kind extends ConditionKind = ConditionKind> = {
  readonly [Each in Kind]: {
    readonly kind: Each;
    /** Empty: the installation, or for `temporal_unreachable` all processes. */
    readonly subject: string;
    readonly cause?: CauseOf<Each>;
  };
}[Kind];
