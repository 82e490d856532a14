import { randomUUID } from 'node:crypto';
import type { Keystore } from '../../chain/signing/keystore.ts';
import type { connect } from '../../db/connection.ts';
import { forgetHolder, keysWithoutHolder, nameKey, renewHolder } from '../../db/lane/holders.ts';
import { endKeyless, alertKeyless } from '../../db/lane/keyless.ts';
import type { Patience } from '../../db/query/patience.ts';
import type { Log } from '../../domain/ports/log.ts';
import { logAlerts, logOver } from '../../domain/tools/alert-log.ts';
import { logOutcomes, repeat } from '../../domain/tools/repeat.ts';
import { succeeds } from '../../domain/tools/succeeds.ts';
import type { Profile } from '../../workflows/messages.ts';

/** Milliseconds between two passes, and for which a key may lack a holder, as while a worker restarts. */
export const keyTimes: Record<Profile, { readonly every: number; readonly patience: number }> = {
  production: { every: 3_000, patience: 10_000 },
  test: { every: 300, patience: 1_500 },
};

export interface HoldDeps {
  readonly knex: ReturnType<typeof connect>;
  readonly keystore: Pick<Keystore, 'addresses'>;
  /** Asks Temporal. @throws Error when it does not answer this worker */
  readonly askTemporal: () => Promise<void>;
  readonly profile: Profile;
  /** Runs the first steps. */
  readonly patiently: Patience;
  readonly log: Log;
}

/** A worker's record of the keys that it holds. */
export interface KeyHolding {
  /** Renews the record, and raises alerts about keys that no worker holds, until the signal aborts. */
  keep(signal: AbortSignal): Promise<void>;
  /** Deletes the record: this worker holds no key from now on. */
  end(): Promise<void>;
}

/** Records which keys this worker holds, and warns about keys that no worker holds. */
export const holdKeys = async ({
  knex,
  keystore,
  askTemporal,
  profile,
  patiently,
  log,
}: HoldDeps): Promise<KeyHolding> => {
  const workerId = randomUUID();
  const { every, patience } = keyTimes[profile];
  /** Since when each key has been seen without a holder, by account, by `performance.now()`. */
  const since = new Map<string, number>();

  /** Since when Temporal has not answered this worker, by `performance.now()`; null while it answers. */
  let silentSince: number | null = null;

  const renew = async (): Promise<void> => {
    silentSince = (await succeeds(askTemporal())) ? null : (silentSince ?? performance.now());
    await renewHolder(knex, workerId, keystore.addresses, silentSince && performance.now() - silentSince);
  };
  const look = async (): Promise<void> => {
    const keyless = await keysWithoutHolder(knex);
    const ids = new Set(keyless.map(({ id }) => id));
    for (const id of since.keys()) if (!ids.has(id)) since.delete(id);
    for (const key of keyless) {
      const seen = since.get(key.id) ?? performance.now();
      since.set(key.id, seen);
      if (performance.now() - seen >= patience) logAlerts({ log }, await alertKeyless(knex, key));
    }
    logOver({ log }, await endKeyless(knex));
  };

  await patiently(renew);
  for (const key of await patiently(() => keysWithoutHolder(knex))) {
    const { network, role, address } = key;
    log.warn(`No worker holds the key of ${nameKey(key)} yet`, { network, role, address });
  }
  return {
    // Separate loops: writing the reason on everything that waits may take longer than a record is valid.
    keep: async (signal) => {
      const repeated = (pass: () => Promise<void>, fails: string): Promise<void> =>
        repeat(pass, { signal, everyMs: every, ...logOutcomes(log, { works: `Over: ${fails}`, fails }) });
      await Promise.all([
        repeated(renew, 'The keys of this worker could not be recorded'),
        repeated(look, 'The search for keys that no worker holds failed'),
      ]);
    },
    end: () => forgetHolder(knex, workerId),
  };
};
