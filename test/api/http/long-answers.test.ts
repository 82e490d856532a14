import { created } from '../support/answers.ts';
import { startApi } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const wallet = await api.wallet(shop);

/** The path of a delivery whose tries have had responses of so many characters, each of which JSON makes six times as long. */
const deliveryWith = async (tries: number): Promise<string> => {
  const json = api.webhookBody(wallet, { host: `https://shop-${tries}.example`, events: ['payment.created'] });
  const webhook = await created(api.call('POST', '/api/v1/webhooks', { token: shop.token, json }));
  const paid = api.paymentBody({ wallet_id: wallet.id });
  await created(api.call('POST', '/api/v1/payments', { token: shop.token, json: paid }));
  const attempt = {
    at: new Date().toISOString(),
    url: 'https://shop.example/',
    status: 503,
    error: null,
    duration_ms: 41,
  };
  const [{ id }] = (await api
    .knex('webhook_deliveries')
    .where({ webhook_id: webhook.id })
    .update({
      tries: JSON.stringify(Array.from({ length: tries }, () => ({ ...attempt, body: '\u0001'.repeat(2_048) }))),
    })
    .returning<{ id: string }[]>('id')) as [{ id: string }];
  return `/api/v1/webhooks/${webhook.id}/deliveries/${id}`;
};

/** Bytes and seconds of sixty answers. */
const sixty = async (path: string) => {
  const began = performance.now();
  let bytes = 0;
  for (let round = 0; round < 6; round += 1) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('GET', path, { token: shop.token })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    bytes += answers.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  }
  return { bytes, seconds: (performance.now() - began) / 1_000 };
};

it('long answers, such as deliveries with the largest responses, have the pace of lists: 8 MiB a second after 4 MiB', async () => {
  const { bytes, seconds } = await sixty(await deliveryWith(20));
  expect(bytes).toBeGreaterThan(14 * 2 ** 20);
  expect(seconds).toBeGreaterThan(bytes / 2 ** 20 / 8 - 0.5 - 0.1);
});
