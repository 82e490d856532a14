import { randomUUID } from 'node:crypto';
import { setReleaseCall } from '../../chain/deploy/registry.ts';
import { checksum } from '../../chain/pure/address.ts';
import { registryAddress } from '../../chain/pure/platform.ts';
import { UsageError, type Command } from '../../cli/command/command.ts';
import { diamondPlan, diamondVerify } from '../../cli/diamond.ts';
import { loadConfig, type ConfigKey } from '../../runtime/config.ts';
import { connect } from '../../db/connection.ts';
import { first, newest, startDiamonds, strange, type Diamonds } from '../chain/support/diamonds.ts';
import { createTestDatabase } from '../support/database.ts';
import { createWorld, type World } from '../support/fixtures.ts';

/*
 * `carat diamond plan` and `carat diamond verify`, which need neither Temporal nor a key.
 */

let diamonds: Diamonds;
let knex: ReturnType<typeof connect>;
let databaseUrl: string;
let world: World;

beforeAll(async () => {
  const [started, { url }] = await Promise.all([startDiamonds(), createTestDatabase()]);
  diamonds = started;
  knex = connect(url, { pool: 2 });
  databaseUrl = url;
  world = await createWorld(knex, {
    platform: diamonds.platform,
    guardian: diamonds.keys.guardian.address,
    eip155: diamonds.chain.chainId,
    rpcUrls: [diamonds.chain.url],
  });
});

afterAll(async () => {
  await knex.destroy();
  await diamonds.stop();
});

/** A wallet with a diamond of the registry's release. */
const deployed = async (): Promise<{ id: string; address: string }> => {
  const { nodeId: node_id, chainId: chain_id } = world;
  const { address, walletId: id } = await diamonds.create(node_id);
  await knex('wallets').insert({ id, node_id, chain_id, name: 'wallet', address });
  return { id, address };
};

/** How a command ended, as its process would have. */
interface Said {
  readonly code: 0 | 1 | 2;
  readonly out: string;
  readonly err: string;
}

const call = async (command: Command<'databaseUrl'>, ...args: string[]): Promise<Said> => {
  const lines: string[] = [];
  const env = { CARAT_DATABASE_URL: databaseUrl };
  const need = <Key extends ConfigKey>(...keys: readonly Key[]) => loadConfig(env, keys);
  const print = (line: string): void => void lines.push(line);
  const error = await command.run({ args, config: need('databaseUrl'), need, print, report: print }).then(
    () => null,
    (thrown: Error) => thrown,
  );
  const failed = error instanceof UsageError ? 2 : 1;
  return { code: error === null ? 0 : failed, out: lines.join('\n'), err: error?.message ?? '' };
};

const commands = { plan: diamondPlan, verify: diamondVerify };
const run = (
  command: keyof typeof commands,
  { id }: { readonly id: string },
  network = `network ${world.networkId}`,
): Promise<Said> => call(commands[command], id, network);

/** The rest of lines behind their first words. */
const told = ({ out }: Said, word: string): string[] =>
  [...out.matchAll(new RegExp(`^${word} +(.+)$`, 'gm'))].map(([, text = '']) => text);

it('the diamond of a wallet in this database is shown with the mode of its deals', async () => {
  const { id, address } = await deployed();
  expect(told(await run('verify', { id }), 'deals')).toEqual(['created']);
  await knex('wallets')
    .where({ id })
    .update({ deal_modes: JSON.stringify({ [world.networkId]: 'offered' }) });
  expect(told(await run('verify', { id }), 'deals')).toEqual(['offered']);
  expect(told(await run('plan', { id: address }), 'deals')).toEqual(['offered']);
  const { address: foreign } = await diamonds.create();
  expect(told(await run('plan', { id: foreign }), 'deals')).toEqual([]);
});

it("a diamond is planned by its address as well, without its wallet's database", async () => {
  const { address } = await diamonds.create();
  await diamonds.setRelease(newest.version);
  const { cut } = await diamonds.deployer.inspect(address);
  for (const id of [address, checksum(address)]) {
    const planned = await run('plan', { id });
    expect([planned.code, told(planned, 'to'), told(planned, 'data')]).toEqual([0, [checksum(address)], [cut!.data]]);
  }
  expect(await run('verify', { id: address })).toMatchObject({ out: expect.stringContaining('1.0.0') });
  await diamonds.setRelease(first.version);
});

it('a current diamond has nothing to update, and is verified against its own release', async () => {
  const wallet = await deployed();
  const idle = await run('plan', wallet);
  expect(idle).toMatchObject({ code: 0, out: expect.stringContaining('nothing to update') });
  expect(told(idle, 'release')).toEqual([first.version]);
  expect(told(await run('verify', wallet), 'release')).toEqual([first.version]);

  await diamonds.setRelease(newest.version);
  const stranger = await diamonds.approveStranger([strange]);
  const [planned, verified] = await Promise.all([run('plan', wallet), run('verify', wallet)]);
  expect(verified.code).toBe(0);
  expect(told(verified, 'release')[0]).toContain(`${first.version}; the network's is ${newest.version}`);
  const directly = await diamonds.deployer.inspect(wallet.address);
  expect(planned.code).toBe(0);
  expect([told(planned, 'to'), told(planned, 'data')]).toEqual([[checksum(directly.cut!.to)], [directly.cut!.data]]);
  expect(told(planned, 'loupe')).toEqual([directly.cut!.expectedLoupeHash]);
  expect(planned.out).toMatch(/DealFacet 1\.0\.0 -> 1\.2\.0: update_available; replace 0x/);

  await diamonds.cut(wallet.address, stranger, 'add', [strange]);
  const [cut, wrong] = await Promise.all([run('plan', wallet), run('verify', wallet)]);
  expect(told(cut, 'remove')).toEqual([strange]);
  expect(wrong.code).toBe(1);
  expect(wrong.out).toContain(`${checksum(stranger)} unknown of no release: unknown; remove ${strange}`);
  expect(wrong.err).toContain('matches no release, or has unapproved facets');

  const [data] = told(cut, 'data');
  await diamonds.send(diamonds.keys.upgrader, { what: 'update', to: wallet.address, data: data! });
  const mended = await run('verify', wallet);
  expect([mended.code, told(mended, 'release')]).toEqual([0, [newest.version]]);

  const foreign = setReleaseCall(registryAddress(diamonds.platform), { ...newest, version: '9.0.0' });
  await diamonds.send(diamonds.keys.root, foreign);
  const [unplanned, known] = await Promise.all([run('plan', wallet), run('verify', wallet)]);
  expect(unplanned).toMatchObject({ code: 1, out: expect.stringContaining('9.0.0, which this version') });
  expect(unplanned.err).toContain('no update can be planned');
  expect([known.code, told(known, 'release')[0]]).toEqual([
    0,
    expect.stringContaining(`${newest.version}; the network's is 9.0.0`),
  ]);
  await diamonds.setRelease(newest.version);

  await diamonds.revoke(newest.facets.find(({ name }) => name === 'DealFacet')!.address);
  const revoked = await run('verify', wallet);
  expect(revoked).toMatchObject({ code: 1, out: expect.stringContaining('not approved') });
});

it('a missing diamond, wallet or network is named', async () => {
  const { walletId: id } = await createWorld(knex);
  const wallet = { id: world.walletId };
  const [elsewhere, nobody, nowhere, noId, noNetwork] = await Promise.all([
    run('plan', { id }),
    run('verify', { id: randomUUID() }),
    run('plan', wallet, 'nowhere'),
    run('plan', { id: 'x' }),
    call(diamondVerify, wallet.id),
  ]);
  for (const { code, err } of [elsewhere, nobody])
    expect([code, err]).toEqual([1, expect.stringContaining('no wallet')]);
  expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining('no network nowhere') });
  expect(noId).toMatchObject({ code: 2, err: expect.stringContaining('x is neither a wallet id') });
  expect(noNetwork).toMatchObject({ code: 2, err: expect.stringContaining('a wallet and a network are needed') });

  const [plan, verify] = await Promise.all([run('plan', wallet), run('verify', wallet)]);
  for (const { code, err } of [plan, verify])
    expect([code, err]).toEqual([1, expect.stringContaining('no diamond at')]);
});
