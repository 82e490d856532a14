import { randomUUID } from 'node:crypto';
import { contracts } from '../../../chain/pure/contracts.ts';
import type { DealEvent } from '../../../domain/deal.ts';
import { eventually } from '../../support/eventually.ts';
import { createPaymentRow, hex, type PaymentRow } from '../../support/fixtures.ts';
import { emitCall, placeEmitter } from '../support/emitter.ts';
import { startGateway, type Gateway, type RunOptions, type TestPayment } from '../support/gateway.ts';
import { NONSENSE_CODE, startLiar, type Liar } from '../support/liar.ts';
import { allAre, stopAfterEach, throwOnceAt } from '../support/running.ts';

/*
 * Endpoints that lie, seen from outside: the words of deals decide, not logs.
 */

let gateway: Gateway;
let liar: Liar;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 3 });
});
afterAll(() => gateway.close());

beforeEach(async () => {
  liar = await startLiar(gateway);
});
afterEach(() => liar.close());

/** The liar first; beside it as many sound endpoints as the quorum needs. */
const among = (quorum: number): RunOptions => ({
  urls: [liar.url, ...Array.from({ length: quorum - 1 }, () => gateway.chain.url)],
  network: { quorum },
});

const rowOf = ({ id }: PaymentRow) => gateway.knex('payments').where({ id }).first();
const logOf = ({ id }: PaymentRow): Promise<string[]> =>
  gateway.knex('payment_logs').where({ payment_id: id }).orderBy('sequence').pluck('event_type');
const alertsOf = async (kind: string, { id }: PaymentRow): Promise<unknown[]> =>
  gateway.knex('alerts').where({ kind, payment_id: id });
const balanceOf = async (address: string): Promise<bigint> =>
  BigInt((await gateway.rpc.call('eth_getBalance', [address, 'latest'])) as string);
const tip = async () => {
  const block = (await gateway.rpc.call('eth_getBlockByNumber', ['latest', false])) as Record<string, string>;
  return { number: Number(block.number), timestamp: Number(block.timestamp) };
};
/** Waits until everything in the present blocks was judged. */
const judged = async (): Promise<void> => {
  const { number } = await tip();
  await eventually(async () => {
    const cursor = await gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
    return Number(cursor.confirmed_number) > number + 1;
  });
};
/**
 * Waits until the forged events were told and judged. A watcher that catches up records an event and clears it at once, so a test may
 * never see the row with it.
 */
const toldAndJudged = async (): Promise<void> => {
  await eventually(() => liar.hasTold());
  await judged();
};
/** A payment whose deal is confirmed. */
const ready = async (options?: Parameters<Gateway['pay']>[1]): Promise<TestPayment> => {
  const [payment] = await gateway.pay(1, options);
  await allAre(gateway, [payment!], 'awaiting_payment');
  return payment!;
};

describe('One judge of words', () => {
  describe.each([1, 2])('with a quorum of %d', (quorum) => {
    it('takes a forged DealPaid back, which completes nothing and blocks no true payment', async () => {
      keep(gateway.startLane());
      keep(gateway.startWatcher(among(quorum)));
      const payment = await ready();
      liar.forge('paid', payment);
      await toldAndJudged();
      await allAre(gateway, [payment], 'awaiting_payment');
      expect(await logOf(payment)).toContain('payment_reorged');
      expect(await rowOf(payment)).toMatchObject({
        status_detail: 'payment_not_borne_out',
        paid_tx_hash: null,
        paid_block_number: null,
        paid_block_hash: null,
        payer_address: null,
      });
      expect(await balanceOf(payment.terms.payee)).toBe(0n);
      // Told just before the true one, which must not be lost behind it.
      liar.forge('paid', payment);
      await eventually(() => liar.hasTold());
      const hash = await gateway.buy(payment);
      await allAre(gateway, [payment], 'completed');
      expect(await rowOf(payment)).toMatchObject({ paid_tx_hash: hash });
      expect(await balanceOf(payment.terms.payee)).toBe(payment.terms.amount);
    });

    it('lets a payment expire in spite of a forged DealPaid', async () => {
      keep(gateway.startLane());
      keep(gateway.startWatcher(among(quorum)));
      const payment = await ready({ expiresIn: 20 });
      liar.forge('paid', payment);
      await allAre(gateway, [payment], 'expired');
      expect(liar.hasTold()).toBe(true);
      expect(await logOf(payment)).toContain('payment_reorged');
    });

    it.each<DealEvent['kind']>(['created', 'paid', 'cancelled', 'conflict'])(
      'lets a forged %s of a pending payment change nothing in the end',
      async (kind) => {
        keep(gateway.startWatcher(among(quorum)));
        const [payment] = await gateway.pay(1);
        liar.forge(kind, payment!);
        const column = { created: 'deal', paid: 'paid', cancelled: 'cancel', conflict: 'conflict' }[kind];
        await toldAndJudged();
        await eventually(async () => (await rowOf(payment!))[`${column}_block_number`] === null);
        expect(await rowOf(payment!)).toMatchObject({ status: 'pending', retries_used: 0 });
        keep(gateway.startLane());
        await allAre(gateway, [payment!], 'awaiting_payment');
        await gateway.buy(payment!);
        await allAre(gateway, [payment!], 'completed');
      },
    );

    it('ends no open deal by a forged DealCancelled or DealConflict', async () => {
      keep(gateway.startLane());
      keep(gateway.startWatcher(among(quorum)));
      const payment = await ready();
      liar.forge('cancelled', payment);
      liar.forge('conflict', payment);
      await toldAndJudged();
      await eventually(async () => (await rowOf(payment)).cancel_block_number === null);
      await eventually(async () => (await rowOf(payment)).conflict_block_number === null);
      expect(await rowOf(payment)).toMatchObject({
        status: 'awaiting_payment',
        cancel_tx_hash: null,
        conflict_tx_hash: null,
      });
    });
  });

  it('has the logs that one endpoint leaves out from another one of the quorum', async () => {
    liar.silence(true);
    keep(gateway.startLane());
    keep(gateway.startWatcher(among(2)));
    const payment = await ready();
    const hash = await gateway.buy(payment);
    await allAre(gateway, [payment], 'completed');
    expect(await rowOf(payment)).toMatchObject({ paid_tx_hash: hash });
    expect(await logOf(payment)).toEqual([
      'payment_created',
      'deal_confirmed',
      'payment_detected',
      'payment_confirmed',
    ]);
  });

  it('seeks the log of a paid word in receipts, and completes the payment', async () => {
    liar.silence(false);
    keep(gateway.startLane());
    keep(gateway.startWatcher(among(1)));
    const payment = await ready({ expiresIn: 6 });
    const hash = await gateway.buy(payment);
    await allAre(gateway, [payment], 'completed');
    expect(await rowOf(payment)).toMatchObject({ paid_tx_hash: hash });
    expect(await alertsOf('paid_without_log', payment)).toEqual([]);
  });

  it('seeks that log on other endpoints', async () => {
    liar.silence(true);
    keep(gateway.startLane());
    const urls = [liar.url, gateway.chain.url];
    // Deeper than the headers that are kept.
    keep(gateway.startWatcher({ urls, network: { quorum: 1, finality: 4 } }));
    const payment = await ready({ expiresIn: 6 });
    const hash = await gateway.buy(payment);
    await allAre(gateway, [payment], 'completed');
    expect(await rowOf(payment)).toMatchObject({ paid_tx_hash: hash });
  });

  it('completes the payment without a hash and with an alert if no endpoint has that log', async () => {
    liar.silence(true);
    keep(gateway.startLane());
    keep(gateway.startWatcher(among(1)));
    const payment = await ready({ expiresIn: 6 });
    await gateway.buy(payment);
    await allAre(gateway, [payment], 'completed');
    expect(await rowOf(payment)).toMatchObject({ paid_tx_hash: null });
    expect(await alertsOf('paid_without_log', payment)).toHaveLength(1);
  });

  it('judges a word on which endpoints disagree later, and delays no other', async () => {
    keep(gateway.startLane());
    const [first, second] = await gateway.pay(2);
    let isLying = true;
    const { tamper } = liar;
    liar.tamper = (request, result) => {
      const told = tamper?.(request, result);
      const [call] = request.params as [{ data?: string }];
      const id = first!.dealId.toString(16).padStart(64, '0');
      if (!isLying || request.method !== 'eth_call' || !call.data?.includes(id)) return told;
      // The word of this deal becomes one that was paid.
      const open = first!.termsHash.slice(2, 64);
      return (told as string).replace(`${open}01`, `${open}02`);
    };
    keep(gateway.startWatcher(among(2)));
    await allAre(gateway, [second!], 'awaiting_payment');
    await judged();
    expect(await gateway.statuses([first!])).toEqual(['pending']);
    isLying = false;
    await allAre(gateway, [first!], 'awaiting_payment');
  });

  it('keeps a deal payable that one endpoint says is gone', async () => {
    keep(gateway.startLane());
    let isLying = false;
    const { tamper } = liar;
    liar.tamper = (request, result) => {
      const told = tamper?.(request, result);
      if (!isLying || request.method !== 'eth_call') return told;
      return (told as string).replace(`${payment.termsHash.slice(2, 64)}01`, '0'.repeat(64));
    };
    keep(gateway.startWatcher({ ...among(2), watch: { recheck: 100 } }));
    const payment = await ready();
    isLying = true;
    // Its word is asked for although nothing hints at a change.
    await gateway.knex('payments').where({ id: payment.id }).update({ deal_block_number: null, deal_tx_hash: null });
    await judged();
    expect(await logOf(payment)).toEqual(['payment_created', 'deal_confirmed']);
    isLying = false;
    await eventually(async () => (await rowOf(payment)).deal_block_number !== null);
    expect(await logOf(payment)).toEqual(['payment_created', 'deal_confirmed']);
  });

  it.each(['runWatcher:before_judge', 'runWatcher:after_judge'] as const)(
    'that dies at %s is continued by the next run',
    async (point) => {
      keep(gateway.startLane());
      const killer = throwOnceAt(point);
      const first = keep(gateway.startWatcher({ failpoint: killer.failpoint }));
      const [payment] = await gateway.pay(1);
      await expect(first.ended).rejects.toThrow(point);
      keep(gateway.startWatcher());
      await allAre(gateway, [payment!], 'awaiting_payment');
      await eventually(async () => (await gateway.knex('tx_slots').whereNot({ state: 'confirmed' })).length === 0);
    },
  );
});

describe("Only Carat's diamonds count", () => {
  it('a contract at the given address of a wallet completes nothing by echoing logs', async () => {
    const { knex, world } = gateway;
    const [address, walletId] = [hex(20), randomUUID()];
    await knex('wallets').insert({
      id: walletId,
      node_id: world.nodeId,
      chain_id: world.chainId,
      name: 'adopting',
      address,
      adopted: true,
    });
    await knex('diamonds').insert({
      wallet_id: walletId,
      network_id: world.networkId,
      address,
      status: 'deploying',
      operator_account_id: world.operatorAccountId,
    });
    const { timestamp } = await tip();
    const payment = await createPaymentRow(
      knex,
      { ...world, walletId, diamondAddress: address },
      { expiresUnix: timestamp + 5 },
    );
    await placeEmitter(gateway.rpc, address, 4);
    keep(gateway.startWatcher());
    const { dealId, termsHash } = payment;
    const paid = contracts.deal.interface.encodeEventLog('DealPaid', [
      dealId,
      termsHash,
      hex(20),
      hex(20),
      hex(20),
      1n,
    ]);
    await gateway.send(gateway.keys.stranger, address, emitCall(paid));
    await judged();
    expect(await rowOf(payment)).toMatchObject({ status: 'pending', paid_tx_hash: null });
    // Its diamond was never active: no word is asked for.
    await eventually(async () => (await rowOf(payment)).status === 'expired');
  });
});

describe('Expiry', () => {
  it('goes on for a network whatever one diamond answers, and for all due payments', async () => {
    const { knex, world } = gateway;
    const address = hex(20);
    await gateway.rpc.call('anvil_setCode', [address, NONSENSE_CODE]);
    const walletId = randomUUID();
    await knex('wallets').insert({
      id: walletId,
      node_id: world.nodeId,
      chain_id: world.chainId,
      name: 'nonsense',
      address,
    });
    await knex('diamonds').insert({
      wallet_id: walletId,
      network_id: world.networkId,
      address,
      status: 'active',
      operator_account_id: world.operatorAccountId,
    });
    const { timestamp: expiresUnix } = await tip();
    const undecided: PaymentRow[] = [];
    for (let i = 0; i < 600; i += 1) {
      undecided.push(await createPaymentRow(knex, { ...world, walletId, diamondAddress: address }, { expiresUnix }));
    }
    const due: PaymentRow[] = [];
    for (let i = 0; i < 600; i += 1) due.push(await createPaymentRow(knex, world, { expiresUnix }));
    const watcher = keep(gateway.startWatcher());
    const idsOf = (payments: readonly PaymentRow[]) => payments.map(({ id }) => id);
    await eventually(async () => {
      const rows = await knex('payments').whereIn('id', idsOf(due)).whereNot({ status: 'expired' });
      return rows.length === 0;
    });
    // One deal is answered by a word that no release writes, several by too few.
    await knex('payments')
      .whereIn('id', idsOf(undecided.slice(1)))
      .update({ expires_unix: 4_000_000_000 });
    await judged();
    const open = await knex('payments').whereIn('id', idsOf(undecided)).where({ status: 'pending' });
    expect(open).toHaveLength(undecided.length);
    await watcher.stop();
    await knex('payments').where({ id: undecided[0]!.id }).update({ expires_unix: 4_000_000_000 });
  });
});
