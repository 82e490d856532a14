/** Text of a foreign program, without anything that looks like a URL (they may hold keys), and not too long. */
export const safeText = (text: string, maxLength: number): string =>
  // Cut before as well: some texts take the square of their length.
  text
    .slice(0, 10 * maxLength)
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '<url>')
    .slice(0, maxLength);
