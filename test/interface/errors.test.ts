import { randomUUID } from 'node:crypto';
import { startApi, type Answer } from '../api/support/api-under-test.ts';
import { withQuery } from './contract.ts';

const api = await startApi();
const shop = await api.actor('shop');
const rival = await api.actor('rival');
const { token, nodeId: node_id } = shop;
const wallet = await api.wallet(shop);
const foreign = await api.wallet(rival);
const chain_id = api.ids.chains.Main;
const network_id = api.ids.networks.A;
const nowhere = randomUUID();

type Change = Record<string, unknown>;
const call = (method: string, path: string, json?: Change, by: string | undefined = token) =>
  api.call(method, `/api/v1/${path}`, { ...(by === '' ? {} : { token: by }), ...(json === undefined ? {} : { json }) });
const pay = (change: Change = {}) => call('POST', 'payments', api.paymentBody({ wallet_id: wallet.id, ...change }));
const hook = (change: Change = {}) => api.webhookBody(wallet, change);
const mapping = (change: Change = {}) => ({ node_id, network_id, wallet_id: wallet.id, type: 'node', ...change });
const twice = async (send: () => Promise<Answer>): Promise<Answer> => {
  const { status, text } = await send();
  if (status !== 201) throw new Error(text);
  return send();
};

/** Each refusal must have the one form of all errors; the answers were checked against openapi.yaml on the way. */
const expectProblem = ({ status, headers, body }: Answer, wanted: number, code: string): void => {
  expect([status, body.code]).toEqual([wanted, code]);
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(body).toMatchObject({
    type: expect.any(String),
    title: expect.any(String),
    status: wanted,
    detail: expect.any(String),
    request_id: headers.get('x-request-id'),
    errors: expect.any(Array),
  });
};

describe('400', () => {
  it.each<[string, () => Promise<Answer>]>([
    ['a body', () => call('POST', 'members', { node_id })],
    ['a query', () => call('GET', withQuery('members', { node_id, page: '0' }))],
    ['a path', () => call('GET', 'members/x')],
  ])('§7 400: %s that breaks a rule is invalid_request, and errors has the place and the rule', async (_, send) => {
    const answer = await send();
    expectProblem(answer, 400, 'invalid_request');
    expect(answer.body.errors.length).toBeGreaterThan(0);
    for (const { path, message } of answer.body.errors) {
      expect(path).toMatch(/^\/(body|query|params)\//);
      expect(message).toMatch(/\w/);
    }
  });

  it('§7 400: a body that is not JSON is malformed_json', async () => {
    const answer = await api.call('POST', '/api/v1/members', { token, raw: '{"node_id":' });
    expectProblem(answer, 400, 'malformed_json');
  });
});

describe('401', () => {
  it('§7 401: a missing and an invalid token', async () => {
    expectProblem(await call('GET', withQuery('members', { node_id }), undefined, ''), 401, 'missing_token');
    expectProblem(await call('GET', withQuery('members', { node_id }), undefined, 'x'), 401, 'invalid_token');
  });

  it('§7 401: an invalid widget access token', async () => {
    const { body } = await pay();
    expectProblem(await call('GET', `widget/payments/${body.id}`, undefined, 'x'), 401, 'invalid_token');
    expectProblem(await call('GET', `widget/payments/${body.id}`, undefined, ''), 401, 'missing_token');
  });
});

describe('403', () => {
  it('§7 403: no access to the node of a wallet or webhook', async () => {
    expectProblem(await call('POST', 'webhooks', hook({ wallet_id: foreign.id })), 403, 'node_access_denied');
    const { body } = await call('POST', 'webhooks', hook({ wallet_id: foreign.id }), rival.token);
    expectProblem(await call('PUT', 'webhooks', { id: body.id, success_path: '/x' }), 403, 'node_access_denied');
    expectProblem(await call('DELETE', 'webhooks', { id: body.id }), 403, 'node_access_denied');
  });

  it('§7 403: a token without the permission, whatever else is wrong with the request', async () => {
    const { token: reader } = await api.actor('shop', ['members.read']);
    expectProblem(await call('POST', 'members', { node_id: 'x' }, reader), 403, 'permission_denied');
  });
});

describe('404', () => {
  it.each<[string, string | null, () => Promise<Answer>]>([
    ['node', '/body/node_id', () => call('POST', 'wallets', { node_id: nowhere, chain_id, name: 'x' })],
    ['network', '/body/network_id', () => pay({ network_id: nowhere })],
    ['chain', '/body/chain_id', () => call('POST', 'wallets', { node_id, chain_id: nowhere, name: 'x' })],
    ['node', '/params/node_id', () => call('GET', `nodes/${nowhere}/payouts/${chain_id}`)],
    ['wallet', '/params/id', () => call('GET', `wallets/${nowhere}`)],
    ['currency', '/body/currency_id', () => pay({ currency_id: nowhere })],
    ['payment', '/params/id', () => call('GET', `payments/${nowhere}`)],
    ['member', '/params/id', () => call('GET', `members/${nowhere}`)],
    ['webhook', '/body/id', () => call('DELETE', 'webhooks', { id: nowhere })],
    ['default', null, () => call('PUT', 'node-network-wallet-defaults', mapping({ type: 'apex' }))],
  ])('§7 404: a missing %s has a code of its own, and errors names its field', async (what, path, send) => {
    const answer = await send();
    expectProblem(answer, 404, `${what}_not_found`);
    expect(answer.body.errors).toEqual(
      path === null ? [] : [{ path, message: expect.stringMatching(`^is not the id of an? ${what}`) }],
    );
  });
});

describe('409', () => {
  it.each<[string, string, () => Promise<Answer>]>([
    ['a payment of the same external_id on the node', 'payment_exists', () => pay({ external_id: 'twice' })],
    [
      'a member of the same node_id and external_id',
      'member_exists',
      () => call('POST', 'members', { node_id, external_id: 'twice', name: 'Ada' }),
    ],
    [
      'a mapping of the same node, network and type',
      'default_exists',
      () => call('POST', 'node-network-wallet-defaults', mapping()),
    ],
    [
      'an integration of the same name on the node',
      'integration_exists',
      () => call('POST', 'integrations', { node_id, name: 'twice' }),
    ],
    [
      'a webhook of the same wallet, network and host',
      'webhook_exists',
      () => call('POST', 'webhooks', hook({ host: 'https://twice.example' })),
    ],
  ])('§7 409: %s is a duplicate', async (_, code, send) => {
    expectProblem(await twice(send), 409, code);
  });
});

describe('500', () => {
  it('§7 500: a fault of the service is internal_error, and shows nothing of its cause', async () => {
    await api.knex.raw(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the secret of the fault'; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON integrations FOR EACH ROW EXECUTE FUNCTION fail()`);
    const answer = await call('POST', 'integrations', { node_id, name: randomUUID() });
    await api.knex.raw('DROP TRIGGER fail ON integrations; DROP FUNCTION fail');
    expectProblem(answer, 500, 'internal_error');
    expect(answer.text).not.toContain('the secret of the fault');
    expect(api.lines.some((line) => line.includes(answer.body.request_id))).toBe(true);
    expect((await call('POST', 'integrations', { node_id, name: randomUUID() })).status).toBe(201);
  });
});
