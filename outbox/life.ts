import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { tellAlive } from '../db/alerts/alive.ts';
import type { connect } from '../db/connection.ts';
import { recordLife, recordStop, type RunningProcess } from '../db/processes/processes.ts';
import type { Log } from '../domain/ports/log.ts';
import { createSpell } from '../domain/tools/spell.ts';
import type { Profile } from '../workflows/messages.ts';
import { askTemporal } from './temporal-client.ts';

/** Whose signs of life these are, and what they are given with. */
export interface LifeDeps {
  readonly kind: RunningProcess['kind'];
  readonly knex: ReturnType<typeof connect>;
  readonly client: Client;
  readonly profile: Profile;
  /** Seconds between two signs that the operator's webhook is sent; 0: none are. */
  readonly aliveSeconds: number;
  readonly log: Log;
}

/** Between two signs, in milliseconds. */
export const beatMs: Record<Profile, number> = { production: 5_000, test: 500 };
/** For Temporal's answer, in milliseconds. */
export const TEMPORAL_MS = 2_000;

/** Tries beyond the first of a process that was frozen, and the pause before each, in milliseconds: it has to connect again. */
const MORE_TRIES = 3;
const AGAIN_MS = 500;

/** Names this process for operators: its id and its host. */
export const processName = (): string => `${process.pid}@${os.hostname()}`;

/**
 * Shows again and again that this process lives and whether Temporal answers it, until it is stopped; and sees to it that the
 * operator's webhook is told, by one of all processes.
 */
export const showLife = ({ kind, knex, client, profile, aliveSeconds, log }: LifeDeps): { stop(): Promise<void> } => {
  const self = { id: randomUUID(), kind, name: processName() };
  const stopping = new AbortController();
  const { signal } = stopping;
  const trouble = createSpell();

  let beatAt = Date.now();

  const answers = (): Promise<boolean> =>
    askTemporal(client, TEMPORAL_MS).then(
      () => true,
      () => false,
    );

  /** Whether Temporal answers; a process that was frozen asks again, because its question was of a time that is over. */
  const isThere = async (): Promise<boolean> => {
    if (await answers()) return true;
    const wasFrozen = Date.now() - beatAt > beatMs[profile] + 2 * TEMPORAL_MS;
    for (let tries = wasFrozen ? MORE_TRIES : 0; tries > 0 && !signal.aborted; tries -= 1) {
      await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      if (await answers()) return true;
    }
    return false;
  };

  const beat = async (): Promise<void> => {
    await recordLife(knex, self, await isThere());
    beatAt = Date.now();
    if (aliveSeconds > 0) await tellAlive(knex, aliveSeconds);
  };

  const live = async (): Promise<void> => {
    while (!signal.aborted) {
      await beat().then(
        () => trouble.ends(() => log.info('Signs of life are stored again')),
        // The message of a database error may hold values.
        (error: unknown) =>
          trouble.begins(() => log.warn('Signs of life can not be stored', { error: (error as Error).name })),
      );
      await delay(beatMs[profile], undefined, { signal }).catch(() => undefined);
    }
  };
  const living = live();

  return {
    stop: async () => {
      stopping.abort();
      await living;
      await recordStop(knex, self.id).catch(() => undefined);
    },
  };
};
