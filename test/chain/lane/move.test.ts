import { roleIds } from '../../../chain/pure/roles.ts';
import { laneMove } from '../../../cli/lane.ts';
import { isLaneOver } from '../../../db/lane/accounts.ts';
import type { FailpointName } from '../../../domain/ports/failpoint.ts';
import { eventually } from '../../support/eventually.ts';
import { registryCall, startGateway, type Gateway } from '../support/gateway.ts';
import { allAre, laneFailpoints, stopAfterEach, throwOnceAt, timesCreated } from '../support/running.ts';

/*
 * An operator key hands over to another one, while the one and the other die at every step of their work.
 */

let gateway: Gateway;
/** The lane's present owner and the next one. */
let keys: { from: Gateway['keys']['operator']; to: Gateway['keys']['operator'] };
const keep = stopAfterEach();

beforeAll(async () => {
  gateway = await startGateway();
  keys = { from: gateway.keys.operator, to: gateway.keys.stranger };
});

afterAll(() => gateway.close());

/** Nothing more of the environment. */
const need = () => {
  throw new Error('the command asks for more');
};
const move = async (): Promise<string[]> => {
  const printed: string[] = [];
  const print = (line: string): void => void printed.push(line);
  const args = [gateway.network.name, keys.from.address, keys.to.address];
  await laneMove.run({ args, config: { databaseUrl: gateway.databaseUrl }, need, print, report: print });
  return printed;
};

const accountOf = async (address: string): Promise<string> =>
  (await gateway.knex('signer_accounts').where({ network_id: gateway.network.id, address }).first('id')).id;

const laneOf = async (signer: Gateway['keys']['operator'], point?: FailpointName) =>
  keep(
    gateway.startLane({
      accountId: await accountOf(signer.address),
      signer,
      ...(point && { failpoint: throwOnceAt(point).failpoint }),
    }),
  );

it('a key without a role is refused, and nothing moves', async () => {
  await expect(move()).rejects.toThrow('run carat role give first');
  expect(await gateway.knex('signer_accounts').whereNotNull('dismissed_at')).toEqual([]);
  const give = registryCall('setRole', roleIds.operator, keys.to.address, true);
  await gateway.send(gateway.keys.root, gateway.registry, give);
});

it.each(laneFailpoints)(
  'wallets, queued intents and slots in flight end up right when both lanes die at %s',
  async (point) => {
    keep(gateway.startWatcher());
    const first = await gateway.pay(3);
    const old = await laneOf(keys.from, point);
    await expect(old.ended).rejects.toThrow(point);
    const queued = await gateway.pay(2);
    const under = await gateway.knex('tx_intents').where({ state: 'assigned' });

    expect((await move())[0]).toContain(`has replaced ${keys.from.address}: `);
    const [from, to] = [await accountOf(keys.from.address), await accountOf(keys.to.address)];
    expect(await gateway.knex('diamonds').pluck('operator_account_id')).toEqual([to]);
    expect(await gateway.knex('tx_intents').where({ state: 'queued' }).distinct().pluck('account_id')).toEqual([to]);
    for (const { id } of under) {
      expect(await gateway.knex('tx_intents').where({ id }).first()).toMatchObject({ account_id: from });
    }

    const next = await laneOf(keys.to, point);
    await expect(next.ended).rejects.toThrow(point);
    await laneOf(keys.from);
    await laneOf(keys.to);
    const late = await gateway.pay(2);
    const all = [...first, ...queued, ...late];
    await allAre(gateway, all, 'awaiting_payment');
    expect(await timesCreated(gateway, all)).toEqual(all.map(() => 1));
    await eventually(() => isLaneOver(gateway.knex, from));
    expect((await move())[0]).toContain('nothing is in flight');
    expect(await gateway.knex('payments').where('retries_used', '>', 0)).toEqual([]);
    // The next step moves it back.
    keys = { from: keys.to, to: keys.from };
  },
);
