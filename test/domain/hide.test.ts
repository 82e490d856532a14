import { hide } from '../../domain/tools/hide.ts';

const token = 'to"ken-ü&/1';

it.each([
  ['in clear', `you sent ${token}!`],
  ['in JSON', JSON.stringify({ authorization: `Bearer ${token}` })],
  ['in the JSON of PHP', JSON.stringify({ authorization: `Bearer ${token}` }).replaceAll('/', '\\/')],
  ['in a URL', `/login?next=${encodeURIComponent(token)}`],
  ['cut off', `you sent ${token.slice(0, 7)}`],
])('hide removes a secret %s', (_, text) => {
  const hidden = hide(text, [token]);
  expect(hidden).toContain('[hidden]');
  expect(hidden).not.toContain('to"k');
  expect(hidden).not.toContain('ken-');
  expect(hidden).not.toMatch(/&|1/);
});

it('hide removes a secret inside another one, and leaves ordinary text alone', () => {
  expect(hide('pass1234 pass12345678 ab', ['pass1234', 'pass12345678', 'ab'])).toBe('[hidden] [hidden] ab');
  expect(hide('nothing of yours', ['another'])).toBe('nothing of yours');
});
