import { createDeliveriesInHand } from '../../delivery/deliveries-in-hand.ts';
import type { AttemptDelivery } from '../../delivery/attempt.ts';
import type { DeliveryResult, DueDelivery } from '../../domain/ports/deliveries.ts';
import type { DeliveryStore } from '../../db/webhooks/delivery-store.ts';
import { eventually } from '../support/eventually.ts';
import { quiet } from '../chain/support/gateway.ts';

it('a caller that waits for room wakes up when a result is recorded, because its node then holds one less', async () => {
  const result = { id: 'a', webhookId: 'one', isTest: false, outcome: 'delivered' } as unknown as DeliveryResult;
  const attempt: AttemptDelivery = () => Promise.resolve(result);
  const record: DeliveryStore['record'] = () => Promise.resolve({ left: [], turned: [], disabled: [] } as never);
  const flight = createDeliveriesInHand({
    store: { record } as DeliveryStore,
    attempt,
    underWay: new Set(),
    log: quiet,
  });
  flight.begin([{ id: 'a', receiver: { webhookId: 'one' } } as unknown as DueDelivery]);
  await eventually(() => flight.hasEnded());
  const room = flight.nextRoom();
  expect(room.aborted).toBe(false);
  expect(flight.holders()).toMatchObject([{ held: ['a'] }]);
  await flight.record({ wakesRetries: false });
  expect(flight.isIdle()).toBe(true);
  expect(room.aborted).toBe(true);
});
