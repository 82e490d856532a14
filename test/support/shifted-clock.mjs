/*
 * Loaded before a process of the product: its clock is wrong by CLOCK_SHIFT_MS milliseconds, everybody else's is right.
 */
const shift = Number(process.env.CLOCK_SHIFT_MS);
const TrueDate = Date;
globalThis.Date = class extends TrueDate {
  constructor(...parameters) {
    super(...(parameters.length === 0 ? [TrueDate.now() + shift] : parameters));
  }

  static now() {
    return TrueDate.now() + shift;
  }
};
