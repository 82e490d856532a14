/** The endpoint that a tick asks first. Each tick reads the chain from one endpoint (docs/decisions/0089). */
export interface Turn {
  /** The endpoint to ask now, counted on without end. */
  readonly now: number;
  /** Asks another endpoint from here on, because this one may be wrong. */
  askAnother(): void;
  /** Ends a tick: however many of its steps asked for another endpoint, the next tick begins one further. */
  endTick(): void;
}

/** Begins with the first endpoint. */
export const createTurn = (): Turn => {
  let began = 0;
  let now = 0;
  return {
    get now() {
      return now;
    },
    askAnother: () => void (now += 1),
    endTick: () => {
      // More than one turn could lead back to the same endpoint.
      now = Math.min(now, began + 1);
      began = now;
    },
  };
};
