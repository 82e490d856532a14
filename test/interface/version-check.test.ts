import { randomUUID } from 'node:crypto';
import { createDeployer } from '../../chain/deploy/deployer.ts';
import { signersOf } from '../../db/lane/accounts.ts';
import { ZERO_ADDRESS } from '../../domain/deal.ts';
import type { Inspect } from '../../domain/version-check.ts';
import { createInspections } from '../../outbox/inspections.ts';
import { createNetworks } from '../../workers/networks.ts';
import { codeOf } from '../api/support/answers.ts';
import { startApi, type Answer } from '../api/support/api-under-test.ts';
import { first, newest, startDiamonds, strange } from '../chain/support/diamonds.ts';
import type { UpdatePlan } from '../../api/generated/openapi-types.ts';
import { carat } from '../support/carat.ts';
import { eventually } from '../support/eventually.ts';
import { silent, startWorkflowWorker } from '../support/workflow-worker.ts';
import { anyTimestamp, anyUuid, checkFields, outcomeOf, withQuery } from './contract.ts';

/*
 * The answers come from a chain, through a workflow, as they do in the processes.
 */

const diamonds = await startDiamonds();
const { platform, network, keys } = diamonds;
let databaseUrl = '';
let inspect: Inspect = () => Promise.reject(new Error('the worker has not started yet'));

const networkOf = (name: string, chain: string, eip155: number, operator: string) => ({
  name,
  chain,
  eip155,
  rpc_urls: [diamonds.chain.url],
  confirmations: network.confirmations,
  finality: 64,
  block_time_ms: 200,
  explorer_url: null,
  max_fee_per_gas_gwei: 100,
  operators: [operator],
  upgrader: keys.upgrader.address,
  guardian: keys.guardian.address,
});
const ofChain = { first_root: platform.firstRoot, approval_delay: 0 };
const api = await startApi({
  inspect: (request) => inspect(request),
  through: (url) => (databaseUrl = url),
  catalogue: {
    nodes: [{ name: 'root', children: [{ name: 'shop', children: [{ name: 'branch' }] }, { name: 'rival' }] }],
    chains: [
      { name: 'Main', platform_id: platform.id, ...ofChain },
      { name: 'Side', platform_id: `0x${'02'.repeat(32)}`, ...ofChain },
    ],
    networks: [
      networkOf('A', 'Main', network.eip155, keys.operator.address),
      networkOf('S', 'Side', 99, `0x${'0b'.repeat(20)}`),
    ],
    currencies: [],
  },
});
const networks = createNetworks({ knex: api.knex, log: silent });
const worker = await startWorkflowWorker({
  knex: api.knex,
  deployer: async (id) => createDeployer({ ...(await networks.connect(id)), ...(await signersOf(api.knex, id)) }),
});
inspect = createInspections({ client: worker.client, taskQueue: worker.taskQueue, profile: 'test', log: silent });
afterAll(async () => {
  await worker.stop();
  await diamonds.stop();
});

const [root, shop, branch, rival] = await Promise.all(
  ['root', 'shop', 'branch', 'rival'].map((node) => api.actor(node)),
);
const network_id = api.ids.networks.A!;
const of = (id: string): string => `/api/v1/wallets/${id}`;
const wallet = () => api.wallet(shop!);

/** A wallet with a diamond, of the release that the registry has. */
const deployed = async () => {
  const made = await wallet();
  const { address } = await diamonds.create(made.node_id, made.id);
  expect(address).toBe(made.address.toLowerCase());
  await api.activate(made, 'A');
  return made;
};
const check = (id: string, change: Record<string, unknown> = {}, token = shop!.token): Promise<Answer> => {
  const query = { node_id: shop!.nodeId, network_id, ...change } as Record<string, string | undefined>;
  return api.call('GET', withQuery(`${of(id)}/deploy/version-check`, query), { token });
};
const dryRun = (id: string, change: Record<string, unknown> = {}, token = shop!.token): Promise<Answer> =>
  api.call('POST', `${of(id)}/update?dry_run=true`, { token, json: { node_id: shop!.nodeId, network_id, ...change } });
const statuses = ({ body }: Answer): string[] => [
  ...new Set<string>(body.contracts.map(({ status }: { status: string }) => status)),
];
/** The values that a person compares. */
const contracts = ({ body }: Answer) => body.contracts;

describe('version check', () => {
  it('§4 GET /api/v1/wallets/{id}/deploy/version-check: 200 with any_update_available, checked_at and contracts', async () => {
    const before = Date.now();
    const answer = await check((await deployed()).id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      any_update_available: false,
      checked_at: anyTimestamp,
      block_number: expect.any(Number),
      contracts: expect.any(Array),
    });
    expect(Date.parse(answer.body.checked_at)).toBeGreaterThanOrEqual(before);
    expect(statuses(answer)).toEqual(['up_to_date']);
    expect(contracts(answer)[0]).toMatchObject({ name: 'Diamond', kind: 'diamond' });
  });

  it.each(['node_id', 'network_id'])(
    '§4 GET /api/v1/wallets/{id}/deploy/version-check: %s is a UUID and required (400 that names it)',
    async (name) => {
      const { id } = await wallet();
      for (const value of [undefined, '', 'x', '7', randomUUID().slice(1)]) {
        expect(outcomeOf(await check(id, { [name]: value }))).toEqual([400, [name]]);
      }
    },
  );

  it('§4 GET /api/v1/wallets/{id}/deploy/version-check: 404 for a missing wallet, node or network, and one out of reach', async () => {
    const { id } = await wallet();
    expect(codeOf(await check(randomUUID()))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await check(id, {}, rival!.token))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await check(id, {}, branch!.token))).toEqual([404, 'wallet_not_found']);
    expect(codeOf(await check(id, { node_id: randomUUID() }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await check(id, { node_id: rival!.nodeId }))).toEqual([404, 'node_not_found']);
    expect(codeOf(await check(id, { node_id: root!.nodeId }, root!.token))).toEqual([404, 'node_not_found']);
    expect(codeOf(await check(id, { network_id: randomUUID() }))).toEqual([404, 'network_not_found']);
    expect((await check(id, {}, root!.token)).status).toBe(200);
  });

  it('§4 GET /api/v1/wallets/{id}/deploy/version-check: 400 for a network of another chain', async () => {
    const { id } = await wallet();
    expect(outcomeOf(await check(id, { network_id: api.ids.networks.S }))).toEqual([400, ['network_id']]);
  });

  it('§4 GET /api/v1/wallets/{id}/deploy/version-check: a wallet without a diamond lacks everything', async () => {
    const answer = await check((await wallet()).id);
    expect(answer.body.any_update_available).toBe(false);
    expect(statuses(answer)).toEqual(['missing']);
  });
});

describe('deploy', () => {
  it('§4 POST /api/v1/wallets/{id}/deploy: starts the sequence and continues it until it completes', async () => {
    const { id, node_id, address } = await wallet();
    const deploy = async (): Promise<Answer> => {
      const answer = await api.call('POST', `${of(id)}/deploy`, { token: shop!.token, json: { node_id, network_id } });
      worker.dispatcher.now();
      return answer;
    };
    expect((await deploy()).body).toMatchObject({ step: 'preflight', status: 'started' });
    await eventually(() => api.knex('tx_intents').where({ purpose: 'create_diamond' }).first());
    expect((await deploy()).body).toMatchObject({ step: 'deploy_diamond', status: 'started' });

    expect(await diamonds.create(node_id, id)).toMatchObject({ address: address.toLowerCase() });
    const last = await eventually(async () => {
      const answer = await deploy();
      return answer.body.status === 'completed' && answer;
    });
    expect(last.body.step).toBe('activate');
    expect(statuses(await check(id))).toEqual(['up_to_date']);
    expect((await dryRun(id)).body.cut).toBeNull();
  });
});

describe('update', () => {
  const tag = '§4 POST /api/v1/wallets/{id}/update';
  const send = async (change: Record<string, unknown> = {}) => {
    const made = await wallet();
    await api.activate(made, 'A');
    const json = { node_id: shop!.nodeId, network_id, ...change };
    return api.call('POST', `${of(made.id)}/update`, { token: shop!.token, json });
  };
  checkFields({ tag, accepted: 201, send }, { node_id: 'UUID!', network_id: 'UUID!' });

  it('§4 POST /api/v1/wallets/{id}/update: 404 for a missing wallet, node or network, and one out of reach', async () => {
    const { id } = await deployed();
    for (const path of [`${of(id)}/update`, `${of(id)}/update?dry_run=true`]) {
      const post = (change: object = {}, token = shop!.token, at = path) =>
        api.call('POST', at, { token, json: { node_id: shop!.nodeId, network_id, ...change } });
      expect(codeOf(await post({}, shop!.token, path.replace(id, randomUUID())))).toEqual([404, 'wallet_not_found']);
      expect(codeOf(await post({}, rival!.token))).toEqual([404, 'wallet_not_found']);
      expect(codeOf(await post({}, branch!.token))).toEqual([404, 'wallet_not_found']);
      expect(codeOf(await post({ node_id: rival!.nodeId }))).toEqual([404, 'node_not_found']);
      expect(codeOf(await post({ network_id: randomUUID() }))).toEqual([404, 'network_not_found']);
    }
  });

  it('§4 POST /api/v1/wallets/{id}/update: 201 with step, transaction_id and status, completed at the end', async () => {
    const { id } = await deployed();
    const json = { node_id: shop!.nodeId, network_id };
    const update = () => api.call('POST', `${of(id)}/update`, { token: shop!.token, json });
    const { status, body } = await update();
    expect([status, body]).toEqual([201, { step: 'preflight', transaction_id: anyUuid, status: 'started' }]);
    worker.dispatcher.now();
    const last = await eventually(async () => {
      const answer = await update();
      return answer.body.status === 'completed' && answer;
    });
    expect(last).toMatchObject({ status: 201, body: { step: 'activate' } });
    expect(await update()).toMatchObject({ status: 201, body: last.body });
    expect(await api.knex('tx_intents').where({ purpose: 'diamond_cut' })).toEqual([]);
  });

  it('§4 POST /api/v1/wallets/{id}/update: 400 for a network of another chain', async () => {
    const { id } = await wallet();
    expect(outcomeOf(await dryRun(id, { network_id: api.ids.networks.S }))).toEqual([400, ['network_id']]);
  });

  it('§4 POST /api/v1/wallets/{id}/update: 409 for a wallet that never had a diamond there', async () => {
    const { id } = await wallet();
    for (const query of ['', '?dry_run=true']) {
      const json = { node_id: shop!.nodeId, network_id };
      const answer = await api.call('POST', `${of(id)}/update${query}`, { token: shop!.token, json });
      expect(codeOf(answer)).toEqual([409, 'diamond_not_active']);
    }
  });

  it('§4 POST /api/v1/wallets/{id}/update: dry_run is a bool, shows the effect of an update, and does nothing', async () => {
    const { id } = await deployed();
    for (const value of ['', 'x', '1', 'TRUE']) {
      const json = { node_id: shop!.nodeId, network_id };
      const answer = await api.call('POST', `${of(id)}/update?dry_run=${value}`, { token: shop!.token, json });
      expect(outcomeOf(answer)).toEqual([400, ['dry_run']]);
    }
    const idle = await dryRun(id);
    expect([idle.status, idle.body.any_update_available, idle.body.cut]).toEqual([200, false, null]);
    expect(await api.knex('deployments').where({ wallet_id: id })).toEqual([]);
  });

  it('§4 POST /api/v1/wallets/{id}/update: the planned call of a dry run, sent by anybody, brings the diamond to the release', async () => {
    const made = await deployed();
    await diamonds.setRelease(newest.version);
    const stranger = await diamonds.approveStranger([strange]);
    await diamonds.cut(made.address, stranger, 'add', [strange]);

    const [checked, planned] = [await check(made.id), await dryRun(made.id)];
    expect([checked.body.any_update_available, planned.body.any_update_available]).toEqual([true, true]);
    expect(contracts(planned)).toEqual(contracts(checked));
    expect(statuses(checked)).toEqual(expect.arrayContaining(['up_to_date', 'update_available', 'unknown']));
    const { cut } = planned.body;
    const directly = await diamonds.deployer.inspect(made.address.toLowerCase());
    expect([cut.to.toLowerCase(), cut.data]).toEqual([directly.cut!.to, directly.cut!.data]);
    expect(cut.expected_loupe_hash).toBe(directly.cut!.expectedLoupeHash);
    expect(cut.cuts.map(({ action }: { action: string }) => action)).toEqual(
      directly.cut!.cuts.map(({ action }) => action),
    );

    await diamonds.send(keys.upgrader, { what: 'update', to: cut.to, data: cut.data });
    const after = await check(made.id);
    expect([after.body.any_update_available, statuses(after)]).toEqual([false, ['up_to_date']]);
    expect((await dryRun(made.id)).body.cut).toBeNull();
  });

  it('§4 POST /api/v1/wallets/{id}/update: a dry run and `carat diamond plan` give the same bytes', async () => {
    const { id, address } = await deployed();
    await diamonds.setRelease(newest.version);
    const deal = newest.facets.find(({ name }) => name === 'DealFacet')!;
    const [gone, ...kept] = deal.selectors;
    const stranger = await diamonds.approveStranger([strange, ...kept]);
    await diamonds.cut(address, stranger, 'add', [strange]);
    await diamonds.cut(address, stranger, 'replace', kept);
    await diamonds.cut(address, ZERO_ADDRESS, 'remove', [gone!]);

    const { contracts: compared, cut } = (await dryRun(id)).body as UpdatePlan;
    const { out } = await carat(['diamond', 'plan', id, 'A'], { CARAT_DATABASE_URL: databaseUrl });
    const lines = out.split('\n');
    /** The words of lines that begin so, without brackets and their contents. */
    const told = (...words: string[]): string[][] =>
      lines.filter((line) => words.includes(line.split(' ')[0]!)).map((line) => line.replace(/ \(.*/, '').split(/ +/));
    expect(told('to', 'data', 'loupe')).toEqual([
      ['loupe', cut!.expected_loupe_hash],
      ['to', cut!.to],
      ['data', cut!.data],
    ]);
    expect(new Set(cut!.cuts.map(({ action }) => action))).toEqual(new Set(['add', 'replace', 'remove']));
    expect(told('add', 'replace', 'remove')).toEqual(
      cut!.cuts.map(({ action, facet, selectors }) => [
        action,
        ...selectors,
        ...(action === 'remove' ? [] : ['by', facet]),
      ]),
    );
    expect(
      told('diamond', 'facet')
        .slice(1)
        .map(([kind, at]) => [kind, at]),
    ).toEqual(compared.map(({ kind, address: at }) => [kind, at]));
    for (const [index, { selectors }] of compared.entries()) {
      const changes = (['add', 'replace', 'remove'] as const).filter((action) => selectors[action].length > 0);
      const ending = changes.map((action) => `; ${action} ${selectors[action].join(' ')}`).join('');
      expect(lines[index + 2]).toMatch(new RegExp(`: [^;]+(; [a-z ]+ not approved)*${ending}$`));
    }
  });

  it('§4 POST /api/v1/wallets/{id}/update: triggers the cut, and completes once it is made', async () => {
    await diamonds.setRelease(first.version);
    const { id } = await deployed();
    await diamonds.setRelease(newest.version);
    const { cut } = (await dryRun(id)).body;
    const update = async (): Promise<Answer> => {
      const json = { node_id: shop!.nodeId, network_id };
      const answer = await api.call('POST', `${of(id)}/update`, { token: shop!.token, json });
      worker.dispatcher.now();
      return answer;
    };
    expect((await update()).body).toMatchObject({ step: 'preflight', status: 'started' });
    const wanted = await eventually(() => api.knex('tx_intents').where({ purpose: 'diamond_cut' }).first());
    expect([wanted.to_address, `0x${wanted.data.toString('hex')}`]).toEqual([cut.to.toLowerCase(), cut.data]);
    expect((await update()).body).toMatchObject({ step: 'cut', status: 'started' });

    await diamonds.send(keys.upgrader, { what: 'update', to: cut.to, data: cut.data });
    const last = await eventually(async () => {
      const answer = await update();
      return answer.body.status === 'completed' && answer;
    });
    expect(last.body.step).toBe('activate');
    expect(statuses(await check(id))).toEqual(['up_to_date']);
  });
});
