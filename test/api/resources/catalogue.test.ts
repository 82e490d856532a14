import { checksum } from '../../../chain/pure/address.ts';
import { startApi, tokenAddress } from '../support/api-under-test.ts';

const api = await startApi();
const read = async (node: string, path: string) => {
  const { token } = await api.actor(node, []);
  const { status, body } = await api.call('GET', `/api/v1/${path}?per_page=100`, { token });
  expect(status).toBe(200);
  return body;
};
const names = (body: { items: { name: string }[] }): string[] => body.items.map((item) => item.name).toSorted();

describe('the catalogue', () => {
  it('shows a caller its own node and those below, and none above', async () => {
    expect(names(await read('root', 'nodes'))).toEqual(['branch', 'rival', 'root', 'shop']);
    expect(names(await read('branch', 'nodes'))).toEqual(['branch']);
    const shop = await read('shop', 'nodes');
    expect(shop.total).toBe(2);
    const parents = Object.fromEntries(
      shop.items.map((node: { name: string; parent_id: string }) => [node.name, node.parent_id]),
    );
    expect(parents).toEqual({ shop: null, branch: api.ids.nodes.shop });
  });

  it('shows chains, and networks without their RPC URLs', async () => {
    expect(names(await read('shop', 'chains'))).toEqual(['Main', 'Side']);
    const networks = await read('shop', 'networks');
    expect(networks.items.find((item: { name: string }) => item.name === 'A')).toEqual({
      id: api.ids.networks.A,
      chain_id: api.ids.chains.Main,
      name: 'A',
      eip155: 31_337,
      confirmations: 3,
      finality: 64,
      block_time_ms: 1000,
      explorer_url: null,
      retired_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(JSON.stringify(networks)).not.toContain('rpc');
  });

  it('shows currencies with their tokens', async () => {
    const { items } = await read('shop', 'currencies');
    const of = (symbol: string) => items.find((item: { symbol: string }) => item.symbol === symbol);
    expect(of('USD')).toEqual({
      id: api.ids.currencies.USD,
      symbol: 'USD',
      name: 'Dollar',
      decimals: 2,
      tokens: expect.arrayContaining([
        { network_id: api.ids.networks.A, address: checksum(tokenAddress), decimals: 6 },
        { network_id: api.ids.networks.B, address: checksum(tokenAddress), decimals: 6 },
      ]),
      created_at: expect.any(String),
    });
    expect(of('ETH').tokens).toContainEqual({ network_id: api.ids.networks.A, address: null, decimals: 18 });
  });

  it('comes in pages', async () => {
    const { token } = await api.actor('root', []);
    const seen = new Set<string>();
    for (let page = 1; page <= 4; page += 1) {
      const { body } = await api.call('GET', `/api/v1/nodes?per_page=1&page=${page}`, { token });
      expect(body.total).toBe(4);
      seen.add(body.items[0].id);
    }
    expect(seen.size).toBe(4);
  });
});
