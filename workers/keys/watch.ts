import { holdKeys, type HoldDeps } from './hold.ts';
import { watchRoles, type RoleDeps } from './roles.ts';

/**
 * Writes which keys this worker holds, and tells of keys of the catalogue that nobody holds or that lack their role, until the
 * signal aborts.
 * @returns what waits for the end of that, and lets all workers know that this one holds no key any more
 */
export const watchKeys = async (
  deps: HoldDeps & RoleDeps,
  signal: AbortSignal,
): Promise<{ readonly end: () => Promise<void> }> => {
  const holding = await holdKeys(deps);
  const running = [holding.keep(signal), watchRoles(deps, signal)];
  return {
    end: async () => {
      await Promise.allSettled(running);
      await holding.end();
    },
  };
};
