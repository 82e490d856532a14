import { transitions } from '../../domain/payment.ts';
import { readEvent } from '../support/event-bodies.ts';
import { eventually } from '../support/eventually.ts';
import type { Judged } from './world.ts';

interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly payment_id: string;
  readonly sequence: number;
  readonly state: string;
}

interface Body {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly payment: { readonly id: string; readonly status: string } };
}

const eventsOf = async ({ product: { knex } }: Judged, ids: readonly string[]): Promise<EventRow[]> =>
  knex('webhook_events as e')
    .join('webhook_deliveries as d', 'd.event_id', 'e.id')
    .whereIn('e.payment_id', ids)
    .orderBy(['e.payment_id', 'e.sequence'])
    .select<EventRow[]>('e.id', 'e.type', 'e.payment_id', 'e.sequence', 'd.state');

/** Waits until the receiver has accepted all events of these payments. */
export const allTold = (world: Judged, ids: readonly string[]): Promise<unknown> =>
  eventually(
    async () => {
      const left = (await eventsOf(world, ids)).filter(({ state }) => state !== 'delivered');
      if (left.length === 0) return true;
      throw new Error(left.map(({ type, payment_id, state }) => `${type} of ${payment_id} is ${state}`).join(', '));
    },
    60_000,
    100,
  );

/** The event type of a log entry. */
const eventOf = (eventType: string, status: string): string | null => {
  const rows = Object.values(transitions);
  return rows.find(({ log, to }) => log === eventType && to === status)?.webhook ?? null;
};

const bodyProblems = ({ id, type, sequence, payment_id }: EventRow, status: string, bodies: readonly string[]) => {
  const [first] = bodies;
  if (first === undefined) return [`the receiver never had ${type}`];
  const body = readEvent(first) as unknown as Body;
  const told = [body.id, body.type, body.sequence, body.data.payment.id, body.data.payment.status];
  const expected = [id, type, sequence, payment_id, status];
  return [
    ...(bodies.every((other) => other === first) ? [] : [`${type} came with other bytes`]),
    ...(told.join() === expected.join() ? [] : [`${type} says ${told.join()}, not ${expected.join()}`]),
  ];
};

/** Faults in a payment's events: log entries that were never sent, or sent with other content. */
export const heardProblems = async (
  world: Judged,
  payment: { readonly id: string },
  logs: readonly { readonly sequence: number; readonly event_type: string; readonly status: string }[],
): Promise<string[]> => {
  const events = await eventsOf(world, [payment.id]);
  const expected = logs.flatMap(({ sequence, event_type, status }) => {
    const type = eventOf(event_type, status);
    return type === null ? [] : [`${sequence} ${type}`];
  });
  const stored = events.map(({ sequence, type }) => `${sequence} ${type}`);
  const statusAt = new Map(logs.map(({ sequence, status }) => [sequence, status]));
  return [
    ...(stored.join() === expected.join() ? [] : [`its events are ${stored.join()}, not ${expected.join()}`]),
    ...events.flatMap((event) =>
      bodyProblems(event, statusAt.get(event.sequence) ?? '', world.receiver.bodiesOf(event.id)),
    ),
  ];
};
