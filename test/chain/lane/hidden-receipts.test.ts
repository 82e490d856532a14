import { useThreeEndpoints } from '../support/three-endpoints.ts';

/* The leading endpoint of three hides receipts or falsifies them, with a quorum of two, while the lane is full. */

const own = useThreeEndpoints();

beforeEach(() => own.gateway.knex('signer_accounts').update({ max_inflight: 1 }));

it.each([false, true])(
  'a false receipt of one endpoint does not hide the right ones of the others (lie: %s)',
  async (isLie) => {
    for (const proxy of own.proxies)
      proxy.tamper = ({ method }, result) => {
        if (method !== 'eth_getTransactionReceipt' || result === null) return result;
        // No endpoint has it at first, so that all of them are asked.
        if (proxy.exchanges.at(-1)!.includes('eth_getBalance')) return null;
        return isLie && proxy === own.liar ? { ...(result as object), logs: [] } : result;
      };
    own.lane({ timing: { foreign: 300 } });
    const isInTime = await own.inTime(await own.gateway.pay(1), 15_000);
    const isNextInTime = await own.inTime(await own.gateway.pay(1), 15_000);
    expect({ isInTime, isNextInTime, alerts: await own.told() }).toEqual({
      isInTime: true,
      isNextInTime: true,
      alerts: [],
    });
  },
);

it('receipts that one endpoint hides hold up nothing', async () => {
  own.liar.tamper = ({ method }, result) => (method === 'eth_getTransactionReceipt' ? null : result);
  own.lane();
  await own.gateway.pay(1);
  // Far sooner than every endpoint is asked.
  for (let next = 0; next < 2; next += 1) expect(await own.inTime(await own.gateway.pay(1), 8_000)).toBe(true);
});
