/** Sanitises the text of a foreign program: replaces URLs, which may contain keys, and limits the length. */
export const safeText = (text: string, maxLength: number): string =>
  // Cut before the replacement too, because it takes quadratic time for some texts.
  text
    .slice(0, 10 * maxLength)
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '<url>')
    .slice(0, maxLength);
