import type { WidgetPayment } from '../../api/generated/openapi-types.ts';
import { createBuyer } from './buyer.ts';
import { requireRunningStack } from '../running-stack.ts';

/*
 * npm run pay -- PAYMENT_ID ACCESS_TOKEN
 *
 * Pays one payment of the local stack as its buyer: gets the call from the widget endpoint, and makes it.
 */

const [id, accessToken] = process.argv.slice(2);
if (id === undefined || accessToken === undefined) {
  console.error('Usage: npm run pay -- PAYMENT_ID ACCESS_TOKEN, while `npm start` runs in another terminal');
  process.exit(1);
}
const dev = requireRunningStack();
const response = await fetch(`${dev.api}/api/v1/widget/payments/${id}`, {
  headers: { authorization: `Bearer ${accessToken}` },
});
if (!response.ok) {
  console.error(`${response.status} ${await response.text()}`);
  process.exit(1);
}
const data = (await response.json()) as WidgetPayment;
const network = Object.values(dev.networks).find(({ eip155 }) => eip155 === data.network_id)!;
const buyer = createBuyer(dev, network);
console.log(`Paid in transaction ${await buyer.pay(data)}`);
buyer.close();
