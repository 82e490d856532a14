import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, type WebhookDelivery } from '../../client/client.ts';
import { sign } from '../../delivery/send.ts';
import { newSecret } from '../support/webhooks.ts';

const secret = newSecret();
const at = 1_800_000_000;
const now = () => at * 1_000;

/** An event as it is sent, changed as wanted. */
const sent = (change: object = {}, secrets = [secret], timestamp = String(at)) => {
  const event = {
    id: randomUUID(),
    type: 'payment.completed',
    sequence: 4,
    data: { payment: { id: randomUUID(), name: 'ü' } },
    ...change,
  };
  const body = JSON.stringify(event);
  const signature = sign(secrets, { id: event.id, timestamp, body });
  const headers = { 'webhook-id': event.id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  return { event, body, headers };
};
const verify = (delivery: Pick<WebhookDelivery, 'body' | 'headers'> & Partial<WebhookDelivery>) =>
  verifyWebhook({ secret, now, ...delivery });
const codeOf = (delivery: Parameters<typeof verify>[0]) =>
  verify(delivery).then(
    () => null,
    (error: { code?: string }) => error.code,
  );

it('verify returns the signed event, from text or bytes, with the headers of Node or of fetch', async () => {
  const { event, body, headers } = sent();
  expect(await verify({ body, headers })).toEqual(event);
  expect(await verify({ body: Buffer.from(body), headers: new Headers(headers) })).toEqual(event);
  const today = sent({}, [secret], String(Math.floor(Date.now() / 1_000)));
  expect(new Webhook(secret).verify(today.body, today.headers)).toEqual(await verifyWebhook({ ...today, secret }));
});

it('verify accepts one of several signatures, by one of several secrets', async () => {
  const [older, other] = [newSecret(), newSecret()];
  const rotated = sent({}, [other, secret]);
  expect(await codeOf(rotated)).toBeNull();
  expect(await codeOf({ ...sent({}, [older]), secret: [other, older] })).toBeNull();
  const { headers, body } = sent();
  const beside = { ...headers, 'webhook-signature': `v1a,AAAA v2,x ${headers['webhook-signature']}` };
  expect(await codeOf({ body, headers: beside })).toBeNull();
});

it('verify refuses events that are forged, changed, cut or without their headers', async () => {
  const { body, headers } = sent();
  const signature = headers['webhook-signature'];
  const wrong: Parameters<typeof verify>[0][] = [
    { body: body.replace('completed', 'reversed'), headers },
    { body, headers: { ...headers, 'webhook-id': randomUUID() } },
    { body, headers: { ...headers, 'webhook-timestamp': String(at + 1) } },
    { body, headers, secret: newSecret() },
    { body, headers, secret: [] },
    ...['v1,', 'v1,%%%', 'v1,AAAA', signature.slice(3), signature.slice(0, -4), `v2${signature.slice(2)}`].map(
      (text) => ({
        body,
        headers: { ...headers, 'webhook-signature': text },
      }),
    ),
  ];
  for (const delivery of wrong) expect([delivery, await codeOf(delivery)]).toEqual([delivery, 'wrong_signature']);
  for (const name of Object.keys(headers)) {
    for (const value of [undefined, '', ['a', 'b']])
      expect(await codeOf({ body, headers: { ...headers, [name]: value } })).toBe('malformed');
  }
  const other = sent({}, [secret], 'yesterday');
  expect(await codeOf(other)).toBe('malformed');
});

it('verify refuses a signature more than five minutes away from now, or than its tolerance', async () => {
  for (const [seconds, code] of [
    [-300, null],
    [300, null],
    [-301, 'out_of_time'],
    [301, 'out_of_time'],
  ] as const) {
    const delivery = sent({}, [secret], String(at + seconds));
    expect([seconds, await codeOf(delivery)]).toEqual([seconds, code]);
    expect(await codeOf({ ...delivery, toleranceSeconds: 10 })).toBe('out_of_time');
    expect(await codeOf({ ...delivery, toleranceSeconds: NaN })).toBe('out_of_time');
  }
});

it('verify refuses tests unless its caller accepts them', async () => {
  for (const change of [{ test: true }, { type: 'webhook.test', sequence: null, data: { payment: null } }]) {
    const test = sent(change);
    expect(await codeOf(test)).toBe('test');
    expect(await verify({ ...test, acceptTests: true })).toEqual(test.event);
    // A forged one is no test.
    expect(await codeOf({ ...test, secret: newSecret() })).toBe('wrong_signature');
  }
});

it('verify throws for a secret without a key', async () => {
  await expect(verify({ ...sent(), secret: 'whsec_' })).rejects.toThrow(TypeError);
});
