import type { RequestHandler } from 'express';
import type { Operation } from './specification.ts';

/** Makes the middlewares of one kind for an operation; none when it needs nothing of the kind. */
export type Guard = (operation: Operation) => readonly RequestHandler[];
