import { describeCheckout } from '../domain/checkouts/checkout-facts.ts';
import type { StoredEvent, DueDelivery, EventBody } from '../domain/ports/deliveries.ts';
import type { DeliveryStore } from '../db/webhooks/delivery-store.ts';
import { describePayment } from '../domain/payment-facts.ts';
import type { Log } from '../domain/ports/log.ts';
import { createBatch } from '../domain/tools/batch.ts';
import { errorName } from '../domain/tools/error-name.ts';
import { createPace, type Pace, type PaceLimits } from '../domain/tools/pace.ts';

/** How many bytes may be held: by all owners together, and by one. */
export interface ByteBudgetLimits {
  readonly inAll: number;
  readonly ofOne: number;
}

interface Waiting {
  readonly owner: string;
  readonly bytes: number;
  readonly begin: () => void;
}

/**
 * Creates a byte budget that several owners share. Serves the waiting request whose owner holds the fewest bytes first; smaller requests do not overtake it. An owner gets no
 * more than is free for others, so that owners that hold much always leave some to those that hold little.
 */
export const createByteBudget = ({ inAll, ofOne }: ByteBudgetLimits) => {
  const held = new Map<string, number>();
  const waiting: Waiting[] = [];
  let total = 0;
  const heldBy = (owner: string): number => held.get(owner) ?? 0;
  const sizeOf = (bytes: number): number => Math.min(bytes, ofOne);

  const next = (): Waiting | undefined => {
    let first: Waiting | undefined;
    for (const one of waiting) {
      const fits = heldBy(one.owner) + one.bytes <= ofOne;
      if (fits && (first === undefined || heldBy(one.owner) < heldBy(first.owner))) first = one;
    }
    return first !== undefined && heldBy(first.owner) + first.bytes <= inAll - total ? first : undefined;
  };

  const proceed = (): void => {
    for (let one = next(); one !== undefined; one = next()) {
      waiting.splice(waiting.indexOf(one), 1);
      held.set(one.owner, heldBy(one.owner) + one.bytes);
      total += one.bytes;
      one.begin();
    }
  };

  return {
    /** Resolves when there is room. A request above an owner's limit is cut to the limit, so that it can succeed. */
    take: (owner: string, bytes: number): Promise<void> =>
      new Promise((resolve) => {
        waiting.push({ owner, bytes: sizeOf(bytes), begin: resolve });
        proceed();
      }),
    giveBack: (owner: string, bytes: number): void => {
      const left = heldBy(owner) - sizeOf(bytes);
      if (left > 0) held.set(owner, left);
      else held.delete(owner);
      total -= sizeOf(bytes);
      proceed();
    },
  };
};

/** The `api_version` of every body. */
const API_VERSION = 'v1';

type Checksum = (address: string) => string;

const dataOf = ({ payment, checkout, alert, intervalSeconds }: StoredEvent, checksum: Checksum): object => {
  if (checkout !== null) return { checkout: describeCheckout(checkout, checksum) };
  if (intervalSeconds !== null) return { interval_seconds: intervalSeconds };
  return alert === null ? { payment: payment && describePayment(payment, checksum) } : { alert };
};

/**
 * Renders the body of an event as JSON. It is rendered once and then stored.
 * @param checksum formats an address with its EIP-55 checksum
 */
export const renderBody = (event: StoredEvent, checksum: Checksum): string =>
  JSON.stringify({
    id: event.id,
    type: event.type,
    api_version: API_VERSION,
    timestamp: event.at.toISOString(),
    sequence: event.sequence,
    // The type `webhook.test` says so by its name.
    ...(event.isTest && (event.payment ?? event.checkout) !== null && { test: true }),
    data: dataOf(event, checksum),
  });

/**
 * Every attempt counts all bytes of its body, because its connection may hold a copy. The largest payment that the API
 * accepts makes a body of 0.4 MB, so every body fits.
 */
const LIMITS: ByteBudgetLimits = { inAll: 32 * 2 ** 20, ofOne: 8 * 2 ** 20 };
/**
 * Limits each node, because the same process runs lanes and watchers, and merchants can replay events without end. Allows
 * about 1,450 usual bodies a second, or 200 of the largest.
 */
const PACE: PaceLimits = { bytesPerSecond: 8 * 2 ** 20, burst: 16 * 2 ** 20, ofEach: 4 * 1_024, tickMs: 100 };
/** Assumed size of a body that is not rendered yet. */
const EXPECTED_BYTES = 16_384;
/** Bodies per statement, and concurrent statements. Bounds the bytes that are read before their size is known. */
const READ_AT_ONCE = { maxItems: 32, maxBatches: 1 };

export interface BodiesDeps {
  readonly store: Pick<DeliveryStore, 'readBodies' | 'keepBodies'>;
  /** Formats an address with its EIP-55 checksum. */
  readonly checksum: (address: string) => string;
  readonly log: Log;
  readonly limits?: ByteBudgetLimits;
  readonly pace?: Pace;
}

/** Reads bodies in batches, and renders and stores the missing ones. */
const createRead = ({ store, checksum, log }: BodiesDeps): ((eventId: string) => Promise<Buffer | null>) => {
  const make = ({ id, readEvent }: EventBody): { id: string; body: string }[] => {
    if (readEvent === null) return [];
    try {
      return [{ id, body: renderBody(readEvent(), checksum) }];
    } catch (error) {
      log.error('Could not render the body of a webhook event', { event_id: id, reason: errorName(error) });
      return [];
    }
  };
  return createBatch<string, Buffer | null>({
    ...READ_AT_ONCE,
    run: async (ids) => {
      const found = await store.readBodies(ids);
      const made = found.flatMap(make);
      const kept = made.length === 0 ? new Map<string, string>() : await store.keepBodies(made);
      const bodies = new Map(found.map(({ id, body }) => [id, body ?? kept.get(id) ?? null]));
      return ids.map((id) => {
        const body = bodies.get(id) ?? null;
        return body === null ? null : Buffer.from(body);
      });
    },
  });
};

/** Bounds the bytes in memory, and holds the bytes of one event once. */
export const createBodies = (deps: BodiesDeps) => {
  const room = createByteBudget(deps.limits ?? LIMITS);
  const pace = deps.pace ?? createPace(PACE);
  const read = createRead(deps);
  const shared = new Map<string, { readonly body: Promise<Buffer | null>; users: number }>();

  const use = (eventId: string) => {
    const known = shared.get(eventId) ?? { body: read(eventId), users: 0 };
    known.users += 1;
    shared.set(eventId, known);
    const leave = (): void => {
      known.users -= 1;
      if (known.users === 0) shared.delete(eventId);
    };
    return { body: known.body, leave };
  };

  return {
    /**
     * Waits for the pace of the delivery's node and for room, then reads the body. Renders and stores it first where no process
     * has done so yet. Deliveries of one event share its bytes.
     * @returns the bytes, or null when they cannot be rendered; and the function that frees the room
     */
    take: async ({ eventId, bodyBytes, receiver: { ownerId } }: DueDelivery) => {
      await pace.turn(ownerId, bodyBytes ?? 0);
      let isCounted = bodyBytes !== null;
      for (let bytes = bodyBytes ?? EXPECTED_BYTES; ;) {
        const reserved = bytes;
        await room.take(ownerId, reserved);
        const { body: reading, leave } = use(eventId);
        const free = (): void => {
          leave();
          room.giveBack(ownerId, reserved);
        };
        try {
          const body = await reading;
          if (!isCounted) pace.count(ownerId, body?.length ?? 0);
          isCounted = true;
          if (body === null || body.length <= reserved) return { body, free };
          bytes = body.length;
        } catch (error) {
          free();
          throw error;
        }
        // Larger than expected. It is stored by now, and is read again when there is room.
        free();
      }
    },
  };
};

export type Bodies = ReturnType<typeof createBodies>;
