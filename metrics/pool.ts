import { Gauge, type Registry } from 'prom-client';
import type { PoolCounts } from '../db/connection.ts';

/** Shows the database connections of this process. */
export const showPool = (register: Registry, pool: PoolCounts): void => {
  new Gauge({
    name: 'carat_database_connections',
    help: "Connections of this process's pool, by state: used, idle",
    labelNames: ['state'],
    registers: [register],
    collect() {
      this.set({ state: 'used' }, pool.numUsed());
      this.set({ state: 'idle' }, pool.numFree());
    },
  });
  new Gauge({
    name: 'carat_database_connections_max',
    help: 'Most connections of the pool: CARAT_DATABASE_POOL',
    registers: [register],
    collect() {
      this.set(pool.max);
    },
  });
  new Gauge({
    name: 'carat_database_waiting',
    help: 'Statements and transactions that wait for a connection of the pool',
    registers: [register],
    collect() {
      this.set(pool.numPendingAcquires());
    },
  });
};
