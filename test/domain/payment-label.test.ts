import { describeLabel, paymentLabel, searchWords } from '../../domain/payment-label.ts';

const label = (externalId: string) =>
  paymentLabel({ externalId, units: 12_500_000n, decimals: 6, symbol: 'USDC', network: 'alpha' });

it('a label names order number, amount, symbol and network', () => {
  expect(describeLabel(label('order-17/b'))).toBe('order-17/b: 12.5 USDC on alpha');
});

it("a label shortens a client's text, and removes mark-up and line breaks", () => {
  expect(describeLabel(label('a\n# **b** <c> `d`'))).toBe('a_# __b__ _c_ _d_: 12.5 USDC on alpha');
  expect(describeLabel(label('😀'.repeat(255)))).toBe(`${'_'.repeat(48)}…: 12.5 USDC on alpha`);
  expect(describeLabel(label('ü'.repeat(255)))).toBe(`${'ü'.repeat(48)}…: 12.5 USDC on alpha`);
});

it('a search word is made once of each text, without the syntax of searches', () => {
  expect(searchWords(['order 17', 'a:b', `it's`, 'back\\slash', 'order 17', 'Ünï-1._x'])).toBe(
    'order_17 a_b it_s back_slash Ünï-1._x',
  );
});

it('a search attribute takes as many words as fit, the first ones first', () => {
  const hashes = Array.from({ length: 50 }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`);
  expect(searchWords(hashes).split(' ')).toEqual(hashes.slice(0, 29));
  expect(searchWords(['ü'.repeat(1_500), 'short'])).toBe('short');
});
