import { randomUUID } from 'node:crypto';
import { encodeBytes32String, getCreate2Address, keccak256 } from 'ethers';
import { createDeployer, deployCall } from '../../../chain/deploy/deployer.ts';
import { prepareNetwork } from '../../../chain/deploy/prepare.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { facetCreationCode, release, releases } from '../../../chain/pure/releases.ts';
import { batcherAddress, diamondAddress, registryAddress } from '../../../chain/pure/platform.ts';
import { controlTopics } from '../../../chain/pure/registry-events.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import { codes } from '../../../chain/rpc/calls.ts';
import { registryCall, startGateway, type Gateway } from '../support/gateway.ts';
import { eventually } from '../../support/eventually.ts';
import { hex } from '../../support/fixtures.ts';
import { emitCall, placeEmitter } from '../support/emitter.ts';
import { startProxy, type Proxy, type WireRequest } from '../support/proxy.ts';
import { stopAfterEach } from '../support/running.ts';
import type { EndpointTrouble } from '../../../chain/rpc/member.ts';

let gateway: Gateway;
const keep = stopAfterEach();
const zero = `0x${'0'.repeat(40)}`;

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 3 });
});

afterAll(() => gateway.close());

interface AlertRow {
  kind: string;
  message: string;
  data: Record<string, unknown>;
}

/** Sends a call, waits until the watcher has read its block, and answers the alerts of that block and all later ones. */
const alertsAfter = async (act: () => Promise<unknown>): Promise<AlertRow[]> => {
  const number = async () =>
    Number((await gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first()).number);
  // Its first round reads the last blocks once more.
  const before = await eventually(number);
  await eventually(async () => (await number()) > before);
  await gateway.knex('alerts').delete();
  await act();
  const mined = Number(await gateway.rpc.call('eth_blockNumber'));
  // A round raises the alerts of its blocks, or the next one does while nothing is under way.
  const read = await eventually(async () => ((await number()) >= mined ? number() : null));
  await eventually(async () => (await number()) > read);
  return gateway.knex('alerts').orderBy('id').select('kind', 'message', 'data');
};

const ask = (who: keyof Gateway['keys'], name: string, ...args: unknown[]) =>
  gateway.send(gateway.keys[who], gateway.registry, registryCall(name, ...args));

/** Puts a facet where it can be approved, with a salt that no release has. */
const deployFacet = async (creationCode: string): Promise<{ facet: string; codeHash: string; salt: string }> => {
  const salt = hex(32);
  const { to, data } = deployCall(creationCode, salt);
  await gateway.send(gateway.keys.stranger, to, data);
  const facet = getCreate2Address(release.deployer, salt, keccak256(creationCode)).toLowerCase();
  return { facet, codeHash: keccak256((await codes(gateway.rpc, [facet]))[0]!), salt };
};

const kindsOf = (rows: readonly AlertRow[]): string[] => rows.map(({ kind }) => kind);
const inBlock = { block_number: expect.any(Number), transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) };

it('a preparation of a network by Carat itself raises nothing', async () => {
  const { keys, rpc, network } = gateway;
  const prepared = { ...network, platform: { ...network.platform, id: hex(32) } };
  keep(gateway.startWatcher({ network: { platform: prepared.platform } }));
  const rows = await alertsAfter(() =>
    prepareNetwork({
      network: prepared,
      rpc,
      rootSigner: keys.root,
      operators: [keys.operator.address],
      upgraders: [keys.upgrader.address],
    }),
  );
  const logs = (await rpc.call('eth_getLogs', [
    { address: registryAddress(prepared.platform), fromBlock: '0x0' },
  ])) as readonly { topics: string[] }[];
  // Root, four roles, four facets and the release.
  expect(logs.filter(({ topics }) => controlTopics.includes(topics[0]!))).toHaveLength(10);
  expect(rows).toEqual([]);
});

describe('an alert of a registry', () => {
  it('reports roles given to strangers, taken from keys of the catalogue, or unknown', async () => {
    keep(gateway.startWatcher());
    const { operator, upgrader, stranger } = gateway.keys;
    const treasurer = encodeBytes32String('treasurer');
    const rows = await alertsAfter(async () => {
      await ask('root', 'setRole', roleIds.upgrader, stranger.address, true);
      await ask('root', 'setRole', roleIds.upgrader, operator.address, true);
      await ask('guardian', 'setRole', roleIds.operator, operator.address, false);
      await ask('root', 'setRole', treasurer, upgrader.address, true);
      await ask('guardian', 'setRole', treasurer, upgrader.address, false);
    });
    expect(rows.map(({ kind, data }) => ({ kind, ...data }))).toEqual([
      { ...inBlock, kind: 'role_not_asked_for', role: 'upgrader', account: stranger.address, enabled: true },
      { ...inBlock, kind: 'role_not_asked_for', role: 'upgrader', account: operator.address, enabled: true },
      { ...inBlock, kind: 'role_not_asked_for', role: 'operator', account: operator.address, enabled: false },
      { ...inBlock, kind: 'role_not_asked_for', role: 'treasurer', account: upgrader.address, enabled: true },
      { ...inBlock, kind: 'role_not_asked_for', role: 'treasurer', account: upgrader.address, enabled: false },
    ]);
    expect(rows[0]!.message).toContain(`The role upgrader was given to the account ${stranger.address}`);
  });

  it('is not raised for roles of the catalogue', async () => {
    keep(gateway.startWatcher());
    const { operator, upgrader, stranger, guardian } = gateway.keys;
    const rows = await alertsAfter(async () => {
      await ask('guardian', 'setRole', roleIds.upgrader, stranger.address, false);
      await ask('guardian', 'setRole', roleIds.upgrader, operator.address, false);
      await ask('root', 'setRole', roleIds.operator, operator.address, true);
      await ask('root', 'setRole', roleIds.operator, batcherAddress(gateway.platform), true);
      await ask('root', 'setRole', roleIds.upgrader, upgrader.address, true);
      await ask('root', 'setRole', roleIds.guardian, guardian.address, true);
    });
    expect(rows).toEqual([]);
  });

  it('reports facets that this release does not have, and the time until which they can be revoked', async () => {
    keep(gateway.startWatcher());
    // The code of this release at another address is foreign too.
    const foreign = await deployFacet('0x61000180600a5f395ff300');
    const moved = await deployFacet(facetCreationCode(release.facets[0]!));
    const rows = await alertsAfter(() => ask('root', 'approveFacets', [foreign, moved]));
    const effectiveAt = (await gateway.rpc.call('eth_getBlockByNumber', [
      `0x${Number(rows[0]!.data.block_number).toString(16)}`,
      false,
    ])) as { timestamp: string };
    const from = new Date(Number(effectiveAt.timestamp) * 1000).toISOString();
    const dataOf = ({ facet, codeHash }: typeof foreign) => ({
      facet,
      code_hash: codeHash,
      effective_at: from,
      ...inBlock,
    });
    expect(kindsOf(rows)).toEqual(['facet_not_asked_for', 'facet_not_asked_for']);
    expect(rows.map(({ data }) => data)).toEqual([foreign, moved].map(dataOf));
    expect(rows[0]!.message).toContain(from);

    const revoked = await alertsAfter(() => ask('guardian', 'revokeFacet', foreign.facet, foreign.codeHash));
    expect(revoked.map(({ kind, data }) => ({ kind, ...data }))).toEqual([
      {
        ...inBlock,
        kind: 'facet_revoked',
        facet: foreign.facet,
        code_hash: foreign.codeHash,
        by: gateway.keys.guardian.address,
      },
    ]);
  });

  it('reports a release other than the newest, even if an older one comes back, or its label fits into no database', async () => {
    keep(gateway.startWatcher());
    const facets = release.facets.map(({ address }) => address);
    const older = releases[0]!;
    const gone = older.facets.filter(({ address }) => !facets.includes(address));
    const olderFacets = older.facets.map(({ address }) => address);
    const rows = await alertsAfter(async () => {
      for (const facet of gone) {
        const { to, data } = deployCall(facetCreationCode(facet), facet.salt);
        await gateway.send(gateway.keys.stranger, to, data);
      }
      await ask(
        'root',
        'approveFacets',
        gone.map(({ address: facet, runtimeCodeHash: codeHash, salt }) => ({ facet, codeHash, salt })),
      );
      await ask('root', 'setRelease', older.version, olderFacets);
      await ask('root', 'setRelease', '9.9.9', facets);
      await ask('root', 'setRelease', release.version, facets.toReversed());
      await ask('root', 'setRelease', '\0', facets);
      await ask('root', 'setRelease', release.version, facets);
    });
    expect(kindsOf(rows)).toEqual(Array.from({ length: 4 }, () => 'release_not_asked_for'));
    expect(rows[0]!.message).toContain(`the release ${older.version} again`);
    expect(rows.map(({ data }) => data)).toEqual([
      { version: older.version, facets: olderFacets, ...inBlock },
      { version: '9.9.9', facets, ...inBlock },
      { version: release.version, facets: facets.toReversed(), ...inBlock },
      { version: null, facets: null, ...inBlock },
    ]);
  });

  it('reports another root, but not the expected one', async () => {
    keep(gateway.startWatcher());
    const { root, stranger } = gateway.keys;
    const away = await alertsAfter(async () => {
      await ask('root', 'transferRoot', stranger.address);
      await ask('root', 'transferRoot', zero);
      await ask('root', 'transferRoot', stranger.address);
      await ask('stranger', 'acceptRoot');
    });
    const [from, to] = [root.address, stranger.address];
    expect(away.map(({ kind, data }) => ({ kind, ...data }))).toEqual([
      { ...inBlock, kind: 'root_not_asked_for', from, to, is_offer: true },
      { ...inBlock, kind: 'root_not_asked_for', from, to: zero, is_offer: true },
      { ...inBlock, kind: 'root_not_asked_for', from, to, is_offer: true },
      { ...inBlock, kind: 'root_not_asked_for', from, to, is_offer: false },
    ]);
    const back = await alertsAfter(async () => {
      await ask('stranger', 'transferRoot', root.address);
      await ask('root', 'acceptRoot');
    });
    expect(back).toEqual([]);
  });

  it('reports a pause and its end, each with its sender', async () => {
    keep(gateway.startWatcher());
    const rows = await alertsAfter(async () => {
      await ask('guardian', 'setPaused', true);
      await ask('root', 'setPaused', false);
    });
    expect(rows.map(({ kind, data }) => ({ kind, ...data }))).toEqual([
      { ...inBlock, kind: 'registry_paused', by: gateway.keys.guardian.address },
      { ...inBlock, kind: 'registry_unpaused', by: gateway.keys.root.address },
    ]);
  });
});

describe('a cut of a diamond of Carat', () => {
  const cutCall = (cuts: readonly unknown[]): string =>
    contracts.cut.interface.encodeFunctionData('diamondCut', [cuts, zero, '0x']);
  const deal = release.facets.find(({ name }) => name === 'DealFacet')!;
  const sweep = contracts.deal.interface.getFunction('sweep')!.selector;

  it('that no deployment requested is reported with the facets that serve now', async () => {
    keep(gateway.startWatcher());
    const diamond = gateway.world.diamondAddress.toLowerCase();
    const rows = await alertsAfter(async () => {
      await gateway.send(gateway.keys.upgrader, diamond, cutCall([[zero, 2, [sweep]]]));
      await gateway.send(gateway.keys.upgrader, diamond, cutCall([[deal.address, 0, [sweep]]]));
    });
    expect(rows.map(({ kind, data }) => ({ kind, ...data }))).toEqual([
      { ...inBlock, kind: 'cut_not_asked_for', diamond, served: { [zero]: [sweep] } },
      { ...inBlock, kind: 'cut_not_asked_for', diamond, served: { [deal.address]: [sweep] } },
    ]);
    expect(rows[1]!.message).toContain(`${deal.address} serves ${sweep}`);
  });

  it('at its creation, or by the transaction of a deployment, raises nothing', async () => {
    keep(gateway.startWatcher());
    const { knex, keys, network, world, rpc, platform } = gateway;
    const nodeId = randomUUID();
    const walletId = randomUUID();
    const deployer = createDeployer({ network, rpc });
    const call = deployer.createDiamondCall(nodeId, walletId);
    const address = diamondAddress(platform, nodeId, walletId);
    await knex('wallets').insert({
      id: walletId,
      node_id: world.nodeId,
      chain_id: world.chainId,
      name: 'w',
      address,
    });
    await knex('diamonds').insert({
      wallet_id: walletId,
      network_id: network.id,
      address,
      status: 'deploying',
      operator_account_id: world.operatorAccountId,
    });
    const created = await alertsAfter(() => gateway.send(keys.stranger, call.to, call.data));
    expect(await deployer.inspect(address, 'newest')).toMatchObject({ isThere: true });
    expect(created).toEqual([]);

    const [{ id: deploymentId }] = await knex('deployments')
      .insert({ wallet_id: walletId, network_id: network.id, kind: 'update' })
      .returning('id');
    const [{ id: stepId }] = await knex('deployment_steps')
      .insert({ deployment_id: deploymentId, seq: 1, key: 'deploy_diamond' })
      .returning('id');
    const data = cutCall([[zero, 2, [sweep]]]);
    await knex('tx_intents').insert({
      idempotency_key: `step:${stepId}:g1:cut`,
      purpose: 'diamond_cut',
      step_id: stepId,
      account_id: world.upgraderAccountId,
      to_address: address,
      data: Buffer.from(data.slice(2), 'hex'),
    });
    const run = { signer: keys.upgrader, accountId: world.upgraderAccountId };
    keep(gateway.startLane(run));
    const cut = await alertsAfter(() =>
      eventually(async () => (await knex('tx_intents').where({ step_id: stepId }).first()).state === 'settled'),
    );
    const loupe = contracts.loupe.interface;
    const served = await rpc.call('eth_call', [
      { to: address, data: loupe.encodeFunctionData('facetAddress', [sweep]) },
      'latest',
    ]);
    expect(BigInt(served as string)).toBe(0n);
    expect(cut).toEqual([]);
  });
});

describe('strangers that emit the same events', () => {
  const logOf = (contract: 'registry' | 'cut', name: string, values: readonly unknown[]) =>
    contracts[contract].interface.encodeEventLog(name, values) as { topics: string[]; data: string };
  const cutOf = (selectors: readonly string[]) => logOf('cut', 'DiamondCut', [[[hex(20), 0, selectors]], zero, '0x']);

  it('raise nothing, in masses and of any length', async () => {
    const { keys, rpc } = gateway;
    const logs = [
      logOf('registry', 'RoleSet', [roleIds.operator, hex(20), true]),
      logOf('registry', 'FacetProposed', [hex(20), hex(32), 2_000_000_000]),
      logOf('registry', 'FacetRevoked', [hex(20), hex(32), hex(20)]),
      logOf('registry', 'ReleaseSet', ['9.9.9', [hex(20)]]),
      logOf('registry', 'RootTransferStarted', [hex(20), hex(20)]),
      logOf('registry', 'RootTransferred', [hex(20), hex(20)]),
      logOf('registry', 'PausedSet', [true, hex(20)]),
      cutOf(['0x01020304']),
    ];
    const [foreign, dealer] = [hex(20), hex(20)];
    keep(gateway.startWatcher());
    const rows = await alertsAfter(async () => {
      for (const log of logs) {
        await placeEmitter(rpc, foreign, log.topics.length);
        await gateway.send(keys.stranger, foreign, emitCall(log));
      }
      await placeEmitter(rpc, dealer, 1);
      await gateway.send(keys.stranger, dealer, emitCall(cutOf(['0x01020304']), 1_000));
      await gateway.send(keys.stranger, dealer, emitCall(cutOf(Array.from({ length: 500 }, () => '0x01020304')), 4));
      await gateway.send(keys.stranger, dealer, emitCall({ topics: cutOf([]).topics, data: hex(7) }, 100));
    });
    const emitted = (await rpc.call('eth_getLogs', [{ address: dealer, fromBlock: '0x0' }])) as unknown[];
    expect(emitted).toHaveLength(1_104);
    expect(rows).toEqual([]);
  });

  it('under the address of a diamond of Carat raise an alert that they cannot be read', async () => {
    const { knex, keys, rpc, network, world } = gateway;
    const address = hex(20);
    const walletId = randomUUID();
    await knex('wallets').insert({
      id: walletId,
      node_id: world.nodeId,
      chain_id: world.chainId,
      name: 'w',
      address,
    });
    await knex('diamonds').insert({
      wallet_id: walletId,
      network_id: network.id,
      address,
      status: 'active',
      operator_account_id: world.operatorAccountId,
    });
    await placeEmitter(rpc, address, 1);
    keep(gateway.startWatcher());
    const { topics } = cutOf([]);
    const rows = await alertsAfter(() => gateway.send(keys.stranger, address, emitCall({ topics, data: hex(33) })));
    expect(rows.map(({ kind, data }) => ({ kind, ...data }))).toEqual([
      { ...inBlock, kind: 'cut_not_asked_for', diamond: address, served: null },
    ]);
  });
});

describe('a round', () => {
  it('that is repeated raises its alerts once, and logs each once', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = {
      debug: () => {},
      info: () => {},
      error: () => {},
      warn: (_: string, fields = {}) => lines.push(fields),
    };
    const first = keep(gateway.startWatcher({ log }));
    const rows = await alertsAfter(() => ask('guardian', 'setPaused', true));
    await first.stop();
    const { number } = await gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
    const back = Number(rows[0]!.data.block_number) - 1;
    const { hash } = await gateway
      .knex('block_headers')
      .where({ network_id: gateway.network.id, number: back })
      .first();
    await gateway.knex('block_headers').where({ network_id: gateway.network.id }).where('number', '>', back).delete();
    await gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).update({ number: back, hash });
    keep(gateway.startWatcher({ log }));
    await eventually(async () => {
      const cursor = await gateway.knex('watch_cursors').where({ network_id: gateway.network.id }).first();
      return Number(cursor.number) > Number(number);
    });
    const kind = 'registry_paused';
    expect(await gateway.knex('alerts').where({ kind })).toHaveLength(1);
    expect(lines.filter(({ alert }) => alert === kind)).toEqual([
      { alert: 'registry_paused', network: gateway.network.name, ...rows[0]!.data },
    ]);
    await ask('root', 'setPaused', false);
  });

  it('whose block is reorganised away leaves its alert, and a new event raises another one', async () => {
    const { rpc, knex } = gateway;
    keep(gateway.startWatcher());
    const { stranger } = gateway.keys;
    const give = () => ask('root', 'setRole', roleIds.upgrader, stranger.address, true);
    const [before] = await alertsAfter(give);
    const tip = Number(await rpc.call('eth_blockNumber'));
    await rpc.call('anvil_reorg', [tip - Number(before!.data.block_number) + 2, []]);
    await eventually(async () => {
      const number = before!.data.block_number as number;
      const stored = await knex('block_headers').where({ network_id: gateway.network.id, number }).first();
      const block = (await rpc.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as { hash: string };
      return stored.hash === block.hash;
    });
    const alerts = () => knex('alerts').where({ kind: 'role_not_asked_for' });
    expect(kindsOf(await alerts())).toEqual(['role_not_asked_for']);
    await give();
    await eventually(async () => (await alerts()).length === 2);
  });

  it('with a pause opens one alert, which the end of the pause closes', async () => {
    keep(gateway.startWatcher());
    const paused = await alertsAfter(async () => {
      await ask('guardian', 'setPaused', true);
      await ask('guardian', 'setPaused', true);
    });
    expect(kindsOf(paused)).toEqual(['registry_paused']);
    await ask('root', 'setPaused', false);
    // The quorum says that the pause is over, before or after the event is read.
    await eventually(async () => (await gateway.knex('alerts').whereNotNull('closed_at')).length === 1);
    await eventually(async () => (await gateway.knex('alerts')).length === 2);
    const rows = await gateway.knex('alerts').orderBy('id').select('kind', 'closed_by');
    expect(rows.map(({ kind, closed_by }) => [kind, closed_by])).toEqual([
      ['registry_paused', null],
      ['registry_unpaused', null],
    ]);
  });
});

describe('an event of a pause in a block that a reorganisation removes', () => {
  const isToldPaused = async () =>
    (await gateway.knex('alerts').where({ kind: 'registry_paused', closed_at: null })).length === 1;
  /** Sends a call, and removes its block once its event is in the alert. */
  const undo = async (who: keyof Gateway['keys'], isPaused: boolean): Promise<void> => {
    await ask(who, 'setPaused', isPaused);
    await eventually(async () => (await isToldPaused()) === isPaused);
    const filter = { fromBlock: '0x0', toBlock: 'latest', address: gateway.registry };
    const [last] = ((await gateway.rpc.call('eth_getLogs', [filter])) as { blockNumber: string }[]).slice(-1);
    const tip = Number(await gateway.rpc.call('eth_blockNumber'));
    await gateway.rpc.call('anvil_reorg', [tip - Number(last!.blockNumber) + 2, []]);
  };

  it('no longer counts: the alert of the pause ends', async () => {
    keep(gateway.startWatcher());
    await alertsAfter(() => Promise.resolve());
    await undo('guardian', true);
    await eventually(async () => !(await isToldPaused()));
  });

  it('no longer counts: after the end of a pause its alert is raised again', async () => {
    keep(gateway.startWatcher());
    await alertsAfter(() => ask('guardian', 'setPaused', true));
    await undo('root', false);
    await eventually(isToldPaused);
    await ask('root', 'setPaused', false);
    await eventually(async () => !(await isToldPaused()));
  });
});

describe('a pause that no watcher has seen', () => {
  /** A watcher that begins with the newest block, as after its network was added anew. */
  const startFresh = async () => {
    await gateway.knex('block_headers').delete();
    await gateway.knex('watch_cursors').delete();
    return keep(gateway.startWatcher());
  };
  const pauses = () => gateway.knex('alerts').where({ kind: 'registry_paused' }).orderBy('id');

  it('is reported once by the first read of a watcher, and ends when a later read finds it gone', async () => {
    await gateway.knex('alerts').delete();
    await ask('guardian', 'setPaused', true);
    await gateway.rpc.call('anvil_mine', ['0x8']);
    const first = await startFresh();
    const [told] = await eventually(async () => {
      const rows = await pauses();
      return rows.length > 0 && rows;
    });
    expect(told).toMatchObject({ network_id: gateway.network.id, is_condition: true, closed_at: null });
    expect(told.message).toBe(`The registry of ${gateway.network.name} is paused: deals are neither created nor paid`);
    await first.stop();
    const second = await startFresh();
    const read = async () => (await gateway.knex('watch_cursors').first())?.number;
    const before = await eventually(read);
    await eventually(async () => Number(await read()) > Number(before));
    expect(await pauses()).toHaveLength(1);
    await second.stop();
    await ask('root', 'setPaused', false);
    await gateway.rpc.call('anvil_mine', ['0x8']);
    await startFresh();
    await eventually(async () => (await pauses())[0].closed_at !== null);
    expect(await gateway.knex('alerts').pluck('kind')).toEqual(['registry_paused']);
  });

  it('is reported by the word of the quorum alone', async () => {
    await gateway.knex('alerts').delete();
    const proxies = await Promise.all([1, 2, 3].map(() => startProxy(gateway.chain.url)));
    for (const proxy of proxies) keep({ ended: Promise.resolve(), stop: () => proxy.close() });
    const [liar] = proxies as [Proxy];
    const isPause = ({ method, params: [call] }: WireRequest): boolean =>
      method === 'eth_call' && (call as { data: string }).data === registryCall('paused');
    let lies = 0;
    liar.rewrite = (request) => {
      if (!isPause(request)) return request;
      lies += 1;
      return { result: `0x${'1'.padStart(64, '0')}` };
    };
    const troubles: EndpointTrouble[] = [];
    const network = { quorum: 2 };
    const urls = proxies.map(({ url }) => url);
    keep(gateway.startWatcher({ urls, network, report: (trouble) => void troubles.push(trouble) }));
    await eventually(() => lies > 0 && troubles.some(({ endpoint, isLie }) => endpoint === 0 && isLie));
    expect(await pauses()).toEqual([]);
  });
});
