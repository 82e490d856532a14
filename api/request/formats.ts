import { isUuid } from '../../domain/tools/is-uuid.ts';

/**
 * True for the canonical encoding of its bytes (RFC 4648 section 5, without padding). Decoders also accept texts that
 * differ in the unused bits of the last character.
 */
export const isBase64url = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text;

/**
 * The forms of ISO 8601 that name one instant: a calendar date, hour, minute, optional seconds and fraction, and an offset,
 * in extended or basic form. RFC 3339 is a subset.
 */
const forms = [
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)T(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?:Z|(?<sign>[+-])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?)$/i,
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)T(?<hour>\d\d)(?<minute>\d\d)(?:(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?:Z|(?<sign>[+-])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?)$/i,
];

/** Milliseconds since the epoch; null for any other text, and for a date or time that does not exist. */
const parseTimestamp = (text: string): number | null => {
  const parts = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return null;
  const of = (name: string): number => Number(parts[name] ?? 0);
  const daysInMonth = new Date(Date.UTC(of('year'), of('month'), 0)).getUTCDate();
  const isDay = of('year') > 0 && of('month') >= 1 && of('month') <= 12 && of('day') >= 1 && of('day') <= daysInMonth;
  const isTime = of('hour') <= 23 && of('minute') <= 59 && of('second') <= 59;
  if (!isDay || !isTime || of('offsetHour') > 23 || of('offsetMinute') > 59) return null;
  const offset = (of('offsetHour') * 60 + of('offsetMinute')) * (parts.sign === '-' ? -1 : 1);
  // Date.UTC would map the years 0 to 99 to the 20th century.
  const midnight = new Date(0).setUTCFullYear(of('year'), of('month') - 1, of('day'));
  const milliseconds = Number((parts.fraction ?? '').padEnd(3, '0').slice(0, 3));
  return midnight + ((of('hour') * 60 + of('minute') - offset) * 60 + of('second')) * 1_000 + milliseconds;
};

/** The time of a validated timestamp. */
export const toDate = (timestamp: string): Date => new Date(parseTimestamp(timestamp) ?? Number.NaN);

/** The time of a validated timestamp, if there is one. */
export const toTime = (timestamp: string | undefined): Date | undefined =>
  timestamp === undefined ? undefined : toDate(timestamp);

const atom = "[\\w!#$%&'*+/=?^`{|}~-]+";
const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const email = new RegExp(String.raw`^${atom}(?:\.${atom})*@(?:${label}\.)+${label}$`, 'i');

/** Formats that accept exactly the values that PostgreSQL stores; the validator's own accept more. */
export const formats = {
  uuid: { type: 'string' as const, validate: isUuid },
  // Optional text may be empty.
  email: { type: 'string' as const, validate: (text: string) => text === '' || email.test(text) },
  'date-time': { type: 'string' as const, validate: (text: string) => parseTimestamp(text) !== null },
};
