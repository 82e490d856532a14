import { startLiarsGateway } from '../support/liars-gateway.ts';

/* The leading endpoint of three hides receipts or falsifies them, with a quorum of two, while the lane is full. */

const own = startLiarsGateway();

beforeEach(() => own.gateway.knex('signer_accounts').update({ max_inflight: 1 }));

it('receipts that one endpoint hides hold up nothing', async () => {
  own.liar.tamper = ({ method }, result) => (method === 'eth_getTransactionReceipt' ? null : result);
  own.lane();
  await own.gateway.pay(1);
  // Far sooner than every endpoint is asked.
  for (let next = 0; next < 2; next += 1)
    expect(await own.inTime(await own.gateway.pay(1), 8_000)).toBe(true);
}, 45_000);
