import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { connect } from '../../../db/connection.ts';
import { findByCredentials, makeCredentials } from '../../../api/auth/credentials.ts';
import { prepareAdmin } from '../../../tools/stack/prepare.ts';
import { loadSecrets } from '../../../tools/stack/secrets.ts';
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

it.each(['revoked', 'rotated', 'expired'])(
  'an admin of a local stack that was %s is replaced, as the output says, and the clone keeps the credentials of the new one',
  async (change) => {
    const knex = connect((await createTestDatabase()).url, { pool: 2 });
    const { nodeId } = await createWorld(knex);
    const stateDir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-admin-'));
    const file = path.join(stateDir, 'secrets.json');
    const said: string[] = [];
    const prepare = () =>
      prepareAdmin(knex, nodeId, { stateDir, secrets: loadSecrets(file), report: (line) => said.push(line) });
    const first = await prepare();
    expect(first).toEqual(loadSecrets(file).admin);
    const changes = {
      revoked: { revoked_at: new Date() },
      rotated: { secret_hash: Buffer.alloc(32, 1) },
      expired: { expires_at: new Date(Date.now() - 1_000) },
    };
    await knex('integrations').update(changes[change as keyof typeof changes]);
    const second = await prepare();
    expect(second.api_key).not.toBe(first.api_key);
    expect(loadSecrets(file).admin).toEqual(second);
    expect(await findByCredentials(knex, { apiKey: second.api_key, secret: second.secret })).toMatchObject({
      node_id: nodeId,
      permissions: [...permissions],
    });
    expect(said).toEqual([
      expect.stringMatching(
        /^the admin integration was revoked, rotated or has expired: made a new one, "admin since /,
      ),
    ]);
    expect(await prepare()).toEqual(second);
    expect(said).toHaveLength(1);
    await knex.destroy();
  },
);
