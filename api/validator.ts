import { createRequire } from 'node:module';
import type { RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { formats } from './formats.ts';
import type { Handlers } from './handler.ts';
import type { AnyHandler } from './run-handler.ts';
import type { Specification } from './specification.ts';

type PathToRegexp = (path: string, options?: object) => unknown;

/**
 * The validator compiles the pattern of every route anew for every request. Its copy of path-to-regexp is taught to
 * remember; patterns are those of the specification, so there are few.
 */
const rememberPatterns = (): void => {
  const fromValidator = createRequire(createRequire(import.meta.url).resolve('express-openapi-validator'));
  const module = fromValidator('path-to-regexp') as { pathToRegexp: PathToRegexp & { remembers?: true } };
  const compile = module.pathToRegexp;
  if (compile.remembers) return;
  const known = new Map<string, unknown>();
  module.pathToRegexp = Object.assign(
    (path: string, options: object = {}): unknown => {
      const key = `${JSON.stringify(options)}${path}`;
      const found = known.get(key) ?? compile(path, options);
      known.set(key, found);
      return found;
    },
    { remembers: true as const },
  );
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
  rememberPatterns();
  const byRoute = new Map(
    specification.operations.map(({ id, method, path }) => [`${method} ${path}`, runHandler(handlers[id])]),
  );
  return OpenApiValidator.middleware({
    apiSpec: specification.document() as unknown as string,
    validateApiSpec: false,
    validateRequests: { coerceTypes: false, allowUnknownQueryParameters: false },
    validateResponses: validateResponses ? { coerceTypes: false } : false,
    validateSecurity: false,
    fileUploader: false,
    ajvFormats: { mode: 'full' },
    formats,
    operationHandlers: {
      basePath: '/',
      resolver: (_basePath, route) => {
        const handler = byRoute.get(`${route.method.toLowerCase()} ${route.openApiRoute}`);
        if (handler === undefined) throw new Error(`no handler for ${route.method} ${route.openApiRoute}`);
        return handler;
      },
    },
  }) as RequestHandler[];
};
