import { checksum } from '../../../chain/pure/address.ts';
import { diamondAddress } from '../../../chain/pure/platform.ts';
import { together } from '../support/answers.ts';
import { platform, startApi } from '../support/api-under-test.ts';

const api = await startApi();
const shop = await api.actor('shop');
const { token, nodeId } = shop;
const [A, B] = [api.ids.networks.A!, api.ids.networks.B!];

const deploy = (id: string, network_id: string) =>
  api.call('POST', `/api/v1/wallets/${id}/deploy`, { token, json: { node_id: nodeId.toUpperCase(), network_id } });

it('a new wallet has the address of its later diamonds, ids may be in upper case, names beyond the BMP', async () => {
  const json = {
    node_id: nodeId.toUpperCase(),
    chain_id: api.ids.chains.Main!.toUpperCase(),
    name: '\u{1F355}'.repeat(255),
  };
  const { status, body } = await api.call('POST', '/api/v1/wallets', { token, json });
  expect([status, body.node_id, body.name]).toEqual([201, nodeId, json.name]);
  expect(body.address).toBe(checksum(diamondAddress(platform, nodeId, body.id)));
});

describe('POST /api/v1/wallets/{id}/deploy', () => {
  it('starts the first step once, even if eight are requested at the same time', async () => {
    const wallet = await api.wallet(shop);
    const answers = await together(8, () => deploy(wallet.id, A.toUpperCase()));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ step: 'preflight', status: 'started' });
    const diamonds = await api.knex('diamonds').where({ wallet_id: wallet.id }).select('address', 'network_id');
    expect(diamonds).toEqual([{ address: wallet.address.toLowerCase(), network_id: A }]);
    expect(api.dispatches).toContain(null);
  });

  it('has one diamond per network, at one address', async () => {
    const wallet = await api.wallet(shop);
    const [one, other] = await Promise.all([A, B].map((network_id) => deploy(wallet.id, network_id)));
    expect(one!.body.transaction_id).not.toBe(other!.body.transaction_id);
    expect(await api.knex('diamonds').where({ wallet_id: wallet.id }).pluck('address')).toEqual(
      Array(2).fill(wallet.address.toLowerCase()),
    );
  });

  it('is refused on a network without a key for deals', async () => {
    const { id } = await api.wallet(shop);
    await api.knex('signer_accounts').where({ network_id: B, role: 'operator' }).update({ role: 'upgrader' });
    const { status, body } = await deploy(id, B);
    expect([status, body.code]).toEqual([409, 'network_not_prepared']);
  });
});
