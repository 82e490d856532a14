import { randomUUID } from 'node:crypto';
import { expireForgottenOffchain, expireOverdueOffchain } from '../../../db/payments/offchain.ts';
import { transition } from '../../../db/payments/transition.ts';
import { codeOf, created, statusesOf, together } from '../support/answers.ts';
import { bankTransfer, startApi } from '../support/api-under-test.ts';

const api = await startApi();
const root = await api.actor('root');
const shop = await api.actor('shop');
const branch = await api.actor('branch');

const made = async (change: Record<string, unknown> = {}) => {
  const json = api.paymentBody({ ...bankTransfer, ...change });
  return created(api.call('POST', '/api/v1/payments', { token: shop.token, json }));
};
const settle = (id: string, json: unknown, token = shop.token, headers = {}) =>
  api.call('POST', `/api/v1/payments/${id}/settle`, { token, json, headers });
const paid = { outcome: 'completed', reference: 'transfer-1' };
const logsOf = (id: string) => api.knex('payment_logs').where({ payment_id: id }).orderBy('sequence');
const audited = (id: string) => api.knex('audit_log').where({ resource_id: id, action: 'payment.settled' });
const signals = (id: string) => api.knex('outbox').where({ payment_id: id, topic: 'payment_signal' });

describe('POST /api/v1/payments/{id}/settle', () => {
  it.each([
    ['completed', null, 'bank_transfer', 'Settled by the merchant'],
    ['failed', 'declined', 'credit_card', 'Declined by the merchant'],
  ])('ends a payment as %s, with log and signal', async (outcome, detail, payment_method, message) => {
    const payment = await made({ payment_method });
    const { status, body } = await settle(payment.id, { outcome, reference: 'r '.repeat(127) + 'é' });
    expect([status, api.dispatches.at(-1)]).toEqual([200, null]);
    expect(body).toEqual({
      ...payment,
      status: outcome,
      status_detail: detail,
      updated_at: expect.any(String),
      completed_at: outcome === 'completed' ? expect.any(String) : null,
    });
    const stored = await api.knex('payments').where({ id: payment.id }).first();
    expect(stored).toMatchObject({ status: outcome, sequence: 2, terminal_at: expect.any(Date) });
    const [, entry, ...more] = await logsOf(payment.id);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      event_type: 'payment_settled',
      status: outcome,
      message,
      actor_type: 'integration',
      actor_id: shop.id,
      data: { reference: 'r '.repeat(127) + 'é' },
    });
    expect(await signals(payment.id)).toMatchObject([
      { payload: { event_type: 'payment_settled', status: outcome, status_detail: detail, sequence: 2 } },
    ]);
  });

  it('gives the same answer again, and changes nothing', async () => {
    const payment = await made();
    const first = await settle(payment.id, paid);
    const again = await settle(payment.id, paid, root.token);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await logsOf(payment.id)).toHaveLength(2);
    expect(await signals(payment.id)).toHaveLength(1);
    expect(await audited(payment.id)).toHaveLength(1);
  });

  it.each([
    ['another outcome', { ...paid, outcome: 'failed' }],
    ['another reference', { ...paid, reference: 'transfer-2' }],
  ])('refuses %s', async (_, json) => {
    const payment = await made();
    await settle(payment.id, paid);
    expect(codeOf(await settle(payment.id, json))).toEqual([409, 'payment_not_settleable']);
    expect(await audited(payment.id)).toHaveLength(1);
    expect((await logsOf(payment.id)).at(-1).data).toEqual({ reference: paid.reference });
  });

  it('refuses a web3 payment, and one that has ended otherwise or is being canceled', async () => {
    const wallet = await api.wallet(shop);
    await api.activate(wallet, 'A');
    const web3 = await made({
      payment_method: 'web3',
      wallet_id: wallet.id,
      payment_address: api.paymentBody().payment_address,
    });
    expect(codeOf(await settle(web3.id, paid))).toEqual([409, 'payment_not_settleable']);
    for (const status of ['expired', 'canceled', 'canceling']) {
      const payment = await made();
      await api
        .knex('payments')
        .where({ id: payment.id })
        .update({ status, terminal_at: status === 'canceling' ? null : new Date() });
      for (const outcome of ['completed', 'failed']) {
        expect(codeOf(await settle(payment.id, { ...paid, outcome }))).toEqual([409, 'payment_not_settleable']);
      }
      expect(await logsOf(payment.id)).toHaveLength(1);
    }
  });

  it.each([
    ['/body/outcome', { reference: 'x' }],
    ['/body/outcome', { outcome: 'canceled', reference: 'x' }],
    ['/body/reference', { outcome: 'completed' }],
    ['/body/reference', { outcome: 'completed', reference: '' }],
    ['/body/reference', { outcome: 'completed', reference: 'x'.repeat(256) }],
    ['/body/reference', { outcome: 'completed', reference: null }],
    ['/body/amount', { ...paid, amount: 1 }],
  ])('names %s when it is wrong', async (path, json) => {
    const { status, body } = await settle(randomUUID(), json);
    expect([status, body.code, body.errors[0].path]).toEqual([400, 'invalid_request', path]);
  });

  it('replays the answer to an Idempotency-Key', async () => {
    const payment = await made();
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await together(5, () => settle(payment.id, paid, shop.token, headers));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(codeOf(await settle(payment.id, { ...paid, outcome: 'failed' }, shop.token, headers))).toEqual([
      409,
      'idempotency_key_reused',
    ]);
  });

  it('lets one of several simultaneous outcomes decide', async () => {
    for (let round = 0; round < 5; round += 1) {
      const payment = await made();
      const wanted = ['completed', 'failed', 'completed', 'failed'].map((outcome, index) => ({
        outcome,
        reference: `r${index}`,
      }));
      const answers = await Promise.all(wanted.map((json) => settle(payment.id, json)));
      expect(statusesOf(answers)).toEqual([200, 409, 409, 409]);
      const winner = wanted[answers.findIndex(({ status }) => status === 200)]!;
      const stored = await api.knex('payments').where({ id: payment.id }).first();
      expect(stored).toMatchObject({ status: winner.outcome, sequence: 2 });
      expect((await logsOf(payment.id)).at(-1).data).toEqual({ reference: winner.reference });
    }
  });

  it('and expiry end a payment once, by the first of them', async () => {
    const payments = await together(20, () => made());
    const ids = payments.map(({ id }) => id as string);
    await api
      .knex('payments')
      .whereIn('id', ids)
      .update({ expires_unix: 1, expires_at: new Date(1_000) });
    const half = ids.slice(0, 10);
    const [answers] = await Promise.all([
      Promise.all(ids.map((id) => settle(id, paid))),
      expireOverdueOffchain(api.knex, half),
      ...half.map((id) => expireOverdueOffchain(api.knex, [id])),
      expireOverdueOffchain(api.knex, ids),
    ]);
    for (const [index, id] of ids.entries()) {
      const { status, sequence } = await api.knex('payments').where({ id }).first();
      expect([status, sequence]).toEqual([answers[index]!.status === 200 ? 'completed' : 'expired', 2]);
      expect((await logsOf(id)).map((entry) => entry.status)).toEqual(['pending', status]);
      expect(await signals(id)).toHaveLength(1);
      expect(await audited(id)).toHaveLength(status === 'completed' ? 1 : 0);
    }
    expect(await expireOverdueOffchain(api.knex, ids)).toEqual([]);
  });

  it('expires payments in the end that their workflow has left open', async () => {
    const payments = await together(2, () => made());
    const over = (seconds: number) => api.knex.raw('extract(epoch FROM clock_timestamp())::bigint - ?', [seconds]);
    const [late, fresh] = payments.map(({ id }) => api.knex('payments').where({ id: id as string }));
    await late!.clone().update({ expires_unix: over(12) });
    await fresh!.clone().update({ expires_unix: over(2) });
    expect(await expireForgottenOffchain(api.knex)).toBe(1);
    expect([(await late!.first()).status, (await fresh!.first()).status]).toEqual(['expired', 'pending']);
  });

  it('and a cancel end a payment once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const payment = await made();
      const cancel = api.knex.transaction((trx) =>
        transition(trx, {
          name: 'cancel_requested',
          where: 'p.id = :payment_id',
          bindings: { payment_id: payment.id },
          actor: { type: 'integration' },
        }),
      );
      const [answer, canceled] = await Promise.all([settle(payment.id, paid), cancel]);
      expect(answer.status).toBe(canceled.length === 1 ? 409 : 200);
    }
  });
});

describe('GET /api/v1/payments/{id}/logs', () => {
  it('names actors to nodes at and above their own, and calls them operator below', async () => {
    const json = api.paymentBody({ ...bankTransfer, node_id: branch.nodeId });
    const { body: payment } = await api.call('POST', '/api/v1/payments', { token: shop.token, json });
    await settle(payment.id, paid, branch.token);
    await api.knex('payment_logs').insert([
      {
        payment_id: payment.id,
        sequence: 3,
        event_type: 'payment_detected',
        status: 'completed',
        message: 'of an outside token that is not known',
        actor_type: 'integration',
        actor_id: 'https://issuer.example#somebody',
      },
      {
        payment_id: payment.id,
        sequence: 4,
        event_type: 'payment_confirmed',
        status: 'completed',
        message: 'of an outside token of the shop',
        actor_type: 'integration',
        actor_id: 'https://issuer.example#clerk',
      },
      {
        payment_id: payment.id,
        sequence: 5,
        event_type: 'payment_reorged',
        status: 'completed',
        message: '',
        actor_type: 'system',
      },
    ]);
    await api.knex('audit_log').insert({
      node_id: branch.nodeId,
      actor_id: 'https://issuer.example#clerk',
      actor_node_id: shop.nodeId,
      action: 'payment.settled',
      resource_id: payment.id,
    });
    const actors = async (token: string) => {
      const { body } = await api.call('GET', `/api/v1/payments/${payment.id}/logs`, { token });
      return body.items.map((item: Record<string, unknown>) => [item.actor_type, item.actor_id]);
    };
    const system = ['system', null];
    const operator = ['operator', null];
    const clerk = ['integration', 'https://issuer.example#clerk'];
    const byBranch = ['integration', branch.id];
    expect(await actors(branch.token)).toEqual([system, operator, operator, byBranch, operator]);
    expect(await actors(shop.token)).toEqual([system, clerk, operator, byBranch, ['integration', shop.id]]);
    expect(await actors(root.token)).toEqual(await actors(shop.token));
  });
});

describe('a merchant without any wallet', () => {
  it.each(['credit_card', 'bank_transfer'])(
    'is paid by %s on a network where the currency has no token, from creation to the end',
    async (payment_method) => {
      const newcomer = await api.actor('rival');
      expect(await api.knex('wallets').where({ node_id: newcomer.nodeId })).toEqual([]);
      const at = { node_id: newcomer.nodeId, network_id: api.ids.networks.S, wallet_id: undefined };
      const json = api.paymentBody({ ...bankTransfer, ...at, payment_method });
      const create = (change: Record<string, unknown>) =>
        api.call('POST', '/api/v1/payments', { token: newcomer.token, json: { ...json, ...change } });
      const { status, body } = await create({});
      expect([status, body.wallet_id, body.diamond_address, body.status]).toEqual([201, null, null, 'pending']);
      expect([body.price_units, body.paid_price_units]).toEqual(['1500', '1250']);
      const settled = await settle(body.id, paid, newcomer.token);
      expect([settled.status, settled.body.status]).toEqual([200, 'completed']);
      const web3 = { external_id: randomUUID(), payment_method: 'web3', payment_address: `0x${'1'.repeat(40)}` };
      expect(codeOf(await create(web3))).toEqual([404, 'wallet_not_found']);
    },
  );
});
