import { setTimeout as delay } from 'node:timers/promises';
import { contracts } from '../../../chain/pure/contracts.ts';
import { payCall } from '../../../chain/pure/pay-call.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { distrustRecord, setWindow } from '../../../db/offers/record.ts';
import { forgetOffers } from '../../../db/offers/forget.ts';
import type { Offer } from '../../../domain/deal.ts';
import { startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { stopAfterEach } from '../support/running.ts';

let gateway: Gateway;
const keep = stopAfterEach();
beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2, signers: ['signer', 'otherSigner'] });
  await distrustRecord(gateway.knex, 4);
  await setWindow(gateway.knex, 4);
  await gateway.knex('offer_windows').update({ longest: 4 });
  await gateway.rpc.call('evm_setIntervalMining', [1]);
});
afterAll(() => gateway.close());

it('no payment ends while an offer that somebody has can still pay it', async () => {
  keep(gateway.startWatcher());
  keep(gateway.startLane());
  keep(gateway.startOffering({ keys: [gateway.keys.signer, gateway.keys.otherSigner] }));
  keep(gateway.startOffering({ keys: [gateway.keys.otherSigner] }));
  const payments: TestPayment[] = [];
  for (let n = 0; n < 60; n += 1) payments.push(...(await gateway.pay(1, { dealMode: 'offered', expiresIn: n % 4 === 0 ? 6 + (n % 9) : 3600 })));
  const shown = new Map<string, Offer[]>();
  const faults: string[] = [];
  const errors: string[] = [];
  let over = false;
  const rowOf = (id: string) => gateway.knex('payments').where({ id }).first();
  const tried = new Set<string>();
  /** Would the chain take one of the offers that were shown? */
  const wouldPay = async (p: TestPayment): Promise<boolean> => {
    for (const offer of shown.get(p.id) ?? []) {
      const { function_name: name, arguments: values } = payCall(p.terms, offer);
      const data = contracts.offer.interface.encodeFunctionData(name, values);
      try {
        await gateway.rpc.call('eth_call', [{ from: gateway.keys.buyer.address, to: gateway.world.diamondAddress, data, value: `0x${p.terms.amount.toString(16)}` }, 'latest']);
        return true;
      } catch { /* refused */ }
    }
    return false;
  };
  const judge = async () => {
    for (const p of payments) {
      if (tried.has(p.id)) continue;
      const { status } = await rowOf(p.id);
      if (!['canceled', 'expired', 'failed'].includes(status)) continue;
      tried.add(p.id);
      if (await wouldPay(p)) faults.push(`${p.id} is ${status} and payable`);
    }
  };
  const loop = async (f: () => Promise<unknown>, ms: number) => {
    while (!over) {
      try { await f(); } catch (e) { errors.push((e as Error).message.slice(-160)); }
      await delay(ms);
    }
  };
  const loops = [loop(judge, 100), loop(() => forgetOffers(gateway.knex), 300),
    loop(async () => { for (const id of (await gateway.knex('payments').where({ status: 'canceling' }).pluck('id')) as string[]) await decideCancel(gateway.knex, id); }, 50)];
  const rnd = (n: number) => delay(Math.random() * n);
  await Promise.all(payments.map(async (p, n) => {
    const read = async () => {
      await rnd(7_000);
      const offer = await gateway.reveal(p).catch((e) => { errors.push(String(e.message).slice(-160)); return null; });
      if (offer) shown.set(p.id, [...(shown.get(p.id) ?? []), offer]);
    };
    const cancel = async (onChain: boolean) => {
      await rnd(8_000);
      await gateway.knex.transaction((trx) => requestCancel(trx, { paymentId: p.id, actorId: 'x', onChain })).catch((e) => errors.push(String(e.message).slice(-160)));
    };
    await Promise.all([read(), read(), read(), read(), ...(n % 3 === 0 ? [] : [cancel(n % 2 === 0), cancel(n % 5 === 0)])]);
  }));
  const until = Date.now() + 30_000;
  const open = () => gateway.knex('payments').whereIn('id', payments.map(({ id }) => id)).whereIn('status', ['pending', 'canceling', 'processing']);
  while (Date.now() < until && (await open()).length > 0) await delay(300);
  await delay(800);
  over = true;
  await Promise.all(loops);
  const rows = await gateway.knex('payments').select('status', 'status_detail').count('* as n').groupBy('status', 'status_detail');
  process.stderr.write(JSON.stringify({ rows, faults, errors: [...new Set(errors)].slice(0, 5), shown: shown.size, tried: tried.size }) + '\n');
  expect(faults).toEqual([]);
  expect(errors).toEqual([]);
  expect((await open()).map(({ status, status_detail }) => `${status} ${status_detail}`)).toEqual([]);
}, 120_000);
