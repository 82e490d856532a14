import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { freePorts } from '../../tools/process/ports.ts';
import { recordProcess } from '../../tools/process/records.ts';
import {
  postgresAccount,
  reachableDir,
  postgresStopSignal,
  startPostgres,
  type Postgres,
} from '../../tools/stack/postgres.ts';
import { recordsOf, testStack } from '../support/stack.ts';
import { createRig, type Rig } from './rig.ts';

/* PostgreSQL is gone, full, or a standby. The tables are on a small disk of their own, whose mount needs root. */

const DISK_MB = 100;

let rig: Rig;
let postgres: Postgres;
let start: () => Promise<Postgres>;
let dataDir: string;
let disk: string;

const ask = async (url: string, ...statements: string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
};

beforeAll(async () => {
  const { dir } = testStack();
  const [port = 0] = await freePorts(1);
  dataDir = await reachableDir(path.join(dir, `faults-postgres-${port}`));
  start = () =>
    startPostgres({
      dataDir,
      port,
      password: 'a-password',
      logFile: path.join(dir, 'logs', `faults-postgres-${port}.log`),
      settings: { fsync: 'off' },
      onSpawn: (pid) => recordProcess(recordsOf(dir, process.pid), 'PostgreSQL', pid, postgresStopSignal),
    });
  postgres = await start();
  disk = `${dataDir}-disk`;
  fs.mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', disk]);
  const tables = path.join(disk, 'tables');
  fs.mkdirSync(tables, { mode: 0o700 });
  const account = postgresAccount();
  if (account !== undefined) fs.chownSync(tables, account.uid, account.gid);
  await ask(postgres.url, `CREATE TABLESPACE small LOCATION '${tables}'`, 'CREATE DATABASE faults TABLESPACE small');
  const url = new URL(postgres.url);
  url.pathname = '/faults';
  rig = await createRig({ databaseUrl: url.href });
});

afterAll(async () => {
  await rig?.stop();
  await postgres?.stop();
  if (disk !== undefined) execFileSync('umount', [disk]);
});

it('PostgreSQL is stopped', async () => {
  await rig.named('no PostgreSQL', {
    inject: () => postgres.stop(),
    mend: async () => {
      postgres = await start();
    },
    says: /^PROBLEM +database +no connection/m,
  });
});

it('the disk of the tables is full', async () => {
  const filler = path.join(disk, 'filler');
  await rig.named('full disk of PostgreSQL', {
    inject: async () => {
      const file = fs.openSync(filler, 'w');
      for (const size of [1_000_000, 4_096]) {
        try {
          for (;;) fs.writeSync(file, Buffer.alloc(size));
        } catch (error) {
          expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
        }
      }
      fs.closeSync(file);
    },
    mend: async () => fs.rmSync(filler),
    says: /^PROBLEM +database +(?:the disk of the server is full|no connection: .*No space left on device)/m,
  });
});

it('an unpromoted standby takes the place of the primary', async () => {
  await rig.named('read-only failover', {
    inject: async () => {
      await postgres.stop();
      fs.writeFileSync(path.join(dataDir, 'standby.signal'), '');
      postgres = await start();
    },
    mend: () => ask(postgres.url, 'SELECT pg_promote()'),
    says: /^PROBLEM +database +the server is a standby/m,
  });
});
