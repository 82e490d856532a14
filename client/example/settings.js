import { createCaratClient } from 'carat-client';

const setting = (name) => {
  if (!process.env[name]) throw new Error(`${name} is missing`);
  return process.env[name];
};

/** Origins of the api and of this shop. */
export const [api, origin] = [setting('CARAT_URL'), setting('SHOP_URL')];
export const carat = createCaratClient({ url: api, apiKey: setting('CARAT_API_KEY'), secret: setting('CARAT_SECRET') });
/** Where the money goes. */
export const terms = {
  node_id: setting('CARAT_NODE'),
  network_id: setting('CARAT_NETWORK'),
  wallet_id: setting('CARAT_WALLET'),
  currency_id: setting('CARAT_CURRENCY'),
  payment_address: setting('CARAT_PAYEE'),
};
