const HIDDEN = '[hidden]';
/** Shorter secrets occur in any text by chance. */
const SHORTEST = 4;

/** The forms in which servers echo secrets: plain, in JSON, in PHP's JSON, in a URL. */
export const formsOf = (secrets: readonly string[]): string[] => {
  const forms = secrets.flatMap((secret) => {
    const json = JSON.stringify(secret).slice(1, -1);
    return [secret, json, json.replaceAll('/', '\\/'), encodeURIComponent(secret)];
  });
  return [...new Set(forms)].filter(({ length }) => length >= SHORTEST);
};

/**
 * Length of the longest beginning of a secret, without its last character, that ends a text. Takes linear time (Knuth, Morris
 * and Pratt), because merchants choose both.
 */
const overlapOf = (text: string, secret: string): number => {
  const most = Math.min(secret.length - 1, text.length);
  const joined = secret.slice(0, most) + text.slice(text.length - most);
  /** By position: length of the longest beginning of `joined` that ends there. */
  const borders = new Uint32Array(joined.length);
  let border = 0;
  for (let at = 1; at < joined.length; at += 1) {
    while (border > 0 && joined[at] !== joined[border]) border = borders[border - 1]!;
    if (joined[at] === joined[border]) border += 1;
    borders[at] = border;
  }
  while (border > most) border = borders[border - 1]!;
  return border;
};

/** Hides the beginning of a secret at the end of a text that was cut off. */
const hideAtEnd = (text: string, secret: string): string => {
  const overlap = overlapOf(text, secret);
  return overlap < SHORTEST ? text : text.slice(0, -overlap) + HIDDEN;
};

/**
 * Replaces secrets in a text by `[hidden]`. Some receivers echo the request's headers, and not every reader of their responses
 * may know the credentials.
 * @param forms those of `formsOf`
 */
export const hide = (text: string, forms: readonly string[]): string => {
  if (text === '') return text;
  // Longest first, because one form may contain another.
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  return sorted.reduce((hidden, form) => hideAtEnd(hidden.replaceAll(form, HIDDEN), form), text);
};
