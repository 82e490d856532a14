import { randomUUID } from 'node:crypto';
import { operationsOf, type ResolvedOperation } from '../../../tools/build/openapi.ts';
import { startApi } from '../support/api-under-test.ts';
import { targetOf, type ApiRequest } from '../support/slots.ts';
import { createTenant } from '../support/tenant.ts';
import { validRequests } from '../support/valid-requests.ts';
import { openApi } from '../../support/once/specification.ts';

/*
 * What a page of another origin gets from a browser that goes by the Fetch standard: the widget's data, its events and its script, and nothing else.
 */

const api = await startApi();
const shop = await createTenant(api, 'shop');
const [wallet] = await api.knex('wallets').where({ id: shop.rows.wallet });
await api.activate(wallet, 'A');
const { access_token: widgetToken } = (
  await api.call('GET', `/api/v1/payments/${shop.rows.payment}`, { token: shop.actor.token })
).body;

const { access_token: checkoutToken } = (
  await api.call('GET', `/api/v1/checkouts/${shop.rows.checkout}`, { token: shop.actor.token })
).body;

const { token: operatorToken } = await api.actor('root');

const operations = operationsOf(openApi);
const widgetOperations = ['getWidgetPayment', 'getWidgetPaymentEvents', 'getWidgetCheckout', 'chooseOption'];
const openOperations = [...widgetOperations, 'getWidgetFile'];
const ofOrders = ['getWidgetCheckout', 'chooseOption'];
const origins = ['https://shop.example', 'null', 'http://localhost:3000', 'https://pay.test.evil.example'];

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

const validRequest = async (operation: ResolvedOperation): Promise<ApiRequest> => {
  if (operation.operationId === 'chooseOption') return { path: { id: shop.rows.checkout! }, body: { option: 0 } };
  if (ofOrders.includes(operation.operationId)) return { path: { id: shop.rows.checkout! } };
  if (widgetOperations.includes(operation.operationId)) return { path: { id: shop.rows.payment! } };
  if (operation.operationId === 'getPayPage') return { path: { id: shop.rows.payment! } };
  if (operation.operationId === 'getWidgetFile') return { path: { file: 'carat-pay.js' } };
  if (operation.operationId === 'getGuide') return { path: { name: 'webhooks' } };
  if (operation.operationId === 'issueToken') {
    const { apiKey, secret } = shop.actor.credentials;
    return { body: { grant_type: 'client_credentials', api_key: apiKey, secret } };
  }
  const make = validRequests[operation.operationId as keyof typeof validRequests];
  if (make === undefined && operation.access !== 'public') throw new Error(`no request for ${operation.operationId}`);
  return (await make?.(api, shop)) ?? {};
};

const toSend = (operation: ResolvedOperation, request: ApiRequest): Sent => {
  const [method, path] = targetOf(operation, request);
  const ofOperator = operation.operationId === 'getStatus' ? operatorToken : shop.actor.token;
  const ofWidget = ofOrders.includes(operation.operationId) ? checkoutToken : widgetToken;
  const token = operation.access === 'widget' ? ofWidget : ofOperator;
  const hasBody = operation.requestBody !== undefined;
  const headers = {
    ...(operation.access === 'public' ? {} : { authorization: `Bearer ${token}` }),
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
  };
  return { method, path, headers, body: hasBody ? JSON.stringify(request.body) : null };
};

/** Headers of an answer by which a server opens itself. */
const opening = (headers: Headers): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

const preflight = ({ method, path, headers }: Sent, origin: string): Promise<Response> =>
  fetch(`${api.url}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': Object.keys(headers).toSorted().join(','),
    },
  });

const listed = (headers: Headers, name: string): string[] =>
  (headers.get(name) ?? '').split(',').map((entry) => entry.trim().toLowerCase());

/** Whether the browser sends the request at all: Fetch standard, section 4.8. */
const passesPreflight = ({ status, headers }: Response, { method, headers: wanted }: Sent, origin: string): boolean => {
  const allowed = headers.get('access-control-allow-origin');
  const methods = [...listed(headers, 'access-control-allow-methods'), 'get', 'head', 'post'];
  const named = listed(headers, 'access-control-allow-headers');
  return (
    status >= 200 &&
    status < 300 &&
    (allowed === '*' || allowed === origin) &&
    methods.includes(method.toLowerCase()) &&
    Object.keys(wanted).every((name) => named.includes(name))
  );
};

it('only the widget is for browsers', () => {
  const open = operations.filter((operation) => (operation as { 'x-cors'?: string })['x-cors'] !== undefined);
  expect(open.map(({ operationId }) => operationId)).toEqual(openOperations);
});

describe.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', (name, operation) => {
  const isOpen = openOperations.includes(name);

  it(isOpen ? 'lets pages of any origin ask and read' : 'lets no page of another origin ask', async () => {
    const sent = toSend(operation, await validRequest(operation));
    for (const origin of origins) {
      const answer = await preflight(sent, origin);
      expect(passesPreflight(answer, sent, origin)).toBe(isOpen);
      if (!isOpen) expect([answer.status, opening(answer.headers)]).toEqual([405, []]);
      // No cookie and no certificate of the browser's goes along.
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it(isOpen ? 'shows its answers to them' : 'shows no answer to them, neither good nor bad', async () => {
    const good = toSend(operation, await validRequest(operation));
    const bad = { ...good, headers: { ...good.headers, authorization: 'Bearer x' } };
    const broken = { ...good, path: `${good.path.split('?')[0]}?${randomUUID()}=1` };
    const statuses: number[] = [];
    for (const { method, path, headers, body } of [good, bad, broken]) {
      const answer = await fetch(`${api.url}${path}`, {
        method,
        headers: { ...headers, origin: origins[0]! },
        ...(body === null ? {} : { body }),
      });
      statuses.push(answer.status);
      const expected = isOpen ? ['access-control-allow-origin', 'access-control-expose-headers'] : [];
      expect([answer.status, opening(answer.headers)]).toEqual([answer.status, expected]);
      if (isOpen) expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
    expect(statuses[0]).toBeLessThan(300);
    if (operation.access !== 'public') expect(statuses.slice(1)).toEqual([401, 400]);
  });
});

it('a path without an operation is closed too', async () => {
  for (const [method, path] of [
    ['GET', '/'],
    ['OPTIONS', '/'],
    ['OPTIONS', '/api/v1/widget'],
    ['GET', '/api/v1/widget/payments'],
    ['OPTIONS', `/api/v1/widget/payments/${shop.rows.payment}/`],
    ['DELETE', '/api/v1/payments'],
  ] as const) {
    const { status, headers } = await fetch(`${api.url}${path}`, { method, headers: { origin: origins[0]! } });
    expect([path, status >= 400, opening(headers)]).toEqual([path, true, []]);
  }
});
