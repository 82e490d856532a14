/** True when the work succeeds, and false for any failure. */
export const succeeds = async (work: PromiseLike<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );
