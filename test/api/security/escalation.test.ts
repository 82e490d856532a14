import { randomUUID } from 'node:crypto';
import { permissions as allPermissions, type Permission } from '../../../domain/access.ts';
import { codeOf } from '../support/answers.ts';
import { startApi, type Actor } from '../support/api-under-test.ts';

const api = await startApi();
const managing: readonly Permission[] = [
  'integrations.read',
  'integrations.create',
  'integrations.update',
  'integrations.delete',
];

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
  it.each(allPermissions)('cannot get %s by granting, rotating or revoking', async (permission) => {
    const held = allPermissions.filter((other) => other !== permission);
    const caller = await api.actor('shop', held);
    const target = await api.actor('branch', [permission]);
    const answers = [
      await create(caller.token, { node_id: caller.nodeId, permissions: [permission] }),
      await rotate(caller.token, target.id),
      await revoke(caller.token, target.id),
    ];
    for (const [index, { status, body }] of answers.entries()) {
      expect([status, body.code]).toEqual([403, 'permission_denied']);
      // Without integrations.read a refusal names only what the request itself named.
      expect(body.detail.includes(permission)).toBe(index === 0 || permission !== 'integrations.read');
    }
    expect(await stillOpens(target)).toBe(true);
    const heir = await create(caller.token, { node_id: caller.nodeId });
    if (held.includes('integrations.create')) expect(heir.body.permissions).not.toContain(permission);
    else expect(heir.status).toBe(403);
  });

  it('cannot get it in two steps, because its integrations can do no more than itself', async () => {
    const caller = await api.actor('shop', [...managing, 'payments.read']);
    const { body } = await create(caller.token, { node_id: caller.nodeId });
    const second = await tokenFor({ apiKey: body.api_key, secret: body.secret });
    expect(codeOf(await create(second, { node_id: caller.nodeId, permissions: ['payments.create'] }))).toEqual([
      403,
      'permission_denied',
    ]);
    const wider = await tokenFor({ apiKey: body.api_key, secret: body.secret }, 'payments.create').catch(() => null);
    expect(wider).toBeNull();
  });

  it('can rotate and revoke an integration with no more permissions than its own', async () => {
    const caller = await api.actor('shop', [...managing, 'payments.read']);
    const target = await api.actor('branch', ['payments.read', 'integrations.read']);
    const { status, body } = await rotate(caller.token, target.id);
    expect(status).toBe(200);
    const taken = await tokenFor({ apiKey: body.api_key, secret: body.secret });
    expect(codeOf(await api.call('GET', `/api/v1/wallets?node_id=${target.nodeId}`, { token: taken }))).toEqual([
      403,
      'permission_denied',
    ]);
    expect((await revoke(caller.token, target.id)).status).toBe(204);
  });
});

describe('a token with fewer permissions than its integration', () => {
  it('grants, takes over and ends no more than it holds itself', async () => {
    const owner = await api.actor('shop');
    const narrow = await tokenFor(owner.credentials, [...managing, 'payments.read'].join(' '));
    const { body } = await create(narrow, { node_id: owner.nodeId });
    expect(body.permissions.toSorted()).toEqual([...managing, 'payments.read'].toSorted());
    const wants = await create(narrow, { node_id: owner.nodeId, permissions: ['wallets.read'] });
    expect(codeOf(wants)).toEqual([403, 'permission_denied']);
    // Not even its own integration, which would widen it.
    for (const attempt of [rotate, revoke]) {
      expect(codeOf(await attempt(narrow, owner.id))).toEqual([403, 'permission_denied']);
    }
    expect(await stillOpens(owner)).toBe(true);
  });

  it('stays narrow when the integration is rotated, and cannot be widened by a request', async () => {
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
  it('leaves nothing behind that lives longer, whatever it requests', async () => {
    const owner = await api.actor('shop');
    const end = inAnHour();
    await endAt(owner, end);
    const later = await create(owner.token, {
      node_id: owner.nodeId,
      expires_at: new Date(end.getTime() + 1).toISOString(),
    });
    expect(codeOf(later)).toEqual([400, 'invalid_request']);
    for (const expires_at of [undefined, null]) {
      const { body } = await create(owner.token, { node_id: owner.nodeId, expires_at });
      expect(body.expires_at).toBe(end.toISOString());
      const child = await tokenFor({ apiKey: body.api_key, secret: body.secret });
      const grandchild = await create(child, { node_id: owner.nodeId });
      expect(grandchild.body.expires_at).toBe(end.toISOString());
    }
  });

  it('cannot take over the secret of an integration that outlives it', async () => {
    const owner = await api.actor('shop');
    await endAt(owner, inAnHour());
    const endless = await api.actor('shop', ['payments.read']);
    const longer = await api.actor('branch', ['payments.read']);
    await endAt(longer, new Date(Date.now() + 7_200_000));
    const shorter = await api.actor('branch', ['payments.read']);
    await endAt(shorter, new Date(Date.now() + 1_800_000));
    for (const { id } of [endless, longer]) {
      expect(codeOf(await rotate(owner.token, id))).toEqual([403, 'permission_denied']);
    }
    expect((await rotate(owner.token, shorter.id)).status).toBe(200);
    expect((await rotate(owner.token, owner.id)).status).toBe(200);
    // To end something early is no way to outlive anything.
    expect((await revoke(owner.token, endless.id)).status).toBe(204);
  });

  it('makes nothing once it has ended, even with a valid token', async () => {
    const owner = await api.actor('shop');
    const target = await api.actor('shop', []);
    await endAt(owner, new Date(Date.now() - 1));
    const attempts = [create(owner.token, { node_id: owner.nodeId }), rotate(owner.token, target.id)];
    for (const answer of await Promise.all(attempts)) expect(codeOf(answer)).toEqual([401, 'invalid_token']);
    expect(await stillOpens(target)).toBe(true);
  });
});

describe('an invented token', () => {
  it('with our own key but more permissions than the integration cannot exist, because permissions are signed', async () => {
    const owner = await api.actor('shop', ['payments.read']);
    const [head = '', payload = '', signature = ''] = owner.token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    for (const change of [{ permissions: allPermissions }, { node: api.ids.nodes.root }, { sub: randomUUID() }]) {
      const forged = Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url');
      const answer = await api.call('GET', '/api/v1/nodes', { token: `${head}.${forged}.${signature}` });
      expect(codeOf(answer)).toEqual([401, 'invalid_token']);
    }
  });
});
