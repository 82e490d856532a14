/* Creates the webhook of this shop, or gives it a new secret, and prints the secret. */
import { randomUUID } from 'node:crypto';
import { carat, origin, terms } from './settings.js';

const { wallet_id, network_id } = terms;
const paths = { host: origin, success_path: '/carat', error_path: '/carat' };
let webhook;
for await (const one of carat.listWebhooks({ wallet_id })) {
  if (one.host === origin && one.network_id === network_id) webhook = one;
}
const { signing_secret } = webhook
  ? await carat.rotateWebhookSecret(webhook.id)
  : await carat.createWebhook({ wallet_id, network_id, ...paths, auth_type: 'token', auth_token: randomUUID() });
console.log(`CARAT_WEBHOOK_SECRET=${signing_secret}`);
