import { RpcError } from '../../../chain/rpc/error.ts';
import { refusalLines, readRefusalOf, sendLines, sendRefusalOf } from '../../../chain/rpc/refusals.ts';
import { saysPruned } from '../../../chain/rpc/words/blocks.ts';
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
  ['Nethermind', 'FeeTooLow, FeePerGas needs to be higher than 100 to be added to the TxPool.', 'underpriced'],
  ['Cosmos', 'failed to broadcast transaction: : tx already in mempool', 'known'],
  ['Harmony', 'transaction already in pool', 'known'],
  ['Conflux', 'tx already exist', 'known'],
  ['a private pool', 'tx already submitted', 'known'],
  ['Tron', 'dup transaction', 'known'],
  ['Frontier', 'submit transaction to pool failed: Pool(AlreadyImported(0xabc))', 'known'],
  ['Lotus', 'message with nonce 5 already in mpool: replace by fee has too low GasPremium', 'underpriced'],
  ['Lotus', 'mpool push: not enough funds: including pending messages', 'insufficient_funds'],
  ['Conflux', 'Transaction 0x1 is discarded due to a too stale nonce', 'nonce_too_low'],
  ['SKALE', 'Transaction nonce already was used', 'nonce_too_low'],
])('%s: "%s" of a transaction is %s', (_, message, sendClass) => {
  expect(classifySendError(new RpcError('rejected', message, { code: -32_000 }))).toBe(sendClass);
});

it.each([
  ['dRPC', 'Too many request, try again later', 'pause'],
  ['reth', 'Too many connections. Please try again later.', 'pause'],
  ['Blast', "You have exceeded your plan's throughput limit", 'pause'],
  ['Chainstack', "You've exceeded the RPS limit available on the current plan.", 'pause'],
  ['1RPC', 'usage limit exceeded. Please upgrade', 'pause'],
  ['Ankr', 'Unauthorized: You must authenticate your request with an API key.', 'access'],
  ['Infura', 'project id required in the url', 'access'],
  ['Infura', 'rejected due to project ID settings', 'access'],
  ['Alchemy', 'App is inactive', 'access'],
  ['QuickNode', 'Endpoint disabled', 'access'],
  ['dRPC', 'token is invalid', 'access'],
])('%s: "%s" is a refusal of %s, and not of too many logs', (_, message, means) => {
  expect(readRefusalOf(-32_000, message)).toBe(means);
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

it.each([
  ['geth', -32_000, 'invalid opcode: INVALID', undefined],
  ['geth', -32_000, 'invalid opcode: opcode 0x0c not defined', undefined],
  ['geth', -32_000, 'stack underflow (0 <=> 2)', undefined],
  ['geth', -32_000, 'stack limit reached 1024 (1023)', undefined],
  ['geth', -32_000, 'invalid jump destination', undefined],
  ['geth', -32_000, 'write protection', undefined],
  ['geth', -32_000, 'return data out of bounds', undefined],
  ['Nethermind', -32_015, 'VM execution error.', 'Bad instruction fe'],
  ['Nethermind', -32_015, 'VM execution error.', 'out of gas'],
  ['OpenEthereum', -32_015, 'VM execution error.', 'Bad jump destination 1f'],
  ['anvil', -32_003, 'EVM error InvalidFEOpcode', undefined],
  ['anvil', -32_003, 'EVM error StackUnderflow', undefined],
  ['reth', 3, 'invalid FE opcode', undefined],
])('a failing instruction is a revert of the contract, and no refusal: %s, %i "%s"', (_, code, message, data) => {
  const error = new RpcError('rejected', message, { code, data, method: 'eth_call' });
  expect({ revert: error.revertData, refuses: error.refuses }).toEqual({ revert: '0x', refuses: false });
});

it.each([
  ['gas required exceeds allowance (50000000)', 'gas_cap'],
  ['out of gas: gas required exceeds: 50000000', 'gas_too_low'],
  ['out of gas', 'gas_too_low'],
  ['EVM error OutOfGas', null],
])('an estimate that says "%s" may have had too little gas, and is no revert', (message, refusal) => {
  const error = new RpcError('rejected', message, { code: -32_000, method: 'eth_estimateGas' });
  expect({ revert: error.revertData, refusal: error.refusal }).toEqual({ revert: null, refusal });
});

it.each(['invalid opcode', 'write protection'])('"%s" of another method than a call is a refusal', (message) => {
  expect(new RpcError('rejected', message, { method: 'eth_getLogs' }).refuses).toBe(true);
});

it.each([
  ['fee rate too low', 'underpriced'],
  ['max fee rate below minimum', 'underpriced'],
  ['gas price rate below minimum', 'underpriced'],
])('"%s" of a transaction is about its fee, and no rate limit', (message, sendClass) => {
  const error = new RpcError('rejected', message, { code: -32_000, method: 'eth_sendRawTransaction' });
  expect([error.refusal === 'pause', classifySendError(error)]).toEqual([false, sendClass]);
});

it.each([
  'account quota exceeded',
  'your account has reached its monthly limit',
  'your account has reached its daily request limit',
  'sender has exceeded the quota of its plan',
  'out of credits',
])('"%s" is a pause of the provider, and no full pool', (message) => {
  const error = new RpcError('rejected', message, { code: -32_000 });
  expect([error.refusal, classifySendError(error)]).toEqual(['pause', 'possibly_sent']);
});

it('a request for logs that must name an address is one for too many logs', () => {
  const message = 'Please specify an address in your request or, to remove restrictions, order a dedicated full node';
  expect(new RpcError('rejected', message, { code: -32_701, method: 'eth_getLogs' }).isTooMuch).toBe(true);
});

it.each<[string, number, string, boolean]>([
  ['geth', 4444, 'pruned history unavailable', true],
  ['reth', -32_603, 'block #0 is not available, history has expired', true],
  ['a provider', -32_000, 'the range is below the tail', true],
  ['a provider', -32_000, 'block is older than the oldest one', true],
  ['a provider', -32_000, 'archive requests need another plan', true],
  ['a provider', -32_005, 'rate limit exceeded', false],
  ['Nethermind', -32_603, 'Internal error', false],
  ['a load balancer', -32_000, 'service unavailable, try again', false],
  ['a provider', -32_000, 'API key expired', false],
])('%s: %i "%s" says that block 0 is pruned: %s', (_, code, message, isPruned) => {
  expect(saysPruned(new RpcError('rejected', message, { code, method: 'eth_getBlockByNumber' }))).toBe(isPruned);
});
