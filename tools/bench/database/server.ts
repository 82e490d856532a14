import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import knexFactory, { type Knex } from 'knex';
import { migrateDatabase } from '../../../db/migrate.ts';
import { freePorts } from '../../process/ports.ts';
import { reachableDir, startPostgres, type Postgres } from '../../stack/postgres.ts';

/** A PostgreSQL with the newest schema. */
export interface BenchDatabase {
  readonly knex: Knex;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/** Makes a temporary folder that PostgreSQL's account can reach through. */
export const makeDir = (): string => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-bench-'));
  fs.chmodSync(dir, 0o711);
  return dir;
};

/** Starts a PostgreSQL with its default durability, whose data and log are in the folder. */
export const startPostgresIn = async (dir: string, port: number, onSpawn?: (pid: number) => void): Promise<Postgres> =>
  startPostgres({
    dataDir: await reachableDir(path.join(dir, 'postgres')),
    port,
    password: crypto.randomBytes(24).toString('base64url'),
    logFile: path.join(dir, 'postgres.log'),
    onSpawn,
  });

/** Starts a PostgreSQL in a temporary folder. */
export const startBenchDatabase = async (pool: number): Promise<BenchDatabase> => {
  const dir = makeDir();
  const [port = 0] = await freePorts(1);
  const { url, stop } = await startPostgresIn(dir, port);
  await migrateDatabase(url);
  const knex = knexFactory({ client: 'pg', connection: url, pool: { min: 0, max: pool } });
  return {
    knex,
    stop: async () => {
      await knex.destroy();
      await stop();
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
};
