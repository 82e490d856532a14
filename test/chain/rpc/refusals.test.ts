import { RpcError } from '../../../chain/rpc/error.ts';
import { refusalLines, readRefusalOf, sendLines, sendRefusalOf } from '../../../chain/rpc/refusals.ts';
import { classifySendError } from '../../../chain/rpc/send-errors.ts';

/*
 * What clients say, in their own words; the table must read each as it is meant, whatever line comes before it.
 */

const example = (words: string): string => words.replaceAll('{}', '123456');

it.each(
  refusalLines.flatMap(({ means, by, code, words }) =>
    typeof words === 'string' ? [[example(words), code ?? null, means, by.join()] as const] : [],
  ),
)('"%s" (%s) is a refusal of %s, as %s says it', (message, code, means) => {
  expect(readRefusalOf(code, message)).toBe(means);
});

it.each(
  sendLines.flatMap(({ means, by, code, words }) =>
    typeof words === 'string' ? [[example(words), code ?? null, means, by.join()] as const] : [],
  ),
)('"%s" (%s) of a transaction is %s, as %s says it', (message, code, means) => {
  expect(sendRefusalOf(code, message)).toBe(means);
});

it.each([
  ['geth', 'transaction gas price below minimum: gas tip cap 0, minimum needed 1', 'underpriced'],
  ['geth', 'insufficient gas for floor data gas cost: gas 21000, minimum needed 31000', 'gas_too_low'],
  [
    'Hardhat',
    'Transaction gas limit is 20000000 and exceeds transaction gas cap of 16777216',
    'exceeds_block_gas_limit',
  ],
  ['Hardhat', 'Transaction requires at least 21000 gas but got 1000', 'gas_too_low'],
  ['Nethermind', 'gas limit reached, Gas limit: 30000000', 'exceeds_block_gas_limit'],
  ['Nethermind', 'nonce too far in future', 'nonce_too_high'],
  ['Erigon', 'INTERNAL_ERROR: IntrinsicGas', 'gas_too_low'],
  ['Besu', 'Transaction gas limit cap exceeded', 'exceeds_block_gas_limit'],
  ['reth', 'transaction priority fee below minimum required priority fee 1000000', 'underpriced'],
])('%s: "%s" is %s, and not possibly sent', (_, message, sendClass) => {
  expect(classifySendError(new RpcError('rejected', message, { code: -32_000 }))).toBe(sendClass);
});

it.each([
  ['Nethermind, of any failure', 'Internal error', -32_603, 'System.Exception at block 0xabcdef12'],
  ['reth, of a long answer', 'Response is too big', -32_008, 'Exceeded max limit of 167772160'],
])('an explanation beside an error is no revert: %s', (_, message, code, data) => {
  const error = new RpcError('rejected', message, { code, data, method: 'eth_call' });
  expect({ revert: error.revertData, waiting: error.waiting }).toEqual({ revert: null, waiting: 'endpoint_refuses' });
});

it('logs beyond the newest block, or pruned away, are not requested in smaller parts', () => {
  for (const message of ['block range extends beyond current head block', 'pruned history unavailable'])
    expect(new RpcError('rejected', message, { code: -32_602 }).isTooMuch).toBe(false);
});
