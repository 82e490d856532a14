import { createDeploymentStore } from '../../../db/wallets/deployment-store.ts';
import type { StepToRun } from '../../../domain/ports/deployment.ts';
import { anyTimestamp, anyUuid, checkList, withQuery } from '../../interface/contract.ts';
import { hex } from '../../support/fixtures.ts';
import { codeOf, created } from '../support/answers.ts';
import { startApi } from '../support/api-under-test.ts';

/*
 * `GET /api/v1/wallets/{id}/deployments`: the runs that deployed and updated a wallet's diamonds.
 */

const api = await startApi();
const shop = await api.actor('shop');
const [root, branch, rival] = await Promise.all([api.actor('root'), api.actor('branch'), api.actor('rival')]);
const { A, B, S } = api.ids.networks;
const deployments = createDeploymentStore(api.knex);

const deploy = (id: string, network_id = A) =>
  created(
    api.call('POST', `/api/v1/wallets/${id}/deploy`, { token: shop.token, json: { node_id: shop.nodeId, network_id } }),
  );
const list = (id: string, query: Record<string, string | undefined> = {}, { token } = shop) =>
  api.call('GET', withQuery(`/api/v1/wallets/${id}/deployments`, query), { token });
const next = async (id: string): Promise<StepToRun> => (await deployments.nextStep(id, A!))!;

const listed = await api.wallet(shop);
checkList({
  tag: 'GET /api/v1/wallets/{id}/deployments',
  get: (change) => list(listed.id, change),
  ids: ['network_id'],
});

it('a deployment shows each run with its steps in order, as deployWallet names them', async () => {
  const { id } = await api.wallet(shop);
  expect((await list(id)).body).toMatchObject({ items: [], total: 0 });
  const step = await deploy(id);
  const { body } = await list(id);
  expect(body).toMatchObject({ total: 1, page: 1 });
  const [run] = body.items;
  expect(run).toMatchObject({ id: anyUuid, wallet_id: id, network_id: A, kind: 'deploy', status: 'started' });
  expect(run.steps[0]).toEqual({
    ...step,
    tries: 1,
    error: null,
    transactions: [],
    created_at: anyTimestamp,
    updated_at: anyTimestamp,
  });
  expect(run.steps.map((one: { step: string; status: string }) => [one.step, one.status])).toEqual([
    ['preflight', 'started'],
    ['deploy_facets', 'pending'],
    ['deploy_diamond', 'pending'],
    ['verify', 'pending'],
    ['activate', 'pending'],
  ]);
});

it('a deployment shows why a step failed, until its next attempt', async () => {
  const { id } = await api.wallet(shop);
  await deploy(id);
  await deployments.failStep(await next(id), { code: 'role_missing', message: 'no role in the registry' });
  const failed = (await list(id)).body.items[0];
  expect([failed.status, failed.steps[0].status]).toEqual(['failed', 'failed']);
  expect(failed.steps[0].error).toEqual({ code: 'role_missing', message: 'no role in the registry' });
  await deploy(id);
  const again = (await list(id)).body.items[0];
  expect([again.status, again.steps[0]]).toMatchObject(['started', { status: 'started', tries: 2, error: null }]);
});

it('a deployment shows the transactions of a step in flight', async () => {
  const { id } = await api.wallet(shop);
  await deploy(id);
  await deployments.completeStep(await next(id));
  const step = await next(id);
  const call = { purpose: 'deploy_facet', to: hex(20), data: '0x01' } as const;
  await deployments.requestCall(step, { ...call, what: 'DealFacet' });
  await deployments.requestCall(step, { ...call, what: 'DiamondLoupeFacet' });
  const shown = async () => (await list(id)).body.items[0].steps[1].transactions;
  const nothing = { outcome: null, waiting: null, transaction_hash: null, block_number: null };
  const queued = { purpose: 'deploy_facet', state: 'queued', ...nothing, created_at: anyTimestamp };
  expect(await shown()).toEqual([queued, queued]);

  const intents = api.knex('tx_intents').where({ step_id: step.id }).orderBy('id');
  const [intent] = await intents.clone().select('id', 'account_id');
  await api.knex('tx_intents').where({ id: intent.id }).update({ waiting: 'operator_underfunded' });
  expect((await shown())[0]).toEqual({ ...queued, waiting: 'operator_underfunded' });

  const slot = { account_id: intent.account_id, nonce: 0, to_address: hex(20), data: Buffer.alloc(1), gas_limit: 1 };
  const [{ id: slot_id }] = await api.knex('tx_slots').insert(slot).returning('id');
  await api.knex('tx_intents').where({ id: intent.id }).update({ state: 'assigned', slot_id });
  expect((await shown())[0]).toEqual({ ...queued, state: 'sent' });

  const hashes = [hex(32), hex(32)];
  for (const [seq, tx_hash] of hashes.entries()) {
    const fees = { max_fee_per_gas: 2, max_priority_fee_per_gas: 1 };
    await api.knex('tx_attempts').insert({ slot_id, seq, tx_hash, raw: Buffer.alloc(1), ...fees });
  }
  await api.knex('tx_slots').where({ id: slot_id }).update({ state: 'signed' });
  expect((await shown())[0]).toEqual({ ...queued, state: 'sent', transaction_hash: hashes[1] });

  const mined = { tx_hash: hashes[0], block_number: 41, block_hash: hex(32) };
  await api
    .knex('tx_slots')
    .where({ id: slot_id })
    .update({ state: 'mined', ...mined });
  const seen = { ...queued, transaction_hash: hashes[0], block_number: 41 };
  expect((await shown())[0]).toEqual({ ...seen, state: 'mined' });
  await api.knex('tx_slots').where({ id: slot_id }).update({ state: 'confirmed' });
  await api.knex('tx_intents').where({ id: intent.id }).update({ state: 'settled', outcome: 'effective' });
  expect(await shown()).toEqual([{ ...seen, state: 'confirmed', outcome: 'effective' }, queued]);
});

it('the list of runs is newest first, may cover one network alone, and has each run on one page', async () => {
  const { id } = await api.wallet(shop);
  await deploy(id, A);
  await deploy(id, B);
  const networks = ({ body }: Awaited<ReturnType<typeof list>>) =>
    body.items.map((run: { network_id: string }) => run.network_id);
  expect(networks(await list(id))).toEqual([B, A]);
  expect(networks(await list(id, { network_id: A! }))).toEqual([A]);
  expect(networks(await list(id, { network_id: S! }))).toEqual([]);
  const first = await list(id, { per_page: '1' });
  expect(networks(first)).toEqual([B]);
  expect(networks(await list(id, { per_page: '1', cursor: first.body.next_cursor }))).toEqual([A]);
});

it('the list of runs is 404 for a wallet beside or above, and for a missing network; an ancestor sees it', async () => {
  const { id } = await api.wallet(shop);
  await deploy(id);
  expect(codeOf(await list(id, {}, rival))).toEqual([404, 'wallet_not_found']);
  expect(codeOf(await list(id, {}, branch))).toEqual([404, 'wallet_not_found']);
  expect((await list(id, {}, root)).body).toEqual((await list(id)).body);
  expect(codeOf(await list(id, { network_id: id }))).toEqual([404, 'network_not_found']);
});
