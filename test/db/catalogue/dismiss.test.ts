import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { applyCatalogue } from '../../../db/catalogue/apply.ts';
import { moveLane, keepHeld } from '../../../db/catalogue/dismiss.ts';
import { connect } from '../../../db/connection.ts';
import { isLaneOver, accountsWithLane, signersOf } from '../../../db/lane/accounts.ts';
import { keysWithoutHolder, renewHolder } from '../../../db/lane/holders.ts';
import { alertKeyless } from '../../../db/lane/keyless.ts';
import { insertDealIntents } from '../../../db/intents/deals.ts';
import { requestDeployment } from '../../../db/wallets/request-deployment.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { createPaymentRow, createWorld, hex, type World } from '../../support/fixtures.ts';

let world: World;
let addresses: { operator: string; upgrader: string };

const knex = connect((await createTestDatabase()).url, { pool: 4 });
afterAll(() => knex.destroy());

beforeEach(async () => {
  addresses = { operator: hex(20), upgrader: hex(20) };
  world = await createWorld(knex, { operatorAddress: addresses.operator, upgraderAddress: addresses.upgrader });
});

/** Applies a file that gives the network of the world these keys. */
const apply = async (operators: readonly string[], upgrader = addresses.upgrader, isWanted = false) => {
  const network = await knex('networks').where({ id: world.networkId }).first();
  const chain = await knex('chains')
    .where({ id: world.chainId })
    .first('id', 'name', 'first_root', 'platform_id', 'approval_delay');
  const file = {
    chains: [chain],
    networks: [
      {
        id: network.id,
        name: network.name,
        chain: chain.name,
        eip155: Number(network.eip155),
        rpc_urls: network.rpc_urls,
        confirmations: 3,
        finality: 64,
        block_time_ms: 200,
        max_fee_per_gas_gwei: 1_000,
        operators,
        upgrader,
        guardian: network.guardian,
      },
    ],
  };
  const check = () => Promise.resolve({ genesisHash: null, problems: [] });
  const applied = await applyCatalogue(knex, file, check, { isWanted });
  return { ...applied, dismissed: applied.dismissed.filter((lane) => lane.network === network.name) };
};

const accountOf = async (address: string): Promise<string> =>
  (await knex('signer_accounts').where({ network_id: world.networkId, address }).first('id')).id;

/** Gives the queued intents of an account a nonce, as its lane does. */
const assign = async (accountId: string, paymentIds: readonly string[]): Promise<string> => {
  const row = { account_id: accountId, nonce: 0, to_address: hex(20), data: Buffer.alloc(1), gas_limit: 1 };
  const [{ id }] = await knex('tx_slots').insert(row).returning('id');
  await knex('tx_intents').whereIn('payment_id', paymentIds).update({ state: 'assigned', slot_id: id });
  return id;
};

const wantDeal = async (): Promise<string> => {
  const { id } = await createPaymentRow(knex, world);
  await insertDealIntents(knex, [id]);
  return id;
};

it('a key that leaves the file hands on its diamonds and its intents without a nonce, and finishes the rest', async () => {
  const [sent, waiting] = [await wantDeal(), await wantDeal()];
  const slotId = await assign(world.operatorAccountId, [sent]);
  const heirs = [hex(20), hex(20)];
  const { dismissed } = await apply(heirs);
  const old = {
    networkId: world.networkId,
    network: expect.any(String),
    address: addresses.operator,
    role: 'operator',
  };
  expect(dismissed).toEqual([{ ...old, open: 1 }]);

  const diamond = await knex('diamonds').where({ wallet_id: world.walletId }).first();
  expect(await Promise.all(heirs.map(accountOf))).toContain(diamond.operator_account_id);
  const intents = await knex('tx_intents').whereIn('payment_id', [sent, waiting]).select('payment_id', 'account_id');
  expect(new Map(intents.map((intent) => [intent.payment_id, intent.account_id]))).toEqual(
    new Map([
      [sent, world.operatorAccountId],
      [waiting, diamond.operator_account_id],
    ]),
  );
  expect((await signersOf(knex, world.networkId)).operators.toSorted()).toEqual(heirs.toSorted());
  const isRun = async () => (await accountsWithLane(knex)).some(({ id }) => id === world.operatorAccountId);
  expect([await isRun(), await isLaneOver(knex, world.operatorAccountId)]).toEqual([true, false]);

  const mined = { state: 'confirmed', block_number: 1, block_hash: hex(32), tx_hash: hex(32) };
  await knex('tx_slots').where({ id: slotId }).update(mined);
  expect(await apply(heirs)).toMatchObject({ changes: 0, dismissed: [{ ...old, open: 0 }] });
  expect([await isRun(), await isLaneOver(knex, world.operatorAccountId)]).toEqual([false, true]);

  // A day later the dismissal is not reported, unless work of the key is still under way.
  const lane = { id: world.operatorAccountId };
  await knex('signer_accounts')
    .where(lane)
    .update({ dismissed_at: knex.raw(`now() - interval '25 hours'`) });
  expect(await apply(heirs)).toMatchObject({ changes: 0, dismissed: [] });
  await knex('tx_slots')
    .where({ id: slotId })
    .update({ state: 'signed', block_number: null, block_hash: null, tx_hash: null });
  expect(await apply(heirs)).toMatchObject({ changes: 0, dismissed: [{ ...old, open: 1 }] });
});

it('late intents of the old lane are handed on by the next application, and a key may come back', async () => {
  const heir = hex(20);
  await apply([heir]);
  const payment = await wantDeal();
  await knex('tx_intents').where({ payment_id: payment }).update({ account_id: world.operatorAccountId });
  expect(await isLaneOver(knex, world.operatorAccountId)).toBe(false);
  await apply([heir]);
  expect(await knex('tx_intents').where({ payment_id: payment }).first('account_id')).toEqual({
    account_id: await accountOf(heir),
  });
  expect((await apply([heir, addresses.operator])).dismissed).toEqual([]);
  expect(await isLaneOver(knex, world.operatorAccountId)).toBe(false);
});

/** Connections that wait for another one. */
const waiting = async (): Promise<number> => {
  const waits =
    'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0';
  return (await knex.raw<{ rows: unknown[] }>(waits)).rows.length;
};

describe('a transaction that begins before a dismissal and commits after it', () => {
  /** Dismisses a key while an open transaction has written rows of that key, which commits afterwards. */
  const dismissDuring = async (
    dismissal: () => Promise<unknown>,
    write: (trx: Knex.Transaction) => Promise<unknown>,
  ) => {
    const open = await knex.transaction();
    await write(open);
    let isDone = false;
    const dismissed = dismissal().finally(() => (isDone = true));
    await eventually(async () => isDone || (await waiting()) > 0);
    await open.commit();
    await dismissed;
  };
  const dismissals: Record<string, (heir: string) => Promise<unknown>> = {
    'the catalogue': (heir) => apply([heir]),
    'a move': (to) => moveLane(knex, { networkId: world.networkId, from: addresses.operator, to }),
  };

  it.each(Object.keys(dismissals))('leaves no intent on the lane that %s dismisses', async (by) => {
    const heir = hex(20);
    const { id } = await createPaymentRow(knex, world);
    await dismissDuring(
      () => dismissals[by]!(heir),
      (trx) => insertDealIntents(trx, [id]),
    );
    const intents = await knex('tx_intents').where({ payment_id: id }).select('state', 'account_id');
    expect(intents).toEqual([{ state: 'queued', account_id: await accountOf(heir) }]);
  });

  it.each(Object.keys(dismissals))('leaves no new diamond on the lane that %s dismisses', async (by) => {
    const heir = hex(20);
    const shared = { node_id: world.nodeId, chain_id: world.chainId, name: 'w' };
    const [wallet] = await knex('wallets')
      .insert({ ...shared, address: hex(20) })
      .returning<{ id: string }[]>('id');
    const walletId = wallet!.id;
    await dismissDuring(
      () => dismissals[by]!(heir),
      (trx) => requestDeployment(trx, { walletId, networkId: world.networkId, integrationId: null }),
    );
    expect(await knex('diamonds').where({ wallet_id: walletId }).pluck('operator_account_id')).toEqual([
      await accountOf(heir),
    ]);
  });
});

describe('while a writer does not end', () => {
  const during = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    const { id } = await createPaymentRow(knex, world);
    const open = await knex.transaction();
    await insertDealIntents(open, [id]);
    try {
      return await act();
    } finally {
      await open.commit();
    }
  };
  /** Dates every dismissal back, or undoes it with 0. */
  const dateBack = (days: number) =>
    knex('signer_accounts')
      .whereNotNull('dismissed_at')
      .update({ dismissed_at: days === 0 ? null : knex.raw(`now() - interval '${days} days'`) });

  it('a dismissal gives up by name before the writers behind it do, and the next application hands over', async () => {
    const heir = hex(20);
    const { id } = await createPaymentRow(knex, world);
    await insertDealIntents(knex, [id]);
    await during(async () => {
      const other = await createPaymentRow(knex, world);
      const dismissed = apply([heir]);
      const rejected = expect(dismissed).rejects.toThrow(/diamonds.*again/);
      await eventually(async () => (await waiting()) > 0);
      // The api waits for 5 s, and no longer.
      await knex.transaction(async (trx) => {
        await trx.raw(`SET LOCAL lock_timeout = '5s'`);
        await insertDealIntents(trx, [other.id]);
      });
      await rejected;
    });
    const lanes = () => knex('tx_intents').where({ payment_id: id }).pluck('account_id');
    expect(await lanes()).toEqual([world.operatorAccountId]);
    await apply([heir]);
    expect(await lanes()).toEqual([await accountOf(heir)]);
  });

  it('an application does not wait where no key was dismissed, or no recently dismissed key has left anything', async () => {
    await dateBack(0);
    const same = { changes: 0, dismissed: [] };
    await apply([addresses.operator]);
    expect(await during(() => apply([addresses.operator]))).toMatchObject(same);
    const heir = hex(20);
    await apply([heir]);
    await dateBack(2);
    expect(await during(() => apply([heir]))).toMatchObject(same);
  });
});

it('the diamonds of a dismissed key are shared among the remaining keys, and new diamonds too', async () => {
  const wallets = Array.from({ length: 4 }, () => ({ address: hex(20) }));
  const shared = { node_id: world.nodeId, chain_id: world.chainId, name: 'w' };
  const ids: { id: string }[] = await knex('wallets')
    .insert(wallets.map((wallet) => ({ ...wallet, ...shared })))
    .returning('id');
  const request = (walletId: string) =>
    requestDeployment(knex, { walletId, networkId: world.networkId, integrationId: null });
  for (const { id } of ids.slice(0, 3)) await request(id);
  const heirs = [hex(20), hex(20)];
  await apply(heirs);
  await request(ids[3]!.id);
  const rows = await knex('diamonds').where({ network_id: world.networkId }).groupBy('operator_account_id').count();
  expect(rows.map(({ count }) => Number(count)).toSorted((a, b) => a - b)).toEqual([2, 3]);
  expect(await knex('diamonds').where({ operator_account_id: world.operatorAccountId })).toEqual([]);
});

it('calls of deployments go to the new upgrader', async () => {
  await knex('diamonds').where({ wallet_id: world.walletId }).delete();
  const step = await requestDeployment(knex, { ...world, integrationId: null });
  const call = { purpose: 'create_diamond', to_address: hex(20), data: Buffer.alloc(1), step_id: step!.id };
  await knex('tx_intents').insert({ ...call, idempotency_key: hex(8), account_id: world.upgraderAccountId });
  const upgrader = hex(20);
  await apply([addresses.operator], upgrader);
  expect(await knex('tx_intents').where({ step_id: step!.id }).pluck('account_id')).toEqual([
    await accountOf(upgrader),
  ]);
  expect(await signersOf(knex, world.networkId)).toEqual({
    operators: [addresses.operator],
    upgraders: [upgrader],
    signers: [],
  });
});

describe('while a worker holds the keys', () => {
  const hold = (...held: string[]) => renewHolder(knex, randomUUID(), held);
  const inUse = async () => (await signersOf(knex, world.networkId)).operators.toSorted();
  afterEach(() => knex('key_holders').delete());

  it('a worker that stops being a holder by the clock during an application is no reason to refuse the file', async () => {
    await hold(addresses.operator, addresses.upgrader);
    const change = (trx: Knex.Transaction) => async () => {
      await trx('key_holders').update({ seen_at: new Date(Date.now() - 60_000) });
      return 'applied';
    };
    expect(await knex.transaction((trx) => keepHeld(trx, false, change(trx)))).toBe('applied');
  });

  it('a file that leaves a role without a held key is refused by name, unless it is forced', async () => {
    await hold(addresses.operator, addresses.upgrader);
    const typo = hex(20);
    await expect(apply([typo])).rejects.toThrow(`dismisses the operator ${addresses.operator}`);
    await expect(apply([addresses.operator], typo)).rejects.toThrow(`dismisses the upgrader ${addresses.upgrader}`);
    expect(await inUse()).toEqual([addresses.operator]);
    const { warnings } = await apply([typo], addresses.upgrader, true);
    expect(warnings.filter((warning) => warning.includes(typo))).toEqual([
      expect.stringMatching(/^no worker holds the key of the operator 0x/),
    ]);
    expect(await inUse()).toEqual([typo]);
  });

  it('diamonds of a key that leaves go to held keys; the application warns of the others', async () => {
    const [held, typo] = [hex(20), hex(20)];
    await hold(addresses.operator, addresses.upgrader, held);
    const { warnings } = await apply([held, typo]);
    expect(warnings.some((warning) => warning.includes(typo))).toBe(true);
    expect(warnings.some((warning) => warning.includes(held))).toBe(false);
    const diamonds = await knex('diamonds').where({ network_id: world.networkId }).pluck('operator_account_id');
    expect(diamonds).toEqual([await accountOf(held)]);
  });

  it('a lane moves to a key without a holder only when it is forced', async () => {
    await hold(addresses.operator, addresses.upgrader);
    const move = { networkId: world.networkId, from: addresses.operator, to: hex(20) };
    await expect(moveLane(knex, move)).rejects.toThrow('pass --yes');
    expect(await inUse()).toEqual([addresses.operator]);
    expect(await moveLane(knex, { ...move, isWanted: true })).toMatchObject({ address: addresses.operator });
    expect(await inUse()).toEqual([move.to]);
  });

  it('payments that waited for a holder lose that reason once a held key has taken them over', async () => {
    const payment = await wantDeal();
    const lane = (await keysWithoutHolder(knex)).find(({ id }) => id === world.operatorAccountId);
    await alertKeyless(knex, lane!);
    const details = async () => [
      await knex('payments').where({ id: payment }).pluck('status_detail'),
      await knex('tx_intents').where({ payment_id: payment }).pluck('waiting'),
    ];
    const typo = hex(20);
    await hold(addresses.upgrader);
    await apply([typo]);
    expect(await details()).toEqual([['key_missing'], ['key_missing']]);
    const held = hex(20);
    await hold(held);
    await apply([held]);
    expect(await details()).toEqual([[null], [null]]);
  });

  it('no file is refused or warned of while no worker runs, because the keys of later workers are unknown', async () => {
    const { warnings } = await apply([hex(20)]);
    expect(warnings.filter((warning) => !/its only endpoint|have no parent/.test(warning))).toEqual([]);
  });
});
