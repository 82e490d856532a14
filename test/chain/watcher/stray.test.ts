import { randomUUID } from 'node:crypto';
import { toBeHex } from 'ethers';
import { contracts } from '../../../chain/pure/contracts.ts';
import { closeWhatIsOver } from '../../../db/alerts/over.ts';
import { deployTestToken } from '../../../tools/stack/tokens.ts';
import { eventually } from '../../support/eventually.ts';
import { hex } from '../../support/fixtures.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { stopAfterEach } from '../support/running.ts';

/*
 * Tokens that somebody sends to a diamond by a plain transfer, on a network where nothing else is under way.
 */

let gateway: Gateway;
let token: string;
let proxy: Proxy;
const keep = stopAfterEach();
const watch = { strays: 200, idle: 0 };

beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2 });
  proxy = await startProxy(gateway.chain.url);
  const { knex, keys, rpc, chain, world } = gateway;
  const dollar = { symbol: 'USD', name: 'Dollar', decimals: 6 };
  token = await deployTestToken(rpc, keys.stranger, chain.chainId, dollar);
  await knex('currency_tokens').where({ network_id: world.networkId }).update({ address: token });
});
afterAll(async () => {
  await proxy.close();
  await gateway.close();
});

const alerts = () => gateway.knex('alerts').where({ kind: 'plain_transfer' }).orderBy('id');
const mint = (to: string, units: bigint) =>
  gateway.send(gateway.keys.stranger, token, contracts.testToken.interface.encodeFunctionData('mint', [to, units]));
it('stray tokens raise a condition, which ends when root has swept them', async () => {
  keep(gateway.startWatcher({ watch }));
  const diamond = gateway.world.diamondAddress;
  await mint(gateway.keys.buyer.address, 9n);
  await mint(diamond, 7n);
  const [raised] = await eventually(async () => {
    const rows = await alerts();
    return rows.length > 0 && rows;
  });
  expect(raised).toMatchObject({
    network_id: gateway.world.networkId,
    node_id: null,
    closed_at: null,
    data: { token, diamonds: 1, units: '7', newest: [{ diamond: diamond.toLowerCase(), units: '7' }] },
  });
  await mint(diamond, 3n);
  await eventually(async () => (await alerts())[0].data.units === '10');
  const sweep = contracts.deal.interface.encodeFunctionData('sweep', [token, gateway.keys.root.address]);
  await gateway.send(gateway.keys.root, diamond, sweep);
  await eventually(async () => {
    await closeWhatIsOver(gateway.knex);
    return (await alerts())[0].closed_at !== null;
  });
  expect(await alerts()).toHaveLength(1);
});

it('stray tokens are not reported by one endpoint alone, and delay nothing where no balance can be read', async () => {
  let answer = toBeHex(1_000n, 32);
  let asked = 0;
  proxy.rewrite = (request) => {
    const [call] = request.params as [{ to?: string }];
    if (request.method !== 'eth_call' || call.to !== token) return request;
    asked += 1;
    return { result: answer };
  };
  keep(gateway.startWatcher({ watch, urls: [proxy.url, gateway.chain.url], network: { quorum: 2 } }));
  await eventually(() => asked > 2);
  answer = '0x';
  asked = 0;
  await eventually(() => asked > 2);
  expect(await gateway.knex('stray_tokens')).toEqual([]);
  expect(await alerts()).toHaveLength(1);
});

it('stray tokens are sought anew after the last pair, and their alert ends with their token', async () => {
  const { knex, world } = gateway;
  const wallets = Array.from({ length: 49 }, () => ({ id: randomUUID(), address: hex(20) }));
  for (const { id, address } of wallets) {
    const wallet = { node_id: world.nodeId, chain_id: world.chainId, name: id, address };
    await knex('wallets').insert({ id, ...wallet });
    await knex('diamonds').insert({
      wallet_id: id,
      network_id: world.networkId,
      address,
      status: 'active',
      operator_account_id: world.operatorAccountId,
    });
  }
  await knex('watch_cursors').update({ stray_diamond: null, stray_token: null });
  keep(gateway.startWatcher({ watch }));
  const held = () => knex('stray_tokens').select('diamond', 'units');
  const { address } = wallets[0]!;
  await mint(address, 7n);
  await eventually(async () => (await held()).some(({ units }) => units === '7'));
  await mint(address, 3n);
  await eventually(async () => (await held()).some(({ units }) => units === '10'));
  expect(await held()).toEqual([{ diamond: address, units: '10' }]);
  await knex('currency_tokens')
    .where({ network_id: world.networkId })
    .update({ address: hex(20) });
  await eventually(async () => (await held()).length === 0);
});
