const HIDDEN = '[hidden]';
/** Shorter secrets occur in any text by chance. */
const SHORTEST = 4;

/** The forms in which servers echo a secret: plain, in JSON, in PHP's JSON, in a URL. */
const formsOf = (secret: string): string[] => {
  const json = JSON.stringify(secret).slice(1, -1);
  return [secret, json, json.replaceAll('/', '\\/'), encodeURIComponent(secret)];
};

/** Hides the beginning of a secret at the end of a text that was cut off. */
const hideAtEnd = (text: string, secret: string): string => {
  for (let length = secret.length - 1; length >= SHORTEST; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + HIDDEN;
  }
  return text;
};

/**
 * Replaces secrets in a text by `[hidden]`. Some receivers echo the request's headers, and not every reader of their responses
 * may know the credentials.
 */
export const hide = (text: string, secrets: readonly string[]): string => {
  if (text === '') return text;
  const forms = [...new Set(secrets.flatMap(formsOf))].filter(({ length }) => length >= SHORTEST);
  // Longest first, because one form may contain another.
  forms.sort((a, b) => b.length - a.length);
  return forms.reduce((hidden, form) => hideAtEnd(hidden.replaceAll(form, HIDDEN), form), text);
};
