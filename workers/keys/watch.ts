import { holdKeys, type HoldDeps } from './hold.ts';
import { watchRoles, type RoleDeps } from './roles.ts';

/**
 * Records which keys this worker holds, and raises alerts about keys of the catalogue that no worker holds or that lack
 * their role, until the signal aborts.
 * @returns a function that waits for the end of that, and deletes the record of this worker
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
