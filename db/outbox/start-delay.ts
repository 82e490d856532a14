/**
 * The start of a workflow whose payment has an offered deal is delayed: it has nothing to do before the buyer pays, so that many
 * payments share a workflow, and their first changes a signal. Processor time of an offered payment and of a created one, ms
 * (`npm run bench:payments`): see tools/bench/README.md.
 */
const SECONDS = 1;

/** SQL: the time from the creation of a payment to the start of its workflow, by its column `deal_mode`. */
export const startDelay = `CASE deal_mode WHEN 'offered' THEN interval '${SECONDS} second' ELSE interval '0' END`;

/** SQL: the time from which a change of a payment is signalled: not before its workflow may start. */
export const signalledFrom = (payment: string): string =>
  `CASE ${payment}.deal_mode WHEN 'offered' THEN greatest(clock_timestamp(), least(${payment}.created_at, clock_timestamp()) + interval '${SECONDS} second' - interval '50 milliseconds')
    ELSE clock_timestamp() END`;
