import type { Knex } from 'knex';
import type { LaneLimits } from '../../domain/ports/lane.ts';

/** How long a limit counts after it was last shown, or guessed. */
const KEPT = { shown: '1 hour', guessed: '10 minutes' } as const;

/** Keeps limits in place of earlier ones of the same names, in the caller's transaction. */
export const learnLimits = async (
  trx: Knex.Transaction,
  accountId: string,
  limits: LaneLimits,
  how: keyof typeof KEPT = 'shown',
): Promise<void> => {
  for (const [name, value] of Object.entries(limits) as [keyof LaneLimits, bigint][])
    await trx.raw(
      `UPDATE signer_accounts SET updated_at = now(), limits = limits || jsonb_build_object(:name::text,
         jsonb_build_object('value', :value::text, 'until', clock_timestamp() + :kept::interval)) WHERE id = :account_id`,
      { account_id: accountId, name, value: value.toString(), kept: KEPT[how] },
    );
};

/** Forgets limits, in the caller's transaction. */
export const forgetLimits = async (
  trx: Knex.Transaction,
  accountId: string,
  names: readonly (keyof LaneLimits)[],
): Promise<void> => {
  await trx.raw(
    `UPDATE signer_accounts SET limits = limits - :names::text[], updated_at = now() WHERE id = :account_id`,
    {
      account_id: accountId,
      names,
    },
  );
};
