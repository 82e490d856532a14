import { mock } from 'node:test';
import knexFactory from 'knex';
import { RpcError } from '../../../chain/rpc/error.ts';
import { createTroubleObserver } from '../../../chain/network-trouble.ts';
import { createLaneStore } from '../../../db/lane/store.ts';
import { steadyClock } from '../../../domain/tools/clock.ts';
import { createObserver } from '../../../domain/tools/observer.ts';
import { createChainClock } from '../../support/clock.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createWorld } from '../../support/fixtures.ts';

/* A lane's alert about a method that its endpoint refuses, while the endpoint refuses everything for a while. */

const knex = knexFactory({ client: 'pg', connection: (await createTestDatabase()).url });
afterAll(() => knex.destroy());
afterEach(() => mock.restoreAll());

const UNREACHABLE_MS = 5_000;
const noEstimate = new RpcError('rejected', 'the method eth_estimateGas does not exist/is not available', {
  method: 'eth_estimateGas',
  code: -32601,
});
const noKey = new RpcError('denied', 'the key is revoked', { method: 'eth_estimateGas' });
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

it('a refusal of everything, which the watcher reports, ends no alert of a method that is still refused, whichever run raised it', async () => {
  const pass = createChainClock();
  const { operatorAccountId } = await createWorld(knex);
  const store = createLaneStore(knex);
  const network = { name: 'alpha', rpcUrls: ['http://localhost:1'] };
  const lease = { id: operatorAccountId, fence: 1n };
  const begin = () =>
    createTroubleObserver(
      {
        store,
        lease,
        observed: createObserver((looked, holding) => store.observe(lease, looked, holding), { log }),
        network,
        log,
        timing: { unreachable: UNREACHABLE_MS },
      },
      { who: 'Lane', does: 'sending', subject: operatorAccountId, reports: ['endpoint_refuses'] },
    );
  const fails = async (troubles: ReturnType<typeof begin>, error: RpcError): Promise<void> => {
    await troubles.failed(error, steadyClock.now());
    pass(UNREACHABLE_MS);
    await troubles.failed(error, steadyClock.now());
  };
  const told = () => knex('alerts').where({ subject_id: operatorAccountId }).orderBy('id').pluck('closed_at');

  const first = begin();
  await fails(first, noEstimate);
  expect(await told()).toEqual([null]);
  // In the same run the alert stays.
  await fails(first, noKey);
  expect(await told()).toEqual([null]);
  // The worker starts again.
  const next = begin();
  await fails(next, noKey);
  expect(await told()).toEqual([null]);
  await fails(next, noEstimate);
  expect(await told()).toEqual([null]);
  await next.responded();
  expect(await told()).toEqual([expect.any(Date)]);
});
