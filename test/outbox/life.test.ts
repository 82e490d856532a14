import { connect } from '../../db/connection.ts';
import { showLife } from '../../outbox/life.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { testStack } from '../support/stack.ts';
import { createTcpProxy } from '../support/tcp-proxy.ts';
import { silent } from '../support/workflow-worker.ts';

/** As SIGSTOP does it: nothing of this process runs, and its clocks go on. */
const freezeMs = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it('a process that was frozen shows that it lives once it knows whether Temporal answers, and no alarm is raised of it', async () => {
  const { namespace, address } = testStack().temporal;
  const proxy = await createTcpProxy();
  const knex = connect((await createTestDatabase()).url, { pool: 2 });
  const client = createTemporalClient({ address: new URL(proxy.through(`http://${address}`)).host, namespace });
  const life = showLife({ kind: 'worker', knex, client, profile: 'test', aliveSeconds: 0, log: silent });
  const sign = () => knex('processes').first<{ beat_at: Date; temporal_at: Date | null } | undefined>();
  try {
    await eventually(async () => (await sign())?.temporal_at);
    // Its connection is gone when it goes on.
    proxy.cut();
    freezeMs(5_000);
    proxy.mend();
    const thawedAt = Date.now();
    const { temporal_at: answeredAt } = await eventually(async () => {
      const now = await sign();
      return now !== undefined && now.beat_at.getTime() > thawedAt && now;
    });
    expect(answeredAt!.getTime()).toBeGreaterThan(thawedAt);
  } finally {
    await life.stop();
    await client.connection.close();
    await knex.destroy();
    await proxy.close();
  }
}, 30_000);
