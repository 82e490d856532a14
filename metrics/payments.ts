import { Counter, Histogram, type Registry } from 'prom-client';
import { onMeasure } from '../runtime/measures.ts';
import type { Log } from '../domain/ports/log.ts';

/** From an offer that is signed at once to a chain with slow blocks, in seconds. */
const BUCKETS = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800];

/** Transitions that make a payment payable for the first time. */
const payable: ReadonlySet<string> = new Set(['deal_confirmed', 'deal_offered']);

/** Counts the transitions of payments that this process has committed, and the time to payable and to completed. */
export const countPayments = (register: Registry, nameOf: (networkId: string) => string): void => {
  const total = new Counter({
    name: 'carat_payment_transitions_total',
    help: 'Transitions of payments that this process has committed, by the event of the log and the new status',
    labelNames: ['network', 'event', 'status'],
    registers: [register],
  });
  const toPayable = new Histogram({
    name: 'carat_payment_payable_seconds',
    help: 'Time from the creation of a payment until its buyer can pay',
    labelNames: ['network', 'mode'],
    buckets: BUCKETS,
    registers: [register],
  });
  const toCompleted = new Histogram({
    name: 'carat_payment_completed_seconds',
    help: "Time from the block of the buyer's transaction until it has its confirmations",
    labelNames: ['network'],
    buckets: BUCKETS,
    registers: [register],
  });
  onMeasure('payments', ({ networkId, transition, event, status, mode, moved }) => {
    const network = nameOf(networkId);
    total.inc({ network, event, status }, moved.length);
    if (payable.has(transition)) for (const { created } of moved) toPayable.observe({ network, mode }, created);
    if (transition === 'payment_confirmed') {
      for (const { changed } of moved) toCompleted.observe({ network }, changed);
    }
  });
};

/** Counts offers: signed by workers, revealed by apis. */
export const countOffers = (register: Registry): void => {
  const signed = new Counter({
    name: 'carat_offers_signed_total',
    help: 'Offers that this process has signed and stored',
    labelNames: ['network'],
    registers: [register],
  });
  const revealed = new Counter({
    name: 'carat_offers_revealed_total',
    help: 'Offers that this process has revealed for the first time',
    registers: [register],
  });
  onMeasure('signed', ({ network, offers }) => signed.inc({ network }, offers));
  onMeasure('revealed', ({ offers }) => revealed.inc(offers));
};

/** The kinds of rows that go by age, so that each has a series from the start. */
const forgottenKinds = [
  'alerts',
  'answers',
  'client_ips',
  'commands',
  'events',
  'offers',
  'payment_waits',
  'transaction_logs',
];

/** Counts the rows that were deleted because they were kept for long enough. */
export const countForgotten = (register: Registry): void => {
  const rows = new Counter({
    name: 'carat_forgotten_rows_total',
    help: 'Rows that this process has deleted, or whose personal data it has erased, because they were kept for long enough',
    labelNames: ['kind'],
    registers: [register],
  });
  for (const kind of forgottenKinds) rows.inc({ kind }, 0);
  onMeasure('forgotten', ({ kind, rows: count }) => rows.inc({ kind }, count));
};

/** Counts the calls of webhooks. */
export const countAttempts = (register: Registry): void => {
  const total = new Counter({
    name: 'carat_webhook_attempts_total',
    help: 'Calls of webhooks by outcome: delivered, failed, gone (410), test',
    labelNames: ['outcome'],
    registers: [register],
  });
  const duration = new Histogram({
    name: 'carat_webhook_attempt_seconds',
    help: 'Time until the receiver of a webhook has responded',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers: [register],
  });
  // From 0 on, so that the first one counts as an increase.
  for (const outcome of ['delivered', 'failed', 'gone', 'test']) total.inc({ outcome }, 0);
  onMeasure('attempt', ({ outcome, seconds }) => {
    total.inc({ outcome });
    duration.observe(seconds);
  });
};

/** Logs each transition of a payment that this process has committed, so that one payment is one search. */
export const logPayments = (log: Log): void =>
  onMeasure('payments', ({ networkId, event, status, moved }) => {
    for (const { id } of moved) log.info('payment', { payment_id: id, network_id: networkId, event, status });
  });
