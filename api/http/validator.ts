/**
 * All that Carat does to express-openapi-validator beyond its public options. It has none for two things:
 *
 * - **The route.** Its metadata middleware compiles the pattern of every route for every request, in search of a route that Carat has
 *   already found. One validator for each operation would avoid that by public means, at four times the time to start. So the
 *   middleware is asked once for each operation, with a made-up request, and its answer is written onto every real request.
 * - **The choice of middlewares.** `middleware()` returns all of them as one array. Carat takes those that it needs by name, and
 *   refuses to start where one is missing.
 */
import type { Request, RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { formats } from '../request/formats.ts';
import type { Guard, Operation, Specification } from '../request/specification.ts';
import { localsOf } from '../request/locals.ts';

/** The validator's notes about the route of a request, in the request's property `openapi`. */
interface Route {
  readonly openApiRoute: string;
}

/** Asks the validator for the route of an operation, by a made-up request. */
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

/**
 * Writes the route onto a request, with the decoded values of its path.
 * @throws URIError for a value that is not percent-encoded UTF-8
 */
const tellRoute =
  (route: Promise<Route>): RequestHandler =>
  async (request, response, next) => {
    const encoded = Object.entries(localsOf(response).pathParams ?? {});
    const pathParams = Object.fromEntries(encoded.map(([name, text]) => [name, decodeURIComponent(text)]));
    (request as Request & { openapi?: object }).openapi = { ...(await route), pathParams };
    request.params = pathParams;
    next();
  };

type Parts = Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;

/**
 * The document without its answers and events, and with the components that requests refer to. At each start the validator compiles
 * every schema that it is given, and answers have most of them.
 */
const requestsOf = ({ openapi, info, servers, paths, components }: Readonly<Record<string, unknown>>): object => {
  for (const operation of Object.values(paths as Parts).flatMap(Object.values<Record<string, unknown>>)) {
    delete operation.responses;
    delete operation.callbacks;
  }
  const needed: Record<string, Record<string, object>> = {};
  const need = (part: unknown): void => {
    for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([\w.-]+)/g)) {
      if (needed[kind!]?.[name!] !== undefined) continue;
      const component = (components as Parts)[kind!]![name!]!;
      needed[kind!] = { ...needed[kind!], [name!]: component };
      need(component);
    }
  };
  need(paths);
  return { openapi, info, servers, paths, components: needed };
};

/** Checks requests against the specification. */
export const createValidator = (specification: Specification): Guard => {
  const middlewares = OpenApiValidator.middleware({
    apiSpec: requestsOf(specification.document()) as unknown as string,
    validateApiSpec: false,
    validateRequests: { coerceTypes: false, allowUnknownQueryParameters: false },
    validateResponses: false,
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
  const check = named('requestMiddleware');
  return (operation) => [tellRoute(findRoute(operation, find)), check];
};
