import type { Token } from '../api/generated/openapi-types.ts';

/** Source of an integration's bearer token. */
export interface TokenSource {
  /** Returns a token with some life left. Parallel callers share one renewal. */
  get(): Promise<string>;
  /** Drops a refused token, unless it was replaced already. */
  refuse(token: string): void;
}

/** A token is replaced this many milliseconds before its expiry, or a tenth of its life before if that is less. */
const MARGIN_MS = 60_000;

/**
 * Caches a token until shortly before its expiry.
 * @param issue requests a token from the API
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
