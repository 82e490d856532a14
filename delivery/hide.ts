/** What stands where a secret stood. */
const HIDDEN = '[hidden]';
/** Shorter ones stand in any text by chance. */
const SHORTEST = 4;

/** A secret as servers write it back: in clear, in JSON, in that of PHP, in a URL. */
const formsOf = (secret: string): string[] => {
  const json = JSON.stringify(secret).slice(1, -1);
  return [secret, json, json.replaceAll('/', '\\/'), encodeURIComponent(secret)];
};

/** A text that was cut off may end within a secret. */
const hideAtEnd = (text: string, secret: string): string => {
  for (let length = secret.length - 1; length >= SHORTEST; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + HIDDEN;
  }
  return text;
};

/**
 * A text without what must not be kept or shown. Some receivers answer with the headers of the request, and who may read their
 * answers is not always who may know the credentials.
 */
export const hide = (text: string, secrets: readonly string[]): string => {
  if (text === '') return text;
  const forms = [...new Set(secrets.flatMap(formsOf))].filter(({ length }) => length >= SHORTEST);
  // The longest first, as one may hold another.
  forms.sort((a, b) => b.length - a.length);
  return forms.reduce((hidden, form) => hideAtEnd(hidden.replaceAll(form, HIDDEN), form), text);
};
