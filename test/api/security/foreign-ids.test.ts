import { randomUUID } from 'node:crypto';
import { codeOf } from '../support/answers.ts';
import { startApi, type Answer } from '../support/api-under-test.ts';
import { fingerprint } from '../support/fingerprint.ts';
import {
  integrationOperations,
  slotsOf,
  targetOf,
  valueAt,
  withValue,
  type ApiRequest,
  type Slot,
} from '../support/slots.ts';
import { createTenant, type Tenant } from '../support/tenant.ts';
import { validRequests } from '../support/valid-requests.ts';

/*
 * Every place for an id in every request gets ids of foreign rows, ids of no rows, and texts that are no ids. The rest
 * of the request is valid, and the caller's own.
 */

const api = await startApi();
const shop = await createTenant(api, 'shop');
const rival = await createTenant(api, 'rival');
const branch = await createTenant(api, 'branch');

const relations: Record<string, { caller: Tenant; foreigner: Tenant }> = {
  'another merchant': { caller: shop, foreigner: rival },
  'the other merchant': { caller: rival, foreigner: shop },
  'the node above': { caller: branch, foreigner: shop },
};

/** Provisioned by the operator for all; no tenant has one of its own. */
const common = ['network', 'chain', 'currency'];
const nameOf = ({ operation, pointer }: Slot): string => `${operation.operationId} ${pointer}`;

/** A node may pay through a wallet of a node above it, and look for such payments. */
const usableFromBelow = [
  'createPayment /body/wallet_id',
  'createCheckout /body/options/0/wallet_id',
  'createDefault /body/wallet_id',
  'replaceDefault /body/wallet_id',
  'listPayments /query/wallet_id',
];
/** Places where the contract promises 403 for existing rows that are not the caller's. */
const forbidden = [
  'createWebhook /body/wallet_id',
  'updateWebhook /body/id',
  'deleteWebhook /body/id',
  'cancelPayment /path/id',
  'cancelCheckout /path/id',
  'rotateWebhookSecret /path/id',
  'testWebhook /path/id',
  'replayDeliveries /path/id',
  'redeliver /path/id',
  'listDeliveries /path/id',
  'getDelivery /path/id',
];
/** Refusals other than 404 of the row that the slot names. */
const otherRefusals: Record<string, [status: number, code: string | undefined]> = {
  // It is the node of the payment or order, or wrong.
  'createPayment /body/member/node_id': [400, 'invalid_request'],
  'createCheckout /body/member/node_id': [400, 'invalid_request'],
  'replaceDefault /body/node_id': [404, 'default_not_found'],
  'replaceDefault /body/network_id': [404, 'default_not_found'],
  'deleteDefault /body/node_id': [404, 'default_not_found'],
  'deleteDefault /body/network_id': [404, 'default_not_found'],
  'updateMember /body/node_id': [400, 'immutable_field'],
  'updateWebhook /body/node_id': [400, 'immutable_field'],
  'updateWebhook /body/network_id': [400, 'immutable_field'],
  'updateWebhook /body/wallet_id': [400, 'immutable_field'],
  // Deleted rows have a history too, so an unknown id has an empty one.
  'listAuditLog /query/resource_id': [200, undefined],
  'listDeliveries /query/payment_id': [200, undefined],
  'listDeliveries /query/checkout_id': [200, undefined],
};
const refusalOf = (slot: Slot): [status: number, code: string | undefined] =>
  otherRefusals[nameOf(slot)] ?? [404, `${slot.kind}_not_found`];

const malformed = ['x', 'null', '../nodes', `{${randomUUID()}`, `urn:uuid:${randomUUID()}`, randomUUID().slice(1)];
const malformedInBodies = [
  1,
  true,
  [],
  {},
  [randomUUID()],
  '',
  `${randomUUID()}\u0000`,
  randomUUID().replaceAll('-', ''),
];

const slots = integrationOperations.flatMap(slotsOf);

const send = (slot: Slot, request: ApiRequest, { actor }: Tenant): Promise<Answer> => {
  const [method, path] = targetOf(slot.operation, request);
  return api.call(method, path, {
    token: actor.token,
    ...(slot.operation.requestBody === undefined ? {} : { json: request.body }),
    // A refusal is not stored under it.
    ...(method === 'POST' ? { headers: { 'idempotency-key': randomUUID() } } : {}),
  });
};

const valid = async ({ operation: { operationId }, pointer }: Slot, tenant: Tenant): Promise<ApiRequest> => {
  const make = validRequests[operationId as keyof typeof validRequests];
  if (make === undefined) throw new Error(`test/api/support/valid-requests.ts has no request for ${operationId}`);
  return make(api, tenant, pointer);
};

/** The answer without the values that differ each time. */
const lasting = ({ status, body }: Answer) => ({ ...body, status, request_id: '' });

let attempts = 0;

it('the walk finds the slots, each with a request for it', async () => {
  expect(slots.length).toBeGreaterThanOrEqual(47);
  expect(new Set(slots.map(nameOf)).size).toBe(slots.length);
  for (const slot of slots) {
    expect([nameOf(slot), valueAt(await valid(slot, shop), slot.pointer)]).toEqual([
      nameOf(slot),
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
    const known = slot.kind in shop.rows || common.includes(slot.kind) || nameOf(slot) in otherRefusals;
    expect([nameOf(slot), known]).toEqual([nameOf(slot), true]);
  }
  const exceptions = [...usableFromBelow, ...forbidden, ...Object.keys(otherRefusals)];
  expect(exceptions.filter((name) => !slots.some((slot) => nameOf(slot) === name))).toEqual([]);
});

describe.each(Object.entries(relations))('ids of %s', (relation, { caller, foreigner }) => {
  const canUse = (slot: Slot): boolean => relation === 'the node above' && usableFromBelow.includes(nameOf(slot));

  it.each(slots.map((slot) => [nameOf(slot), slot] as const))('%s', async (name, slot) => {
    const request = await valid(slot, caller);
    const attempt = (id: unknown): Promise<Answer> => {
      attempts += 1;
      return send(slot, withValue(request, slot.pointer, id), caller);
    };
    const before = await fingerprint(api.knex);

    const absent = await attempt(randomUUID());
    expect(codeOf(absent)).toEqual(refusalOf(slot));
    if (absent.status === 200) expect(absent.body).toMatchObject({ items: [], total: 0 });

    // An id of the right kind, if it may not be used, and of every other kind, which is none of this one.
    const own = slot.kind === 'resource' ? 'wallet' : slot.kind;
    for (const [kind, id] of Object.entries(foreigner.rows)) {
      if (kind === own && canUse(slot)) continue;
      for (const form of kind === own ? [id, id.toUpperCase()] : [id]) {
        const foreign = await attempt(form);
        if (kind === own && forbidden.includes(name)) expect(codeOf(foreign)).toEqual([403, 'node_access_denied']);
        else expect(lasting(foreign)).toEqual(lasting(absent));
        expect(foreigner.facts.filter((fact) => foreign.text.includes(fact))).toEqual([]);
      }
    }
    const inBody = slot.pointer.startsWith('/body') ? malformedInBodies : [];
    for (const text of [...malformed, ...inBody]) {
      const { status, body } = await attempt(text);
      expect([text, status, body.code]).toEqual([text, 400, 'invalid_request']);
      expect(body.errors[0].path.startsWith(slot.pointer.replace('/path', '/params'))).toBe(true);
    }
    expect(await fingerprint(api.knex)).toEqual(before);
    // So it was that one id.
    expect((await send(slot, request, caller)).status).toBeLessThan(300);
  });
});

it('the walk made every attempt', () => {
  expect(attempts).toBeGreaterThan(2_500);
});
