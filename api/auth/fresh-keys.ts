import type { Log } from '../../domain/log.ts';
import type { KeyRing } from './key-ring.ts';

export interface FreshKeysDeps {
  readonly keyRing: KeyRing;
  /** Milliseconds between two looks; well below the time that a new key waits before it signs. */
  readonly everyMs: number;
  readonly log: Log;
}

/**
 * Looks for new and retired keys again and again, so that every process knows a key before anybody signs with it, and
 * refuses a retired one soon. A look that fails is tried again with the next; the keys at hand stay good meanwhile.
 */
export const keepKeysFresh = ({ keyRing, everyMs, log }: FreshKeysDeps): { readonly stop: () => void } => {
  const look = (): void => {
    keyRing.refresh().catch((error: unknown) => {
      const { name, message } = error as Error;
      // Only of a seal that does not open the text is ours; a driver's may hold more than a log should.
      log.warn('The keys of tokens could not be read again', { error: name, ...(name === 'SealError' && { message }) });
    });
  };
  const timer = setInterval(look, everyMs).unref();
  return { stop: () => clearInterval(timer) };
};
