import { checkNetwork } from '../../../chain/deploy/network-check.ts';
import { hex } from '../../support/fixtures.ts';
import { eventually } from '../../support/eventually.ts';
import type { Proxy, WireAnswer } from '../support/proxy.ts';
import { allAre } from '../support/running.ts';
import { useProxies } from '../support/three-endpoints.ts';

/* Endpoints without block 0: they prune the history of their chain, and are no liars for it. */

const all = useProxies();
const { keep, among } = all;

const pruned: Record<string, WireAnswer> = {
  null: { result: null },
  'error 4444': { error: { code: 4444, message: 'pruned history unavailable' } },
  'words about a block': { error: { code: -32_000, message: 'block not found: 0x0' } },
  'words of its own': { error: { code: -32_000, message: 'the range is below the tail' } },
};
const prune = (proxy: Proxy, answer: WireAnswer): void => {
  proxy.rewrite = (request) =>
    request.method === 'eth_getBlockByNumber' && request.params[0] === '0x0' ? answer : request;
};
const cursorOf = async (): Promise<number> =>
  Number((await all.gateway.knex('watch_cursors').where({ network_id: all.gateway.network.id }).first())?.number ?? -1);
const alertKinds = () => all.gateway.knex('alerts').pluck('kind');
const run = (count: number, quorum: number): void => {
  keep(all.gateway.startWatcher(among(count, quorum)));
  keep(all.gateway.startLane(among(count, quorum)));
};
const claimOf = () => ({
  name: 'net',
  eip155: all.gateway.network.eip155,
  quorum: 1,
  confirmations: 3,
  tokens: [],
  platform: { firstRoot: hex(20), approvalDelay: 0n, id: hex(32) },
});

it.each<[string, number, number, number]>([
  ['null', 1, 1, 1],
  ['error 4444', 1, 1, 1],
  ['words about a block', 1, 1, 1],
  ['words of its own', 1, 1, 1],
  ['null', 1, 2, 1],
  ['null', 1, 2, 2],
  ['error 4444', 2, 3, 2],
  ['null', 3, 3, 2],
])(
  'with %s for block 0 from %d of %d endpoints, quorum %d, payments are created, and no endpoint is a liar',
  async (how, count, of, quorum) => {
    for (const proxy of all.proxies.slice(0, count)) prune(proxy, pruned[how]!);
    run(of, quorum);
    await allAre(all.gateway, await all.gateway.pay(1), 'awaiting_payment');
    expect(all.troubles.filter(({ isLie }) => isLie)).toEqual([]);
    expect(await alertKinds()).toEqual([]);
  },
);

it('an endpoint of another chain without block 0 is known by the oldest stored block that it has', async () => {
  const stop = all.gateway.startWatcher();
  await eventually(async () => (await cursorOf()) >= 5);
  await stop.stop();
  prune(all.proxies[0]!, pruned['null']!);
  const asked: unknown[] = [];
  const answer = all.proxies[0]!.rewrite!;
  all.proxies[0]!.rewrite = (request) => {
    if (request.method === 'eth_getBlockByNumber') asked.push(request.params[0]);
    return answer(request);
  };
  all.proxies[0]!.tamper = ({ method }, result) =>
    method === 'eth_getBlockByNumber' && result !== null ? { ...(result as object), hash: hex(32) } : result;
  run(2, 1);
  await eventually(() => all.troubles.some(({ isLie }) => isLie));
  expect(all.troubles.find(({ isLie }) => isLie)).toMatchObject({
    endpoint: 0,
    reason: 'an endpoint without block 0 has another block than the stored one',
  });
  await allAre(all.gateway, await all.gateway.pay(1), 'awaiting_payment');
});

it.each<[string, WireAnswer]>([
  ['a rate limit', { error: { code: -32_005, message: 'rate limit exceeded' } }],
  ['an internal error', { error: { code: -32_603, message: 'Internal error' } }],
])('%s in place of block 0 is no pruned history: the endpoint is asked for it again', async (_, answer) => {
  prune(all.proxies[0]!, answer);
  run(1, 1);
  const [payment] = await all.gateway.pay(1);
  await eventually(() => all.proxies[0]!.exchanges.length > 10);
  // Nothing else of it counts meanwhile.
  expect(await all.gateway.statuses([payment!])).toEqual(['pending']);
  await expect(
    checkNetwork({ ...claimOf(), rpcUrls: [all.proxies[0]!.url, all.gateway.chain.url] }),
  ).resolves.toMatchObject({
    problems: [expect.stringContaining('does not answer')],
    warnings: expect.not.arrayContaining([expect.stringContaining('pruned')]),
  });
  all.proxies[0]!.rewrite = null;
  await allAre(all.gateway, [payment!], 'awaiting_payment');
  expect(all.troubles.filter(({ isLie }) => isLie)).toEqual([]);
});

it.each(Object.keys(pruned))('the check of a network with %s for block 0 warns of its pruned history', async (how) => {
  prune(all.proxies[0]!, pruned[how]!);
  const claim = claimOf();
  const beside = await checkNetwork({ ...claim, rpcUrls: [all.proxies[0]!.url, all.gateway.chain.url] });
  expect(beside).toMatchObject({ genesisHash: all.gateway.network.genesisHash, problems: [] });
  expect(beside.warnings).toContainEqual(expect.stringMatching(/^net: RPC endpoint 1 of 2 has pruned block 0/));
  const alone = await checkNetwork({ ...claim, rpcUrls: [all.proxies[0]!.url] });
  expect(alone).toMatchObject({ genesisHash: null, problems: [] });
  expect(alone.warnings).toContainEqual(
    expect.stringContaining('no endpoint has block 0, because its history is pruned'),
  );
});
