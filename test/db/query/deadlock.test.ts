import { randomUUID } from 'node:crypto';
import { auditedTransaction } from '../../../db/audit/audited-transaction.ts';
import { connect } from '../../../db/connection.ts';
import { unchanged } from '../../../domain/audit.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createWorld } from '../../support/fixtures.ts';

const knex = connect((await createTestDatabase()).url, { pool: 4 });
afterAll(() => knex.destroy());

it('two requests that lock the same rows in opposite orders both succeed', async () => {
  const { nodeId } = await createWorld(knex);
  const other = randomUUID();
  await knex('nodes').insert({ id: other, name: 'other', path: [other] });
  const audit = {
    actorId: randomUUID(),
    actorNodeId: nodeId,
    requestId: randomUUID(),
    address: null,
    idempotency: null,
  };
  const runs: string[] = [];
  let goOn!: () => void;
  const bothHold = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const change = (name: string, rows: readonly string[]) =>
    auditedTransaction(knex, audit, async (trx) => {
      runs.push(name);
      for (const [index, id] of rows.entries()) {
        await trx('nodes').where({ id }).forUpdate().select('id');
        if (index > 0) continue;
        if (runs.length === 2) goOn();
        await bothHold;
      }
      return unchanged({ name });
    });

  const answers = await Promise.all([change('first', [nodeId, other]), change('second', [other, nodeId])]);

  expect(answers.map(({ body }) => body)).toEqual([{ name: 'first' }, { name: 'second' }]);
  // The one that was undone may take its first row again before the other one wakes.
  expect(runs.length).toBeGreaterThan(2);
});
