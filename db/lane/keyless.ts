import type { Knex } from 'knex';
import type { WaitingDetail } from '../../domain/payment.ts';
import type { RaisedAlert } from '../../domain/ports/alert.ts';
import { actOf } from '../../domain/ports/lane.ts';
import { closeAlerts, hasOpenCondition, raiseAlerts, toRaised } from '../alerts/alerts.ts';
import { isAtWork } from '../intents/conditions.ts';
import { PART, recordWaiting } from '../intents/waiting.ts';
import { isHeld, keysWithoutHolder, nameKey, type NamedKey } from './holders.ts';
import { showOfSent } from './waiting.ts';

/** Writes the waiting reason of an account's queued intents, part by part. Each part checks the key's holders again. */
const writeWaiting = async (
  knex: Knex,
  accountId: string,
  which: string,
  detail: WaitingDetail | null,
): Promise<void> => {
  const writePart = (): Promise<number> =>
    knex.transaction(async (trx) => {
      const { rows } = await trx.raw<{ rows: { id: string }[] }>(
        `SELECT i.id FROM tx_intents i JOIN signer_accounts a ON a.id = i.account_id
         WHERE a.id = :account_id AND i.state = 'queued' AND ${which} ORDER BY i.id LIMIT ${PART}`,
        { account_id: accountId },
      );
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) await recordWaiting(trx, accountId, ids, detail);
      return ids.length;
    });
  while ((await writePart()) === PART);
};

/** The same for intents with a nonce. Without the key, nobody signs or resends them, and nobody learns their outcome. */
const showOnSent = (knex: Knex, accountId: string, isMissing: boolean): Promise<void> =>
  showOfSent((work) => knex.transaction(work), {
    which: `a.id = :account_id AND ${isMissing ? `s.state <> 'mined' AND NOT ${isHeld('a')}` : isHeld('a')}`,
    bindings: { account_id: accountId },
    reason: 'key_missing',
    holds: isMissing,
  });

/** Clears the reason from an account's intents while a worker holds its key. */
const endReason = async (knex: Knex, accountId: string): Promise<void> => {
  await writeWaiting(knex, accountId, `i.waiting = 'key_missing' AND ${isHeld('a')}`, null);
  await showOnSent(knex, accountId, false);
};

/**
 * Raises the alert that no worker holds a key, and writes the reason onto everything that waits in its lane, because no
 * lane runs that could. Of a signer, the run that signs offers shows it.
 * @returns the alert, where it is new
 */
export const alertKeyless = async (knex: Knex, key: NamedKey): Promise<RaisedAlert[]> => {
  const { id, networkId, network, role, address } = key;
  await writeWaiting(knex, id, `i.waiting IS DISTINCT FROM 'key_missing' AND NOT ${isHeld('a')}`, 'key_missing');
  await showOnSent(knex, id, true);
  const keyless = await keysWithoutHolder(knex);
  if (!keyless.some((one) => one.id === id)) return [];
  return raiseAlerts(knex, networkId, [
    {
      kind: 'key_missing',
      subject: id,
      message: `No worker holds the key of ${nameKey(key)}: it ${actOf(role)}s nothing`,
      data: { network, role, address },
    },
  ]);
};

/**
 * Closes the alerts of keys that a worker holds again, or that have no work left. Clears the reasons first, because only the
 * open alert finds them again.
 * @returns the closed alerts
 */
export const endKeyless = async (knex: Knex): Promise<RaisedAlert[]> => {
  if (!(await hasOpenCondition(knex, 'key_missing'))) return [];
  const isOver = `a.kind = 'key_missing' AND NOT EXISTS (SELECT 1 FROM signer_accounts s
    WHERE s.id::text = a.subject_id AND NOT ${isHeld('s')} AND EXISTS (
      SELECT 1 FROM signer_accounts a WHERE a.id = s.id AND ${isAtWork}))`;
  const { rows } = await knex.raw<{ rows: { accountId: string }[] }>(
    `SELECT a.subject_id AS "accountId" FROM alerts a
     WHERE a.is_condition AND a.closed_at IS NULL AND ${isOver}`,
  );
  if (rows.length === 0) return [];
  for (const { accountId } of rows) await endReason(knex, accountId);
  return (await closeAlerts(knex, `a.is_condition AND ${isOver}`)).map(toRaised);
};

/** Clears the reason from work that a held key has taken over from one without a holder. */
export const endTakenOver = async (knex: Knex): Promise<void> => {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `SELECT a.id FROM signer_accounts a WHERE ${isHeld('a')} AND EXISTS (
       SELECT 1 FROM tx_intents i WHERE i.account_id = a.id AND i.state = 'queued' AND i.waiting = 'key_missing')`,
  );
  for (const { id } of rows) await endReason(knex, id);
};
