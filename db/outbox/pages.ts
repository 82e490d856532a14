/** Channel that names the payments whose state has changed, for open pages of buyers. A payload is ids, separated by commas. */
export const PAGES = 'carat_pages';

/** Ids of a payload: PostgreSQL takes up to 8,000 bytes. */
const IDS = 200;

/** The payloads that name these payments. */
export const pagePayloads = (ids: readonly string[]): string[] => {
  const parts = Array.from({ length: Math.ceil(ids.length / IDS) }, (_, part) =>
    ids.slice(part * IDS, (part + 1) * IDS),
  );
  return parts.map((part) => part.join(','));
};

/** SQL that notifies the pages of payments; `payloads` binds `pagePayloads`. */
export const notifyPages = `(SELECT count(pg_notify('${PAGES}', payload)) FROM unnest(:payloads::text[]) payload)`;
