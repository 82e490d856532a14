import { ok, startReceiver, type Receiver } from '../support/receiver.ts';
import { createRig, type Rig } from './rig.ts';

/* The receiver of a merchant's events fails, with the retries of production. */

let rig: Rig;
let receiver: Receiver;

beforeAll(async () => {
  [rig, receiver] = await Promise.all([createRig(), startReceiver()]);
  await rig.shop.merchant.createWebhook(rig.shop.wallet.id, rig.product.dev.networks.alpha!.id, receiver.origin);
});

afterAll(async () => {
  await rig?.stop();
  await receiver?.close();
});

it('the receiver of events fails', async () => {
  await rig.named('webhook backlog', {
    inject: async () => {
      receiver.answer((_request, response) => response.writeHead(500).end());
      await Promise.all(Array.from({ length: 30 }, () => rig.shop.create('alpha')));
    },
    mend: async () => receiver.answer(ok),
    says: /127\.0\.0\.1:\d+ .*fails since/,
    // The third attempt comes after five to six minutes.
    closesMs: 480_000,
  });
});
