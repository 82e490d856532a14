import type { Timelines } from '../../workflows/timeline.ts';
import { eventually } from '../support/eventually.ts';
import type { Judged } from './world.ts';

interface Followed {
  readonly id: string;
  readonly status: string;
  readonly workflow_id: string;
}

/** The workflow of each payment's creation, and those of its cancels and retries. */
const followedOf = async ({ product: { knex } }: Judged, ids: readonly string[]): Promise<Followed[]> => {
  const { rows } = await knex.raw<{ rows: Followed[] }>(
    `SELECT id, status, workflow_id FROM payments WHERE id = ANY(:ids)
     UNION SELECT p.id, p.status, o.workflow_id FROM outbox o JOIN payments p ON p.id = o.payment_id
       WHERE p.id = ANY(:ids) AND o.topic = 'command'`,
    { ids },
  );
  return rows;
};

/** Workflows that do not end although their payments have, or that tell another end; a retry ends when the payment is pending no more. */
export const storyProblems = async (world: Judged, ids: readonly string[]): Promise<string[]> => {
  const problems = await Promise.all(
    (await followedOf(world, ids)).map(async ({ id, status, workflow_id }) => {
      const handle = world.client.workflow.getHandle(workflow_id);
      const ended = await eventually(async () => {
        const { status: own } = await handle.describe();
        if (own.name !== 'RUNNING') return own.name;
        throw new Error('it runs');
      }, 20_000).catch(String);
      if (ended !== 'COMPLETED') return [`${id}: ${workflow_id} has not ended: ${ended}`];
      const told = ((await handle.result()) as Timelines)[id]?.at(-1)?.status;
      return told === status || workflow_id.includes('/retry/')
        ? []
        : [`${id}: ${workflow_id} says ${told}, not ${status}`];
    }),
  );
  return problems.flat();
};
