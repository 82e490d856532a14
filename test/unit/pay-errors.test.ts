import { Interface } from 'ethers';
import { contracts } from '../../chain/pure/contracts.ts';
import { payErrors } from '../../chain/pure/pay-errors.ts';

it('every error of the facets that a buyer can meet has a sentence', () => {
  const facets = [contracts.deal, contracts.offer].flatMap(({ abi }) => abi);
  const declared = new Set(facets.flatMap(({ type, name }) => (type === 'error' ? [name] : [])));
  // Only an operator's calls revert with these.
  for (const name of ['NotOperator', 'NotRoot']) declared.delete(name);
  expect([...declared].filter((name) => !payErrors.some((error) => error.name === name))).toEqual([]);
});

it('errors are found by the first four bytes of the revert data', () => {
  const expired = payErrors.find(({ name }) => name === 'DealExpired');
  expect(expired?.selector).toBe(
    new Interface(['error DealExpired(uint256 dealId, uint256 expiresAt, uint256 timestamp)']).getError('DealExpired')!
      .selector,
  );
});
