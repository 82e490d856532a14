import { created } from '../api/support/answers.ts';
import { bankTransfer, startApi } from '../api/support/api-under-test.ts';
import { anyUuid, withQuery } from './contract.ts';

const api = await startApi();
const shop = await api.actor('shop');
const { token, nodeId: node_id } = shop;
const { Main: chain_id } = api.ids.chains;
const networks = [api.ids.networks.A!, api.ids.networks.B!];

interface Item {
  readonly id: string;
  readonly created_at: string;
}
/** A list with 12 entries. */
interface Filled {
  readonly path: string;
  readonly query: Record<string, string>;
}
const COUNT = 12;
const each = Array.from({ length: COUNT }, (_, index) => index);

const post = (path: string, json: Record<string, unknown>): Promise<{ id: string }> =>
  created(api.call('POST', `/api/v1/${path}`, { token, json }));
const transfer = () => post('payments', api.paymentBody(bankTransfer));

/** Makes twelve of each resource, one after the other, so that their order is known. */
const filled: Record<string, () => Promise<Filled>> = {
  wallets: async () => {
    for (const index of each) await post('wallets', { node_id, chain_id, name: `wallet ${index}` });
    return { path: '/api/v1/wallets', query: { node_id } };
  },
  members: async () => {
    for (const index of each) await post('members', { node_id, external_id: `m-${index}`, name: 'Ada' });
    return { path: '/api/v1/members', query: { node_id } };
  },
  payments: async () => {
    for (const _ of each) await transfer();
    return { path: '/api/v1/payments', query: { node_id } };
  },
  'logs of a payment': async () => {
    const { id } = await transfer();
    for (const index of each.slice(1)) {
      await api.knex('payment_logs').insert({
        payment_id: id,
        sequence: index + 1,
        event_type: 'retry_requested',
        status: 'pending',
        message: 'Asked for again',
        actor_type: 'system',
        data: {},
      });
    }
    return { path: `/api/v1/payments/${id}/logs`, query: {} };
  },
  webhooks: async () => {
    const wallet = await post('wallets', { node_id, chain_id, name: 'wallet' });
    for (const _ of each) {
      await post('webhooks', api.webhookBody(wallet));
    }
    return { path: '/api/v1/webhooks', query: { wallet_id: wallet.id } };
  },
  'node network wallet defaults': async () => {
    // A node has at most four on this chain, so the nodes above and below count too.
    const root = await api.actor('root');
    const wallet = await api.wallet(root);
    const path = '/api/v1/node-network-wallet-defaults';
    for (const node of ['root', 'shop', 'branch']) {
      for (const network_id of networks) {
        for (const type of ['apex', 'node']) {
          const json = { node_id: api.ids.nodes[node], network_id, type, wallet_id: wallet.id };
          const { status, text } = await api.call('POST', path, { token: root.token, json });
          if (status !== 201) throw new Error(text);
        }
      }
    }
    return { path, query: { node_id: root.nodeId, include_descendants: 'true' } };
  },
};

describe.each(Object.keys(filled))('%s', (name) => {
  let at: Filled;
  let reader = token;
  beforeAll(async () => {
    at = await filled[name]!();
    reader = (await api.actor('root')).token;
  });
  const list = async (
    query: Record<string, string> = {},
  ): Promise<{ items: Item[]; total: number; page: number; per_page: number }> => {
    const { status, body, text } = await api.call('GET', withQuery(at.path, { ...at.query, ...query }), {
      token: reader,
    });
    if (status !== 200) throw new Error(text);
    return body;
  };
  const idsOf = ({ items }: { items: Item[] }) => items.map(({ id }) => id);

  it('§1 Identifiers: every item has a UUID', async () => {
    const { items } = await list({ per_page: '100' });
    expect(items.map(({ id }) => id)).toEqual(items.map(() => anyUuid));
  });

  it('§1 Paging: 10 of 12 items on page 1 by default, and the total', async () => {
    const body = await list();
    expect([body.items.length, body.page, body.per_page, body.total]).toEqual([10, 1, 10, COUNT]);
  });

  it('§1 Paging: the rest is on page 2, and nothing after it', async () => {
    const [first, second, third] = [await list(), await list({ page: '2' }), await list({ page: '3' })];
    expect([second.items.length, second.page, second.per_page, second.total]).toEqual([2, 2, 10, COUNT]);
    expect([third.items.length, third.page, third.total]).toEqual([0, 3, COUNT]);
    expect(new Set([...idsOf(first), ...idsOf(second)]).size).toBe(COUNT);
  });

  it('§1 Paging: pages of any size are slices of the same order, newest first', async () => {
    const all = await list({ per_page: '100' });
    expect(all.items).toHaveLength(COUNT);
    const times = all.items.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    for (const size of [1, 5, 7]) {
      const pages = [];
      for (let page = 1; page <= Math.ceil(COUNT / size); page += 1) {
        pages.push(...idsOf(await list({ per_page: String(size), page: String(page) })));
      }
      expect(pages).toEqual(idsOf(all));
    }
  });
});
