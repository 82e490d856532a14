import type { RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { formats } from './formats.ts';
import type { Handlers } from './handler.ts';
import { localsOf } from './locals.ts';
import type { AnyHandler } from './run-handler.ts';
import type { Operation, Specification } from './specification.ts';

/** What the validator tells itself about a request, in its property `openapi`. */
interface Route {
  readonly openApiRoute: string;
  readonly pathParams: Record<string, string>;
}

/** @throws URIError for what is not percent-encoded UTF-8 */
const decoded = (pathParams: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(pathParams).map(([name, text]) => [name, decodeURIComponent(text)]));

/**
 * The validator compiles the pattern of every route anew for every request, in search of the one that is known here
 * already. So what it has found out about an operation once is told to it from then on.
 */
const rememberRoutes = (find: RequestHandler): RequestHandler => {
  const known = new Map<Operation, Route>();
  return (request, response, next) => {
    const { operation, pathParams = {} } = localsOf(response);
    if (operation === undefined) throw new Error('The validator comes after the route is known');
    const target = request as typeof request & { openapi?: Route };
    const route = known.get(operation);
    const params = decoded(pathParams);
    if (route !== undefined) {
      target.openapi = { ...route, pathParams: params };
      target.params = params;
      return next();
    }
    return find(request, response, (fault?: unknown) => {
      if (fault !== undefined) return next(fault);
      if (target.openapi?.openApiRoute !== operation.path) {
        throw new Error(`The validator takes ${operation.method} ${operation.path} for another route`);
      }
      known.set(operation, target.openapi);
      next();
    });
  };
};

/** Throws unless every operation has a handler and every handler an operation. */
const assertComplete = (specification: Specification, handlers: Handlers): void => {
  const operations = specification.operations.map((operation) => operation.id);
  const missing = operations.filter((id) => !Object.hasOwn(handlers, id));
  const unknown = Object.keys(handlers).filter((id) => !(operations as string[]).includes(id));
  const twice = operations.filter((id, index) => operations.indexOf(id) !== index);
  if (missing.length + unknown.length + twice.length === 0) return;
  throw new Error(
    `openapi.yaml and the handlers differ: without handler: ${missing.join(', ') || 'none'}; ` +
      `without operation: ${unknown.join(', ') || 'none'}; operationId twice: ${twice.join(', ') || 'none'}`,
  );
};

export interface ValidatorOptions {
  readonly specification: Specification;
  readonly handlers: Handlers;
  readonly runHandler: (handler: AnyHandler) => RequestHandler;
  /** Also checks what the handlers answer; for tests. */
  readonly validateResponses: boolean;
}

/** Checks requests against the specification and hands them to the handler of their operation. */
export const createValidator = ({
  specification,
  handlers,
  runHandler,
  validateResponses,
}: ValidatorOptions): RequestHandler[] => {
  assertComplete(specification, handlers);
  const byOperation = new Map(
    specification.operations.map((operation) => [operation, runHandler(handlers[operation.id])]),
  );
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
  return [
    rememberRoutes(named('metadataMiddleware')),
    named('requestMiddleware'),
    ...(validateResponses ? [named('responseMiddleware')] : []),
    (request, response, next) => byOperation.get(localsOf(response).operation!)!(request, response, next),
  ];
};
