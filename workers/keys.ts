import { randomUUID } from 'node:crypto';
import type { Keystore } from '../chain/signing/keystore.ts';
import type { connect } from '../db/connection.ts';
import { forgetHolder, keysWithoutHolder, nameKey, renewHolder, keysInUse, type NamedKey } from '../db/lane/holders.ts';
import { endKeyless, alertKeyless } from '../db/lane/keyless.ts';
import type { Patience } from '../db/query/errors.ts';
import type { Log } from '../domain/ports/log.ts';
import { logAlerts, logOver } from '../domain/tools/observer.ts';
import { logOutcomes, repeat } from '../domain/tools/repeat.ts';
import { succeeds } from '../domain/tools/succeeds.ts';
import type { Profile } from '../workflows/messages.ts';
import { roleMissing } from '../chain/lane/role.ts';
import { observe } from '../db/alerts/alerts.ts';
import { networksOfRoleless } from '../db/lane/accounts.ts';

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

/** Milliseconds between two checks of the catalogue's keys. */
const everyMs: Record<Profile, number> = { production: 15_000, test: 1_000 };

/** Seconds after a watcher has seen an unexpected change of a role in which its network is checked again. */
const CHANGED_SECONDS = 120;

export interface RoleDeps {
  readonly knex: ReturnType<typeof connect>;
  /** The network's keys that lack their role in its registry. */
  readonly withoutRole: (networkId: string, keys: readonly NamedKey[]) => Promise<readonly NamedKey[]>;
  readonly profile: Profile;
  readonly log: Log;
}

/**
 * Raises alerts about keys without their role until the signal aborts. Reads the roles of a network when this worker
 * starts, when the network's keys change, after an unexpected change of a role, and while a role is known to be missing.
 * Refused lanes raise the alert as well; of a signer, the run that signs offers learns it.
 */
const watchRoles = async ({ knex, withoutRole, profile, log }: RoleDeps, signal: AbortSignal): Promise<void> => {
  /** The keys of each network at its last successful check, as JSON. */
  const seen = new Map<string, string>();

  const lookAt = async (networkId: string, keys: readonly NamedKey[]): Promise<void> => {
    const alerts = (await withoutRole(networkId, keys)).map(roleMissing);
    const { raised, over } = await observe(knex, { kind: 'role_missing', network: networkId }, alerts);
    // A starting worker logs its findings, even if another worker has raised the alert.
    logAlerts({ log }, seen.has(networkId) ? raised : alerts);
    logOver({ log }, over);
    seen.set(networkId, JSON.stringify(keys));
  };

  const lookForRoles = async (): Promise<void> => {
    const told = new Set<string>(
      await knex('alerts').where({ kind: 'role_missing', closed_at: null }).distinct().pluck('network_id'),
    );
    const changed = new Set<string>(
      await knex('alerts')
        .where({ kind: 'role_not_asked_for' })
        .whereRaw('created_at > clock_timestamp() - make_interval(secs => ?)', [CHANGED_SECONDS])
        .distinct()
        .pluck('network_id'),
    );
    const lost = new Set(await networksOfRoleless(knex));
    const keys = await keysInUse(knex);
    const networks = [...new Set(keys.map(({ networkId }) => networkId))];
    const looks = networks.map(async (id) => {
      const own = keys.filter(({ networkId }) => networkId === id);
      if ([told, changed, lost].some((those) => those.has(id)) || seen.get(id) !== JSON.stringify(own))
        await lookAt(id, own);
    });
    const failed = (await Promise.allSettled(looks)).find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };

  const words = { works: 'The roles of all keys are known again', fails: 'The roles of some keys are not known' };
  await repeat(lookForRoles, { signal, everyMs: everyMs[profile], ...logOutcomes(log, words) });
};

/**
 * Records which keys this worker holds, and raises alerts about keys of the catalogue that no worker holds or that lack
 * their role, until the signal aborts.
 * @returns a function that waits for the end of that, and deletes the record of this worker
 */
export const watchKeys = async (
  deps: HoldDeps & RoleDeps,
  signal: AbortSignal,
): Promise<{ readonly end: () => Promise<void> }> => {
  const holding = await holdKeys(deps);
  const running = [holding.keep(signal), watchRoles(deps, signal)];
  return {
    end: async () => {
      await Promise.allSettled(running);
      await holding.end();
    },
  };
};
