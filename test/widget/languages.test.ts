import { readdirSync, readFileSync } from 'node:fs';
import { chooseFormat, chooseLanguage, fill, languages } from '../../widget/view/texts.ts';

const folder = new URL('../../widget/locales/', import.meta.url);
const textsOf = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8')) as Record<string, string>;
const english = textsOf('en');
const placesIn = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

it('every language of the page has a file, and each file a language', () => {
  expect(readdirSync(folder).toSorted()).toEqual([...languages].map((language) => `${language}.json`).toSorted());
});

it.each(languages)('%s has every text, with the same placeholders', (language) => {
  const texts = textsOf(language);
  expect(Object.keys(texts)).toEqual(Object.keys(english));
  for (const [key, text] of Object.entries(texts)) {
    expect([key, placesIn(text)]).toEqual([key, placesIn(english[key]!)]);
    expect(text.trim()).not.toBe('');
  }
});

it('every text is used somewhere', () => {
  const sources = readdirSync(new URL('../../widget/', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(`../../widget/${file}`, import.meta.url), 'utf8'))
    .join('');
  // Sentences of statuses, questions and troubles are named by those.
  const names = (key: string): string[] => [key, key.replace(/^(status|ask|trouble)_/, '')];
  const unused = Object.keys(english).filter(
    (key) => !key.startsWith('error_') && !names(key).some((name) => sources.includes(`'${name}'`)),
  );
  expect(unused).toEqual([]);
});

it('no other language repeats an English sentence', () => {
  for (const language of languages.filter((spoken) => spoken !== 'en')) {
    const same = Object.entries(textsOf(language)).filter(([key, text]) => text === english[key] && text.includes(' '));
    expect([language, same]).toEqual([language, []]);
  }
});

it('the first preferred language that the page has is chosen, with its region for numbers', () => {
  expect(chooseLanguage([null, 'tlh', 'pt-BR', 'de'])).toBe('pt');
  expect(chooseLanguage(['tlh'])).toBe('en');
  expect(chooseFormat('pt', [null, 'tlh', 'pt-BR', 'de'])).toBe('pt-BR');
  expect(chooseFormat('en', ['en-☃'])).toBe('en');
});

it('a value is inserted unchanged', () => {
  expect(fill('Pay {amount} on {network}', { amount: '1 $& {network}', network: 'alpha' })).toBe(
    'Pay 1 $& {network} on alpha',
  );
  expect(fill('{unknown}')).toBe('{unknown}');
});
