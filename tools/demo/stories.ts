import { createPayment, reached, told, type Shop } from './shop.ts';

/** Price of the payments of these stories. */
const PRICE = 0.05;

/** The merchant cancels a payment that the buyer could have paid. */
const cancel = async (shop: Shop): Promise<void> => {
  const label = `a cancel on ${shop.network}`;
  const { id } = await createPayment(shop, 'ETH', PRICE);
  await reached(shop, id, label, 'awaiting_payment');
  await shop.merchant.cancel(id);
  shop.say(`${label}: accepted, payment ${id}`);
  await reached(shop, id, label, 'canceled');
  shop.say(`${label}: canceled (${await told(shop, id, label, 'payment.canceled')})`);
};

/** The payment expires unpaid. */
const expire = async (shop: Shop): Promise<void> => {
  const label = `an expiry on ${shop.network}`;
  const { id } = await createPayment(shop, 'ETH', PRICE, 20_000);
  await reached(shop, id, label, 'expired');
  shop.say(`${label}: expired by the chain's clock (${await told(shop, id, label, 'payment.expired')})`);
};

/** The merchant retries early. Only one deal is created all the same, and the buyer pays it. */
const retry = async (shop: Shop): Promise<void> => {
  const label = `a retry on ${shop.network}`;
  const created = await createPayment(shop, 'ETH', PRICE);
  const { id } = created;
  const { status } = await shop.merchant.retrySend(id);
  shop.say(`${label}: accepted while ${status}, payment ${id}`);
  await reached(shop, id, label, 'awaiting_payment');
  await shop.pay(created);
  await reached(shop, id, label, 'completed');
  shop.say(`${label}: completed (${await told(shop, id, label, 'payment.completed')})`);
};

/** Runs a cancel and an expiry, and a retry where the deal waits for a transaction, in sequence. */
export const runStories = async (shop: Shop): Promise<void> => {
  for (const story of shop.mode === 'created' ? [cancel, expire, retry] : [cancel, expire]) await story(shop);
};
