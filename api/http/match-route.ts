import type { RequestHandler } from 'express';
import { ApiError } from './errors.ts';
import { localsOf } from './locals.ts';
import type { Operation } from './specification.ts';

interface Route {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly methods: ReadonlyMap<string, Operation>;
}

const routesOf = (operations: readonly Operation[]): Route[] => {
  const paths = [...new Set(operations.map((operation) => operation.path))];
  return paths.map((path) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
    const source = path.replaceAll(/[.]/g, String.raw`\.`).replaceAll(/\{\w+\}/g, '([^/]+)');
    const methods = operations.filter((operation) => operation.path === path);
    return {
      pattern: new RegExp(`^${source}$`),
      names,
      methods: new Map(methods.map((operation) => [operation.method.toUpperCase(), operation])),
    };
  });
};

/** Finds the operation, so that everything up to the validator knows whom it serves. 404 and 405 are answered here. */
export const matchRoute = (operations: readonly Operation[]): RequestHandler => {
  const routes = routesOf(operations);
  return (request, response, next) => {
    const locals = localsOf(response);
    for (const { pattern, names, methods } of routes) {
      const match = pattern.exec(request.path);
      if (match === null) continue;
      // Node sends no body to a HEAD, whatever a GET writes.
      if (request.method === 'HEAD' && methods.has('GET')) request.method = 'GET';
      const cors = methods.get('GET')?.cors === true;
      const operation = methods.get(request.method);
      if (operation === undefined && cors && request.method === 'OPTIONS') {
        response.writeHead(204, {
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Allow-Methods': [...methods.keys()].join(', '),
          'Access-Control-Allow-Headers': 'Authorization, X-Request-Id',
          'Access-Control-Max-Age': '86400',
        });
        response.end();
        return;
      }
      if (operation === undefined) {
        throw new ApiError('method_not_allowed', `This route has no ${request.method}`, {
          headers: { Allow: [...methods.keys()].join(', ') },
        });
      }
      if (operation.cors) {
        response.setHeader('Access-Control-Allow-Origin', '*');
        response.setHeader('Access-Control-Expose-Headers', 'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After');
      }
      locals.operation = operation;
      locals.pathParams = Object.fromEntries(names.map((name, index) => [name, match[index + 1] ?? '']));
      next();
      return;
    }
    throw new ApiError('route_not_found', 'There is no such route; /docs lists what there is');
  };
};
