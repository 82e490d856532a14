import { dealStatuses, dealWord, type DealStatus } from '../../domain/deal.ts';

describe('the word of a deal', () => {
  const hash = `0x${'ab'.repeat(31)}cd`;

  it.each(Object.entries(dealStatuses) as [DealStatus, number][])('ends with the status %s', (status, code) => {
    expect(dealWord(hash, status)).toBe(`0x${'ab'.repeat(31)}0${code}`);
  });

  it('has 32 bytes, of which the last of the hash is not one', () => {
    expect(dealWord(hash, 'open')).toHaveLength(66);
    expect(dealWord(hash, 'open')).toBe(dealWord(`${hash.slice(0, 64)}00`, 'open'));
  });
});
