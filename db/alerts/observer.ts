import type { Knex } from 'knex';
import type { Log } from '../../domain/ports/log.ts';
import { logObserved } from '../../domain/tools/alert-log.ts';
import { createObserver, type Observer } from '../../domain/tools/observer.ts';
import { observe } from './alerts.ts';

/** Creates the observer of a process, for conditions of this process. */
export const observerOf = (knex: Knex, log: Log): Observer =>
  createObserver((looked, holding) => observe(knex, looked, holding), { log });

/** Creates the observer of a process for conditions that others observe as well: every observation is written. */
export const sharedObserverOf =
  (knex: Knex, log: Log): Observer =>
  async (looked, holding) =>
    logObserved({ log }, await observe(knex, looked, holding));
