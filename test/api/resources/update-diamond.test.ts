import { randomUUID } from 'node:crypto';
import type { InspectedDiamond, Inspect } from '../../../domain/version-check.ts';
import { together } from '../support/answers.ts';
import { startApi } from '../support/api-under-test.ts';

/** The finding for every diamond; null when none comes in time. */
let found: InspectedDiamond | null;
let looks: string[];
const inspect: Inspect = ({ walletId }) => {
  looks.push(walletId);
  return Promise.resolve(found);
};

const api = await startApi({ inspect });
const shop = await api.actor('shop');
const network_id = api.ids.networks.A!;

const asReleased: InspectedDiamond = {
  blockNumber: 7,
  isThere: true,
  contracts: [],
  cut: null,
  checkedAt: new Date().toISOString(),
};
const toBeCut: InspectedDiamond = {
  ...asReleased,
  cut: { to: `0x${'1'.repeat(40)}`, data: '0x1f931c1c', cuts: [], expectedLoupeHash: `0x${'2'.repeat(64)}` },
};

beforeEach(() => {
  found = toBeCut;
  looks = [];
});

const update = (walletId: string, headers: Record<string, string> = {}) =>
  api.call('POST', `/api/v1/wallets/${walletId}/update`, {
    token: shop.token,
    headers,
    json: { node_id: shop.nodeId, network_id },
  });

/** A wallet whose diamond was deployed. */
const deployed = async (): Promise<string> => {
  const { id } = await api.deployed(shop, 'A');
  await api.knex('outbox').delete();
  return id;
};
const runs = (walletId: string) => api.knex('deployments').where({ wallet_id: walletId }).orderBy('id');
const stepsOf = (walletId: string) =>
  api
    .knex('deployment_steps')
    .whereIn('deployment_id', api.knex('deployments').where({ wallet_id: walletId }).select('id'));
const audited = (walletId: string) => api.knex('audit_log').where({ resource_id: walletId, action: 'wallet.upgraded' });

it('an update starts one run, even if eight are requested at the same time, and shows its progress', async () => {
  const id = await deployed();
  const answers = await together(8, () => update(id));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]).toMatchObject({ status: 201, body: { step: 'preflight', status: 'started' } });
  expect(await runs(id)).toMatchObject([{ kind: 'deploy' }, { kind: 'update', status: 'started' }]);
  expect(await api.knex('outbox')).not.toEqual([]);

  looks = [];
  await stepsOf(id).where({ key: 'preflight' }).update({ status: 'completed' });
  await stepsOf(id).where({ key: 'deploy_facets' }).update({ status: 'started' });
  expect(await update(id)).toMatchObject({ status: 201, body: { step: 'deploy_facets', status: 'started' } });
  // An update under way needs no look at the chain.
  expect(looks).toEqual([]);
});

it('an update begins a failed run anew, and names the failed step', async () => {
  const id = await deployed();
  await update(id);
  const run = ((await runs(id)) as { id: string }[])[1]!;
  await api.knex('deployments').where({ id: run.id }).update({ status: 'failed' });
  await api.knex('deployment_steps').where({ deployment_id: run.id }).update({ status: 'completed' });
  await api.knex('deployment_steps').where({ deployment_id: run.id, key: 'verify' }).update({ status: 'failed' });
  expect((await update(id)).body).toMatchObject({ step: 'verify', status: 'failed' });
  expect((await update(id)).body).toMatchObject({ step: 'preflight', status: 'started' });
  expect(await runs(id)).toHaveLength(2);
});

it('an update with nothing to do returns the last step, and writes nothing', async () => {
  const id = await deployed();
  found = asReleased;
  const last = await stepsOf(id).where({ key: 'activate' }).first<{ id: string }>();
  const key = { 'Idempotency-Key': randomUUID() };
  for (const headers of [{}, key, key]) {
    const { status, body } = await update(id, headers);
    expect([status, body]).toEqual([201, { step: 'activate', transaction_id: last!.id, status: 'completed' }]);
  }
  expect(await runs(id)).toHaveLength(1);
  expect(await api.knex('outbox')).toEqual([]);
  expect(await audited(id)).toEqual([]);
});

it.each([
  ['no inspection ends in time', null],
  ['the chain has no diamond there', { ...asReleased, isThere: false }],
  ['the release of the network is unknown', { ...asReleased, unknownRelease: '9.0.0' }],
])('an update starts a run where %s, which the run finds by itself', async (_name, finding) => {
  const id = await deployed();
  found = finding;
  expect((await update(id)).body).toMatchObject({ step: 'preflight', status: 'started' });
  expect(await audited(id)).toHaveLength(1);
});
