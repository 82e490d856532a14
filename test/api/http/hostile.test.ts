import { fork, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeCredentials, storedCredentials } from '../../../api/auth/credentials.ts';
import { createCaratClient } from '../../../client/client.ts';
import { connect } from '../../../db/connection.ts';
import { insertIntegration } from '../../../db/integrations/integrations.ts';
import { root } from '../../../tools/paths.ts';
import { freePorts } from '../../../tools/process/ports.ts';
import { residentMemory } from '../../../tools/process/usage.ts';
import { permissions } from '../../../domain/access.ts';
import { cases } from '../../support/cases.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { createWorld } from '../../support/fixtures.ts';
import type { HostileJob } from '../support/hostile-clients.ts';

/*
 * The api as a process of its own, hostile clients in another one, and a healthy client. Only the long variant judges
 * times that depend on the machine.
 */

/** `npm run hostile -- CONNECTIONS SEED` sets both. */
const connections = cases('HOSTILE_CONNECTIONS', { few: 300, all: 1_200 });
const seed = Number(process.env.HOSTILE_SEED ?? randomInt(2 ** 31));
const isLong = connections >= 50_000;
/** Hostile connections begun a second: enough to hurt, and not so many that their own work takes the machine. */
const rate = 500;
/** Milliseconds between two requests of the healthy client. */
const pace = 25;
/** MiB by which memory may be larger at the end than after the first fifth. */
const margin = 48;

const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * q)]!;

const startProcess = async () => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 2 });
  const { nodeId, walletId } = await createWorld(knex);
  const credentials = makeCredentials();
  const integration = { node_id: nodeId, name: 'healthy', permissions, expires_at: null, created_by: null };
  await insertIntegration(knex, { ...integration, ...storedCredentials(credentials) });
  await knex.destroy();
  const [port = 0] = await freePorts(1);
  const api = spawn(process.execPath, ['api/server.ts'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      CARAT_DATABASE_URL: url,
      CARAT_TEMPORAL_ADDRESS: '127.0.0.1:1',
      CARAT_PUBLIC_URL: `http://127.0.0.1:${port}`,
      CARAT_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
      CARAT_API_PORT: String(port),
    },
    stdio: 'ignore',
  });
  await eventually(() => fetch(`http://127.0.0.1:${port}/healthz`), 60_000);
  const client = createCaratClient({ url: `http://127.0.0.1:${port}` });
  const grant = {
    grant_type: 'client_credentials',
    client_id: credentials.apiKey,
    client_secret: credentials.secret,
  } as const;
  /** Takes a token, and asks once; the milliseconds that its answer took. */
  const healthy = async (): Promise<() => Promise<number>> => {
    const { access_token: token } = await client.issueToken(grant);
    return async () => {
      const started = performance.now();
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/wallets/${walletId}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`the healthy client was answered ${answer.status}`);
      return performance.now() - started;
    };
  };
  return { api, port, healthy };
};

it(`${connections} hostile connections leave a healthy client its share (seed ${seed})`, async () => {
  const { api, port, healthy } = await startProcess();
  const hostile = fork(fileURLToPath(new URL('../support/hostile-clients.ts', import.meta.url)));
  try {
    // A token ends after a quarter of an hour.
    let ask = await healthy();
    let askedAt = Date.now();
    const work = async (isOver: () => boolean): Promise<{ times: number[]; memory: number[] }> => {
      const [times, memory]: [number[], number[]] = [[], []];
      while (!isOver()) {
        if (Date.now() - askedAt > 600_000) [ask, askedAt] = [await healthy(), Date.now()];
        times.push(await ask());
        memory.push(residentMemory(api.pid!));
        await delay(pace);
      }
      return { times, memory };
    };
    for (let index = 0; index < 200; index += 1) await ask();
    let turns = 0;
    const idle = await work(() => (turns += 1) > (isLong ? 1_000 : 40));
    let isDone = false;
    void once(hostile, 'message').then(() => (isDone = true));
    hostile.send({ port, connections, seed, rate } satisfies HostileJob);
    const started = Date.now();
    const { times, memory } = await work(() => isDone);
    const fifth = Math.ceil(memory.length / 5);
    const [early, late] = [quantile(memory.slice(fifth, 2 * fifth), 0.5), quantile(memory.slice(-fifth), 0.5)];
    const [quiet, loud] = [quantile(idle.times, 0.99), quantile(times, 0.99)];
    console.log(
      `${connections} hostile connections in ${Math.round((Date.now() - started) / 1_000)} s; ${times.length} healthy requests, ` +
        `p99 ${quiet.toFixed(1)} ms idle and ${loud.toFixed(1)} ms meanwhile (${(loud / quiet).toFixed(1)} times); ` +
        `memory ${early.toFixed(0)} MiB in the second fifth, ${late.toFixed(0)} MiB in the last, ${Math.max(...memory).toFixed(0)} MiB at most`,
    );
    expect(api.exitCode).toBeNull();
    expect(Math.max(...memory)).toBeLessThan(600);
    if (isLong) {
      expect(late - early).toBeLessThan(margin);
      expect(loud / quiet).toBeLessThanOrEqual(5);
    }
    // Hundreds of sockets hang, and one more request never ends.
    const slow = net.connect(port, '127.0.0.1').on('error', () => {});
    slow.write('POST /api/v1/auth/token HTTP/1.1\r\nHost: carat\r\nContent-Length: 10\r\n\r\n1');
    const asked = Date.now();
    api.kill('SIGTERM');
    const [code] = (await once(api, 'exit')) as [number | null];
    // The api ends itself with 1 before ten seconds are over; the time here is ten times that.
    expect([code, Date.now() - asked < 100_000]).toEqual([0, true]);
  } finally {
    hostile.kill('SIGKILL');
    api.kill('SIGKILL');
  }
}, 3_600_000);
