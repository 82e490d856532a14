import type { Knex } from 'knex';
import { measure, type RefusalReason } from '../runtime/measures.ts';

/** The reasons by SQLSTATE. */
const reasons: Readonly<Record<string, RefusalReason>> = {
  '25006': 'read_only',
  '53100': 'disk_full',
  '53200': 'out_of_memory',
  '53300': 'too_many_connections',
};

interface Coded {
  readonly code?: string;
}

const report = ({ code = '' }: Coded): void => {
  const reason = reasons[code];
  if (reason !== undefined) measure('refusal', { reason });
};

/** Reports the refusals of statements, also inside transactions, and those of new connections. */
export const reportRefusals = (knex: Knex): Knex => {
  const { pool } = knex.client as {
    pool: { on(event: 'createFail', listen: (id: number, error: Coded) => void): void };
  };
  pool.on('createFail', (_id, error) => report(error));
  return knex.on('query-error', report);
};
