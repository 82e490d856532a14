/**
 * The name under which a file of the element never changes.
 * @param digest SHA-256 of its content, in base64
 */
export const pinnedName = (name: string, digest: string): string =>
  name.replace('.', `-${digest.slice(0, 12).replaceAll(/[+/]/g, '_')}.`);
