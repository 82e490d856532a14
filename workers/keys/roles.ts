import { roleMissing } from '../../chain/lane/role.ts';
import { observe } from '../../db/alerts/alerts.ts';
import type { connect } from '../../db/connection.ts';
import { networksOfRoleless } from '../../db/lane/accounts.ts';
import { keysInUse, type NamedKey } from '../../db/lane/holders.ts';
import type { Log } from '../../domain/ports/log.ts';
import { logAlerts, logOver } from '../../domain/tools/alert-log.ts';
import { logOutcomes, repeat } from '../../domain/tools/repeat.ts';
import type { Profile } from '../../workflows/messages.ts';

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
export const watchRoles = async ({ knex, withoutRole, profile, log }: RoleDeps, signal: AbortSignal): Promise<void> => {
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

  const look = async (): Promise<void> => {
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
  await repeat(look, { signal, everyMs: everyMs[profile], ...logOutcomes(log, words) });
};
