import { randomUUID } from 'node:crypto';
import type { ResolvedOperation } from '../../../tools/build/openapi.ts';
import { startApi, type Answer } from '../support/api-under-test.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { bodyObjects, integrationOperations, targetOf, valueAt, withValue, type ApiRequest } from '../support/slots.ts';
import { createTenant } from '../support/tenant.ts';
import { validRequests } from '../support/valid-requests.ts';

/*
 * A valid request with one more field, which clients may not set, is refused as a whole, whatever the field holds and
 * however deep it stands.
 */

const api = await startApi();
const shop = await createTenant(api, 'shop');
const rival = await createTenant(api, 'rival');
const writes = integrationOperations.filter(({ method }) => method !== 'GET');

/** Fields of rows, of other operations, and names that mean something to JavaScript. */
const extraFields: Record<string, unknown> = {
  id: randomUUID(),
  node_id: rival.rows.node,
  status: 'completed',
  created_at: '2020-01-01T00:00:00.000Z',
  updated_at: '2020-01-01T00:00:00.000Z',
  deleted_at: null,
  secret: 'cs_chosen',
  secret_hash: 'ab'.repeat(32),
  api_key: 'ck_chosen',
  is_admin: true,
  signing_secret: 'whsec_chosen',
  adopted: true,
  deal_id: 1,
  access_token: 'wt_chosen',
  permissions: ['integrations.create'],
  __proto: 1,
  constructor: { prototype: { isAdmin: true } },
  prototype: {},
  toString: 'x',
  hasOwnProperty: true,
};
/** `__proto__` can only be written as text. */
const asText = (body: unknown): string => JSON.stringify(body).replaceAll('"__proto":', '"__proto__":');

/** Operations that may create a member too. */
const takesMember = ({ operationId }: ResolvedOperation): boolean =>
  operationId === 'createPayment' || operationId === 'createCheckout';

/** The request, and one with a new member where the operation takes it. */
const alsoValid = (operation: ResolvedOperation, request: ApiRequest): ApiRequest[] => {
  if (!takesMember(operation)) return [request];
  const member = { external_id: randomUUID(), name: 'Ada' };
  return [request, { body: { ...request.body, member_id: null, member } }];
};

const send = (operation: ResolvedOperation, request: ApiRequest): Promise<Answer> => {
  const [method, path] = targetOf(operation, request);
  const raw = operation.requestBody === undefined ? {} : { raw: asText(request.body) };
  return api.call(method, path, { token: shop.actor.token, ...raw });
};

const valid = async (operation: ResolvedOperation): Promise<ApiRequest> => {
  const make = validRequests[operation.operationId as keyof typeof validRequests];
  if (make === undefined)
    throw new Error(`test/api/support/valid-requests.ts has no request for ${operation.operationId}`);
  return make(api, shop);
};

let refused = 0;
const expectRefusal = ({ status, body }: Answer, path: string): void => {
  const name = path.replace('__proto', '__proto__');
  expect([name, status, body?.code]).toEqual([name, 400, 'invalid_request']);
  expect(body.errors.map((error: { path: string }) => error.path)).toContain(name);
  refused += 1;
};

it('the specification has writes to try', () => {
  expect(writes.length).toBeGreaterThanOrEqual(18);
});

describe.each(writes.map((operation) => [operation.operationId, operation] as const))('%s', (_, operation) => {
  const inQuery = Object.keys(extraFields).filter((name) => !operation.parameters.some((known) => known.name === name));

  it('refuses more query parameters than it has', async () => {
    const request = await valid(operation);
    const before = await fingerprint(api.knex);
    for (const name of inQuery) {
      const path = name.replace('__proto', '__proto__');
      expectRefusal(await send(operation, { ...request, query: { [path]: 'x' } }), `/query/${name}`);
    }
    expect(await fingerprint(api.knex)).toEqual(before);
    expect((await send(operation, request)).status).toBeLessThan(300);
  });

  const objects = bodyObjects(operation);
  if (objects.length > 0) {
    it('refuses unknown fields, in its body and in nested objects', async () => {
      const variants = alsoValid(operation, await valid(operation));
      const before = await fingerprint(api.knex);
      for (const { pointer, schema } of objects) {
        const request = variants.find((variant) => typeof valueAt(variant, pointer) === 'object');
        if (request === undefined) throw new Error(`no valid request has ${pointer}`);
        for (const [name, value] of Object.entries(extraFields)) {
          if (Object.hasOwn(schema.properties ?? {}, name)) continue;
          for (const content of [value, null]) {
            const path = `${pointer}/${name}`;
            expectRefusal(await send(operation, withValue(request, path, content)), path);
          }
        }
      }
      expect(await fingerprint(api.knex)).toEqual(before);
      for (const request of variants) {
        // The first of two is stored by now.
        const again = takesMember(operation) ? randomUUID() : undefined;
        const fresh = again === undefined ? request : withValue(request, '/body/external_id', again);
        expect((await send(operation, fresh)).status).toBeLessThan(300);
      }
    });
  } else {
    it('does what its path says, whatever its body', async () => {
      const request = await valid(operation);
      const [method, path] = targetOf(operation, request);
      const other = (await valid(operation)).path?.id;
      const json = { ...extraFields, id: other };
      expect((await api.call(method, path, { token: shop.actor.token, json })).status).toBeLessThan(300);
      const entries = (id: string | undefined) =>
        api.knex('audit_log').where({ resource_id: id }).whereNot('action', 'like', '%.created');
      expect(await entries(request.path?.id)).toHaveLength(1);
      expect(await entries(other)).toEqual([]);
    });
  }
});

it('the prototype of all objects is unchanged', () => {
  expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  expect(refused).toBeGreaterThan(700);
});
