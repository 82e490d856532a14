import type { Knex } from 'knex';
import { transitions, type DealMode, type TransitionName } from '../../domain/payment.ts';
import { measure } from '../../runtime/measures.ts';

/** The columns of a moved payment that the metrics need. Ages in seconds: since its creation, and since its change before. */
export interface CountedRow {
  readonly id: string;
  readonly network_id: string;
  readonly deal_mode: DealMode;
  readonly created: number;
  readonly changed: number;
}

const tell = (name: TransitionName, rows: readonly CountedRow[]): void => {
  const { log: event, to: status } = transitions[name];
  for (const own of Map.groupBy(rows, (row) => `${row.network_id} ${row.deal_mode}`).values()) {
    const { network_id: networkId, deal_mode: mode } = own[0]!;
    measure('payments', { networkId, transition: name, event, status, mode, moved: own });
  }
};

/** Reports a transition to the metrics once its transaction has committed. */
export const countMoves = (trx: Knex, name: TransitionName, rows: readonly CountedRow[]): void => {
  const { executionPromise: committed } = trx as Knex & { readonly executionPromise?: Promise<unknown> };
  if (committed === undefined) return tell(name, rows);
  committed.then(
    () => tell(name, rows),
    () => {},
  );
};
