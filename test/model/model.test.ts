import { cases } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { expectNonces } from '../support/invariants.ts';
import { answerProblems } from './answers.ts';
import { faultsOf } from './faults.ts';
import { allTold } from './heard.ts';
import { problemsOf } from './judge.ts';
import { play } from './play.ts';
import { scheduleOf, told } from './schedule.ts';
import { storyProblems } from './stories.ts';
import { atRest, createModelWorld, type World } from './world.ts';

/*
 * Random schedules of orders, payments, cancels, retries and faults against a whole product. Whatever happens, each payment
 * ends once, as the chain bears out. MODEL_SCHEDULES and MODEL_SEED choose others (npm run model); schedule n of seed s is
 * the first of seed s + n. MODEL_WORLDS products play at the same time.
 */

const wanted = cases('MODEL_SCHEDULES', { few: 9, all: 15 });
const seed = Number(process.env.MODEL_SEED ?? 1);
const together = Math.min(Number(process.env.MODEL_WORLDS ?? 3), wanted);

/** Seconds by which the chain's clock is put forward, so that unpaid payments expire. */
const FORWARD_S = 45;

let worlds: World[] = [];

beforeAll(async () => {
  worlds = await Promise.all(Array.from({ length: together }, createModelWorld));
});

afterAll(() => Promise.all(worlds.map((world) => world.close())));

/** Plays a schedule in a world and returns the faults that it finds afterwards. */
const problemsAfter = async (world: World, own: number): Promise<string[]> => {
  const schedule = scheduleOf(own);
  const { knex } = world.product;
  try {
    const fromBlock = Number(await world.ask('eth_blockNumber'));
    const deeds = await play(world, schedule);
    const ids = deeds.flatMap(({ payment }) => payment?.id ?? []);
    await world.ask('evm_increaseTime', [FORWARD_S]);
    await eventually(
      async () => {
        const open = await knex('payments').whereIn('id', ids).whereNull('terminal_at');
        if (open.length === 0) return true;
        throw new Error(open.map((row) => `${row.id} is ${row.status} (${row.status_detail})`).join(', '));
      },
      60_000,
      100,
    );
    await atRest(world);
    await allTold(world, ids);
    await expectNonces(world.product, 'alpha');
    const found = [problemsOf(world, ids, fromBlock), answerProblems(world, deeds), storyProblems(world, ids)];
    return [...(await Promise.all(found)).flat(), ...(await faultsOf(world))];
  } catch (error) {
    return [String((error as Error).stack), ...(await faultsOf(world))];
  }
};

// First, on chains that no schedule has left in a strange state.
it('the judge sees a false status, a gap, a wrong amount, and an event that was never sent', async () => {
  const [world] = worlds;
  const { product, ask } = world!;
  const fromBlock = Number(await ask('eth_blockNumber'));
  const order = {
    at: 0,
    method: 'web3',
    mode: 'created',
    currency: 'USDC',
    lives: 40_000,
    keepsOffer: false,
    resends: true,
    cancel: null,
    retries: [],
  } as const;
  const [deed] = await play(world!, { seed, orders: [{ ...order, pay: { when: 'ready', after: 0 } }], faults: [] });
  const id = deed!.payment!.id;
  await world!.shop.reached(deed!.payment!, 'completed');
  await atRest(world!);
  await allTold(world!, [id]);
  expect(await problemsOf(world!, [id], fromBlock)).toEqual([]);

  const payment = () => product.knex('payments').where({ id });
  const firstEvent = () => product.knex('webhook_events').where({ payment_id: id, sequence: 1 });
  for (const [break_, mend, said] of [
    [
      () => payment().update({ status: 'expired' }),
      () => payment().update({ status: 'completed' }),
      /the chain says completed/,
    ],
    [() => payment().update({ sequence: 9 }), () => payment().update({ sequence: 4 }), /4 entries, but sequence 9/],
    [
      () => payment().increment('paid_price_units', 1),
      () => payment().decrement('paid_price_units', 1),
      /its payee got .* paid on the chain/s,
    ],
    [
      () => firstEvent().update({ type: 'payment.ready' }),
      () => firstEvent().update({ type: 'payment.created' }),
      /its events are/,
    ],
  ] as const) {
    await break_();
    expect((await problemsOf(world!, [id], fromBlock)).join('\n')).toMatch(said);
    await mend();
  }
  expect(await problemsOf(world!, [id], fromBlock)).toEqual([]);
});

const batches = Array.from({ length: Math.ceil(wanted / together) }, (_, batch) => seed + batch * together);

it.each(batches)('each payment ends once and as on the chain: schedules from %i on', async (first) => {
  const seeds = worlds.map((_, index) => first + index).filter((own) => own < seed + wanted);
  const found = await Promise.all(seeds.map((own, index) => problemsAfter(worlds[index]!, own)));
  const reports = found.flatMap((problems, index) =>
    problems.length === 0
      ? []
      : [[told(scheduleOf(seeds[index]!)), ...problems, `npm run model -- 1 ${seeds[index]}`].join('\n')],
  );
  expect(reports.join('\n\n')).toBe('');
});
