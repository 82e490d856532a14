import type { Token } from '../api/generated/openapi-types.ts';

/** Gives the bearer token of an integration. */
export interface TokenSource {
  /** A token with some life left; who asks meanwhile waits for the same one. */
  get(): Promise<string>;
  /** Forgets a token that was refused; one that replaced it stays. */
  refuse(token: string): void;
}

/** A token is replaced this long before its end, in milliseconds, or a tenth of its life before if that is less. */
const MARGIN_MS = 60_000;

/**
 * Keeps a token until shortly before its end.
 *
 * @param issue asks the API for one
 * @param now milliseconds since the epoch
 */
export const createTokenSource = (issue: () => Promise<Token>, now: () => number = Date.now): TokenSource => {
  let current: { token: string; until: number } | null = null;
  let pending: Promise<string> | null = null;

  const renew = async (): Promise<string> => {
    const asked = now();
    const { access_token: token, expires_in: seconds } = await issue();
    current = { token, until: asked + seconds * 1_000 - Math.min(MARGIN_MS, seconds * 100) };
    return token;
  };

  return {
    get: () => {
      if (current !== null && now() < current.until) return Promise.resolve(current.token);
      pending ??= renew().finally(() => {
        pending = null;
      });
      return pending;
    },
    refuse: (token) => {
      if (current?.token === token) current = null;
    },
  };
};
