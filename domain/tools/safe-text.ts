/** Text of a foreign program, without anything that looks like a URL (they may hold keys), and not too long. */
export const safeText = (text: string, maxLength: number): string =>
  text.replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '<url>').slice(0, maxLength);
