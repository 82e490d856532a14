import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { checkChain } from '../../../tools/stack/prepare.ts';
import { rpc, startChain, type Chain } from '../../../tools/stack/chain.ts';
import { freePorts } from '../../../tools/process/ports.ts';
import { root } from '../../../tools/paths.ts';
import { hex } from '../../support/fixtures.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

let dir = '';
const running: Chain[] = [];
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-chain-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((chain) => chain.stop()));
  fs.rmSync(dir, { recursive: true, force: true });
});

const start = async (stateFile?: string): Promise<Chain> => {
  const [port = 0] = await freePorts(1);
  const chain = await startChain({
    name: 'test chain',
    port,
    chainId: 31_337,
    blockTime: 0.2,
    logFile: path.join(dir, 'chain.log'),
    cacheDir: path.join(dir, 'cache'),
    stateFile,
  });
  running.push(chain);
  return chain;
};

const height = async ({ url }: Chain): Promise<number> => Number((await rpc(url, 'eth_blockNumber')) as string);
const block = async ({ url }: Chain, number: number): Promise<{ hash: string; gasLimit: string }> =>
  (await rpc(url, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as { hash: string; gasLimit: string };

describe('a development chain', () => {
  it('mines by the clock, and its process id is that of anvil', async () => {
    const chain = await start();
    await eventually(async () => (await height(chain)) >= 3);
    expect(fs.readFileSync(`/proc/${chain.pid}/cmdline`, 'utf8').split('\0')[0]).toMatch(/bin\/anvil$/);
    expect(Number((await block(chain, 1)).gasLimit)).toBe(30_000_000);
  });

  it('goes on from its blocks after a stop', async () => {
    const file = path.join(dir, 'state.json');
    const first = await start(file);
    await eventually(async () => (await height(first)) >= 3);
    const [genesis, third] = [await block(first, 0), await block(first, 3)];
    await first.stop();
    const second = await start(file);
    expect(await height(second)).toBeGreaterThanOrEqual(3);
    expect([await block(second, 0), await block(second, 3)]).toEqual([genesis, third]);
  });

  it('has the genesis of its first start at every later start', async () => {
    const file = path.join(dir, 'state.json');
    const first = await start(file);
    await eventually(async () => (await height(first)) >= 1);
    const genesis = await block(first, 0);
    await first.stop();
    for (let again = 0; again < 5; again += 1) {
      const next = await start(file);
      expect(await block(next, 0)).toEqual(genesis);
      await next.stop();
    }
  });

  it('goes on after a kill that left half a file', async () => {
    const file = path.join(dir, 'state.json');
    const first = await start(file);
    await eventually(() => fs.existsSync(`${file}.copy`));
    const genesis = await block(first, 0);
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2));
    const second = await start(file);
    expect(await block(second, 0)).toEqual(genesis);
  });

  it('with a broken file and a broken copy is an error that names the reset', async () => {
    const file = path.join(dir, 'state.json');
    fs.writeFileSync(file, '{"block":');
    await expect(start(file)).rejects.toThrow('npm run reset');
  });
});

describe('the development chain of docker-compose.yml', () => {
  const program = async (): Promise<{ child: ChildProcess; url: string }> => {
    const [port = 0] = await freePorts(1);
    const args = ['tools/stack/lone-chain.ts', dir, String(port)];
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout!, 'data');
    return { child, url: `http://127.0.0.1:${port}` };
  };
  const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> => {
    child.kill(signal);
    return (await once(child, 'exit'))[0];
  };

  it('goes on with its blocks and its genesis whenever its container is stopped', async () => {
    const seen: unknown[] = [];
    for (let start = 0; start < 4; start += 1) {
      const { child, url } = await program();
      const before = Number(await rpc(url, 'eth_blockNumber'));
      expect(before).toBeGreaterThanOrEqual(start);
      await eventually(async () => Number(await rpc(url, 'eth_blockNumber')) > before);
      seen.push(await rpc(url, 'eth_getBlockByNumber', ['0x0', false]));
      expect(await end(child, 'SIGTERM')).toBe(0);
    }
    for (const genesis of seen) expect(genesis).toEqual(seen[0]);
  });

  it('reports a folder that it cannot use', async () => {
    const args = ['tools/stack/lone-chain.ts', path.join(dir, 'nowhere')];
    const child = spawn(process.execPath, args, { cwd: root });
    const said = text(child.stderr);
    expect((await once(child, 'exit'))[0]).toBe(1);
    expect(await said).toMatch(/ENOENT.*nowhere/);
  });
});

describe('a chain and the stored data about it', () => {
  const network = { name: 'alpha', eip155: 31_337, blockTime: 0.2, confirmations: 3, finality: 64 } as const;

  /** A database that knows the network with this genesis, scanned up to this block. */
  const stored = async (genesis: string, scanned: number): Promise<string> => {
    const { url } = await createTestDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`
      WITH chain AS (INSERT INTO chains (id, name, first_root, platform_id, approval_delay)
                     VALUES (gen_random_uuid(), 'devnet', '${hex(20)}', '${hex(32)}', 0) RETURNING id, first_root),
           network AS (
             INSERT INTO networks (id, chain_id, name, eip155, rpc_urls, confirmations, finality, block_time_ms,
                                   max_fee_per_gas, genesis_hash, root, guardian)
             SELECT gen_random_uuid(), id, 'alpha', 31337, '{http://127.0.0.1:1}', 3, 64, 200, 1, '${genesis}', first_root, '${hex(20)}'
             FROM chain
             RETURNING id)
      INSERT INTO watch_cursors (network_id, number, hash) SELECT id, ${scanned}, '${genesis}' FROM network`);
    await client.end();
    return url;
  };

  it('fit together', async () => {
    const chain = await start();
    const { hash } = await block(chain, 0);
    await expect(checkChain(await stored(hash, 0), network, chain.url)).resolves.toBe(true);
  });

  it('with another genesis are an error that names the reset', async () => {
    const chain = await start();
    const database = await stored(`0x${'ab'.repeat(32)}`, 0);
    await expect(checkChain(database, network, chain.url)).rejects.toThrow(
      /alpha is not the one that the stored data belongs to.*npm run reset/,
    );
  });

  it('with fewer lost blocks than confirmations are a reorganisation, with more an error', async () => {
    const chain = await start();
    const { hash } = await block(chain, 0);
    await rpc(chain.url, 'anvil_setIntervalMining', [0]);
    const tip = await height(chain);
    await expect(checkChain(await stored(hash, tip + 2), network, chain.url)).resolves.toBe(true);
    await expect(checkChain(await stored(hash, tip + 3), network, chain.url)).rejects.toThrow(
      /lost its last 3 blocks.*npm run reset/,
    );
  });
});
