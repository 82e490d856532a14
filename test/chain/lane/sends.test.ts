import { rpc } from '../../../tools/stack/chain.ts';
import { sendLines } from '../../../chain/rpc/refusals.ts';
import { seeded } from '../../liars/schedule.ts';
import { cases } from '../../support/cases.ts';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy, type WireAnswer, type WireRequest } from '../support/proxy.ts';
import { allAre, stopAfterEach, timesCreated } from '../support/running.ts';

/*
 * The only endpoint gives a random response to each transaction, whether or not it has passed it on: accepted, any known
 * rejection of any client, or nonsense. A response decides nothing: every deal is created once, and no lane pauses.
 */

let gateway: Gateway;
let proxy: Proxy;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2 });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  proxy = await startProxy(gateway.chain.url);
});
afterEach(() => proxy.close());

/** Every rejection as its client words it, and responses that no client gives. */
const responses: readonly WireAnswer[] = [
  ...sendLines.flatMap(({ words, code = -32_000 }) =>
    typeof words === 'string' ? [{ error: { code, message: words.replaceAll('{}', '7') } }] : [],
  ),
  { error: { code: -32_601, message: 'the method eth_sendRawTransaction does not exist/is not available' } },
  { error: { code: -32_000, message: 'internal error' } },
  { error: { code: -32_603, message: '' } },
  { result: null },
  { result: '0x' },
  { result: `0x${'0'.repeat(64)}` },
  { result: { hash: 'nonsense' } },
];

it.each(Array.from({ length: cases('SEND_SCHEDULES', { few: 2, all: 6 }) }, (_, index) => index + 1))(
  'with seed %i',
  async (seed) => {
    const random = seeded(seed);
    proxy.rewrite = async (request: WireRequest) => {
      if (request.method !== 'eth_sendRawTransaction' || random() < 0.2) return request;
      if (random() < 0.5) await rpc(gateway.chain.url, request.method, [...request.params]).catch(() => {});
      return responses[Math.floor(random() * responses.length)]!;
    };
    keep(gateway.startWatcher());
    const startLane = () =>
      keep(gateway.startLane({ urls: [proxy.url], network: { quorum: 1 }, timing: { unreachable: 500 } }));
    let lane = startLane();
    const payments = [];
    const sends = (): number => proxy.seen.filter((method) => method === 'eth_sendRawTransaction').length;
    for (let part = 0; part < 10; part += 1) {
      const own = await gateway.pay(3);
      payments.push(...own);
      const before = sends();
      await eventually(async () => {
        const isCreated = (await gateway.statuses(own)).every((status) => status === 'awaiting_payment');
        return isCreated || sends() > before + 5;
      });
      if (part % 3 !== 2) continue;
      await lane.stop();
      lane = startLane();
    }
    proxy.rewrite = null;
    await allAre(gateway, payments, 'awaiting_payment', 60_000);
    expect(await timesCreated(gateway, payments)).toEqual(payments.map(() => 1));
    expect(await gateway.knex('alerts').where({ kind: 'lane_paused' })).toEqual([]);
    await eventually(async () => {
      const slots = await gateway.knex('tx_slots').whereNotIn('state', ['confirmed']);
      if (slots.length > 0) throw new Error(JSON.stringify(slots));
      return true;
    });
  },
);
