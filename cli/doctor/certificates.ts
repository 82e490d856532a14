import { gradeOf, temporalCertificates, type CertificateSource } from '../../api/service/certificates.ts';
import type { TemporalSettings } from '../../outbox/temporal-client.ts';
import { findingsOf, type Finding } from './finding.ts';

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
