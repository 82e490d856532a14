import { namedFees, namedLimit, namedNeed } from '../../../chain/rpc/words/amounts.ts';

/* The amounts that endpoints name in the words of a rejection: in wei, gwei or hex, in any order. */

const gwei = 10n ** 9n;
const GAS = 200_000n;

it.each<[string, Partial<ReturnType<typeof namedFees>>]>([
  ['transaction gas price below minimum: gas tip cap 1000000000, minimum needed 25000000000', { tip: 25n * gwei }],
  ['transaction underpriced: tip needed 25000000000, tip permitted 1000000000', { tip: 25n * gwei }],
  ['transaction priority fee below minimum required priority fee 25000000000', { tip: 25n * gwei }],
  ['gas tip cap 1 gwei is below the minimum of 25 gwei', { tip: 25n * gwei }],
  ['tip too low: have 0x3b9aca00, want 0x5d21dba00', { tip: 25n * gwei }],
  ['max priority fee per gas 1.5 Gwei below 30.5 Gwei', { tip: (305n * gwei) / 10n }],
  ['minimum tip (gwei): 25', { tip: 25n * gwei }],
  ['gas price 1,000,000,000 too low, at least 30,000,000,000 is needed', { price: 30n * gwei }],
  ['gas price 3e9 wei below configured minimum gas price 5e9 wei', { price: 5n * gwei }],
  ['insufficient fee; got: 1000aphoton required: 4000000aphoton: insufficient fee', { price: 20n }],
  ['provided fee < minimum global fee (1aevmos < 2000001aevmos)', { price: 11n }],
  [
    'max fee per gas less than block base fee: address 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266, maxFeePerGas: 1, baseFee: 875000000',
    { baseFee: 875_000_000n },
  ],
  ['Transaction maxFeePerGas (7) is too low for the next block, which has a baseFeePerGas of 9', { baseFee: 9n }],
  ['FeeTooLow, EffectivePriorityFeePerGas too low 1 < 2, BaseFee: 30', { tip: 2n, baseFee: 30n }],
  [
    'replacement transaction underpriced: new tx gas fee cap 110 < 100 queued + 100% replacement penalty',
    { cap: 200n },
  ],
  ['transaction underpriced', {}],
  ['fee 1e999 is below 1e400', { price: expect.any(BigInt) as unknown as bigint }],
])('the fees that "%s" names', (message, named) => {
  expect(namedFees(message, GAS)).toEqual({ tip: null, price: null, cap: null, baseFee: null, ...named });
});

it.each<[string, bigint, bigint | null]>([
  ['Calldata of transaction is 34700 bytes, greater than the allowed max of 30000', 34_900n, 30_000n],
  ['oversized data: transaction size 140000, limit 131072', 140_000n, 131_072n],
  ['oversized data. max: 120000; actual: 140000', 140_000n, 120_000n],
  ['transaction too large: 140.5 kB, the limit is 128 KiB', 140_500n, 131_072n],
  ['input of 0x222e0 bytes, most are 0x1d4c0', 140_000n, 120_000n],
  ['oversized data', 140_000n, null],
  ['oversized data: 140000', 140_000n, null],
])('the limit of bytes that "%s" names', (message, own, limit) => {
  expect(namedLimit(message, own, 256n)).toBe(limit);
});

it.each<[string, bigint, bigint | null]>([
  ['transaction gas limit too high (cap: 16777216, tx: 20000000)', 20_000_000n, 16_777_216n],
  ['exceeds maximum per-transaction gas limit: transaction gas 20000000, limit 16777216', 20_000_000n, 16_777_216n],
  ['tx gas 3730000 exceeds the gas of a block, 2000000', 3_730_000n, 2_000_000n],
  ['exceeds block gas limit', 3_730_000n, null],
  ['nonce 7: gas limit reached, Gas limit: 30000000', 3_730_000n, null],
])('the limit of gas that "%s" names', (message, own, limit) => {
  expect(namedLimit(message, own, 21_000n)).toBe(limit);
});

it.each<[string, bigint, bigint | null]>([
  ['insufficient gas for floor data gas cost: gas 21000, minimum needed 31000', 21_000n, 31_000n],
  ['Transaction requires at least 25000 gas but got 21000', 21_000n, 25_000n],
  ['intrinsic gas too low', 21_000n, null],
])('the need that "%s" names', (message, own, need) => {
  expect(namedNeed(message, own)).toBe(need);
});

/* Numbers beside the amounts: ids, places, dates, versions, codes. */

it.each([
  'request id: 123456789123',
  'requestId=123456789123',
  'Request ID 123456789123',
  '"request_id":"123456789123"',
  'req 123456789123',
  'req #123456789123',
  '#123456789123',
  'id: 123456789123',
  'trace 0xabcdef1234567890',
  'trace id: 0xabcdef1234567890',
  'trace_id=4bf92f3577b34da6a3ce929d0e0e4736',
  'span 00f067aa0ba902b7',
  'correlation id 6f9619ff-8b86-4011-b42d-00cf4fc964ff',
  'ref 123456789123',
  'ray id: 230b030023ae2822',
  'at block 123456789123',
  'block number: 123456789123',
  'block height 123456789123',
  'block #123456789123',
  'height=123456789123',
  'timestamp: 1796065838',
  'time=1796065838123',
  'at 2026-11-30T19:10:38.123Z',
  '2026-11-30 19:10:38',
  'at 19:10:38.250',
  'code -32000',
  'code: -32000',
  'error code 320001234567',
  '-32000',
  'HTTP status 429',
  'status: 502',
  'Geth/v1.17.8-stable',
  'geth 1.17',
  'version 2.0.25',
  'see https://provider.example/docs/987654321987?id=99999999999',
  'see <url>',
  'from 203.0.113.77',
  'from 203.0.113.77:54321',
  'upstream node-4711.example.com:8545',
  'localhost:8545',
  'nonce 123456789123',
  'chain id 84532123456',
  'shard 12 of account 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  'tx 0xabcdef12...',
  'in 987654321987 ms',
  'retry in 30 seconds',
])('"%s" beside an amount changes none', (beside) => {
  for (const words of [(text: string) => `${text} (${beside})`, (text: string) => `${beside}: ${text}`]) {
    expect(namedFees(words('transaction underpriced'), GAS)).toEqual(namedFees('transaction underpriced', GAS));
    const tip = 'gas tip cap 1000000000, minimum needed 25000000000';
    expect(namedFees(words(tip), GAS)).toMatchObject({ tip: 25n * gwei, price: null, cap: null });
    expect(namedLimit(words('oversized data: transaction size 140000, limit 131072'), 140_000n, 256n)).toBe(131_072n);
    expect(namedLimit(words('exceeds block gas limit'), 2n ** 63n, 21_000n)).toBeNull();
    expect(namedNeed(words('intrinsic gas too low'), 21_000n)).toBeNull();
    expect(namedNeed(words('Transaction requires at least 25000 gas but got 21000'), 21_000n)).toBe(25_000n);
  }
});
