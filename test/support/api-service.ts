import { createCaratClient } from '../../client/client.ts';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import { connect } from '../../db/connection.ts';
import { insertIntegration, makeCredentials } from '../../db/integrations/integrations.ts';
import { freePorts } from '../../dev/process/ports.ts';
import type { RunningProcess } from '../../dev/process/process.ts';
import { apiUrl, startApi } from '../../dev/process/services.ts';
import { permissions } from '../../domain/access.ts';
import { createTestDatabase } from './database.ts';
import { createWorld, type World } from './fixtures.ts';
import { recordsOf, testStack } from './stack.ts';
import { testTemporal } from './temporal.ts';

/** Api processes on one database, with one merchant and its wallet. No worker, so payments stay pending. */
export interface ApiService {
  readonly knex: Knex;
  readonly world: World;
  /** Of each process. */
  readonly ports: readonly number[];
  /** Starts a process that does not run, on its port, and waits until it is ready. */
  start(index: number): Promise<void>;
  /** SIGKILL; settles when the process is gone. */
  kill(index: number): Promise<void>;
  /** A bearer token of a new integration that may do everything; needs a process that runs. */
  token(): Promise<string>;
  stop(): Promise<void>;
}

/** Prepares database and merchant; nothing runs yet. */
export const createApiService = async (processes: number): Promise<ApiService> => {
  const { dir } = testStack();
  const stateDir = path.join(dir, `service-${crypto.randomBytes(4).toString('hex')}`);
  fs.mkdirSync(stateDir, { recursive: true });
  const { url: databaseUrl } = await createTestDatabase();
  const knex = connect(databaseUrl, { pool: 5 });
  const world = await createWorld(knex);
  const ports = await freePorts(processes);
  const { address, namespace, taskQueue } = testTemporal();
  const secrets = {
    postgresPassword: '',
    masterKey: crypto.randomBytes(32).toString('base64'),
    keystorePassphrase: '',
    admin: { api_key: '', secret: '' },
  };
  const running = new Map<number, RunningProcess>();
  return {
    knex,
    world,
    ports,
    start: async (index) => {
      const settings = { stateDir, records: recordsOf(dir, process.pid), databaseUrl, keystoreFile: '', secrets };
      const environment = { CARAT_PROFILE: 'test', CARAT_PUBLIC_URL: 'https://pay.test' };
      const apiPort = ports[index]!;
      running.set(
        index,
        await startApi({ ...settings, temporal: { address, namespace }, taskQueue, apiPort, environment }),
      );
    },
    kill: async (index) => {
      const { pid, exited } = running.get(index)!;
      process.kill(pid, 'SIGKILL');
      await exited;
      running.delete(index);
    },
    token: async () => {
      const credentials = makeCredentials();
      const request = {
        nodeId: world.nodeId,
        name: crypto.randomUUID(),
        permissions,
        expiresAt: null,
        createdBy: null,
      };
      await insertIntegration(knex, request, credentials);
      const [index = 0] = running.keys();
      const grant = {
        grant_type: 'client_credentials',
        client_id: credentials.apiKey,
        client_secret: credentials.secret,
      } as const;
      return (await createCaratClient({ url: apiUrl(ports[index]!) }).issueToken(grant)).access_token;
    },
    stop: async () => {
      await Promise.all([...running.values()].map((api) => api.stop()));
      await knex.destroy();
    },
  };
};
