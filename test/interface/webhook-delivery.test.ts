import { randomBytes } from 'node:crypto';
import { bankTransfer, startApi } from '../api/support/api-under-test.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver } from '../support/receiver.ts';
import { startSender } from '../support/sender.ts';

const masterKey = randomBytes(32);
const [api, receiver] = await Promise.all([startApi({ masterKey }), startReceiver()]);
const sender = startSender(api.knex, masterKey);
afterAll(() => receiver.close());

const shop = await api.actor('shop');
const { token, nodeId } = shop;
const basic = { auth_type: 'basic', auth_basic_username: 'carat', auth_basic_password: 'p:w' };
const authorizations = {
  basic: `Basic ${Buffer.from('carat:p:w').toString('base64')}`,
  token: 'Bearer of-the-shop',
};

describe('a settled payment', () => {
  // Before the database is gone.
  afterAll(() => sender.stop());

  it.each([
    ['completed', '/paid', 'basic'],
    ['completed', '/paid', 'token'],
    ['failed', '/unpaid', 'basic'],
    ['failed', '/unpaid', 'token'],
  ] as const)(
    '§6 Webhook delivery: a payment that is %s is reported at %s, with the credentials (%s)',
    async (outcome, path, auth) => {
      const wallet = await api.wallet(shop);
      const settings = { host: receiver.origin, success_path: '/paid', error_path: '/unpaid' };
      const credentials = auth === 'basic' ? { ...basic, auth_token: undefined } : { auth_token: 'of-the-shop' };
      const json = api.webhookBody(wallet, { ...settings, ...credentials });
      expect((await api.call('POST', '/api/v1/webhooks', { token, json })).status).toBe(201);

      const request = api.paymentBody({ ...bankTransfer, node_id: nodeId, wallet_id: wallet.id });
      const { body: payment } = await api.call('POST', '/api/v1/payments', { token, json: request });
      const settled = await api.call('POST', `/api/v1/payments/${payment.id}/settle`, {
        token,
        json: { outcome, reference: 'transfer 1' },
      });
      expect(settled.status).toBe(200);

      const got = await eventually(() => receiver.received.find(({ body }) => body.includes(payment.id)));
      expect([got.path, got.headers.authorization]).toEqual([path, authorizations[auth]]);
      const event = JSON.parse(got.body) as { type: string; data: { payment: Record<string, unknown> } };
      expect(event.type).toBe(`payment.${outcome}`);
      expect(event.data.payment).toMatchObject({ id: payment.id, external_id: payment.external_id, status: outcome });
    },
  );
});
