/** More deadlocks in a row are a defect, not chance. */
const MAX_RUNS = 3;

/**
 * Retries a transaction that the database rolled back to end a deadlock (PostgreSQL, Appendix A: 40P01). Retries at once,
 * because the other transaction has gone on meanwhile.
 * @param transact opens a new transaction on each call, and has no effect outside it
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
