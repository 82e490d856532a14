import type { RequestHandler } from 'express';

/**
 * Middlewares, one after the other, as one: Express looks anew at the path before each that it is given, which costs
 * more than most of them do.
 */
export const compose =
  (...steps: readonly RequestHandler[]): RequestHandler =>
  (request, response, next) => {
    const run = (index: number): void => {
      const step = steps[index];
      if (step === undefined) return next();
      try {
        const done: unknown = step(request, response, (fault?: unknown) => {
          if (fault === undefined) run(index + 1);
          else next(fault);
        });
        if (done instanceof Promise) done.catch(next);
      } catch (error) {
        next(error);
      }
    };
    run(0);
  };
