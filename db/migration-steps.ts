import type { Knex } from 'knex';
import { baseline } from './migrations/0068-baseline.ts';
import { alertSubjects } from './migrations/0069-alert-subjects.ts';

/** PostgreSQL's work on all rows of a table while nobody can write it: it reads them, builds an index over them, or writes them anew. */
export type TableWork = 'read' | 'index' | 'rewrite';

/** The effect of a migration on the processes of the version before, which run while it is applied and afterwards. */
export type Effect =
  | {
      /** They go on as before. */
      readonly kind: 'expand';
      /** Tables that nobody can write meanwhile, of those that exist before. */
      readonly locks: readonly string[];
      /** Work that takes long meanwhile; absent: none. */
      readonly work?: readonly TableWork[];
      /** Why they go on as before, although the change looks as if they could not. */
      readonly although?: string;
    }
  | {
      /** They fail: the step removes or narrows a part that they need, and waits until none of them is left. */
      readonly kind: 'contract';
      readonly locks: readonly string[];
      readonly work?: readonly TableWork[];
      /** The first level of code that does without it; see level.ts. */
      readonly level: number;
    };

/** One step of the schema. A released one never changes. */
export interface Migration {
  readonly name: string;
  readonly effect: Effect;
  /** `transaction: false` for what cannot be undone, such as CREATE INDEX CONCURRENTLY. */
  readonly config?: { readonly transaction: false };
  readonly up: (knex: Knex) => Promise<unknown> | Knex.Raw;
}

/** All steps, in their order: a list in code instead of a folder scan, so that every loader sees the same one and no stray files. */
export const migrations: readonly Migration[] = [baseline, alertSubjects];
