import { randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';
import { testStack } from '../../support/stack.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { url: databaseUrl } = await createTestDatabase();
const masterKey = Buffer.alloc(32, 9).toString('base64');
const env = {
  CARAT_PROFILE: 'test',
  CARAT_DATABASE_URL: databaseUrl,
  CARAT_TEMPORAL_ADDRESS: testStack().temporal.address,
  CARAT_PUBLIC_URL: 'http://127.0.0.1:3000',
  CARAT_MASTER_KEY: masterKey,
  CARAT_API_PORT: '0',
};

interface Run {
  readonly child: ChildProcess;
  /** Lines of its log so far. */
  readonly lines: { level: string; message: string; port?: number; reason?: string; problems?: string[] }[];
  readonly exit: Promise<number | null>;
}

const running: Run[] = [];
afterAll(() => {
  for (const { child } of running) child.kill('SIGKILL');
});

const run = (change: Record<string, string> = {}): Run => {
  const child = spawn(process.execPath, ['api/server.ts'], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env, ...change },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: Run['lines'] = [];
  let rest = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map((line) => JSON.parse(line) as Run['lines'][number]));
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const started = { child, lines, exit };
  running.push(started);
  return started;
};

const portOf = ({ lines }: Run): Promise<number> => eventually(() => lines.find((line) => line.port)?.port, 60_000);

describe('the api process', () => {
  it('serves, names Temporal in /readyz, and stops on SIGTERM after its requests in flight', async () => {
    const api = run();
    const url = `http://127.0.0.1:${await portOf(api)}`;
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', database: 'reachable', temporal: 'reachable' },
    ]);
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
    const text = (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString();
    })();
    const body = '{"grant_type":"password"}';
    socket.write(
      'POST /api/v1/auth/token HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n' +
        `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    // The next request shows that the half one has arrived.
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    api.child.kill('SIGTERM');
    await eventually(() => api.lines.some((line) => line.message === 'The api stops'));
    socket.write(body.slice(5));
    expect(await text).toMatch(/unsupported_grant_type/);
    expect(await api.exit).toBe(0);
  });

  it('ends within ten seconds after SIGTERM even if its database no longer answers', async () => {
    const proxy = await createTcpProxy();
    const api = run({ CARAT_DATABASE_URL: proxy.through(databaseUrl) });
    const url = `http://127.0.0.1:${await portOf(api)}`;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    proxy.freeze();
    const hanging = fetch(`${url}/readyz`).catch(() => 'cut');
    await fetch(`${url}/healthz`);
    const asked = Date.now();
    api.child.kill('SIGTERM');
    // It has not waited for its parts, which end with 0.
    expect(await api.exit).toBe(1);
    // Ten times the promise.
    expect(Date.now() - asked).toBeLessThan(100_000);
    await hanging;
    await proxy.close();
  });

  it('answers 503 to requests that wait on dead connections, and goes on with others', async () => {
    const proxy = await createTcpProxy();
    const api = run({ CARAT_DATABASE_URL: proxy.through(databaseUrl), CARAT_IP_RATE_LIMIT: '0' });
    const url = `http://127.0.0.1:${await portOf(api)}/api/v1/auth/token`;
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: randomUUID(), client_secret: 'x' });
    const ask = async () => (await fetch(url, { method: 'POST', body })).status;
    const askAll = () => Promise.all(Array.from({ length: 20 }, ask));
    expect(new Set(await askAll())).toEqual(new Set([401]));
    proxy.strand();
    expect(new Set(await askAll())).toContain(503);
    expect(new Set(await askAll())).toEqual(new Set([401]));
    api.child.kill('SIGTERM');
    expect(await api.exit).toBe(0);
    await proxy.close();
  });

  it('names all problems of its configuration and exits with 1', async () => {
    const api = run({ CARAT_DATABASE_URL: '', CARAT_API_PORT: 'x', CARAT_MASTER_KEY: 'short-secret' });
    expect(await api.exit).toBe(1);
    expect(api.lines).toHaveLength(1);
    expect(api.lines[0]).toMatchObject({
      level: 'error',
      message: 'The api cannot start',
      problems: [
        'CARAT_DATABASE_URL is missing',
        'CARAT_MASTER_KEY must be 32 bytes in base64',
        'CARAT_API_PORT must be a whole number from 0 to 65535',
      ],
    });
    expect(JSON.stringify(api.lines)).not.toContain('short-secret');
  });

  it('names all problems of its outside issuers and exits with 1', async () => {
    const file = path.join(os.tmpdir(), `carat-issuers-${process.pid}.json`);
    fs.writeFileSync(file, JSON.stringify([{ issuer: 'https://login.example', node: 'nowhere' }, null]));
    const api = run({ CARAT_OUTSIDE_ISSUERS: file });
    expect(await api.exit).toBe(1);
    fs.rmSync(file);
    expect(api.lines.at(-1)).toMatchObject({ level: 'error', message: 'The api cannot start' });
    const problems = api.lines.at(-1)?.problems ?? [];
    expect(problems).toHaveLength(5);
    expect(problems.every((problem) => /^CARAT_OUTSIDE_ISSUERS: \[[01]\]/.test(problem))).toBe(true);
  });

  it('exits with 1 when its port is taken, and when the master key is another one', async () => {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const taken = run({ CARAT_API_PORT: String((server.address() as AddressInfo).port) });
    const stranger = run({ CARAT_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') });
    expect(await Promise.all([taken.exit, stranger.exit])).toEqual([1, 1]);
    expect(taken.lines.at(-1)?.reason).toMatch(/EADDRINUSE/);
    expect(stranger.lines.at(-1)?.reason).toMatch(/^The master key cannot decrypt token key/);
    await new Promise((resolve) => server.close(resolve));
  });
});
