import type { Knex } from 'knex';
import { frameOriginsOf } from '../../db/branding/branding.ts';
import { isUuid } from '../../domain/tools/is-uuid.ts';
import { ApiError } from '../errors/errors.ts';
import type { Handlers } from '../http/handler.ts';
import { pageScript, widgetFiles } from './files.ts';
import { createPage } from './hosted-page.ts';

/** The buyer's page, and the element that it and merchants' own pages show. */
export const createPageHandlers = ({
  knex,
}: {
  readonly knex: Knex;
}): Pick<Handlers, 'getPayPage' | 'getWidgetFile'> => {
  const files = widgetFiles();
  const page = createPage(pageScript());
  return {
    // The page itself is the same for every id, known or not.
    getPayPage: async ({ params }) => page(isUuid(params.id) ? await frameOriginsOf(knex, params.id) : []),

    getWidgetFile: ({ params }) => {
      const file = files.get(params.file);
      if (file === undefined) throw new ApiError('route_not_found', 'No version of the element has this file');
      return Promise.resolve(file);
    },
  };
};
