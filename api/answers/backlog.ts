/** An answer that a backlog can end. */
interface Endable {
  destroy(): void;
}

/** The answers that hold bytes which their clients have not taken. */
export interface Backlog<Answer> {
  has(answer: Answer): boolean;
  /** The answer holds so many bytes from now on. */
  joins(answer: Answer, bytes: number): void;
  /** The client has taken them, or is gone. */
  leaves(answer: Answer): void;
}

/**
 * Bounds the bytes that clients have not taken, in all answers together. Beyond `most` bytes the answer that has waited for
 * longest is closed.
 */
export const createBacklog = <Answer extends Endable>(most: number): Backlog<Answer> => {
  /** In the order in which they began to wait. */
  const waiting = new Map<Answer, number>();
  let held = 0;
  const leaves = (answer: Answer): void => {
    held -= waiting.get(answer) ?? 0;
    waiting.delete(answer);
  };
  return {
    has: (answer) => waiting.has(answer),
    joins: (answer, bytes) => {
      waiting.set(answer, bytes);
      held += bytes;
      for (const [slowest] of waiting) {
        if (held <= most) break;
        leaves(slowest);
        slowest.destroy();
      }
    },
    leaves,
  };
};
