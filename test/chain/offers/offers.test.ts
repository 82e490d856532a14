import { contracts } from '../../../chain/pure/contracts.ts';
import { offerHash } from '../../../chain/pure/deal-encoding.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import { decideCancel, requestCancel } from '../../../db/payments/cancel.ts';
import { distrustRecord, setWindow } from '../../../db/offers/record.ts';
import { eventually } from '../../support/eventually.ts';
import { registryCall, startGateway, type Gateway, type TestPayment } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';
import { allAre, allWait, stopAfterEach, timesCreated } from '../support/running.ts';

/*
 * Deals that signers offer: from the signature to the end, on a chain, with real watchers. No lane runs unless a test starts one.
 */

let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2, signers: ['signer', 'otherSigner'] });
  await distrustRecord(gateway.knex, 60);
});
afterAll(() => gateway.close());
beforeEach(async () => {
  await gateway.rpc.call('evm_setIntervalMining', [1]);
  await setWindow(gateway.knex, 60);
});

const rowOf = ({ id }: TestPayment) => gateway.knex('payments').where({ id }).first();
const endsOf = ({ id }: TestPayment) => gateway.knex('offer_ends').where({ payment_id: id }).first();
const typesOf = ({ id }: TestPayment): Promise<string[]> =>
  gateway.knex('payment_logs').where({ payment_id: id }).orderBy('sequence').pluck('event_type');
const offersOf = ({ id }: TestPayment) => gateway.knex('offers').where({ payment_id: id }).orderBy('valid_until');
const offered = async (count = 1): Promise<TestPayment[]> => {
  const payments = await gateway.pay(count, { dealMode: 'offered' });
  await allAre(gateway, payments, 'awaiting_payment');
  return payments;
};
const revealed = async (payment: TestPayment) => {
  const offer = await gateway.reveal(payment);
  if (offer === null) throw new Error('no offer is revealed');
  return offer;
};
const cancel = async ({ id }: TestPayment, onChain = false): Promise<void> => {
  const request = { paymentId: id, actorId: 'a merchant', onChain };
  expect(await gateway.knex.transaction((trx) => requestCancel(trx, request))).not.toBe('refused');
  await decideCancel(gateway.knex, id);
};
const setRole = (account: string, enabled: boolean): Promise<void> =>
  gateway.send(gateway.keys.root, gateway.registry, registryCall('setRole', roleIds.signer, account, enabled));
const setPaused = (paused: boolean): Promise<void> =>
  gateway.send(gateway.keys.root, gateway.registry, registryCall('setPaused', paused));
const intents = () => gateway.knex('tx_intents');

describe('An offered payment', () => {
  it('is payable without a transaction, completes like any other, and costs the operator no gas', async () => {
    keep(gateway.startWatcher());
    keep(gateway.startOffering());
    const [payment] = (await offered()) as [TestPayment];
    expect(await rowOf(payment)).toMatchObject({
      deal_tx_hash: null,
      deal_block_number: null,
    });
    expect(await endsOf(payment)).toMatchObject({ revealed_until: null });
    await gateway.buy(payment, await revealed(payment));
    await allAre(gateway, [payment], 'completed');
    expect(await typesOf(payment)).toEqual([
      'payment_created',
      'deal_offered',
      'payment_detected',
      'payment_confirmed',
    ]);
    expect(await rowOf(payment)).toMatchObject({
      deal_tx_hash: null,
      deal_block_number: null,
      paid_tx_hash: expect.any(String),
    });
    expect(await timesCreated(gateway, [payment])).toEqual([0]);
    expect(await intents()).toEqual([]);
  });

  it('becomes payable while its chain stands still', async () => {
    keep(gateway.startOffering());
    await gateway.rpc.call('evm_setIntervalMining', [0]);
    const before = await gateway.rpc.call('eth_blockNumber');
    await offered(30);
    expect(await gateway.rpc.call('eth_blockNumber')).toBe(before);
  });

  it('has the offers of this window and the next, and later ones only while it has a reader', async () => {
    await setWindow(gateway.knex, 4);
    keep(gateway.startOffering());
    const [payment, other] = (await offered(2)) as [TestPayment, TestPayment];
    const [first, second, ...more] = await offersOf(payment);
    expect(more).toEqual([]);
    expect(second.valid_until - first.valid_until).toBe(2);
    const early = await revealed(payment);
    await eventually(async () => (await revealed(payment)).validUntil >= BigInt(second.valid_until) + 2n);
    expect(early.validUntil).toBeLessThanOrEqual(BigInt(second.valid_until));
    expect(await offersOf(other)).toHaveLength(2);
    const now = BigInt(Math.floor(Date.now() / 1000));
    const offer = await revealed(payment);
    expect(offer.validUntil - now).toBeGreaterThanOrEqual(2n);
    expect(offer.validUntil - now).toBeLessThanOrEqual(5n);
  });

  it('is revealed only with its record, and the last offer ends with the deal', async () => {
    keep(gateway.startOffering());
    const [payment] = (await gateway.pay(1, { dealMode: 'offered', expiresIn: 20 })) as [TestPayment];
    await allAre(gateway, [payment], 'awaiting_payment');
    const offer = await revealed(payment);
    expect(offer.validUntil).toBe(BigInt(payment.expiresUnix));
    expect((await endsOf(payment)).revealed_until).toBe(String(payment.expiresUnix));
    expect(offer.signature).toMatch(/^0x[0-9a-f]{128}$/);
    const [stored] = await offersOf(payment);
    expect(stored.encrypted.toString('hex')).not.toContain(offer.signature.slice(2));
    expect(stored.encrypted.toString('latin1')).not.toContain(offer.signature.slice(2, 40));
  });

  it('keeps its terms forever', async () => {
    const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
    for (const change of [
      { paid_price_units: '7' },
      { payment_address: gateway.keys.stranger.address },
      { token_address: null },
      { deal_id: '7' },
      { expires_unix: 7 },
      { deal_mode: 'created' },
    ]) {
      await expect(gateway.knex('payments').where({ id: payment.id }).update(change)).rejects.toThrow(/never change/);
    }
  });

  it('expires unpaid, without a transaction', async () => {
    keep(gateway.startWatcher());
    keep(gateway.startOffering());
    const [payment] = (await gateway.pay(1, { dealMode: 'offered', expiresIn: 4 })) as [TestPayment];
    await allAre(gateway, [payment], 'awaiting_payment');
    await gateway.reveal(payment);
    await allAre(gateway, [payment], 'expired');
    expect(await intents().where({ payment_id: payment.id })).toEqual([]);
  });
});

describe('The payment of an offered deal that is reorganised away', () => {
  it('is open again, is never created, and can be paid again', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher());
    keep(gateway.startOffering());
    const [payment] = (await offered()) as [TestPayment];
    const offer = await revealed(payment);
    await gateway.rpc.call('evm_setIntervalMining', [0]);
    await gateway.buy(payment, offer);
    await gateway.rpc.call('anvil_mine', ['0x1']);
    await allAre(gateway, [payment], 'processing');
    await gateway.rpc.call('anvil_reorg', [1, []]);
    await gateway.rpc.call('anvil_mine', ['0x2']);
    await allAre(gateway, [payment], 'awaiting_payment');
    await gateway.rpc.call('evm_setIntervalMining', [1]);
    await gateway.buy(payment, await revealed(payment));
    await allAre(gateway, [payment], 'completed');
    expect(await typesOf(payment)).toEqual([
      'payment_created',
      'deal_offered',
      'payment_detected',
      'payment_reorged',
      'payment_detected',
      'payment_confirmed',
    ]);
    expect(await intents()).toEqual([]);
  });
});

describe('A cancel of an offered payment', () => {
  it('takes effect at once where no offer was revealed', async () => {
    keep(gateway.startOffering());
    const [payment] = (await offered()) as [TestPayment];
    await cancel(payment);
    expect(await rowOf(payment)).toMatchObject({ status: 'canceled', status_detail: 'canceled_before_creation' });
    expect(await gateway.reveal(payment)).toBeNull();
  });

  it('waits for the end of the revealed offer by the time of the chain, and needs no transaction', async () => {
    await setWindow(gateway.knex, 4);
    keep(gateway.startOffering());
    const watcher = keep(gateway.startWatcher());
    const [payment] = (await offered()) as [TestPayment];
    const offer = await revealed(payment);
    await cancel(payment);
    expect(await rowOf(payment)).toMatchObject({ status: 'canceling' });
    expect(await gateway.reveal(payment)).toBeNull();
    await allAre(gateway, [payment], 'canceled');
    await watcher.stop();
    const [last] = (await gateway
      .knex('payment_logs')
      .where({ payment_id: payment.id })
      .orderBy('sequence', 'desc')) as [{ data: { block_number: number } }];
    const at = `0x${last.data.block_number.toString(16)}`;
    const { timestamp } = (await gateway.rpc.call('eth_getBlockByNumber', [at, false])) as { timestamp: string };
    expect(BigInt(timestamp)).toBeGreaterThanOrEqual(offer.validUntil);
    expect(await intents()).toEqual([]);
  });

  it('is lost to a buyer who pays by the revealed offer', async () => {
    keep(gateway.startWatcher());
    keep(gateway.startOffering());
    const [payment] = (await offered()) as [TestPayment];
    const offer = await revealed(payment);
    await cancel(payment);
    await gateway.buy(payment, offer);
    await allAre(gateway, [payment], 'completed');
    expect(await typesOf(payment)).toContain('cancel_lost_race');
  });

  it('is a tombstone at once where the merchant requests a transaction, even later', async () => {
    keep(gateway.startLane());
    keep(gateway.startWatcher());
    keep(gateway.startOffering());
    const [one, other] = (await offered(2)) as [TestPayment, TestPayment];
    const offers = [await revealed(one), await revealed(other)];
    await cancel(one, true);
    await cancel(other);
    expect(await intents().pluck('payment_id')).toEqual([one.id]);
    await cancel(other, true);
    await allAre(gateway, [one, other], 'canceled');
    expect(offers[1]!.validUntil).toBeGreaterThan(BigInt(Math.floor(Date.now() / 1000)));
    const word = await gateway.rpc.call('eth_call', [
      {
        to: gateway.world.diamondAddress,
        data: contracts.deal.interface.encodeFunctionData('dealWords', [[other.dealId]]),
      },
      'latest',
    ]);
    expect(String(word).slice(-2)).toBe('03');
    await gateway.knex('tx_intents').where({ state: 'settled' }).delete();
  });

  it('waits for two windows in a restored database', async () => {
    keep(gateway.startOffering());
    const [payment] = (await offered()) as [TestPayment];
    await gateway.knex('offer_windows').update({ database: 'another' });
    await cancel(payment);
    expect(await rowOf(payment)).toMatchObject({ status: 'canceling' });
    expect(await endsOf(payment)).toMatchObject({ revealed_until: null });
    expect(await distrustRecord(gateway.knex, 60)).toBeGreaterThan(0);
    expect(await distrustRecord(gateway.knex, 60)).toBeNull();
    const { revealed_until: until } = await endsOf(payment);
    expect(until - Date.now() / 1000).toBeGreaterThan(1_700);
    await cancel(payment);
    expect(await rowOf(payment)).toMatchObject({ status: 'canceling' });
  });
});

describe('The signers of a network', () => {
  it('replace each other: the other one signs the offers of a signer that loses its role', async () => {
    const { signer, otherSigner } = gateway.keys;
    keep(gateway.startWatcher());
    keep(gateway.startOffering({ keys: [signer, otherSigner] }));
    const [payment] = (await offered()) as [TestPayment];
    const accountOf = async () => (await offersOf(payment))[0]?.account_id as string | undefined;
    const before = await accountOf();
    const { address } = await gateway.knex('signer_accounts').where({ id: before }).first();
    await setRole(address, false);
    await eventually(async () => {
      const now = await accountOf();
      return now !== undefined && now !== before;
    });
    await gateway.buy(payment, await revealed(payment));
    await allAre(gateway, [payment], 'completed');
    await setRole(address, true);
    await eventually(
      async () => (await gateway.knex('signer_accounts').where({ id: before }).first()).status === 'active',
    );
  });

  it('without a role leave payments waiting that show this, and sign them once one has its role again', async () => {
    const addresses = [gateway.keys.signer.address, gateway.keys.otherSigner.address];
    for (const address of addresses) await setRole(address, false);
    keep(gateway.startOffering());
    const payments = await gateway.pay(2, { dealMode: 'offered' });
    await allWait(gateway, payments, 'signer_revoked');
    expect(
      await gateway.knex('offers').whereIn(
        'payment_id',
        payments.map(({ id }) => id),
      ),
    ).toEqual([]);
    for (const address of addresses) await setRole(address, true);
    await allAre(gateway, payments, 'awaiting_payment');
  });

  it('sign nothing while the contracts are paused', async () => {
    await setPaused(true);
    keep(gateway.startOffering());
    const payments = await gateway.pay(1, { dealMode: 'offered' });
    await allWait(gateway, payments, 'network_paused');
    expect(await offersOf(payments[0]!)).toEqual([]);
    await setPaused(false);
    await allAre(gateway, payments, 'awaiting_payment');
  });

  it('wait for the first read of their roles, and go on without the network after it', async () => {
    const proxy = await startProxy(gateway.chain.url);
    try {
      proxy.mode = '500';
      await gateway.knex('signer_accounts').update({ role_read_at: null });
      keep(gateway.startOffering({ urls: [proxy.url] }));
      const payments = await gateway.pay(1, { dealMode: 'offered' });
      await allWait(gateway, payments, 'network_unreachable');
      expect(await offersOf(payments[0]!)).toEqual([]);
      proxy.mode = 'pass';
      await allAre(gateway, payments, 'awaiting_payment');
      proxy.mode = '500';
      await offered();
    } finally {
      await proxy.close();
    }
  });
});

describe('An id spoiled by a thief of a signer key', () => {
  it('fails its payment with an alert, and takes nothing', async () => {
    keep(gateway.startOffering());
    const [payment] = (await offered()) as [TestPayment];
    const { terms } = payment;
    const theirs = { ...payment, terms: { ...terms, amount: 1n, payee: gateway.keys.stranger.address } };
    const validUntil = BigInt(payment.expiresUnix);
    const digest = offerHash(gateway.network.eip155, gateway.world.diamondAddress, theirs.terms, validUntil);
    await gateway.buy(theirs, { validUntil, signature: await gateway.keys.signer.signDigest(digest) });
    keep(gateway.startWatcher());
    await allAre(gateway, [payment], 'failed');
    expect(await rowOf(payment)).toMatchObject({ status_detail: 'deal_conflict', paid_tx_hash: null });
    const kinds = await gateway.knex('alerts').pluck('kind');
    expect(kinds).toEqual(expect.arrayContaining(['deal_unknown', 'deal_conflict']));
  });
});
