import type { Log } from '../domain/ports/log.ts';
import type { DeliveryStore, DueDelivery, EventBody } from '../domain/ports/deliveries.ts';
import { createBatch } from '../domain/tools/batch.ts';
import { createPace, type Pace, type PaceLimits } from '../domain/tools/pace.ts';
import { renderBody } from './render.ts';
import { createRoom, type RoomLimits } from './room.ts';

/** The bodies that are in hand in one process. */
export interface Bodies {
  /**
   * Reads the body of a delivery as soon as it is its node's turn and there is room for it; it is made and kept where that was not done before.
   * Deliveries of one event share its bytes.
   * @returns the bytes, or null where they can not be made; and what gives the room back
   */
  take(due: DueDelivery): Promise<Taken>;
}

/** A body in hand. */
export interface Taken {
  readonly body: Buffer | null;
  release(): void;
}

/**
 * Each attempt counts with all its bytes, because its connection may hold a copy of them. The largest payment that was ever
 * taken makes a body of 0.4 MB, so that every one fits.
 */
const LIMITS: RoomLimits = { inAll: 32 * 2 ** 20, ofOne: 8 * 2 ** 20 };
/**
 * What one node hears is read, signed and sent by the process that also runs lanes and watchers, and what it has missed can be
 * replayed again and again. Usual bodies come to some 1,450 a second, the largest of a payment to 200.
 */
const PACE: PaceLimits = { bytesPerSecond: 8 * 2 ** 20, burst: 16 * 2 ** 20, ofEach: 4 * 1_024, tickMs: 100 };
/** What is expected of a body that nobody has made yet. */
const EXPECTED_BYTES = 16_384;
/** Bodies that are read in one statement, and statements at once: what is read before it is known how large it is. */
const READ_AT_ONCE = { maxItems: 32, maxBatches: 1 };

export interface BodiesDeps {
  readonly store: Pick<DeliveryStore, 'readBodies' | 'keepBodies'>;
  /** Gives an address the form that is shown to people. */
  readonly checksum: (address: string) => string;
  readonly log: Log;
  readonly limits?: RoomLimits;
  readonly pace?: Pace;
}

/** Reads bodies together, and makes and keeps those that are not there yet. */
const createRead = ({ store, checksum, log }: BodiesDeps): ((eventId: string) => Promise<Buffer | null>) => {
  const make = ({ id, event }: EventBody): { id: string; body: string }[] => {
    if (event === null) return [];
    try {
      return [{ id, body: renderBody(event, checksum) }];
    } catch (error) {
      log.error('The body of a webhook event can not be made', { event_id: id, reason: (error as Error).name });
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

/** Keeps the bytes that are in hand within their bounds, and those of one event once. */
export const createBodies = (deps: BodiesDeps): Bodies => {
  const room = createRoom(deps.limits ?? LIMITS);
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
    take: async ({ eventId, bodyBytes, receiver: { ownerId } }) => {
      await pace.turn(ownerId, bodyBytes ?? 0);
      let isCounted = bodyBytes !== null;
      for (let bytes = bodyBytes ?? EXPECTED_BYTES; ;) {
        const reserved = bytes;
        await room.take(ownerId, reserved);
        const { body: reading, leave } = use(eventId);
        const release = (): void => {
          leave();
          room.giveBack(ownerId, reserved);
        };
        try {
          const body = await reading;
          if (!isCounted) pace.count(ownerId, body?.length ?? 0);
          isCounted = true;
          if (body === null || body.length <= reserved) return { body, release };
          bytes = body.length;
        } catch (error) {
          release();
          throw error;
        }
        // Larger than expected: it is kept by now, and read again when there is room.
        release();
      }
    },
  };
};
