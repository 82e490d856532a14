import { formsOf, hide } from '../../domain/tools/hide.ts';

const token = 'to"ken-ü&/1';

const escaped = (letters: RegExp, escape: (code: number) => string): string =>
  token.replaceAll(letters, (letter) => escape(letter.charCodeAt(0)));

it.each([
  ['in clear', `you sent ${token}!`],
  ['in JSON', JSON.stringify({ authorization: `Bearer ${token}` })],
  ['in the JSON of PHP', JSON.stringify({ authorization: `Bearer ${token}` }).replaceAll('/', '\\/')],
  ['in a URL', `/login?next=${encodeURIComponent(token)}`],
  ['in the JSON of .NET', escaped(/[^\w ]/g, (code) => `\\u00${code.toString(16).toUpperCase().padStart(2, '0')}`)],
  ['in the JSON of Go', escaped(/[&<>]/g, (code) => `\\u00${code.toString(16)}`)],
  ['in JavaScript', escaped(/[^\w ]/g, (code) => `\\x${code.toString(16)}`)],
  ['in HTML', escaped(/["&]/g, (code) => (code === 38 ? '&amp;' : '&quot;'))],
  ['in HTML by numbers', escaped(/[^\w ]/g, (code) => `&#${code};`)],
  ['in HTML by hexadecimal numbers', escaped(/[^\w ]/g, (code) => `&#x${code.toString(16)};`)],
  ['in a URL in lower case', encodeURIComponent(token).replaceAll(/%../g, (code) => code.toLowerCase())],
  ['in the JSON of a URL of a page', JSON.stringify(encodeURIComponent(token.replaceAll('&', '&amp;')))],
  ['cut off in the midst of an escape', escaped(/-/g, () => '&#x2d;').slice(0, token.indexOf('-') + 4)],
  ['cut off', `you sent ${token.slice(0, 7)}`],
])('hide removes a secret %s', (_, text) => {
  const hidden = hide(text, formsOf([token]));
  expect(hidden).toContain('[hidden]');
  expect(hidden).not.toContain('to"k');
  expect(hidden).not.toContain('ken-');
  expect(hidden).not.toMatch(/&|1/);
});

it('hide removes a secret inside another one, and leaves ordinary text alone', () => {
  expect(hide('pass1234 pass12345678 ab', formsOf(['pass1234', 'pass12345678', 'ab']))).toBe('[hidden] [hidden] ab');
  expect(hide('nothing of yours', formsOf(['another']))).toBe('nothing of yours');
});

it('hide removes the longest beginning of a secret that ends a text', () => {
  // All texts of two letters, so that beginnings overlap with themselves.
  const words = (length: number) => Array.from({ length: 2 ** length }, (_, n) => n.toString(2).padStart(length, '0'));
  for (const secret of words(6)) {
    for (const text of words(7).filter((word) => !word.includes(secret))) {
      const length = [5, 4].find((most) => text.endsWith(secret.slice(0, most))) ?? 0;
      const hidden = length === 0 ? text : `${text.slice(0, -length)}[hidden]`;
      expect([text, secret, hide(text, formsOf([secret]))]).toEqual([text, secret, hidden]);
    }
  }
});

it.each([
  ['quotation marks', '"'.repeat(4_096), `${'"'.repeat(2_040)}b`],
  ['one letter after another', `b${'a'.repeat(1_023)}`, 'a'.repeat(2_048)],
  ['one letter before another', `${'a'.repeat(1_023)}b`, 'a'.repeat(2_048)],
  ['two letters in turn', 'ab'.repeat(2_048), `${'ab'.repeat(1_023)}b`],
])('a secret of %s in a text made for it takes about as long as any other', (_, secret, hostile) => {
  const timeOf = (text: string, forms: ReturnType<typeof formsOf>): number => {
    const times = Array.from({ length: 40 }, (__, turn) => {
      const began = performance.now();
      hide(`${turn}${text}`, forms);
      return performance.now() - began;
    });
    return Math.min(...times);
  };
  const usual = Array.from({ length: secret.length }, (__, n) => String.fromCharCode(97 + ((n * n) % 23))).join('');
  const expected = timeOf('thank you '.repeat(200), formsOf([usual.replaceAll('a', '"')]));
  expect(timeOf(hostile, formsOf([secret])) / expected).toBeLessThan(10);
});
