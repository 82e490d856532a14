import type { Knex } from 'knex';
import type { Log } from '../../domain/ports/log.ts';
import { createObserver, type Observer } from '../../domain/tools/observer.ts';
import { observe } from './alerts.ts';

/** Creates the observer of a process. */
export const observerOf = (knex: Knex, log: Log): Observer =>
  createObserver((looked, holding) => observe(knex, looked, holding), { log });
