import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';

/**
 * Tokens that each open the widget data of one payment. Nothing is stored: a token is the MAC of its payment's id. The
 * payment decides when its token expires, in `api/widget/state.ts`.
 */
export interface WidgetTokens {
  issue(paymentId: string): string;
  /** True when the token was made for this payment with a key that is not retired. Compares in constant time. */
  matches(token: string, paymentId: string): Promise<boolean>;
  /** False once the key of a token that matched is retired. */
  isAlive(token: string): boolean;
}

const pattern = /^wt_([A-Za-z0-9-]{1,32})_([A-Za-z0-9_-]{43})$/;

/** A key object, because Node 24 takes several times as long with the bytes of a key. */
const macText = (secretKey: KeyObject, paymentId: string): string =>
  createHmac('sha256', secretKey).update(`carat widget token\0${paymentId.toLowerCase()}`).digest('base64url');

/** Issues and checks tokens with the keys of the ring. */
export const createWidgetTokens = (keyRing: KeyRing): WidgetTokens => ({
  issue: (paymentId) => {
    const [key] = keyRing.widget();
    if (key === undefined) throw new Error('No key can sign widget tokens');
    return `wt_${key.kid}_${macText(key.secretKey, paymentId)}`;
  },

  matches: async (token, paymentId) => {
    const [, kid, mac = ''] = pattern.exec(token) ?? [];
    if (kid === undefined) return false;
    const find = () => keyRing.widget().find((key) => key.kid === kid);
    if (find() === undefined) await keyRing.refresh();
    const key = find();
    // Compares texts, because several texts can decode to the same bytes.
    return key !== undefined && timingSafeEqual(Buffer.from(macText(key.secretKey, paymentId)), Buffer.from(mac));
  },

  isAlive: (token) => {
    const kid = pattern.exec(token)?.[1];
    return keyRing.widget().some((key) => key.kid === kid);
  },
});
