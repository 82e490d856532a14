import type { Request, RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { formats } from '../request/formats.ts';
import { localsOf } from '../request/locals.ts';
import type { Guard } from '../request/guard.ts';
import type { Operation, Specification } from '../request/specification.ts';

/** What the validator knows of the route of a request, in its property `openapi`. */
interface Route {
  readonly openApiRoute: string;
}

/**
 * The validator compiles the pattern of every route anew for every request, in search of the one that is known here
 * already. So it is asked once, for a request that there never was, and told from then on.
 */
const findRoute = ({ method, path }: Operation, find: RequestHandler): Promise<Route> => {
  const request = { method: method.toUpperCase(), path, originalUrl: path, baseUrl: '', app: { enabled: () => true } };
  return new Promise((resolve, reject) => {
    void find(request as unknown as Request, {} as Response, (error?: unknown) => {
      const { openapi } = request as { openapi?: Route };
      if (openapi?.openApiRoute === path) resolve(openapi);
      else reject(new Error(`The validator does not find ${method} ${path}`, { cause: error }));
    });
  });
};

/** Tells the validator its route, with the values in the path; throws URIError for what is no percent-encoded UTF-8. */
const tellRoute =
  (route: Promise<Route>): RequestHandler =>
  async (request, response, next) => {
    const encoded = Object.entries(localsOf(response).pathParams ?? {});
    const pathParams = Object.fromEntries(encoded.map(([name, text]) => [name, decodeURIComponent(text)]));
    (request as Request & { openapi?: object }).openapi = { ...(await route), pathParams };
    request.params = pathParams;
    next();
  };

export interface ValidatorOptions {
  /** Also checks what the handlers answer; for tests. */
  readonly validateResponses: boolean;
}

/** Checks requests against the specification. */
export const createValidator = (specification: Specification, { validateResponses }: ValidatorOptions): Guard => {
  const middlewares = OpenApiValidator.middleware({
    apiSpec: specification.document() as unknown as string,
    validateApiSpec: false,
    validateRequests: { coerceTypes: false, allowUnknownQueryParameters: false },
    validateResponses: validateResponses ? { coerceTypes: false } : false,
    validateSecurity: false,
    fileUploader: false,
    ajvFormats: { mode: 'full' },
    formats,
  }) as RequestHandler[];
  const named = (name: string): RequestHandler => {
    const found = middlewares.find((middleware) => middleware.name === name);
    if (found === undefined) throw new Error(`express-openapi-validator has no ${name} any more`);
    return found;
  };
  const find = named('metadataMiddleware');
  const checks = [named('requestMiddleware'), ...(validateResponses ? [named('responseMiddleware')] : [])];
  return (operation) => [tellRoute(findRoute(operation, find)), ...checks];
};
