import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';

/**
 * Tokens that each open the widget data of one payment, or of one order. Nothing is stored: a token is the MAC of the id. The payment
 * or the order decides when its token expires.
 */
export interface WidgetTokens {
  issue(id: string): string;
  /** True when the token was made for this payment or order with a key that is not retired. Compares in constant time. */
  matches(token: string, id: string): Promise<boolean>;
  /** False once the key of a token that matched is retired. */
  isAlive(token: string): boolean;
}

/** The differences between the tokens of payments and those of orders: their beginning, and the text before the id under the MAC. */
const kinds = {
  payment: { prefix: 'wt', context: 'carat widget token' },
  checkout: { prefix: 'ct', context: 'carat checkout token' },
} as const;

const pattern = /^([a-z]{2})_([A-Za-z0-9-]{1,32})_([A-Za-z0-9_-]{43})$/;

/** Issues and checks the tokens of payments, or of orders, with the keys of the ring. */
export const createWidgetTokens = (keyRing: KeyRing, kind: keyof typeof kinds = 'payment'): WidgetTokens => {
  const { prefix, context } = kinds[kind];

  /** A key object, because Node 24 takes several times as long with the bytes of a key. */
  const macText = (secretKey: KeyObject, id: string): string =>
    createHmac('sha256', secretKey).update(`${context}\0${id.toLowerCase()}`).digest('base64url');

  return {
    issue: (id) => {
      const [key] = keyRing.widget();
      if (key === undefined) throw new Error('No key can sign widget tokens');
      return `${prefix}_${key.kid}_${macText(key.secretKey, id)}`;
    },

    matches: async (token, id) => {
      const [, begin, kid, mac = ''] = pattern.exec(token) ?? [];
      if (kid === undefined || begin !== prefix) return false;
      const find = () => keyRing.widget().find((key) => key.kid === kid);
      if (find() === undefined) await keyRing.refresh();
      const key = find();
      // Compares texts, because several texts can decode to the same bytes.
      return key !== undefined && timingSafeEqual(Buffer.from(macText(key.secretKey, id)), Buffer.from(mac));
    },

    isAlive: (token) => {
      const kid = pattern.exec(token)?.[2];
      return keyRing.widget().some((key) => key.kid === kid);
    },
  };
};
