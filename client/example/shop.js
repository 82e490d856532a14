/* A shop that sells one thing, takes the money over Carat, and ships exactly once. */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { verifyWebhook, WebhookError } from 'carat-client';
import { api, carat, origin, terms } from './settings.js';
import { openStore } from './store.js';

const secret = process.env.CARAT_WEBHOOK_SECRET;
const item = { name: 'A cup of coffee', price: 4.5 };
const [orders, shipments] = [await openStore('orders'), await openStore('shipments')];

/** Creates an order and its payment. */
const buy = async (request, response) => {
  const id = randomUUID();
  const page = `${origin}/orders/${id}`;
  const payment = await carat.createPayment({
    ...terms,
    external_id: id,
    price: item.price,
    paid_price: item.price,
    items: [item],
    payment_method: 'web3',
    payment_group: 'product',
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    success_url: page,
    cancel_url: page,
  });
  const { access_token: token, checkout_url: url } = payment;
  await orders.add(id, { item: item.name, payment: payment.id, token, url });
  response.writeHead(303, { location: page }).end();
};

/** Ships an order when its payment is complete. The event comes at least once, and there are other payments to the wallet. */
const take = async (event) => {
  if (event.type !== 'payment.completed') return;
  const { id, external_id } = event.data.payment;
  const order = await orders.get(external_id);
  if (order?.payment !== id) return;
  const isFirst = await shipments.add(external_id, { item: order.item, at: event.timestamp });
  if (isFirst) console.log(`Shipped: ${order.item}, order ${external_id}`);
};

const hear = async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    await take(await verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret }));
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    response.writeHead(error.code === 'test' ? 204 : 401).end();
  }
};

const show = (response, body, status = 200) => {
  const nonce = randomUUID();
  const policy = `default-src 'none'; script-src ${api}; style-src 'nonce-${nonce}'; connect-src ${api}; img-src data:`;
  const html = { 'content-type': 'text/html; charset=utf-8', 'referrer-policy': 'no-referrer' };
  response.writeHead(status, { ...html, 'content-security-policy': policy });
  response.end(`<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title>
    <style nonce="${nonce}">body { font: 1rem system-ui; max-width: 30rem; margin: 2rem auto; padding: 0 1rem }</style>
    <script type="module" src="${api}/widget/v1/carat-pay.js"></script>${body}`);
};

const showOrder = async (request, response) => {
  const id = request.url.split('/')[2] ?? '';
  const [order, shipment] = [await orders.get(id), await shipments.get(id)];
  if (!order) return show(response, '<h1>There is no such order</h1>', 404);
  const state = shipment ? `Shipped on ${shipment.at}` : 'Shipped as soon as it is paid';
  const page = `<carat-pay payment="${order.payment}" token="${order.token}"></carat-pay>
    <p>Or pay on <a href="${order.url}">the page of Carat</a>.</p>`;
  show(response, `<h1>${item.name}</h1><p>${state}</p>${page}`);
};

const front = `<h1>${item.name}</h1><form method="post" action="/buy"><button>Buy for ${item.price} USD</button></form>`;
const routes = { 'POST /buy': buy, 'POST /carat': hear, 'GET /orders': showOrder };
const server = http.createServer((request, response) => {
  const route = routes[`${request.method} /${request.url.split('/')[1]}`] ?? (() => show(response, front));
  Promise.resolve(route(request, response)).catch((error) => {
    console.error(error);
    response.writeHead(500).end();
  });
});
server.listen(Number(process.env.PORT ?? new URL(origin).port), '127.0.0.1', () =>
  console.log(`The shop is at ${origin}`),
);
