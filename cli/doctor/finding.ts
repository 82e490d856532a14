import { gradeOf, temporalCertificates, type CertificateSource } from '../../api/service/certificates.ts';
import { CLOCK_WRONG_MS } from '../../domain/tools/clock.ts';
import type { TemporalSettings } from '../../outbox/temporal-client.ts';
import { spanText } from '../command/text.ts';

/** One result of the doctor. A problem needs an operator; a warning may. */
export interface Finding {
  /** The checked part, such as `database` or `network alpha`. */
  readonly area: string;
  readonly grade: 'ok' | 'warning' | 'problem';
  /** The state that was found, with its cause. */
  readonly found: string;
  /** The remedy; null where nothing has to be done. */
  readonly remedy: string | null;
}

/** Makes the findings of one area. */
export const findingsOf = (area: string) => ({
  ok: (found: string): Finding => ({ area, grade: 'ok', found, remedy: null }),
  warning: (found: string, remedy: string): Finding => ({ area, grade: 'warning', found, remedy }),
  problem: (found: string, remedy: string): Finding => ({ area, grade: 'problem', found, remedy }),
});

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

const { ok, warning, problem } = findingsOf('certificates');

const renew = 'renew it, and restart what has read the old one';

/** Judges how long certificates are still good for. One that cannot be read is a finding of its own area. */
const certificateFindings = async (sources: readonly CertificateSource[], now: () => number): Promise<Finding[]> => {
  const findings = sources.map(async (source): Promise<Finding[]> => {
    const validity = await source.read().catch(() => null);
    if (validity === null) return [];
    const at = new Date(validity.until).toISOString();
    const grade = gradeOf(validity, now());
    if (grade === 'ended') return [problem(`the certificate of ${source.name} has ended at ${at}`, renew)];
    if (grade === 'soon') return [warning(`the certificate of ${source.name} ends at ${at}`, renew)];
    return [ok(`the certificate of ${source.name} is valid until ${at}`)];
  });
  return (await Promise.all(findings)).flat();
};

/** The certificates of the way to Temporal. Files that cannot be read are a finding about Temporal. */
export const temporalCertificateFindings = async (
  settings: TemporalSettings,
  now: () => number,
): Promise<Finding[]> => {
  try {
    return await certificateFindings(temporalCertificates(settings), now);
  } catch {
    return [];
  }
};
