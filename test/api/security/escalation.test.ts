import { randomUUID } from 'node:crypto';
import { permissions as allPermissions, type Permission } from '../../../domain/access.ts';
import { startApi, type Actor } from '../support/api-under-test.ts';
import { createWorld, operations, requestOf, slotsOf } from '../support/world.ts';

const api = await startApi();
const managing: readonly Permission[] = [
  'integrations.read',
  'integrations.create',
  'integrations.update',
  'integrations.delete',
];

const refusal = ({ status, body }: { status: number; body: { code?: string } | null }) => [status, body?.code];
const create = (token: string, json: Record<string, unknown>) =>
  api.call('POST', '/api/v1/integrations', { token, json: { name: randomUUID(), ...json } });
const rotate = (token: string, id: string) =>
  api.call('POST', `/api/v1/integrations/${id}/rotate`, { token, json: { overlap_seconds: 0 } });
const revoke = (token: string, id: string) => api.call('DELETE', `/api/v1/integrations/${id}`, { token });
const tokenFor = async (credentials: { apiKey: string; secret: string }, scope?: string): Promise<string> => {
  const json = {
    grant_type: 'client_credentials',
    api_key: credentials.apiKey,
    secret: credentials.secret,
    ...(scope !== undefined && { scope }),
  };
  const { status, body, text } = await api.call('POST', '/api/v1/auth/token', { json });
  if (status !== 200) throw new Error(`no token: ${text}`);
  return body.access_token;
};
const stillOpens = (actor: Actor): Promise<boolean> =>
  tokenFor(actor.credentials).then(
    () => true,
    () => false,
  );
const endAt = (actor: Actor, end: Date | null) =>
  api.knex('integrations').where({ id: actor.id }).update({ expires_at: end });
const inAnHour = () => new Date(Date.now() + 3_600_000);

describe('an integration that lacks a permission', () => {
  it.each(allPermissions)('can not get %s by granting, rotating or revoking', async (permission) => {
    const held = allPermissions.filter((other) => other !== permission);
    const caller = await api.actor('shop', held);
    const target = await api.actor('branch', [permission]);
    const answers = [
      await create(caller.token, { node_id: caller.nodeId, permissions: [permission] }),
      await rotate(caller.token, target.id),
      await revoke(caller.token, target.id),
    ];
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([403, 'permission_denied']);
      expect(body.detail).toContain(permission);
    }
    expect(await stillOpens(target)).toBe(true);
    const heir = await create(caller.token, { node_id: caller.nodeId });
    if (held.includes('integrations.create')) expect(heir.body.permissions).not.toContain(permission);
    else expect(heir.status).toBe(403);
  });

  it('can not do it in two steps: what it makes can do no more than itself', async () => {
    const caller = await api.actor('shop', [...managing, 'payments.read']);
    const { body } = await create(caller.token, { node_id: caller.nodeId });
    const second = await tokenFor({ apiKey: body.api_key, secret: body.secret });
    expect(refusal(await create(second, { node_id: caller.nodeId, permissions: ['payments.create'] }))).toEqual([
      403,
      'permission_denied',
    ]);
    const wider = await tokenFor({ apiKey: body.api_key, secret: body.secret }, 'payments.create').catch(() => null);
    expect(wider).toBeNull();
  });

  it('can rotate and revoke one that holds nothing but what it holds itself', async () => {
    const caller = await api.actor('shop', [...managing, 'payments.read']);
    const target = await api.actor('branch', ['payments.read', 'integrations.read']);
    const { status, body } = await rotate(caller.token, target.id);
    expect(status).toBe(200);
    const taken = await tokenFor({ apiKey: body.api_key, secret: body.secret });
    expect(refusal(await api.call('GET', `/api/v1/wallets?node_id=${target.nodeId}`, { token: taken }))).toEqual([
      403,
      'permission_denied',
    ]);
    expect((await revoke(caller.token, target.id)).status).toBe(204);
  });
});

describe('a token that is narrower than its integration', () => {
  it('grants, takes over and ends no more than it holds itself', async () => {
    const owner = await api.actor('shop');
    const narrow = await tokenFor(owner.credentials, [...managing, 'payments.read'].join(' '));
    const { body } = await create(narrow, { node_id: owner.nodeId });
    expect(body.permissions.toSorted()).toEqual([...managing, 'payments.read'].toSorted());
    const wants = await create(narrow, { node_id: owner.nodeId, permissions: ['wallets.read'] });
    expect(refusal(wants)).toEqual([403, 'permission_denied']);
    // Not even its own integration, which would widen it.
    for (const attempt of [rotate, revoke]) {
      expect(refusal(await attempt(narrow, owner.id))).toEqual([403, 'permission_denied']);
    }
    expect(await stillOpens(owner)).toBe(true);
  });

  it('stays narrow when the integration is rotated, and can not be asked for again by what it is not', async () => {
    const owner = await api.actor('shop', ['payments.read', 'wallets.read']);
    const narrow = await tokenFor(owner.credentials, 'payments.read');
    const wallets = `/api/v1/wallets?node_id=${owner.nodeId}`;
    expect((await api.call('GET', wallets, { token: narrow })).status).toBe(403);
    const all = await api.actor('shop');
    expect((await rotate(all.token, owner.id)).status).toBe(200);
    expect((await api.call('GET', wallets, { token: narrow })).status).toBe(403);
    expect((await api.call('GET', wallets, { token: owner.token })).status).toBe(200);
  });
});

describe('an integration that ends', () => {
  it('leaves nothing behind that lives longer, whatever it asks for', async () => {
    const owner = await api.actor('shop');
    const end = inAnHour();
    await endAt(owner, end);
    const later = await create(owner.token, {
      node_id: owner.nodeId,
      expires_at: new Date(end.getTime() + 1).toISOString(),
    });
    expect(refusal(later)).toEqual([400, 'invalid_request']);
    for (const expires_at of [undefined, null]) {
      const { body } = await create(owner.token, { node_id: owner.nodeId, expires_at });
      expect(body.expires_at).toBe(end.toISOString());
      const child = await tokenFor({ apiKey: body.api_key, secret: body.secret });
      const grandchild = await create(child, { node_id: owner.nodeId });
      expect(grandchild.body.expires_at).toBe(end.toISOString());
    }
  });

  it('can not take over the secret of one that outlives it', async () => {
    const owner = await api.actor('shop');
    await endAt(owner, inAnHour());
    const endless = await api.actor('shop', ['payments.read']);
    const longer = await api.actor('branch', ['payments.read']);
    await endAt(longer, new Date(Date.now() + 7_200_000));
    const shorter = await api.actor('branch', ['payments.read']);
    await endAt(shorter, new Date(Date.now() + 1_800_000));
    for (const { id } of [endless, longer]) {
      expect(refusal(await rotate(owner.token, id))).toEqual([403, 'permission_denied']);
    }
    expect((await rotate(owner.token, shorter.id)).status).toBe(200);
    expect((await rotate(owner.token, owner.id)).status).toBe(200);
    // To end something early is no way to outlive anything.
    expect((await revoke(owner.token, endless.id)).status).toBe(204);
  });

  it('makes nothing any more once it has ended, with a token that has not', async () => {
    const owner = await api.actor('shop');
    const target = await api.actor('shop', []);
    await endAt(owner, new Date(Date.now() - 1));
    const attempts = [create(owner.token, { node_id: owner.nodeId }), rotate(owner.token, target.id)];
    for (const answer of await Promise.all(attempts)) expect(refusal(answer)).toEqual([401, 'invalid_token']);
    expect(await stillOpens(target)).toBe(true);
  });
});

describe('an integration of a node below', () => {
  it('never reaches what belongs to an ancestor, by any operation', async () => {
    const child = await api.actor('branch');
    const ancestor = await createWorld(api, 'shop');
    const referring = operations.filter(
      (operation) => operation.access === 'integration' && slotsOf(operation).length > 0,
    );
    expect(referring.length).toBeGreaterThanOrEqual(20);
    for (const operation of referring) {
      const { method, path, json } = requestOf(operation, api.ids, () => ancestor);
      const { status, text } = await api.call(method, path, { token: child.token, ...(json && { json }) });
      expect([operation.id, status === 403 || status === 404]).toEqual([operation.id, true]);
      expect(text).not.toContain(ancestor.marker);
      for (const id of Object.values(ancestor.ids)) expect(text).not.toContain(id);
    }
  });

  it('sees nothing of an ancestor in a list, asked for in any way', async () => {
    const child = await createWorld(api, 'branch');
    const ancestor = await createWorld(api, 'rival');
    const lists = operations.filter(({ id, access }) => access === 'integration' && id.startsWith('list'));
    for (const operation of lists) {
      const { method, path } = requestOf(operation, api.ids, () => child);
      const query = path.includes('node_id=') ? '&include_descendants=true&per_page=100' : '';
      const answer = await api.call(method, `${path}${query}`, { token: child.actor.token });
      expect([operation.id, answer.status]).toEqual([operation.id, 200]);
      const foreign = [ancestor.marker, api.ids.nodes.root!, api.ids.nodes.shop!, ...Object.values(ancestor.ids)];
      expect([operation.id, foreign.filter((text) => answer.text.includes(text))]).toEqual([operation.id, []]);
    }
  });

  it('can not place an integration above or beside itself', async () => {
    const child = await api.actor('branch');
    for (const node of ['shop', 'root', 'rival']) {
      const answer = await create(child.token, { node_id: api.ids.nodes[node], permissions: [] });
      expect(refusal(answer)).toEqual([404, 'node_not_found']);
    }
  });

  it('is reached from above: an ancestor may read, rotate and revoke it', async () => {
    const ancestor = await api.actor('root');
    const child = await api.actor('branch');
    expect((await api.call('GET', `/api/v1/integrations/${child.id}`, { token: ancestor.token })).status).toBe(200);
    expect((await rotate(ancestor.token, child.id)).status).toBe(200);
    expect((await revoke(ancestor.token, child.id)).status).toBe(204);
    expect((await api.call('GET', '/api/v1/nodes', { token: child.token })).status).toBe(401);
  });
});

describe('a token that was made up', () => {
  it('of our own key but with more than the integration holds does not exist: permissions are signed', async () => {
    const owner = await api.actor('shop', ['payments.read']);
    const [head = '', payload = '', signature = ''] = owner.token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    for (const change of [{ permissions: allPermissions }, { node: api.ids.nodes.root }, { sub: randomUUID() }]) {
      const forged = Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url');
      const answer = await api.call('GET', '/api/v1/nodes', { token: `${head}.${forged}.${signature}` });
      expect(refusal(answer)).toEqual([401, 'invalid_token']);
    }
  });
});
