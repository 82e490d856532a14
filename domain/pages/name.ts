/** Control characters, line breaks, and characters that turn the direction of the text around them. */
const misleading = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** The fault of a name that buyers read, as a phrase that follows the field's name; null when it has none. */
export const nameProblem = (name: string): string | null => {
  if (misleading.test(name)) return 'must hold no control characters, and none that turn the direction of text';
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? null : 'must hold a visible character';
};
