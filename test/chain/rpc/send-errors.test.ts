import { classifySendError, type SendClass } from '../../../chain/rpc/send-errors.ts';
import { RpcError } from '../../../chain/rpc/error.ts';

/** Texts of real nodes. */
const texts: Record<Exclude<SendClass, 'sent'>, string[]> = {
  known: [
    'already known',
    'transaction already imported',
    'AlreadyKnown',
    'existing tx with same hash',
    'ALREADY_EXISTS: already known',
    'Known transaction',
    'known transaction: 5f3c',
    'Transaction with the same hash was already imported.',
    'TRANSACTION_ALREADY_KNOWN',
  ],
  nonce_too_low: [
    'nonce too low',
    'nonce too low: next nonce 7, tx nonce 5',
    'nonce too low: address 0xf39F, tx: 5 state: 7',
    'Nonce too low',
    'OldNonce',
    'OldNonce, Current nonce: 5, nonce of rejected tx: 3',
    'transaction nonce 5 below sender account nonce 7',
    'NONCE_TOO_LOW',
  ],
  nonce_too_high: [
    'nonce too high',
    'nonce too high: address 0xf39F, tx: 9 state: 7',
    'NonceGap, Future nonce. Expected nonce: 10',
    'gapped-nonce tx from delegated accounts',
    'Transaction nonce is too distant from current sender nonce',
    'future transaction tries to replace pending',
    'NonceTooFarInFuture',
  ],
  replacement_underpriced: [
    'replacement transaction underpriced',
    'replacement transaction underpriced: new tx gas fee cap 5 <= 6 queued',
    'ReplacementNotAllowed',
    'could not replace existing tx',
    'Replacement transaction underpriced',
    'transaction fee too low to replace the pending one',
    'price bump of 100% is required',
    'replacement fee too low',
    'not enough gas price to replace a transaction',
    'TRANSACTION_REPLACEMENT_UNDERPRICED',
  ],
  fee_below_base_fee: [
    'max fee per gas less than block base fee: address 0xf39F, maxFeePerGas: 1, baseFee: 875000000',
    'max fee per gas less than block base fee',
    'gasPrice is less than the current BaseFee',
    'FeeTooLow, EffectivePriorityFeePerGas too low 1 < 2, BaseFee: 3',
    'transaction max fee per gas is below base fee',
  ],
  too_much_data: [
    'oversized data',
    'oversized data: transaction size 140000, limit 131072',
    'oversized data. max: 120000; actual: 140000',
    'Calldata of transaction is 34700 bytes, greater than the allowed max of 30000',
    'max initcode size exceeded: code size 60000 limit 49152',
    'MaxTxSizeExceeded, Transaction size 140000 exceeds 131072',
    'transaction too large: 140000 bytes',
    'tx size is too big',
    'transaction size exceeds maximum',
    'call data too large',
    'Transaction data size 40000 exceeds limit of 30000',
    'rlp: transaction too long',
    'Tx too large. Max size is 1048576, but got 1100000: tx too large',
    'data size exceeds the maximum',
  ],
  underpriced: [
    'transaction underpriced',
    'transaction underpriced: gas tip cap 0, minimum needed 1',
    'transaction underpriced: tip needed 1000000, tip permitted 1',
    'insufficient fee; got: 1aphoton required: 2aphoton: insufficient fee',
    'provided fee < minimum global fee (1aevmos < 2aevmos)',
    'max priority fee per gas 1 is less than the minimum 2',
    'gas tip is lower than 25 gwei',
    'underpriced',
    'fee too low',
    'FeeTooLowToCompete',
    'Gas price below configured minimum gas price',
    'GAS_PRICE_TOO_LOW',
  ],
  insufficient_funds: [
    'insufficient funds for gas * price + value',
    'insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000',
    'Insufficient funds for gas * price + value',
    'insufficient funds for gas * price + value: have 0 want 21000',
    'insufficient funds',
    'InsufficientFunds, Account balance: 0, cumulative cost: 21000',
    'Upfront cost exceeds account balance',
    'insufficient MaxFeePerGas for sender balance',
  ],
  exceeds_block_gas_limit: [
    'exceeds block gas limit',
    'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit',
    'GasLimitExceeded, Gas limit: 30000000, gas limit of rejected tx: 40000000',
    'gas limit is too high',
    'Transaction gas limit exceeds block gas limit',
    'transaction gas limit too high (cap: 16777216, tx: 20000000)',
  ],
  gas_too_low: [
    'intrinsic gas too low',
    'intrinsic gas too low: gas 21000, minimum needed 53000',
    'IntrinsicGasTooLow',
    'GasLimitTooLow',
    'Intrinsic gas exceeds gas limit',
  ],
  pool_full: [
    'txpool is full',
    'account limit exceeded',
    'pending sub-pool is full',
    'in-flight transaction limit reached for delegated accounts',
  ],
  fee_cap: ['tx fee (1.20 ether) exceeds the configured cap (1.00 ether)', 'Transaction fee cap exceeded'],
  refused: ['the method eth_sendRawTransaction does not exist/is not available', 'Method not found'],
  possibly_sent: [
    'internal error',
    'unknown transaction',
    'the node gave no message',
    'Sending transaction failed',
    'header not found',
    '',
  ],
};

const cases = Object.entries(texts).flatMap(([sendClass, own]) => own.map((text) => [text, sendClass] as const));

it.each(cases)('"%s" is %s', (text, sendClass) => {
  expect(classifySendError(new RpcError('rejected', text, { code: -32000 }))).toBe(sendClass);
});

it.each(['timeout', 'unreachable', 'overloaded', 'malformed', 'nonsense', 'lie', 'aborted', 'wrong_chain'] as const)(
  '%s means possibly sent, whatever its message',
  (kind) => {
    expect(classifySendError(new RpcError(kind, 'nonce too low'))).toBe('possibly_sent');
  },
);
