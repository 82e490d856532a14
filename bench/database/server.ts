import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import knexFactory, { type Knex } from 'knex';
import { migrate } from '../../db/migrate.ts';
import { freePorts } from '../../dev/process/ports.ts';
import { reachableDir } from '../../dev/stack/postgres-account.ts';
import { startPostgres } from '../../dev/stack/postgres.ts';

/** A PostgreSQL with the newest schema. */
export interface BenchDatabase {
  readonly dataDir: string;
  readonly knex: Knex;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/** Starts a PostgreSQL in a temporary folder. */
export const startBenchDatabase = async (pool: number): Promise<BenchDatabase> => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-bench-'));
  fs.chmodSync(dir, 0o711);
  const [port = 0] = await freePorts(1);
  const dataDir = await reachableDir(path.join(dir, 'postgres'));
  const password = crypto.randomBytes(24).toString('base64url');
  const { url, stop } = await startPostgres({ dataDir, port, password, logFile: path.join(dir, 'postgres.log') });
  await migrate(url);
  const knex = knexFactory({ client: 'pg', connection: url, pool: { min: 0, max: pool } });
  return {
    dataDir,
    knex,
    stop: async () => {
      await knex.destroy();
      await stop();
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
};
