import { startApi } from '../api/support/api-under-test.ts';

const api = await startApi();
const { token, nodeId } = await api.actor('shop');

const lists = ['integrations', 'node-network-wallet-defaults', 'payments', 'webhooks', 'wallets', 'members'];
const query = (list: string) => (list === 'webhooks' ? '' : `?node_id=${nodeId}`);

describe.each(lists)('%s', (list) => {
  it('§9 Path prefix: the resource is below /api/v1', async () => {
    const { status } = await api.call('GET', `/api/v1/${list}${query(list)}`, { token });
    expect(status).toBe(200);
  });

  it.each(['', '/api', '/v1', '/api/v0', '/api/v2', '/API/V1', '/api/v1.0'])(
    '§9 Path prefix: no resource is below "%s" (404)',
    async (prefix) => {
      const { status, body } = await api.call('GET', `${prefix}/${list}${query(list)}`, { token });
      expect([status, body.code]).toEqual([404, 'route_not_found']);
    },
  );
});
