/** Control characters, line breaks, and characters that turn the direction of the text around them. */
const misleading = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** A character that is seen. Some letters and symbols are not: fillers of Hangul, and the empty braille pattern. */
const visible = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

/** The fault of a name that buyers read, as a phrase that follows the field's name; null when it has none. */
export const nameProblem = (name: string): string | null => {
  if (misleading.test(name)) return 'must hold no control characters, and none that turn the direction of text';
  return visible.test(name) ? null : 'must hold a visible character';
};
