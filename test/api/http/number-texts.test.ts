import { numberTexts } from '../../../api/http/number-texts.ts';

const places = { price: 'number', items: { '*': { price: 'number' } } } as const;
const textsOf = (json: string) => Object.fromEntries(numberTexts(Buffer.from(json), places));

describe('numberTexts', () => {
  it.each<[string, string, Record<string, string>]>([
    ['digits that JSON.parse would lose', '{"price":1000000000000.000001}', { '/price': '1000000000000.000001' }],
    [
      'zeros and exponents as they stand',
      '{"price":12.50,"items":[{"price":1E+2}]}',
      { '/price': '12.50', '/items/0/price': '1E+2' },
    ],
    [
      'white space anywhere',
      ' \n{ "price" :\t-0.0 , "items" : [ { "price" : 1 } , 2 ] } \n',
      { '/price': '-0.0', '/items/0/price': '1' },
    ],
    ['the last of two members', '{"price":1,"price":2.0}', { '/price': '2.0' }],
    ['a name with an escape', '{"pr\\u0069ce":1.10}', { '/price': '1.10' }],
    ['nothing of strings', '{"price":"1.10","items":["{\\"price\\":1}"]}', {}],
    ['nothing of other places', '{"cost":1,"member":{"price":2},"items":{"*":{"price":3},"price":4}}', {}],
    ['names of any object', '{"constructor":{"price":1},"__proto__":{"price":2},"price":3}', { '/price': '3' }],
    ['what stands behind strings with quotes and brackets', '{"metadata":"}\\"]\\\\","price":3}', { '/price': '3' }],
    ['what stands behind a mark of byte order', '\uFEFF{"price":3}', { '/price': '3' }],
    ['nothing of an empty object', '{}', {}],
    [
      'empty lists and objects on the way',
      '{"items":[{},[],{"price":0.50}],"price":1}',
      { '/items/2/price': '0.50', '/price': '1' },
    ],
  ])('finds %s', (_, json, texts) => {
    expect(textsOf(json)).toEqual(texts);
  });

  it('is quick however deep and long a body is', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(textsOf(`{"x":${deep},"items":${deep},"price":7}`)).toEqual({ '/price': '7' });
    expect(textsOf(`{"x":"${'\\\\'.repeat(200_000)}","price":7}`)).toEqual({ '/price': '7' });
  });

  it('agrees with JSON.parse about every number of a random document', () => {
    let seed = 17;
    const below = (bound: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * bound);
    };
    const pick = (...values: readonly string[]): string => values[below(values.length)]!;
    const value = (depth: number): string => {
      const kind = below(depth > 3 ? 3 : 5);
      if (kind === 0) return pick('1', '-2.50', '0.1e3', '12345678901234567890', '0');
      if (kind === 1) return pick('"a"', '"\\""', '"[{,:"', '""', '"price"');
      if (kind === 2) return pick('true', 'false', 'null');
      const parts = Array.from({ length: below(4) }, () =>
        kind === 3
          ? value(depth + 1)
          : `${pick('"price"', '"items"', '"p\\u0072ice"', '"x"')}${pick('', ' ')}:${value(depth + 1)}`,
      );
      return kind === 3 ? `[${parts.join(pick(',', ' , '))}]` : `{${parts.join(',')}}`;
    };
    const wrong: unknown[] = [];
    for (let round = 0; round < 3_000; round += 1) {
      const json = `{"price":${value(1)},"items":${pick('[', ' [')}${value(1)},${value(2)}]}`;
      const parsed = JSON.parse(json) as { price: unknown; items: { price?: unknown }[] };
      const found = textsOf(json);
      const wanted = [['/price', parsed.price], ...parsed.items.map((item, at) => [`/items/${at}/price`, item?.price])];
      for (const [path, number] of wanted as [string, unknown][]) {
        if (typeof number === 'number' && Number(found[path]) !== number) wrong.push([json, path]);
      }
    }
    expect(wrong).toEqual([]);
  });
});
