/** More often than this it does not happen by chance. */
const MAX_RUNS = 3;

/**
 * Runs a transaction again when the database undid all of it to end a deadlock (PostgreSQL, Appendix A: 40P01). The other
 * transaction has gone on meanwhile, so nothing is waited for.
 * @param transact opens a transaction of its own on each call, and has no effect outside it
 */
export const againAfterDeadlock = async <Result>(transact: () => Promise<Result>): Promise<Result> => {
  for (let run = 1; ; run += 1) {
    try {
      return await transact();
    } catch (error) {
      if (run === MAX_RUNS || (error as { code?: unknown }).code !== '40P01') throw error;
    }
  }
};
