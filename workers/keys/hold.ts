import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Keystore } from '../../chain/signing/keystore.ts';
import type { connect } from '../../db/connection.ts';
import { forgetHolder, keysWithoutHolder, nameKey, renewHolder } from '../../db/lane/holders.ts';
import { endKeyless, tellKeyless } from '../../db/lane/keyless.ts';
import type { Log } from '../../domain/ports/log.ts';
import { logAlerts, logOver } from '../../domain/tools/alert-log.ts';
import { errorName } from '../../domain/tools/error-name.ts';
import { createSpell } from '../../domain/tools/spell.ts';
import type { Profile } from '../../workflows/messages.ts';

/** Milliseconds between two looks, and for which a key may be without a holder, as while a worker starts anew. */
export const keyTimes: Record<Profile, { readonly every: number; readonly patience: number }> = {
  production: { every: 3_000, patience: 10_000 },
  test: { every: 300, patience: 1_500 },
};

/** What a worker that holds keys works with. */
export interface HoldDeps {
  readonly knex: ReturnType<typeof connect>;
  readonly keystore: Pick<Keystore, 'addresses'>;
  readonly profile: Profile;
  readonly log: Log;
}

/** What a worker writes of the keys that it holds. */
export interface KeyHolding {
  /** Renews what is written, and tells of keys that no worker holds, until the signal aborts. */
  keep(signal: AbortSignal): Promise<void>;
  /** Lets all workers know that this one holds no key any more. */
  end(): Promise<void>;
}

/** Acts again and again until the signal aborts, and logs when that begins to fail and when it no longer does. */
const repeat = async (
  act: () => Promise<void>,
  trouble: string,
  every: number,
  log: Log,
  signal: AbortSignal,
): Promise<void> => {
  const spell = createSpell();
  while (!signal.aborted) {
    await act().then(
      () => spell.ends(() => log.info(`Over: ${trouble}`)),
      (error: unknown) => spell.begins(() => log.warn(trouble, { error: errorName(error) })),
    );
    await delay(every, undefined, { signal }).catch(() => undefined);
  }
};

/** Writes which keys this worker holds, and warns of those that none does. */
export const holdKeys = async ({ knex, keystore, profile, log }: HoldDeps): Promise<KeyHolding> => {
  const workerId = randomUUID();
  const { every, patience } = keyTimes[profile];
  /** Since when each key has been seen without a holder, by account, in milliseconds since the epoch. */
  const since = new Map<string, number>();

  const renew = (): Promise<void> => renewHolder(knex, workerId, keystore.addresses);
  const look = async (): Promise<void> => {
    const keyless = await keysWithoutHolder(knex);
    const ids = new Set(keyless.map(({ id }) => id));
    for (const id of since.keys()) if (!ids.has(id)) since.delete(id);
    for (const key of keyless) {
      const seen = since.get(key.id) ?? Date.now();
      since.set(key.id, seen);
      if (Date.now() - seen >= patience) logAlerts({ log }, await tellKeyless(knex, key));
    }
    logOver({ log }, await endKeyless(knex));
  };

  await renew();
  for (const key of await keysWithoutHolder(knex)) {
    const { network, role, address } = key;
    log.warn(`No worker holds the key of ${nameKey(key)} yet`, { network, role, address });
  }
  return {
    // Apart from each other: a look that writes the reason on all that waits may last longer than a key counts as held.
    keep: async (signal) => {
      await Promise.all([
        repeat(renew, 'The keys of this worker are not written', every, log, signal),
        repeat(look, 'Keys that no worker holds are not looked for', every, log, signal),
      ]);
    },
    end: () => forgetHolder(knex, workerId),
  };
};
