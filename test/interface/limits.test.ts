import { randomUUID } from 'node:crypto';
import { created } from '../api/support/answers.ts';
import { startApi } from '../api/support/api-under-test.ts';
import { checkLengths, email, expectRefused, memberLengths, outcomeOf, text, withQuery } from './contract.ts';

const api = await startApi();
const shop = await api.actor('shop');
const { token, nodeId: node_id } = shop;
const wallet = await api.wallet(shop);

type Change = Record<string, unknown>;
const call = (method: string, path: string, json?: Change) =>
  api.call(method, `/api/v1/${path}`, { token, ...(json === undefined ? {} : { json }) });
const made = (path: string, json: Change): Promise<{ id: string }> => created(call('POST', path, json));

const newWallet = () => made('wallets', { node_id, chain_id: api.ids.chains.Main, name: 'Till' });
const newMember = () => made('members', { node_id, external_id: randomUUID(), name: 'Ada' });
const hook = (change: Change) => api.webhookBody(wallet, change);

describe('integration', () => {
  checkLengths(
    {
      tag: '§8 Integration name',
      accepted: 201,
      send: (change) => call('POST', 'integrations', { node_id, ...change }),
    },
    { name: [1, 255] },
  );
});

describe('wallet', () => {
  const create = (change: Change) => call('POST', 'wallets', { node_id, chain_id: api.ids.chains.Main, ...change });
  checkLengths({ tag: '§8 Wallet name and address', accepted: 201, send: create }, { name: [1, 255] });

  const update = async (change: Change) => call('PUT', `wallets/${(await newWallet()).id}`, change);
  checkLengths({ tag: '§8 Wallet name and address', accepted: 204, send: update }, { name: [1, 255] });

  it('§8 Wallet name and address: an address of more than 255 characters is too long, one of 255 is no EVM address', async () => {
    const messageOf = async (length: number): Promise<string> => {
      const { body } = await update({ address: `0x${'0'.repeat(length - 2)}` });
      return body.errors[0].message;
    };
    expect(await messageOf(256)).toContain('255');
    expect(await messageOf(255)).toContain('EVM address');
    expectRefused('address', [[256, await update({ address: text(256) })]]);
  });
});

describe('webhook', () => {
  const pathOf = (length: number): string => (length === 0 ? '' : `/${text(length - 1)}`);
  const hostOf = (length: number): string => {
    const origin = `https://${randomUUID()}.example:`;
    return `${origin}${'8443'.padStart(length - origin.length, '0')}`;
  };
  const update = async (change: Change) =>
    call('PUT', 'webhooks', { id: (await made('webhooks', hook({}))).id, ...change });
  const create = (change: Change) => call('POST', 'webhooks', hook(change));

  describe('on create', () => {
    const write = { tag: '§8 Webhook host and paths', accepted: 201, send: create };
    checkLengths(write, { success_path: [1, 512], error_path: [1, 512] }, pathOf);
  });
  describe('on update', () => {
    const write = { tag: '§8 Webhook host and paths', accepted: 200, send: update };
    checkLengths(write, { success_path: [1, 512], error_path: [1, 512] }, pathOf);
  });

  it.each([
    ['create', create, 201],
    ['update', update, 200],
  ] as const)(
    '§8 Webhook host and paths: host has at most 2048 characters on %s (2048 are taken, 2049: 400)',
    async (_, send, accepted) => {
      expect((await send({ host: hostOf(2_048) })).status).toBe(accepted);
      expect(outcomeOf(await send({ host: hostOf(2_049) }))).toEqual([400, ['host']]);
    },
  );
});

describe('member', () => {
  const { external_id, ...changeable } = memberLengths;

  describe('on update', () => {
    const send = async (change: Change) => call('PUT', `members/${(await newMember()).id}`, change);
    checkLengths({ tag: '§8 Member limits', accepted: 200, send }, changeable);
    checkLengths({ tag: '§8 Member limits', accepted: 200, send }, { email: [0, 255] }, email);
  });

  it.each([...Object.entries(changeable), ['external_id', external_id] as const, ['email', [0, 255]] as const])(
    '§8 Member limits: %s of inline member data of a payment has the bounds of the table',
    async (field, [, most]) => {
      const make = field === 'email' ? email : text;
      const pay = (value: string) =>
        call(
          'POST',
          'payments',
          api.paymentBody({
            payment_method: 'credit_card',
            payment_address: text(10),
            member: { external_id: randomUUID(), name: 'Ada', [field]: value },
          }),
        );
      const { status, body } = await pay(make(most));
      expect([status, body.member[field]]).toEqual([201, make(most)]);
      expectRefused(`member/${field}`, [[most + 1, await pay(make(most + 1))]]);
    },
  );
});

describe('payment', () => {
  const send = (change: Change) =>
    call('POST', 'payments', api.paymentBody({ payment_method: 'bank_transfer', ...change }));
  checkLengths({ tag: '§8 Payment payment_address', accepted: 201, send }, { payment_address: [10, 255] });
});

describe('lists', () => {
  it.each(['integrations', 'node-network-wallet-defaults', 'payments', 'webhooks', 'wallets', 'members'])(
    '§8 per_page and page: %s has page 1 and per_page 10 by default, per_page up to 100 (101: 400)',
    async (list) => {
      const get = (query: Record<string, string>) =>
        call('GET', withQuery(list, { ...(list === 'webhooks' ? {} : { node_id }), ...query }));
      expect((await get({})).body).toMatchObject({ page: 1, per_page: 10 });
      expect((await get({ per_page: '100' })).body).toMatchObject({ page: 1, per_page: 100 });
      expect((await get({ page: '7' })).body).toMatchObject({ page: 7, per_page: 10 });
      expect(outcomeOf(await get({ per_page: '101' }))).toEqual([400, ['per_page']]);
      expect(outcomeOf(await get({ page: '0' }))).toEqual([400, ['page']]);
    },
  );
});
