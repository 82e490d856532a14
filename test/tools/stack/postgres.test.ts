import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePorts } from '../../../tools/process/ports.ts';
import {
  postgresAccount,
  programsFor,
  reachableDir,
  startPostgres,
  type Postgres,
} from '../../../tools/stack/postgres.ts';
import { eventually } from '../../support/eventually.ts';

let dir = '';
const running: Postgres[] = [];
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-postgres-'));
  fs.chmodSync(dir, 0o711);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((postgres) => postgres.stop()));
  fs.rmSync(dir, { recursive: true, force: true });
});

const start = async (dataDir = path.join(dir, 'data')): Promise<Postgres> => {
  const [port = 0] = await freePorts(1);
  const logFile = path.join(dir, 'postgres.log');
  const postgres = await startPostgres({ dataDir, port, password: 'p@ss/word', logFile });
  running.push(postgres);
  return postgres;
};

const query = async (url: string, text: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
};

describe('PostgreSQL of the stack', () => {
  it('keeps its data between starts, listens on 127.0.0.1 only and takes 200 connections', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    const second = await start();
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(
      await query(
        second.url,
        "SELECT name, setting FROM pg_settings WHERE name IN ('listen_addresses', 'max_connections')",
      ),
    ).toEqual([
      { name: 'listen_addresses', setting: '127.0.0.1' },
      { name: 'max_connections', setting: '200' },
    ]);
  });

  it('lets no client in without the password', async () => {
    const { url } = await start();
    const wrong = new URL(url);
    wrong.password = 'guess';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
  });

  it('goes on after a kill', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const second = await start();
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('waits for a backend that has not noticed its killed server', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const client = new pg.Client({ connectionString: first.url });
    client.on('error', () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const { pid } = rows[0]!;
    process.kill(pid, 'SIGSTOP');
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const starting = start();
    const isRefused = (): boolean =>
      fs.readFileSync(path.join(dir, 'postgres.log'), 'utf8').includes('is still in use');
    await Promise.race([eventually(isRefused), starting]);
    process.kill(pid, 'SIGCONT');
    expect(await query((await starting).url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('runs as an account other than root, from a place which that account can reach', async () => {
    const { pid } = await start();
    const uid = fs.statSync(`/proc/${pid}`).uid;
    expect(uid).toBe(postgresAccount()?.uid ?? process.getuid?.());
    expect(uid).not.toBe(0);
  });

  it('keeps its data elsewhere where its account cannot reach the folder', async () => {
    const account = postgresAccount();
    const closed = path.join(dir, 'closed');
    fs.mkdirSync(closed, { mode: 0o700 });
    const place = await reachableDir(path.join(closed, 'data'), account);
    // An ordinary user reaches their own files; as root, another account must reach them.
    expect(place.startsWith(account ? '/var/lib/carat/' : closed)).toBe(true);
    const programs = await programsFor(account);
    expect(Object.values(programs).every((file) => fs.existsSync(file))).toBe(true);
    if (account) fs.rmSync(path.dirname(place), { recursive: true, force: true });
  });
});
