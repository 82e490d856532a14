import type { Knex } from 'knex';
import { execute, rowsOf } from '../query/statements.ts';
import { answerContext } from './audited-transaction.ts';

/** Encryption of stored answers, bound to their contexts. */
export interface AnswerCipher {
  encrypt(context: string, answer: string): Buffer;
  decrypt(context: string, encrypted: Uint8Array): string;
}

/** The digest in place of that of a request whose answer was erased. No request has it, so each repetition is refused. */
const erasedHash = Buffer.alloc(32);

/** True when the stored answer of this digest was erased. */
export const isErased = (requestHash: Uint8Array): boolean => erasedHash.equals(requestHash);

interface Row {
  readonly actor_id: string;
  readonly target: string;
  readonly key: string;
  readonly encrypted_answer: Buffer;
}

/** The fields of an answer that tell whose it is. */
interface Shown {
  readonly id?: unknown;
  readonly member_id?: unknown;
  readonly member?: { readonly id?: unknown } | null;
}

/** True for a member itself, and for a payment or an order of it. */
const shows = (answer: string, memberId: string): boolean => {
  if (!answer.includes(memberId)) return false;
  const { id, member_id, member } = JSON.parse(answer) as Shown;
  return [id, member_id, member?.id].includes(memberId);
};

/** Answers that are read at once. */
const PART = 1_000;

/**
 * Erases the stored answers that show a member: of the member itself, its payments and orders. The keys stay, so that no request
 * behind them is done again. Decrypts each answer that may be one, because nothing else tells for certain: transactions get other
 * numbers by a rotation of the master key and by a restore.
 * @returns the number of answers
 * @throws DecryptionError for another master key
 */
export const eraseAnswers = async (trx: Knex.Transaction, memberId: string, cipher: AnswerCipher): Promise<number> => {
  // Before the cursor takes its snapshot: a rotation of the master key that is at work would be over when the first answer is written.
  await trx.raw('LOCK TABLE idempotency_keys IN ROW EXCLUSIVE MODE');
  await execute(trx, { erasedHash, memberId })(`
     DECLARE answers NO SCROLL CURSOR FOR SELECT actor_id, target, key, encrypted_answer FROM idempotency_keys
     WHERE request_hash <> :erasedHash
       AND (payment_id IS NULL OR payment_id = ANY (ARRAY(SELECT id FROM payments WHERE member_id = :memberId)))`);
  let count = 0;
  for (;;) {
    const rows = await rowsOf<Row>(trx)(`FETCH ${PART} FROM answers`);
    if (rows.length === 0) break;
    const found = rows.flatMap((row) => {
      const context = answerContext(row.actor_id, row.target, row.key);
      return shows(cipher.decrypt(context, row.encrypted_answer), memberId) ? [{ ...row, context }] : [];
    });
    if (found.length === 0) continue;
    const rowCount = await execute(trx, [
      erasedHash,
      found.map((row) => row.actor_id),
      found.map((row) => row.target),
      found.map((row) => row.key),
      found.map((row) => cipher.encrypt(row.context, '{}')),
    ])(`
       UPDATE idempotency_keys k SET request_hash = ?, encrypted_answer = e.bytes
       FROM unnest(?::text[], ?::text[], ?::text[], ?::bytea[]) AS e (actor_id, target, key, bytes)
       WHERE k.actor_id = e.actor_id AND k.target = e.target AND k.key = e.key`);
    count += rowCount;
  }
  await trx.raw('CLOSE answers');
  return count;
};
