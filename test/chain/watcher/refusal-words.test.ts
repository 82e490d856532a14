import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { stopAfterEach } from '../support/running.ts';

/* The words of a refusal hold a character that PostgreSQL does not store. */

let gateway: Gateway;
let proxy: Proxy;
const keep = stopAfterEach();

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 1 });
  proxy = await startProxy(gateway.chain.url);
});
afterEach(async () => {
  await proxy.close();
  await gateway.close();
});

it.each(['\u0000', '\ud800'])(
  'a refusal with the character %j raises its alert, and does not end the watcher',
  async (character) => {
    const watcher = keep(gateway.startWatcher({ urls: [proxy.url], watch: { unreachable: 300 } }));
    await eventually(async () => (await gateway.knex('watch_cursors').whereNotNull('number')).length > 0);
    const message = `no such method${character}`;
    proxy.rewrite = (request) =>
      request.method === 'eth_getBlockByNumber' ? { error: { code: -32_601, message } } : request;
    const raised = eventually(
      async () => (await gateway.knex('alerts').where({ kind: 'endpoint_refuses' })).length > 0,
    );
    raised.catch(() => {});
    const said = await Promise.race([raised, watcher.ended.then(() => 'ended')]).catch((error: Error) =>
      error.message.slice(-120),
    );
    expect(said).toBe(true);
  },
);
