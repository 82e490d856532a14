const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const rfc3339 =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** The time of a timestamp that the validator has accepted. */
export const toDate = (timestamp: string): Date => new Date(timestamp.toUpperCase());

/** Milliseconds since the epoch of an RFC 3339 timestamp, or null for any other text and for a day that does not exist. */
const parseTimestamp = (text: string): number | null => {
  if (!rfc3339.test(text)) return null;
  const milliseconds = toDate(text).getTime();
  const daysInMonth = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  return Number.isNaN(milliseconds) || Number(text.slice(8, 10)) > daysInMonth ? null : milliseconds;
};

/** Formats of the specification that mean exactly what is stored: the validator's own take more than PostgreSQL does. */
export const formats = {
  uuid: { type: 'string' as const, validate: (text: string) => uuid.test(text) },
  'date-time': { type: 'string' as const, validate: (text: string) => parseTimestamp(text) !== null },
};
