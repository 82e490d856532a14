import net, { type AddressInfo } from 'node:net';
import { connect } from '../../../db/connection.ts';
import { createNotifications } from '../../../db/outbox/notifications.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { silent } from '../../support/workflow-worker.ts';

/** A balancer before PostgreSQL. While `isMute`, it takes connections and passes nothing on, and such a connection stays so. */
const createBalancer = async (given: string) => {
  const target = new URL(given);
  const state = { isMute: false, muted: 0 };
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = state.isMute ? null : net.connect(Number(target.port), target.hostname);
    if (upstream === null) state.muted += 1;
    for (const socket of [client, ...(upstream === null ? [] : [upstream])]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream?.destroy();
      });
    }
    if (upstream !== null) client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(given);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const cut = (): void => sockets.forEach((socket) => socket.resetAndDestroy());
  return {
    url: url.href,
    state,
    cut,
    close: () => {
      cut();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

/**
 * A failover behind a balancer (HAProxy, a Kubernetes service): the old server is gone, and for some seconds the balancer takes new
 * connections and passes nothing on. The pools of api and worker give such a connection up after five seconds.
 */
it('the listener gives up a connection that was opened during a failover, and hears again once new connections work', async () => {
  const { url } = await createTestDatabase();
  const balancer = await createBalancer(url);
  const knex = connect(balancer.url, { pool: 2, role: 'worker' });
  const hub = createNotifications({ url: balancer.url, log: silent });
  let times = 0;
  hub.listen({ notified: () => {}, mayHaveMissed: () => void (times += 1) });
  const works = () =>
    knex.raw('SELECT 1').then(
      () => true,
      () => false,
    );
  try {
    await eventually(() => times === 1);
    balancer.state.isMute = true;
    balancer.cut();
    // The listener connects again while the failover lasts.
    await eventually(() => balancer.state.muted >= 1);
    balancer.state.isMute = false;
    await eventually(works);
    await eventually(() => times === 2, 30_000);
  } finally {
    balancer.cut();
    await hub.stop();
    await knex.destroy();
    await balancer.close();
  }
});

it('a notification between two waits ends the second one at once', async () => {
  const { url } = await createTestDatabase();
  const knex = connect(url, { pool: 1 });
  const hub = createNotifications({ url, log: silent });
  const { signal } = new AbortController();
  const [late, present] = [hub.source({ carat_outbox: null }), hub.source({ carat_outbox: null })];
  const ofCatalogue = hub.source({ carat_catalogue: null });
  try {
    // Sources may have missed something before the listener is connected.
    await Promise.all([late, present, ofCatalogue].map((source) => source.wait(10_000, signal)));
    await knex.raw("SELECT pg_notify('carat_outbox', '')");
    await present.wait(10_000, signal);
    await knex.raw("SELECT pg_notify('carat_catalogue', '')");
    await ofCatalogue.wait(10_000, signal);
    const before = performance.now();
    await late.wait(10_000, signal);
    expect(performance.now() - before).toBeLessThan(5_000);
  } finally {
    await hub.stop();
    await knex.destroy();
  }
});

/** A rolling restart while PostgreSQL fails over: api and worker wait for the listener before they say goodbye (`recordStop`). */
it('the listener stops at once although its connection was opened during a failover and gets no answer', async () => {
  const { url } = await createTestDatabase();
  const balancer = await createBalancer(url);
  balancer.state.isMute = true;
  const hub = createNotifications({ url: balancer.url, log: silent });
  try {
    await eventually(() => balancer.state.muted >= 1);
    let isStopped = false;
    const stopping = hub.stop().then(() => (isStopped = true));
    await eventually(() => isStopped, 15_000).finally(balancer.cut);
    await stopping;
  } finally {
    await balancer.close();
  }
});
