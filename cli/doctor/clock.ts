import { CLOCK_WRONG_MS } from '../../domain/tools/clock.ts';
import { spanText } from '../command/text.ts';
import { findingsOf, type Finding } from './finding.ts';

/** Differences of clocks in milliseconds. Offers and tokens tolerate seconds; expiries are judged by blocks. */
const LATE_MS = 2_000;

/**
 * Judges the difference between a clock and that of this machine.
 * @param whose such as `the database's`
 * @param aheadMs by which the other clock is ahead
 * @param machines whose clocks may be wrong
 */
export const clockFinding = (whose: string, aheadMs: number, machines: string): Finding => {
  const about = findingsOf('clock');
  const size = Math.abs(aheadMs);
  if (size < LATE_MS) return about.ok(`${whose} clock and that of this machine agree`);
  const found = `${whose} clock is ${spanText(size / 1_000)} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this machine`;
  const remedy = `correct the clock ${machines}: chronyc tracking, or timedatectl timesync-status`;
  return size < CLOCK_WRONG_MS ? about.warning(found, remedy) : about.problem(found, remedy);
};
