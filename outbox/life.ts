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

  const beat = async (): Promise<void> => {
    const isThere = await askTemporal(client, TEMPORAL_MS).then(
      () => true,
      () => false,
    );
    await recordLife(knex, self, isThere);
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
