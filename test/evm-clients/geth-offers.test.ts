import { roleIds } from '../../chain/pure/roles.ts';
import { distrustRecord, setWindow } from '../../db/offers/record.ts';
import type { Offer } from '../../domain/deal.ts';
import type { Signer } from '../../chain/signing/signer.ts';
import { registryCall, startGateway, type Gateway, type TestPayment } from '../chain/support/gateway.ts';
import { allAre, allWait, stopAfterEach } from '../chain/support/running.ts';
import { startTestGeth, type TestGeth } from '../support/chain.ts';
import { eventually } from '../support/eventually.ts';

/*
 * geth holds its blocks back while a buyer's payment by an offer, and the revocation of the signer that made the offer, lie in its
 * pool. The tips decide which of the two comes first in the block.
 */

/** Wei per gas that a buyer's payment offers to the block's maker (`Gateway.buy`). */
const BUYERS_TIP = 10n ** 9n;

/** The flags of geth at its next start. */
const flags: string[] = [];
let geth: TestGeth;
let gateway: Gateway;
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway({
    startChain: async () => (geth = await startTestGeth(31_337, 'osaka', { flags })),
    blockTime: 1,
    confirmations: 2,
    signers: ['signer', 'otherSigner'],
  });
  await distrustRecord(gateway.knex, 900);
  await setWindow(gateway.knex, 900);
});
afterAll(() => gateway?.close());

beforeEach(() => {
  keep(gateway.startWatcher());
  keep(gateway.startOffering({ keys: signers() }));
});

const signers = (): readonly Signer[] => [gateway.keys.signer, gateway.keys.otherSigner];
const ask = (method: string, ...params: unknown[]) => gateway.rpc.call(method, params);

/** geth makes one block when it starts, and the next one in an hour. It keeps the transactions of its pool when it is stopped. */
const holdBlocks = (): Promise<void> => {
  flags.push('--dev.period', '3600');
  return geth.restart('SIGTERM');
};
const releaseBlocks = (): Promise<void> => {
  flags.splice(0);
  return geth.restart('SIGTERM');
};

/** Sends a change of a signer's role to the pool, and does not wait for its block. */
const sendRole = async (address: string, enabled: boolean, tip: bigint): Promise<string> => {
  const { root } = gateway.keys;
  const { raw } = await root.sign({
    eip155: gateway.network.eip155,
    nonce: Number(await ask('eth_getTransactionCount', root.address, 'pending')),
    to: gateway.registry,
    data: registryCall('setRole', roleIds.signer, address, enabled),
    value: 0n,
    gasLimit: 200_000n,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: tip,
  });
  return (await ask('eth_sendRawTransaction', raw)) as string;
};

interface Receipt {
  readonly status: string;
  readonly blockNumber: string;
  readonly transactionIndex: string;
}

const receiptOf = (hash: string): Promise<Receipt> =>
  eventually(async () => (await ask('eth_getTransactionReceipt', hash)) as Receipt | null, 60_000, 250);

/** Where the chain has a transaction: a higher place comes later. */
const placeOf = ({ blockNumber, transactionIndex }: Receipt): number =>
  Number(blockNumber) * 10_000 + Number(transactionIndex);

const accountOf = async ({ id }: TestPayment): Promise<string | undefined> =>
  (await gateway.knex('offers').where({ payment_id: id }).first())?.account_id;
const typesOf = ({ id }: TestPayment): Promise<string[]> =>
  gateway.knex('payment_logs').where({ payment_id: id }).orderBy('sequence').pluck('event_type');

const offered = async (): Promise<TestPayment> => {
  const [payment] = (await gateway.pay(1, { dealMode: 'offered' })) as [TestPayment];
  await allAre(gateway, [payment], 'awaiting_payment');
  return payment;
};
const revealed = (payment: TestPayment): Promise<Offer> => eventually(() => gateway.reveal(payment));

interface Race {
  readonly payment: TestPayment;
  readonly offer: Offer;
  /** Who made the offer. */
  readonly account: string;
  readonly address: string;
  readonly paid: Receipt;
  readonly revoked: Receipt;
}

/** A payment and the revocation of its signer in the pool at the same time, until both are in a block. */
const race = async (tipOfRevocation: bigint): Promise<Race> => {
  const payment = await offered();
  const offer = await revealed(payment);
  const account = (await accountOf(payment))!;
  const { address } = await gateway.knex('signer_accounts').where({ id: account }).first();
  await holdBlocks();
  const paying = await gateway.buy(payment, offer);
  const revoking = await sendRole(address, false, tipOfRevocation);
  const before = await ask('eth_blockNumber');
  expect(await ask('txpool_status')).toMatchObject({ pending: '0x2' });
  // Nothing of it is on the chain, so nothing of it is shown.
  expect(await gateway.statuses([payment])).toEqual(['awaiting_payment']);
  expect(await gateway.reveal(payment)).toEqual(offer);
  expect(await ask('eth_blockNumber')).toBe(before);
  await releaseBlocks();
  return { payment, offer, account, address, paid: await receiptOf(paying), revoked: await receiptOf(revoking) };
};

const statusOfAccount = async (id: string): Promise<string> =>
  (await gateway.knex('signer_accounts').where({ id }).first()).status;

/** Gives a signer its role back, which is noticed with the next payment. */
const restore = async ({ address }: { readonly address: string }): Promise<void> => {
  const { status } = await receiptOf(await sendRole(address, true, BUYERS_TIP));
  expect(status).toBe('0x1');
};

const paidOnce = ['payment_created', 'deal_offered', 'payment_detected', 'payment_confirmed'];

it("a payment mined before the revocation of its signer completes, and the next offers are the other signer's", async () => {
  const { payment, account, address, paid, revoked } = await race(BUYERS_TIP / 10n);
  expect([paid.status, revoked.status]).toEqual(['0x1', '0x1']);
  expect(placeOf(paid)).toBeLessThan(placeOf(revoked));
  await allAre(gateway, [payment], 'completed');
  expect(await typesOf(payment)).toEqual(paidOnce);
  const next = await offered();
  expect(await statusOfAccount(account)).toBe('paused');
  expect(await accountOf(next)).not.toBe(account);
  await gateway.buy(next, await revealed(next));
  await allAre(gateway, [next], 'completed');
  await restore({ address });
});

it("a payment mined after the revocation of its signer reverts, stays open, and is paid by the other signer's offer", async () => {
  const { payment, offer, account, address, paid, revoked } = await race(BUYERS_TIP * 10n);
  expect([paid.status, revoked.status]).toEqual(['0x0', '0x1']);
  expect(placeOf(revoked)).toBeLessThan(placeOf(paid));
  const later = await eventually(async () => {
    const now = await gateway.reveal(payment);
    return now !== null && now.signature !== offer.signature && now;
  });
  expect(await accountOf(payment)).not.toBe(account);
  expect(await gateway.statuses([payment])).toEqual(['awaiting_payment']);
  await gateway.buy(payment, later);
  await allAre(gateway, [payment], 'completed');
  expect(await typesOf(payment)).toEqual(paidOnce);
  await restore({ address });
});

it('a payment whose signers are all revoked stays open, and is payable again with the next signer', async () => {
  const before = await offered();
  const first = (await accountOf(before))!;
  const [second] = await gateway.knex('signer_accounts').where({ role: 'signer' }).whereNot({ id: first });
  await receiptOf(await sendRole(second.address, false, BUYERS_TIP));
  await eventually(async () => (await statusOfAccount(second.id)) === 'paused');
  const { payment, account, address, paid } = await race(BUYERS_TIP * 10n);
  expect([account, paid.status]).toEqual([first, '0x0']);
  await eventually(async () => (await gateway.reveal(payment)) === null);
  expect(await gateway.statuses([payment])).toEqual(['awaiting_payment']);
  await allWait(gateway, await gateway.pay(1, { dealMode: 'offered' }), 'signer_revoked');
  await restore(second);
  await gateway.buy(payment, await revealed(payment));
  expect(await accountOf(payment)).toBe(second.id);
  await allAre(gateway, [payment], 'completed');
  expect(await typesOf(payment)).toEqual(paidOnce);
  await restore({ address });
});
