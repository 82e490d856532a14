import { connect } from '../../../db/connection.ts';
import { makeCredentials } from '../../../api/auth/credentials.ts';
import { prepareAdmin } from '../../../dev/stack/prepare.ts';
import { permissions } from '../../../domain/access.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createWorld } from '../../support/fixtures.ts';

it('the admin of a local stack gets the permissions of a new version, and keeps its secret', async () => {
  const knex = connect((await createTestDatabase()).url, { pool: 2 });
  const { nodeId } = await createWorld(knex);
  const { apiKey, secret } = makeCredentials();
  const secrets = { postgresPassword: '', masterKey: '', keystorePassphrase: '', admin: { api_key: apiKey, secret } };
  const said: string[] = [];
  const prepare = () => prepareAdmin(knex, nodeId, { stateDir: '.', secrets, report: (line) => said.push(line) });
  const own = () => knex('integrations').where({ api_key: apiKey });
  await prepare();
  const [made] = await own();
  const [first, second] = permissions;
  await own().update({ permissions: permissions.filter((one) => one !== first && one !== second) });
  await prepare();
  await prepare();
  expect(said).toEqual([`gave the admin integration the new permissions: ${first}, ${second}`]);
  expect(await own()).toEqual([made]);
  await knex.destroy();
});
