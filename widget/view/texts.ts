import { loadFile } from './files.ts';
import english from '../locales/en.json' with { type: 'json' };

export type TextKey = keyof typeof english;
export type Texts = Readonly<Record<TextKey, string>>;

/** The languages of the page; each but English is a file that is loaded when it is wanted. */
export const languages = ['en', 'de', 'es', 'fr', 'pt', 'ar', 'zh', 'ja'] as const;
export type Language = (typeof languages)[number];

/** Digests of the language files, which the build defines. */
declare const TEXT_DIGESTS: Readonly<Record<string, string>>;

export const englishTexts: Texts = english;

export const isRightToLeft = (language: Language): boolean => language === 'ar';

/**
 * The first wish that the page speaks.
 * @param wishes BCP 47 tags, the best first
 */
export const chooseLanguage = (wishes: readonly (string | null | undefined)[]): Language => {
  const spoken = wishes.map((wish) => wish?.toLowerCase().split('-')[0]);
  return (spoken.find((tag) => languages.includes(tag as Language)) as Language | undefined) ?? 'en';
};

/** The tag that numbers and times are written by: a whole wish in the chosen language, else the language. */
export const chooseFormat = (language: Language, wishes: readonly (string | null | undefined)[]): string =>
  wishes.find((wish) => wish?.toLowerCase().split('-')[0] === language && isTag(wish)) ?? language;

const isTag = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
};

/** Loads a language; a text that it lacks is in English. */
export const loadTexts = async (language: Language): Promise<Texts> => {
  if (language === 'en') return english;
  const response = await loadFile({ name: `texts-${language}.json`, digest: TEXT_DIGESTS[language]! });
  return { ...english, ...((await response.json()) as Texts) };
};

/** Puts values into the places of a text, written `{name}`. */
export const fill = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
  text.replaceAll(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
