import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { CaratError } from '../../client/carat-error.ts';
import { createCaratClient, type CaratOptions } from '../../client/client.ts';
import type { PaymentRequest } from '../../api/generated/openapi-types.ts';
import { startApi, type Actor } from '../api/support/api-under-test.ts';
import { createTcpProxy } from '../support/tcp-proxy.ts';

const api = await startApi();
const shop = await api.actor('shop');
const wallet = await api.wallet(shop);
const proxy = await createTcpProxy();
const lossy = proxy.through(api.url);
afterAll(() => proxy.close());

const clientOf = ({ credentials }: Actor, options: Partial<CaratOptions> = {}) =>
  createCaratClient({ url: api.url, ...credentials, retries: { firstDelayMs: 10 }, ...options });

const payment = (change: Partial<PaymentRequest> = {}): PaymentRequest =>
  api.paymentBody({ wallet_id: wallet.id, ...change }) as unknown as PaymentRequest;

const refusal = async (promise: Promise<unknown>): Promise<CaratError> => {
  const error = await promise.then(
    () => new Error('no refusal'),
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(CaratError);
  return error as CaratError;
};

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A server that gives prepared answers in order, and remembers the requests. */
const scripted = async (
  ...answers: { status: number; headers?: Record<string, string>; body?: unknown; raw?: string }[]
) => {
  const seen: Seen[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      const { status, headers: extra = {}, body, raw } = answers.shift() ?? { status: 500 };
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...extra });
      response.end(raw ?? (body === undefined ? '' : JSON.stringify(body)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
};
const servers: http.Server[] = [];
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

const token = (name: string, seconds = 900) => ({
  status: 200,
  body: { access_token: name, token_type: 'Bearer', expires_in: seconds, scope: '' },
});
const busy = (status: number, seconds: string) => ({
  status,
  headers: { 'retry-after': seconds },
  body: { code: 'busy' },
});
const empty = { status: 200, body: { items: [], page: 1, per_page: 10, total: 0, next_cursor: null } };
const keys = { apiKey: 'ck', secret: 'cs' };

describe('the client', () => {
  it('makes a wallet, a member and a payment, and reads them again', async () => {
    const carat = clientOf(shop);
    const made = await carat.createWallet({ node_id: shop.nodeId, chain_id: api.ids.chains.Main!, name: 'by client' });
    expect(await carat.getWallet(made.id)).toEqual(made);
    expect(await carat.updateWallet(made.id, { name: 'renamed' })).toBeUndefined();
    expect((await carat.getWallet(made.id)).name).toBe('renamed');
    const member = await carat.createMember({ node_id: shop.nodeId, external_id: 'c-1', name: 'Ada' });
    const paid = await carat.createPayment(payment({ member_id: member.id, wallet_id: made.id }));
    expect(await carat.getPayment(paid.id)).toEqual(paid);
    const list = await carat.listPayments({ node_id: shop.nodeId, external_id: paid.external_id, per_page: 5 });
    expect(list).toEqual({ items: [paid], page: 1, per_page: 5, total: 1, next_cursor: null });
    await api.activate(made, 'A');
    expect((await carat.getWidgetPayment(paid.id, paid.access_token)).amount).toBe('12500000');
    expect((await carat.getHealth()).status).toBe('ok');
    expect(await carat.getDocs()).toContain('<h1>');
  });

  it('goes through a list to its end, page by page', async () => {
    const { nodeId, credentials } = await api.actor('branch');
    const carat = createCaratClient({ url: `${api.url}/`, ...credentials });
    const names: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      const { external_id } = await carat.createMember({ node_id: nodeId, external_id: `m-${index}`, name: 'M' });
      names.unshift(external_id);
    }
    const found: string[] = [];
    for await (const member of carat.listMembers({ node_id: nodeId, per_page: 3 })) found.push(member.external_id);
    expect(found).toEqual(names);
    expect((await carat.listMembers({ node_id: nodeId, per_page: 3 })).items).toHaveLength(3);
    for await (const none of carat.listWallets({ node_id: nodeId })) expect(none).toBeUndefined();
  });

  it("throws the API's refusals, with status, code, errors and request id", async () => {
    const carat = clientOf(shop);
    const invalid = await refusal(carat.createPayment(payment({ paid_price: -1 }), { requestId: 'order-7' }));
    expect(invalid).toMatchObject({ status: 400, code: 'invalid_request', requestId: 'order-7' });
    expect(invalid.errors).toEqual([{ path: '/body/paid_price', message: 'must be greater than 0' }]);
    const first = await carat.createPayment(payment());
    const again = await refusal(carat.createPayment(payment({ external_id: first.external_id })));
    expect(again).toMatchObject({ status: 409, code: 'payment_exists', body: { existing_id: first.id } });
    const other = await refusal(carat.createPayment(payment({ external_id: first.external_id, paid_price: 2 })));
    expect(other).toMatchObject({
      status: 409,
      code: 'payment_exists_with_other_terms',
      errors: [{ path: '/body/paid_price', message: 'must equal that of the existing payment' }],
      body: { existing_id: first.id },
    });
    const wrong = await refusal(clientOf({ ...shop, credentials: { ...shop.credentials, secret: 'x' } }).listNodes());
    expect(wrong).toMatchObject({ status: 401, code: 'invalid_client' });
    expect(wrong.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('requests nothing that its arguments do not name', async () => {
    const carat = clientOf(shop);
    for (const id of ['', '.', '..']) await expect(carat.getPayment(id)).rejects.toThrow(TypeError);
    const { url, seen } = await scripted(token('t'), empty, { status: 404, body: {} });
    const other = createCaratClient({ url, ...keys, scope: 'payments.read' });
    await other.listNodes({ per_page: 3, cursor: undefined });
    await refusal(other.getPayment('a/b?c#d'));
    expect(seen.map((request) => request.url)).toEqual([
      '/api/v1/auth/token',
      '/api/v1/nodes?per_page=3',
      '/api/v1/payments/a%2Fb%3Fc%23d',
    ]);
    expect(JSON.parse(seen[0]!.body)).toEqual({
      grant_type: 'client_credentials',
      client_id: 'ck',
      client_secret: 'cs',
      scope: 'payments.read',
    });
    expect(seen[1]!.headers.authorization).toBe('Bearer t');
    await expect(createCaratClient({ url }).listNodes()).rejects.toThrow('apiKey and secret');
  });
});

describe('the token of a client', () => {
  it('is requested once for many calls, and anew shortly before it expires', async () => {
    const answers = [token('one'), empty, empty, empty, token('two'), empty];
    const { url, seen } = await scripted(...answers);
    let time = 0;
    const carat = createCaratClient({ url, ...keys, now: () => time });
    await Promise.all([carat.listNodes(), carat.listNodes()]);
    time = 839_000;
    await carat.listNodes();
    time = 840_000;
    await carat.listNodes();
    const bearers = seen.filter(({ method }) => method === 'GET').map(({ headers }) => headers.authorization);
    expect(bearers).toEqual(['Bearer one', 'Bearer one', 'Bearer one', 'Bearer two']);
    expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('is replaced once when the API refuses it', async () => {
    const refused = { status: 401, body: { code: 'invalid_token' } };
    const { url } = await scripted(token('one'), refused, token('two'), empty);
    expect((await createCaratClient({ url, ...keys }).listNodes()).items).toEqual([]);
    const never = await scripted(token('one'), refused, token('two'), refused, empty);
    const error = await refusal(createCaratClient({ url: never.url, ...keys }).listNodes());
    expect(error).toMatchObject({ status: 401, code: 'invalid_token' });
    expect(never.seen).toHaveLength(4);
  });

  it('is not requested again after the refusal of a revoked integration', async () => {
    const doomed = await api.actor('shop');
    const carat = clientOf(doomed);
    await carat.listNodes();
    await clientOf(shop).revokeIntegration(doomed.id);
    expect(await refusal(carat.listNodes())).toMatchObject({ status: 401, code: 'invalid_client' });
  });
});

describe('a client whose answers are lost', () => {
  it('makes exactly one payment, however many answers are lost', async () => {
    const carat = clientOf(shop, { url: lossy });
    await carat.listNodes();
    for (const lost of [1, 2, 3]) {
      const before = proxy.answered();
      const body = payment();
      proxy.lose(lost);
      const made = await carat.createPayment(body);
      expect(proxy.answered() - before).toBe(lost + 1);
      const { items } = await carat.listPayments({ node_id: shop.nodeId, external_id: body.external_id });
      expect(items).toEqual([made]);
    }
  });

  it('makes one payment per call when calls run in parallel', async () => {
    const carat = clientOf(shop, { url: lossy, retries: { retries: 10, firstDelayMs: 5 } });
    proxy.lose(10);
    const bodies = Array.from({ length: 20 }, () => payment());
    const made = await Promise.all(bodies.map((body) => carat.createPayment(body)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(20);
    const ids = bodies.map((body) => body.external_id);
    expect(await api.knex('payments').whereIn('external_id', ids).pluck('external_id')).toHaveLength(20);
  });

  it('reports after its last attempt that no answer has arrived', async () => {
    const carat = clientOf(shop, { url: lossy, retries: { retries: 2, firstDelayMs: 1 } });
    await carat.listNodes();
    const before = proxy.answered();
    const body = payment();
    proxy.lose(3);
    expect(await refusal(carat.createPayment(body, { idempotencyKey: 'mine' }))).toMatchObject({
      status: 0,
      code: 'no_answer',
    });
    expect(proxy.answered() - before).toBe(3);
    // The key is the caller's to use again, and the payment was made by the first attempt.
    const made = await carat.createPayment(body, { idempotencyKey: 'mine' });
    expect(made.external_id).toBe(body.external_id);
    proxy.lose(0);
  });

  it('waits as long as the API asks, up to its own limit', async () => {
    const { url, seen } = await scripted(token('t'), busy(429, '1'), busy(503, '0'), {
      status: 201,
      body: { id: 'w' },
    });
    const started = performance.now();
    const body = { node_id: 'n', chain_id: 'c', name: 'w' };
    expect(await createCaratClient({ url, ...keys }).createWallet(body)).toEqual({ id: 'w' });
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_000);
    const sent = seen.filter((request) => request.url === '/api/v1/wallets');
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(sent[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(sent.map((request) => JSON.parse(request.body))).toEqual([body, body, body]);
    const long = await scripted(token('t'), busy(429, '3600'));
    expect(await refusal(createCaratClient({ url: long.url, ...keys }).listNodes())).toMatchObject({ status: 429 });
  });

  it('retries the statuses that a retry may mend, and no others', async () => {
    const attempts = async (status: number, headers: Record<string, string> = {}): Promise<number> => {
      const { url, seen } = await scripted(token('t'), { status, headers, body: {} }, empty);
      const carat = createCaratClient({ url, ...keys, retries: { firstDelayMs: 1 } });
      await carat.listNodes().catch(() => null);
      return seen.length - 1;
    };
    const tried = [502, 503, 504, 400, 404, 409, 429, 500, 501].map(async (status) => [status, await attempts(status)]);
    expect(Object.fromEntries(await Promise.all(tried))).toEqual({
      502: 2,
      503: 2,
      504: 2,
      400: 1,
      404: 1,
      409: 1,
      429: 1,
      500: 1,
      501: 1,
    });
    expect(await attempts(302, { location: 'https://elsewhere.example/' })).toBe(2);
  });

  it('ends an attempt at its timeout, and the call when its signal aborts', async () => {
    const silent = http.createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    servers.push(silent);
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const carat = createCaratClient({ url, timeoutMs: 50, retries: { retries: 1, firstDelayMs: 1 } });
    const error = await refusal(carat.getHealth());
    expect(error).toMatchObject({ code: 'no_answer', cause: { name: 'TimeoutError' } });
    const patient = createCaratClient({ url, retries: { firstDelayMs: 60_000 } });
    const stop = new AbortController();
    const call = patient.getHealth({ signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    const waiting = createCaratClient({ url, timeoutMs: 20, retries: { firstDelayMs: 60_000 } });
    await expect(waiting.getHealth({ signal: AbortSignal.timeout(100) })).rejects.toThrow(/timeout/);
    silent.closeAllConnections();
  });

  it("reports an answer that is not the API's", async () => {
    const { url } = await scripted({ status: 418, headers: { 'content-type': 'text/html' }, raw: '<h1>' });
    const error = await refusal(createCaratClient({ url }).getHealth());
    expect(error).toMatchObject({ status: 418, code: 'unexpected_answer', body: '<h1>', errors: [], requestId: null });
  });
});
