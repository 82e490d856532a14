import { randomUUID } from 'node:crypto';
import { codeOf, created, together } from '../api/support/answers.ts';
import { bankTransfer, startApi } from '../api/support/api-under-test.ts';

const api = await startApi();
const root = await api.actor('root');
const shop = await api.actor('shop');
const branch = await api.actor('branch');
const rival = await api.actor('rival');
const wallet = await api.wallet(shop);
const path = '/api/v1/payments';

const payment = (change: Record<string, unknown> = {}) =>
  created(api.call('POST', path, { token: shop.token, json: api.paymentBody({ wallet_id: wallet.id, ...change }) }));
const transfer = () => payment({ ...bankTransfer, wallet_id: undefined });
const get = (id: string) => api.call('GET', `${path}/${id}`, { token: shop.token });
const command = (name: 'cancel' | 'retry-send', id: string, token = shop.token, headers = {}) =>
  api.call('POST', `${path}/${id}/${name}`, { token, headers });
const cancel = command.bind(null, 'cancel');
const retry = command.bind(null, 'retry-send');
const lastLog = async (id: string) =>
  (await api.call('GET', `${path}/${id}/logs`, { token: shop.token })).body.items.find(
    (entry: { sequence: number | null }) => entry.sequence !== null,
  ) as Record<string, unknown>;

/** As if the chain, or its merchant, had brought it there. */
const put = (id: string, status: string) =>
  api
    .knex('payments')
    .where({ id })
    .update({
      status,
      terminal_at: ['completed', 'expired', 'canceled', 'failed'].includes(status) ? new Date() : null,
    });

describe('cancel', () => {
  it('§3 Cancellation: is accepted first, and the payment is canceling until its outcome is known', async () => {
    for (const { id } of [await payment(), await transfer()]) {
      expect((await cancel(id)).status).toBe(202);
      expect((await get(id)).body).toMatchObject({ id, status: 'canceling', status_detail: null });
      const entry = { event_type: 'cancel_requested', actor_type: 'integration', actor_id: shop.id };
      expect(await lastLog(id)).toMatchObject(entry);
    }
  });

  it('§4 POST /api/v1/payments/{id}/cancel: 202 with the status accepted, and again while it is canceling', async () => {
    const { id } = await payment();
    for (const token of [shop.token, shop.token, root.token]) {
      const { status, body } = await cancel(id, token);
      expect([status, body]).toEqual([202, { status: 'accepted' }]);
    }
    expect((await lastLog(id)).sequence).toBe(2);
  });

  it.each([
    ['awaiting_payment', 202],
    ['canceling', 202],
    ['processing', 409],
    ['completed', 409],
    ['expired', 409],
    ['canceled', 409],
    ['failed', 409],
  ])('§4 POST /api/v1/payments/{id}/cancel: a payment that is %s is answered %i', async (before, expected) => {
    const { id } = await payment();
    await put(id, before);
    const answer = await cancel(id);
    expect(answer.status).toBe(expected);
    if (expected === 409) expect(codeOf(answer)).toEqual([409, 'payment_not_cancelable']);
    expect((await get(id)).body.status).toBe(expected === 409 ? before : 'canceling');
  });

  it("§4 POST /api/v1/payments/{id}/cancel: 403 without access to the payment's node, or without the permission", async () => {
    const { id } = await payment();
    for (const { token } of [rival, branch]) {
      expect(codeOf(await cancel(id, token))).toEqual([403, 'node_access_denied']);
    }
    const reader = await api.actor('shop', ['payments.read', 'payments.create', 'payments.retry']);
    expect(codeOf(await cancel(id, reader.token))).toEqual([403, 'permission_denied']);
    expect((await get(id)).body.status).toBe('pending');
  });

  it('§4 POST /api/v1/payments/{id}/cancel: 404 for a missing payment, 400 for an id that is no UUID', async () => {
    expect(codeOf(await cancel(randomUUID()))).toEqual([404, 'payment_not_found']);
    expect(codeOf(await cancel('x'))).toEqual([400, 'invalid_request']);
  });

  it('§4 POST /api/v1/payments/{id}/cancel: the answer to an Idempotency-Key is repeated, to callers with access', async () => {
    const { id } = await payment();
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await together(5, () => cancel(id, shop.token, headers));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['202 {"status":"accepted"}']),
    );
    await put(id, 'canceled');
    expect((await cancel(id, shop.token, headers)).status).toBe(202);
    expect(codeOf(await cancel(id, shop.token))).toEqual([409, 'payment_not_cancelable']);
  });
});

describe('retry-send', () => {
  it('§4 POST /api/v1/payments/{id}/retry-send: 200 is the updated payment, and uses up no retry', async () => {
    const before = await payment();
    const { status, body } = await retry(before.id);
    expect([status, body]).toEqual([200, { ...before, updated_at: expect.any(String) }]);
    // It waits as before.
    expect(body.status_detail).toBe('diamond_missing');
    expect((await get(before.id)).body).toEqual(body);
    const entry = { event_type: 'retry_requested', sequence: 2, actor_type: 'integration', actor_id: shop.id };
    expect(await lastLog(before.id)).toMatchObject(entry);
    expect(await api.knex('payments').where({ id: before.id }).first()).toMatchObject({ retries_used: 0 });
    expect((await retry(before.id)).status).toBe(200);
  });

  it('§4 POST /api/v1/payments/{id}/retry-send: 400 for a payment that is not web3', async () => {
    const { id } = await transfer();
    expect(codeOf(await retry(id))).toEqual([400, 'payment_not_retryable']);
  });

  it.each(['awaiting_payment', 'processing', 'canceling', 'completed', 'expired', 'canceled', 'failed'])(
    '§4 POST /api/v1/payments/{id}/retry-send: 400 for a payment that is %s',
    async (status) => {
      const { id } = await payment();
      await put(id, status);
      expect(codeOf(await retry(id))).toEqual([400, 'payment_not_retryable']);
      expect((await get(id)).body.status).toBe(status);
    },
  );

  it('§4 POST /api/v1/payments/{id}/retry-send: 404 for a missing payment and one out of reach, 403 without the permission', async () => {
    const { id } = await payment();
    expect(codeOf(await retry(randomUUID()))).toEqual([404, 'payment_not_found']);
    for (const { token } of [rival, branch]) expect(codeOf(await retry(id, token))).toEqual([404, 'payment_not_found']);
    const reader = await api.actor('shop', ['payments.read', 'payments.create', 'payments.cancel']);
    expect(codeOf(await retry(id, reader.token))).toEqual([403, 'permission_denied']);
    expect((await lastLog(id)).sequence).toBe(1);
  });
});
