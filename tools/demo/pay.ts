import { createCaratClient } from '../../client/client.ts';
import { requireRunningStack } from '../running-stack.ts';
import { createBuyer } from './buyer.ts';
import { until } from './patiently.ts';

/*
 * npm run pay -- CHECKOUT_URL
 * npm run pay -- PAYMENT_ID ACCESS_TOKEN
 *
 * Pays one payment of the local stack as its buyer: waits until it can be paid, gets the call from the widget endpoint, and
 * makes it.
 */

const given = process.argv.slice(2);
const [id, accessToken] = given.length === 1 ? (given[0]!.split('/pay/')[1] ?? '').split('#') : given;
if (!id || !accessToken) {
  console.error('Usage: npm run pay -- CHECKOUT_URL, while `npm start` runs in another terminal');
  process.exit(1);
}
const dev = requireRunningStack();
const carat = createCaratClient({ url: dev.api });
try {
  await until('a payment that can be paid', async () => {
    const { status } = await carat.getWidgetPaymentEvents(id, accessToken);
    return status === 'pending' ? null : status;
  });
  const data = await carat.getWidgetPayment(id, accessToken);
  const network = Object.values(dev.networks).find(({ eip155 }) => eip155 === data.network_id)!;
  const buyer = createBuyer(dev, network);
  console.log(`Paid in transaction ${await buyer.pay(data).finally(() => buyer.close())}`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
