import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { HDNodeWallet, parseEther } from 'ethers';
import { networkPrepare } from '../../cli/network.ts';
import * as registry from '../../cli/registry.ts';
import { roleGive, roleTake } from '../../cli/registry.ts';
import { UsageError } from '../../cli/command/command.ts';
import { facetDeployCall } from '../../chain/deploy/deployer.ts';
import { isoTime } from '../../chain/deploy/registry-changes.ts';
import { setReleaseCall } from '../../chain/deploy/registry.ts';
import { sendCalls } from '../../chain/deploy/send-calls.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { batcherAddress, registryAddress } from '../../chain/pure/platform.ts';
import { release, releases } from '../../chain/pure/releases.ts';
import { roleIds, type Role } from '../../chain/pure/roles.ts';
import { codes, views } from '../../chain/rpc/calls.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { createKeystore, PUBLIC_KEYS_COST } from '../../chain/signing/keystore.ts';
import type { Signer } from '../../chain/signing/signer.ts';
import { raiseAlerts } from '../../db/alerts/alerts.ts';
import { ZERO_ADDRESS } from '../../domain/deal.ts';
import { devMnemonic } from '../../tools/stack/chain.ts';
import { startGateway, type Gateway } from '../chain/support/gateway.ts';
import { startTestChain } from '../support/chain.ts';
import { callCommand, carat } from '../support/carat.ts';
import { createWorld, hex } from '../support/fixtures.ts';
import { setTestTimeout } from '../support/test-timeout.ts';

// Each test sends several transactions, one after the other, and waits for their blocks.
setTestTimeout(180_000);

let gateway: Gateway;
let name: string;
let dir: string;
let fresh: Awaited<ReturnType<typeof startFresh>>;
/** Keystores by whose key they hold. */
const files: Record<string, string> = {};

beforeAll(async () => {
  gateway = await startGateway();
  ({ name } = gateway.network);
  fresh = await startFresh();
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-registry-'));
  for (const [index, owner] of ['root', 'operator', 'upgrader', 'guardian', 'buyer', 'stranger'].entries()) {
    if (!['root', 'guardian', 'stranger'].includes(owner)) continue;
    files[owner] = path.join(dir, `${owner}.json`);
    const { privateKey } = HDNodeWallet.fromPhrase(devMnemonic, '', `m/44'/60'/0'/0/${index}`);
    await createKeystore(files[owner], 'correct horse', [privateKey], PUBLIC_KEYS_COST);
  }
});

afterAll(async () => {
  await fresh.chain.stop();
  await gateway.close();
  fs.rmSync(dir, { recursive: true, force: true });
});

type Owner = 'root' | 'guardian' | 'stranger';

interface Said {
  readonly out: string;
  /** The message of the error; null when the command succeeded. */
  readonly error: string | null;
}

/** Runs a command in this process; without a keystore it has no passphrase. */
const call = (command: unknown, out: string[], ...args: string[]): Promise<void> => {
  const env = {
    CARAT_DATABASE_URL: gateway.databaseUrl,
    ...(args.some((word) => word.includes('keystore')) ? { CARAT_KEYSTORE_PASSPHRASE: 'correct horse' } : {}),
  };
  return callCommand(command, args, env, out);
};

const thrownBy = (command: unknown, ...args: string[]): Promise<unknown> =>
  call(command, [], ...args).then(
    () => null,
    (error: unknown) => error,
  );

const run = async (command: unknown, ...args: string[]): Promise<Said> => {
  const out: string[] = [];
  const error = await call(command, out, ...args).then(
    () => null,
    (thrown: Error) => thrown.message,
  );
  return { out: out.join('\n'), error };
};

/** A network of the catalogue that nobody has prepared, whose coin is called GAS. */
const startFresh = async () => {
  const { keys, knex } = gateway;
  const chain = await startTestChain({ chainId: 31_338 });
  const platform = { firstRoot: keys.root.address, approvalDelay: 0n, id: hex(32) };
  const { networkId } = await createWorld(knex, {
    platform,
    guardian: keys.guardian.address,
    eip155: chain.chainId,
    rpcUrls: [chain.url],
  });
  const coin = { id: randomUUID(), symbol: 'GAS', name: 'Gas', decimals: 18 };
  await knex('currencies').insert(coin);
  await knex('currency_tokens').insert({ currency_id: coin.id, network_id: networkId, address: null, decimals: 18 });
  const rpc = createRpc({ urls: [chain.url], eip155: chain.chainId });
  return { id: networkId, name: `network ${networkId}`, platform, chain, rpc };
};

const withKey = (owner: Owner): string[] => ['--keystore', files[owner]!];

/** The calls that a command has printed. */
const printedCalls = ({ out }: Said) =>
  [...out.matchAll(/^ {2}(\S.*)\n {4}to (0x[0-9a-f]{40})\n {4}data (0x[0-9a-f]+)$/gm)].map(
    ([, what = '', to = '', data = '']) => ({ what, to, data }),
  );

const ask = async (view: string, ...args: unknown[]): Promise<unknown> =>
  (await views(gateway.rpc, [{ to: gateway.registry, interface: contracts.registry.interface, name: view, args }]))[0];

const nonceOf = ({ address }: Signer, rpc = gateway.rpc): Promise<unknown> =>
  rpc.call('eth_getTransactionCount', [address, 'latest']);
const nonces = () => Promise.all(Object.values(gateway.keys).map((key) => nonceOf(key)));
const freshNonces = () => Promise.all(Object.values(gateway.keys).map((key) => nonceOf(key, fresh.rpc)));

const inTime = async (work: () => Promise<unknown>): Promise<void> => {
  const snapshot = await gateway.rpc.call('evm_snapshot');
  await work();
  await gateway.rpc.call('evm_revert', [snapshot]);
};

interface Forms {
  readonly command: unknown;
  readonly words: readonly string[];
  readonly may: Owner;
  readonly mayNot: Owner;
  readonly isDone: () => Promise<boolean>;
}

/** Words and effects of a change: without a key, with one that may not, from elsewhere, with one that may, and repeated. */
const assertAllForms = async ({ command, words, may, mayNot, isDone }: Forms): Promise<void> => {
  const before = await nonces();
  const [shown, refused] = await Promise.all([
    run(command, name, ...words),
    run(command, name, ...words, ...withKey(mayNot)),
  ]);
  expect(shown).toMatchObject({ error: null, out: expect.stringContaining(`has to make this call on ${name}`) });
  expect(refused).toEqual({ out: shown.out, error: expect.stringContaining('no key that may make this call') });
  expect([await nonces(), await isDone()]).toEqual([before, false]);

  const calls = printedCalls(shown);
  expect(calls).toEqual([{ what: expect.any(String), to: gateway.registry, data: expect.any(String) }]);
  await inTime(async () => {
    await sendCalls(gateway.rpc, gateway.keys[may], gateway.network.eip155, calls);
    expect(await isDone()).toBe(true);
  });

  expect(await isDone()).toBe(false);
  const sent = new RegExp(`^${name}: .*; ${gateway.keys[may].address} sent it in 0x[0-9a-f]{64}$`, 'm');
  const done = await run(command, name, ...words, ...withKey(may));
  expect(done).toMatchObject({ error: null, out: expect.stringMatching(sent) });
  expect(await isDone()).toBe(true);
  const again = await run(command, name, ...words);
  expect(again).toEqual({ error: null, out: expect.stringMatching(/; nothing was sent$/) });
};

const hasRole = async (role: Role, account: string): Promise<boolean> =>
  ((await ask('roleState', roleIds[role], account)) as readonly [boolean])[0];
const accountAt = async (view: 'root' | 'pendingRoot'): Promise<string> => String(await ask(view)).toLowerCase();
const done = async (command: unknown, owner: Owner, ...words: string[]): Promise<Said> => {
  const said = await run(command, name, ...words, ...withKey(owner));
  expect(said).toMatchObject({ error: null });
  return said;
};

describe('each command prints its call, and sends it with an authorised key', () => {
  it('registry pause', () =>
    assertAllForms({
      command: registry.registryPause,
      words: [],
      may: 'guardian',
      mayNot: 'stranger',
      isDone: async () => (await ask('paused')) === true,
    }));

  it('and sends nothing where there is nothing to do', async () => {
    const before = await nonces();
    const { out } = await done(registry.registryPause, 'guardian');
    expect(out).toBe(`${name} is paused; nothing was sent`);
    expect(await nonces()).toEqual(before);
  });

  it('registry unpause', () =>
    assertAllForms({
      command: registry.registryUnpause,
      words: [],
      may: 'root',
      mayNot: 'guardian',
      isDone: async () => (await ask('paused')) === false,
    }));

  it('role give and role take', async () => {
    const account = hex(20);
    const words = ['upgrader', account];
    await assertAllForms({
      command: roleGive,
      words,
      may: 'root',
      mayNot: 'guardian',
      isDone: () => hasRole('upgrader', account),
    });
    await assertAllForms({
      command: roleTake,
      words,
      may: 'guardian',
      mayNot: 'stranger',
      isDone: async () => !(await hasRole('upgrader', account)),
    });
  });

  it('registry transfer-root, withdraw-root and accept-root', async () => {
    const { root, stranger } = gateway.keys;
    const words = [stranger.address];
    const offer = { command: registry.registryTransferRoot, words, may: 'root', mayNot: 'guardian' } as const;
    const isDone = async () => (await accountAt('pendingRoot')) === stranger.address;
    await assertAllForms({ ...offer, isDone });
    await assertAllForms({
      command: registry.registryWithdrawRoot,
      words: [],
      may: 'root',
      mayNot: 'guardian',
      isDone: async () => !(await isDone()),
    });
    await done(registry.registryTransferRoot, 'root', stranger.address);
    await assertAllForms({
      command: registry.registryAcceptRoot,
      words: [],
      may: 'stranger',
      mayNot: 'root',
      isDone: async () => (await accountAt('root')) === stranger.address,
    });
    await done(registry.registryTransferRoot, 'stranger', root.address);
    await done(registry.registryAcceptRoot, 'root');
    expect(await accountAt('root')).toBe(root.address);
  });

  it('registry approve, set-release and revoke, of another release than the newest', async () => {
    const [older] = releases;
    const words = [older!.version];
    const missing = await run(registry.registryApprove, name, ...words);
    expect(missing.error).toMatch(/^not on .* yet: .*; carat network prepare .* --release 1\.0\.0 deploys them$/);
    const planned = await run(networkPrepare, name, '--plan', '--release', ...words);
    for (const { name: of, version, address } of older!.facets)
      expect(planned.out).toContain(`${of} ${version} ${address} is`);
    expect(planned.out).toContain(`: set the release 1.0.0 instead of ${release.version}: at most`);
    const calls = older!.facets.map((facet) => ({ what: facet.name, ...facetDeployCall(facet), facet }));
    const found = await codes(
      gateway.rpc,
      calls.map(({ facet }) => facet.address),
    );
    const open = calls.filter((_, index) => found[index] === '0x');
    await sendCalls(gateway.rpc, gateway.keys.stranger, gateway.network.eip155, open);
    const { address } = open[0]!.facet;
    const byRoot = { words, may: 'root', mayNot: 'guardian' } as const;
    expect((await run(registry.registrySetRelease, name, ...words)).error).toContain(
      'run carat registry approve first',
    );
    expect((await run(registry.registryRevoke, name, address)).error).toContain('was never approved');
    await assertAllForms({
      command: registry.registryApprove,
      ...byRoot,
      isDone: async () => (await ask('isApproved', address)) === true,
    });
    await assertAllForms({
      command: registry.registrySetRelease,
      ...byRoot,
      isDone: async () => ((await ask('release')) as readonly [string])[0] === older!.version,
    });
    await done(registry.registrySetRelease, 'root');
    expect(await ask('release')).toEqual([release.version, expect.anything()]);
    await assertAllForms({
      command: registry.registryRevoke,
      words: [address],
      may: 'guardian',
      mayNot: 'stranger',
      isDone: async () =>
        ((await ask('approval', address, open[0]!.facet.runtimeCodeHash)) as readonly [bigint, boolean])[1],
    });
    expect((await run(registry.registryApprove, name, ...words)).error).toContain('revoked for ever');
    const { out } = await run(networkPrepare, name, '--plan', '--release', ...words);
    expect(out).toContain(`: permanently revoked: ${open[0]!.what}; a release with them cannot be set`);
  });

  it('network prepare does not touch a release that it does not know', async () => {
    const foreign = setReleaseCall(gateway.registry, { ...release, version: '9.0.0' });
    await inTime(async () => {
      await sendCalls(gateway.rpc, gateway.keys.root, gateway.network.eip155, [foreign]);
      const planned = await run(networkPrepare, name, '--plan');
      expect(planned).toMatchObject({ error: null, out: expect.stringContaining('does not know the release 9.0.0') });
      expect(printedCalls(planned)).toEqual([]);
    });
  });
});

describe('a command about a registry', () => {
  it('refuses wrong words before it asks an endpoint', async () => {
    const wrong: [unknown, string[]][] = [
      [registry.registryShow, []],
      [registry.registryShow, [name, 'x']],
      [registry.registryPause, []],
      [registry.registryPause, [name, 'now']],
      [registry.registryApprove, [name, '0.0.1']],
      [registry.registryApprove, [name, release.version, 'x']],
      [registry.registryRevoke, [name, 'DealFacet']],
      [registry.registryTransferRoot, [name]],
      [registry.registryTransferRoot, [name, ZERO_ADDRESS]],
      [roleGive, [name, 'king', hex(20)]],
      [roleGive, [name, 'guardian', '0x12']],
      [roleGive, [name, 'operator', ZERO_ADDRESS]],
      [roleTake, [name, 'guardian']],
      [networkPrepare, [name, '--plan', '--root-keystore', 'x']],
      [networkPrepare, [name]],
      [networkPrepare, [name, '--plan', '--release', '0.0.1']],
    ];
    for (const [command, words] of wrong) expect(await thrownBy(command, ...words)).toBeInstanceOf(UsageError);
  });

  it('needs a network of the catalogue, the chain that it names, a registry there, and a keystore that opens', async () => {
    expect(await run(registry.registryPause, 'omega')).toMatchObject({
      error: expect.stringMatching(/^the catalogue has no network omega; it has network [0-9a-f-]{36}, /),
    });
    expect(await run(registry.registryPause, name, '--keystore', path.join(dir, 'none.json'))).toMatchObject({
      error: expect.stringContaining('cannot be read'),
    });
    expect(await run(registry.registryShow, fresh.name)).toMatchObject({
      error: expect.stringContaining('no registry'),
    });
    const stored = () => gateway.knex('networks').where({ id: fresh.id });
    await stored().update({ eip155: 5 });
    expect(await run(registry.registryShow, fresh.name)).toMatchObject({ error: expect.stringContaining('chain') });
    await stored().update({ eip155: fresh.chain.chainId });
  });

  it('exits with 1 where nothing could be sent, and needs no passphrase without a keystore', async () => {
    const [env, passphrase] = [
      { CARAT_DATABASE_URL: gateway.databaseUrl },
      { CARAT_KEYSTORE_PASSPHRASE: 'correct horse' },
    ];
    const words = ['registry', 'pause', name];
    const [shown, refused, without] = await Promise.all([
      carat(words, env),
      carat([...words, ...withKey('stranger')], { ...env, ...passphrase }),
      carat([...words, ...withKey('guardian')], env),
    ]);
    expect(shown).toMatchObject({ code: 0, err: '', out: expect.stringContaining('    data 0x16c38b3c') });
    expect(refused).toMatchObject({ code: 1, out: shown.out, err: expect.stringContaining('no key that may') });
    expect(without).toMatchObject({ code: 1, out: '', err: expect.stringContaining('CARAT_KEYSTORE_PASSPHRASE') });
    expect(await ask('paused')).toBe(false);
  });
});

describe('registry show', () => {
  it('shows the roles and facets, and those of alerts', async () => {
    const { keys, network, knex } = gateway;
    const [gone, foreign] = [hex(20), hex(20)];
    await done(roleGive, 'root', 'operator', gone);
    await knex('signer_accounts').insert({
      network_id: network.id,
      address: gone,
      role: 'operator',
      dismissed_at: new Date(),
    });
    await raiseAlerts(knex, network.id, [
      { kind: 'facet_not_asked_for', subject: 'a', message: 'm', data: { facet: foreign, code_hash: hex(32) } },
      {
        kind: 'role_not_asked_for',
        subject: 'b',
        message: 'm',
        data: { role: 'upgrader', account: gone, enabled: true },
      },
    ]);
    await done(registry.registryTransferRoot, 'root', keys.stranger.address);
    const { out, error } = await run(registry.registryShow, name);
    expect(error).toBeNull();
    const lines = out.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        `registry   ${gateway.registry}`,
        `root       ${keys.root.address}`,
        `offered to ${keys.stranger.address}`,
        'paused     no',
        'delay      0 s',
        `release    ${release.version}`,
        `operator   ${keys.operator.address} has the role`,
        `batcher    ${batcherAddress(gateway.platform)} newest, has its role`,
        `guardian   ${keys.guardian.address} has the role`,
        `operator   ${gone} has the role, but the catalogue does not list it: carat role take`,
        `facet      ${foreign} of no known release: not deployed`,
      ]),
    );
    expect(out).not.toContain(`upgrader   ${gone}`);
    for (const { name: facet, version, address, runtimeCodeHash } of release.facets) {
      const [effectiveAt] = (await ask('approval', address, runtimeCodeHash)) as readonly [bigint];
      const said = lines.find((line) => line.startsWith(`facet      ${address} ${facet} ${version} of `));
      expect(said).toMatch(new RegExp(`: approved, usable since ${isoTime(effectiveAt)}$`));
    }
    await knex('networks').where({ id: network.id }).update({ root: keys.stranger.address });
    const { out: other } = await run(registry.registryShow, name);
    expect(other).toContain(`root       ${keys.root.address}, but the catalogue expects ${keys.stranger.address}`);
    await knex('networks').where({ id: network.id }).update({ root: keys.root.address });
  });
});

describe('network prepare --plan', () => {
  const balanceOf = async ({ address }: Signer): Promise<bigint> =>
    BigInt((await fresh.rpc.call('eth_getBalance', [address, 'latest'])) as string);
  /** Wei of an amount that a line names. */
  const wei = (out: string, line: RegExp): bigint => parseEther(line.exec(out)![1]!);

  it("names addresses, transactions, costs and root's calls, and sends nothing", async () => {
    const { keys, knex } = gateway;
    const before = await freshNonces();
    const planned = await run(networkPrepare, fresh.name, '--plan');
    expect([planned.error, await freshNonces()]).toEqual([null, before]);
    const { out } = planned;
    const said = (text: string) => expect(out).toContain(`${fresh.name}: ${text}`);
    said(`the registry ${registryAddress(fresh.platform)} is missing`);
    said(`the batcher ${batcherAddress(fresh.platform)} is missing`);
    for (const facet of release.facets) said(`${facet.name} ${facet.version} ${facet.address} is missing`);
    said(`batcher ${batcherAddress(fresh.platform)} lacks its role`);
    said(`guardian ${keys.guardian.address} lacks its role`);
    expect(out).toMatch(/: deploy the registry at 0x[0-9a-f]{40}: \d{7} gas, 0\.\d+ GAS$/m);
    expect(out).toMatch(/: give the role guardian to 0x[0-9a-f]{40}: at most 200000 gas, 0\.\d+ GAS$/m);
    expect(wei(out, /root 0x[0-9a-f]{40} has (\S+) GAS;/)).toBe(await balanceOf(keys.root));

    const has = await balanceOf(keys.stranger);
    const prepared = await run(networkPrepare, fresh.name, '--root-keystore', files.stranger!);
    expect(prepared).toMatchObject({ error: null, out: expect.stringContaining(' 6 transactions sent') });
    const spent = has - (await balanceOf(keys.stranger));
    const cost = wei(out, /the deployments cost (\S+) GAS now/);
    const needed = wei(out, /the payer needs (\S+) GAS/);
    expect(spent).toBeLessThanOrEqual(needed);
    // Anvil's base fee falls from block to block.
    expect(spent * 100n).toBeGreaterThan(cost * 70n);
    expect(spent * 100n).toBeLessThan(cost * 130n);

    const calls = printedCalls(planned);
    expect(calls).toEqual(printedCalls(prepared));
    const rich = await balanceOf(keys.root);
    await sendCalls(
      fresh.rpc,
      keys.root,
      fresh.chain.chainId,
      calls.map((call) => ({ ...call, gasLimit: 2_000_000n })),
    );
    const ofRoot = rich - (await balanceOf(keys.root));
    expect(ofRoot).toBeLessThanOrEqual(wei(out, /root needs (\S+) GAS/));

    const after = await freshNonces();
    const again = await run(networkPrepare, fresh.name, '--plan');
    expect([again.error, await freshNonces()]).toEqual([null, after]);
    expect(again.out).toContain(`${fresh.name}: nothing is missing`);
    expect(again.out).toContain(`${fresh.name}: the registry ${registryAddress(fresh.platform)} is deployed`);
    expect(again.out).toContain(`${fresh.name}: guardian ${keys.guardian.address} has its role`);
    expect(printedCalls(again)).toEqual([]);

    await knex('networks').where({ id: fresh.id }).update({ root: keys.stranger.address });
    expect(await run(networkPrepare, fresh.name, '--plan')).toMatchObject({
      error: expect.stringContaining(`the root of its registry is ${keys.root.address}`),
    });
  });

  it('counts the remaining work where the registry exists already', async () => {
    const { keys } = gateway;
    await done(roleTake, 'guardian', 'operator', keys.operator.address);
    const { out } = await run(networkPrepare, name, '--plan');
    expect(out).toContain(`operator ${keys.operator.address} lacks its role`);
    expect(out).toMatch(/: give the role operator to (the batcher )?0x[0-9a-f]{40}: \d{5} gas, 0\.\d+ coins$/m);
    expect(out).not.toContain('the payer');
    expect(await run(networkPrepare, name, '--root-keystore', files.root!)).toMatchObject({
      out: expect.stringContaining(' 1 transactions sent'),
    });
  });
});
