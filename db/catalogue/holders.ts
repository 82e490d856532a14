import type { Knex } from 'knex';
import { hasHolders, isHeld, keysWithoutHolder, nameKey, type NamedKey } from '../lane/holders.ts';

interface HeldRole extends Pick<NamedKey, 'network' | 'role'> {
  /** The addresses of its keys, in order. */
  readonly held: readonly string[];
}

/**
 * Reads the roles of networks for which a worker holds a key in use.
 * @param known addresses that count as held, because they were a moment ago: a worker that was killed stops being a holder by the clock
 */
const heldRoles = async (trx: Knex, known: readonly string[] = []): Promise<HeldRole[]> => {
  const { rows } = await trx.raw<{ rows: HeldRole[] }>(
    `SELECT n.name AS network, a.role, array_agg(a.address ORDER BY a.address) AS held
     FROM signer_accounts a JOIN networks n ON n.id = a.network_id
     WHERE a.dismissed_at IS NULL AND (${isHeld('a')} OR a.address = ANY(:known)) GROUP BY n.name, a.role ORDER BY n.name, a.role`,
    { known },
  );
  return rows;
};

/**
 * Runs a change of the catalogue's keys in the caller's transaction. Refuses a change that dismisses the last held key of a
 * role, because nothing would be sent for that role.
 * @param isWanted true when the operator has confirmed such a change
 * @throws Error for a refused change
 */
export const keepHeld = async <Result>(
  trx: Knex.Transaction,
  isWanted: boolean,
  change: () => Promise<Result>,
): Promise<Result> => {
  const before = await heldRoles(trx);
  const result = await change();
  const after = await heldRoles(
    trx,
    before.flatMap(({ held }) => held),
  );
  const lost = before.filter((one) => !after.some(({ network, role }) => network === one.network && role === one.role));
  if (lost.length === 0 || isWanted) return result;
  throw new Error(
    lost
      .map(
        ({ network, role, held }) =>
          `${network}: this dismisses the ${role} ${held.join(', ')}, and no worker holds a key that takes its place: give the workers ` +
          'a keystore with the new key first, or pass --yes',
      )
      .join('\n'),
  );
};

/** Warns of keys without a holder. Returns none while no worker runs, because holders are unknown then. */
export const warnOfKeyless = async (knex: Knex): Promise<string[]> =>
  (await hasHolders(knex))
    ? (await keysWithoutHolder(knex)).map((key) => `no worker holds the key of ${nameKey(key)}`)
    : [];
