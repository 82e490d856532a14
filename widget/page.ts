import type { CaratPay } from './carat-pay.ts';

/** The page has the language and the name that the element shows. */
const name = (): void => {
  const { language, merchant } = document.querySelector('carat-pay') as CaratPay;
  document.documentElement.lang = language;
  if (merchant !== null) document.title = merchant;
};

/**
 * The hosted page: the element for the id in the path and the token in the fragment, which no server sees. The token's
 * prefix tells an order from a payment.
 */
const open = (): void => {
  const element = document.createElement('carat-pay');
  const token = location.hash.slice(1);
  const id = decodeURIComponent(location.pathname.split('/').at(-1) ?? '');
  element.setAttribute(token.startsWith('ct_') ? 'checkout' : 'payment', id);
  element.setAttribute('token', token);
  element.addEventListener('carat-draw', name);
  document.querySelector('main')!.replaceChildren(element);
};

addEventListener('hashchange', open);
open();
