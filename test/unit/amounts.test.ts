import { readAmounts, type Amount } from '../../api/payments/amounts.ts';
import type { PaymentRequest } from '../../api/generated/openapi-types.ts';

/** The amounts as read from a body that has them. */
const amountsOf = (json: string) =>
  readAmounts(JSON.parse(json.replace(/^\uFEFF/, '')) as PaymentRequest, Buffer.from(json));

const show = (amount: Amount): string => (typeof amount === 'string' ? amount : `${amount.digits}e${amount.exponent}`);

describe('amounts', () => {
  it.each<[string, string, string]>([
    ['digits that a float64 has not', '{"price":100000000.000001,"paid_price":1}', '100000000000001e-6'],
    ['an exponent', '{"price":1E+2,"paid_price":1}', '1e2'],
    ['white space anywhere', ' \n{ "paid_price" :\t1 , "price" : 12.5 } \n', '125e-1'],
    ['the last of two members', '{"price":1,"price":2.5,"paid_price":1}', '25e-1'],
    ['a name with an escape', '{"pr\\u0069ce":1.25,"paid_price":1}', '125e-2'],
    ['a string of digits', '{"price":"1.25","paid_price":1}', '125e-2'],
    ['text after a byte order mark', '\uFEFF{"price":3,"paid_price":1}', '3e0'],
  ])('are read from the text: %s', (_, json, price) => {
    expect(show(amountsOf(json).price)).toBe(price);
  });

  it('of items are read in their order, without members of other names', () => {
    const items = '[{"name":"{\\"price\\":9}","price":0.5},{"price":"2"},{"price":1e1,"other":{"price":7}}]';
    const json = `{"price":12.5,"paid_price":12.5,"member":{"price":4},"items":${items}}`;
    expect(amountsOf(json).items.map(show)).toEqual(['5e-1', '2e0', '1e1']);
  });

  it('agree with JSON.parse about every number', () => {
    const numbers = ['1', '0.1e3', '123456789012.25', '1E-2', '0.30000000000000004', '9007199254740991'];
    const read = amountsOf(
      `{"price":1,"paid_price":1,"items":[${numbers.map((price) => `{"price":${price}}`).join()}]}`,
    );
    expect(read.items.map((amount) => Number(show(amount)))).toEqual(
      numbers.map((number) => (number === '0.30000000000000004' ? 0.3 : Number(number))),
    );
  });
});
