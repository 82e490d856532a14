import type { Knex } from 'knex';
import { mayRun } from '../level.ts';

/** A process that may still run. */
export interface LivingProcess {
  readonly kind: 'api' | 'worker';
  /** Process id and host. */
  readonly name: string;
  /** Null: a version from before there were levels. */
  readonly level: number | null;
}

/** The size of a table with its indexes. */
export interface TableSize {
  readonly name: string;
  /** As PostgreSQL's statistics estimate it; null before the first statistics. */
  readonly rows: number | null;
  readonly bytes: number;
}

/** Active diamonds of a release on a network. */
export interface DiamondCount {
  readonly network: string;
  readonly release: string | null;
  readonly diamonds: number;
}

const rowsOf = async <Row>(knex: Knex, sql: string, bindings: Record<string, unknown> = {}): Promise<Row[]> =>
  (await knex.raw<{ rows: Row[] }>(sql, bindings)).rows;

/** Processes with a sign of life in the last minute that were not told to stop. */
export const livingProcesses = (knex: Knex): Promise<LivingProcess[]> =>
  rowsOf(knex, `SELECT kind, name, level FROM processes WHERE ${mayRun} ORDER BY kind, name`);

/** The sizes of these tables; those that do not exist are left out. */
export const tableSizes = (knex: Knex, names: readonly string[]): Promise<TableSize[]> =>
  rowsOf(
    knex,
    `SELECT relname AS name, CASE WHEN reltuples >= 0 THEN reltuples::double precision END AS rows,
       pg_total_relation_size(oid)::double precision AS bytes
     FROM pg_class WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relname = ANY(:names) ORDER BY relname`,
    { names },
  );

/** The floor of the database: processes of a version below `level` do not start, those below `lowest` never again. */
export interface Floor {
  readonly level: number;
  readonly lowest: number;
}

export const readFloor = (knex: Knex): Promise<Floor> => knex('floor').first<Floor>('level', 'lowest');

/** Active diamonds by network and release. */
export const diamondCounts = (knex: Knex): Promise<DiamondCount[]> =>
  rowsOf(
    knex,
    `SELECT n.name AS network, d.release, count(*)::int AS diamonds FROM diamonds d JOIN networks n ON n.id = d.network_id
     WHERE d.status = 'active' GROUP BY n.name, d.release ORDER BY n.name, d.release`,
  );
