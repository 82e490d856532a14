import type { Knex } from 'knex';
import { lazily } from '../../domain/tools/lazily.ts';
import { createSingleFlight } from '../../domain/tools/single-flight.ts';
import { succeeds } from '../../domain/tools/succeeds.ts';
import { withinMs } from '../../domain/tools/within-ms.ts';
import { ApiError } from '../errors/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { Specification } from '../request/specification.ts';
import { createDocs, servedDocument } from './docs.ts';
import { createGuides } from './guides.ts';

export interface ServiceDeps {
  readonly knex: Knex;
  readonly specification: Specification;
  readonly publicUrl: string;
  /** True when Temporal answers within a second. */
  readonly isTemporalReachable: () => Promise<boolean>;
}

const DATABASE_DEADLINE_MS = 2_000;

const isDatabaseReachable = async (knex: Knex): Promise<boolean> =>
  (await withinMs(DATABASE_DEADLINE_MS, succeeds(knex.raw('SELECT 1')))) ?? false;

/** Health and documentation. */
export const createServiceHandlers = (
  deps: ServiceDeps,
): Pick<Handlers, 'getHealth' | 'getReadiness' | 'getDocs' | 'getDocsScript' | 'getGuide' | 'getSpecification'> => {
  const guides = createGuides();
  // An api that starts again has payments to answer for first.
  const docs = lazily(() => createDocs(servedDocument(deps.specification.document(), deps.publicUrl)));
  // Readiness is not rate-limited, so parallel requests share one check.
  const look = createSingleFlight(() => Promise.all([isDatabaseReachable(deps.knex), deps.isTemporalReachable()]), {
    late: 'next',
  });
  return {
    getHealth: () => Promise.resolve({ status: 200, body: { status: 'ok' } }),

    getReadiness: async () => {
      const [database, temporal] = await look();
      const reach = (answers: boolean) => (answers ? 'reachable' : 'unreachable');
      const parts = { database: reach(database), temporal: reach(temporal) } as const;
      return database
        ? { status: 200, body: { status: 'ready', ...parts } }
        : { status: 503, body: { status: 'not_ready', ...parts } };
    },

    getDocs: () => Promise.resolve(docs().page),
    getDocsScript: () => Promise.resolve(docs().script),
    getGuide: ({ params }) => {
      const guide = guides.get(params.name);
      if (guide === undefined) throw new ApiError('route_not_found', 'There is no such guide');
      return Promise.resolve(guide());
    },
    getSpecification: () => Promise.resolve(docs().document),
  };
};
