import { groupBy } from '../../domain/tools/group-by.ts';
import type { RpcOutcome } from './endpoint.ts';
import type { RpcError } from './error.ts';

/**
 * What an answer to `eth_sendRawTransaction` means. Nothing here ever gives a nonce back; `possibly_sent` is what is
 * not understood.
 */
export type SendClass =
  | 'sent'
  | 'known'
  | 'nonce_too_low'
  | 'nonce_too_high'
  | 'replacement_underpriced'
  | 'fee_below_base_fee'
  | 'underpriced'
  | 'insufficient_funds'
  | 'exceeds_block_gas_limit'
  | 'gas_too_low'
  | 'pool_full'
  | 'fee_cap'
  | 'possibly_sent';

interface Row {
  readonly class: SendClass;
  readonly patterns: readonly RegExp[];
}

/**
 * The one table of send errors, first match wins. Texts are those of geth (and op-geth, bor, nitro, which share them),
 * reth, anvil, erigon, nethermind and besu.
 */
const table: readonly Row[] = [
  {
    class: 'known',
    patterns: [
      /already (known|imported|exists)/i,
      /alreadyknown|already_known|already_exists/i,
      /(?<!un)known transaction/i,
      /existing tx with same hash/i,
      /transaction with the same hash was already imported/i,
    ],
  },
  {
    class: 'replacement_underpriced',
    patterns: [
      /replacement transaction underpriced/i,
      /replacementnotallowed|replacement_underpriced/i,
      /could not replace existing tx/i,
      /gas price too low to replace/i,
    ],
  },
  {
    class: 'fee_below_base_fee',
    patterns: [
      /less than (the )?(current )?(block )?base ?fee/i,
      /below (the )?(current )?(block )?base ?fee/i,
      /gasprice is less than the current basefee/i,
      /effective ?priority ?fee ?per ?gas too low/i,
    ],
  },
  {
    class: 'nonce_too_low',
    patterns: [
      /nonce (is )?too low/i,
      /nonce_too_low|oldnonce/i,
      /nonce \d+ below sender account nonce/i,
      /nonce has already been used/i,
    ],
  },
  {
    class: 'nonce_too_high',
    patterns: [
      /nonce (is )?too high/i,
      /nonce_too_high|noncegap|noncetoofarinfuture/i,
      /gapped[- ]nonce/i,
      /nonce gap/i,
      /exceeds next nonce/i,
      /too distant from (current )?sender nonce/i,
      /future transaction tries to replace pending/i,
    ],
  },
  {
    class: 'insufficient_funds',
    patterns: [
      /insufficient (funds|balance|max ?fee ?per ?gas)/i,
      /insufficientfunds|insufficient_funds/i,
      /upfront cost exceeds account balance/i,
      /doesn'?t have enough funds/i,
    ],
  },
  {
    class: 'exceeds_block_gas_limit',
    patterns: [
      /exceeds block gas ?limit/i,
      /gas ?limit ?exceeded/i,
      /gas limit (is )?too high/i,
      /intrinsic gas too high/i,
      /exceeds (the )?(max|maximum) transaction gas limit/i,
    ],
  },
  {
    class: 'gas_too_low',
    patterns: [/intrinsic ?gas ?too ?low/i, /gas ?limit ?(is )?too ?low/i, /intrinsic gas exceeds gas limit/i],
  },
  {
    class: 'pool_full',
    patterns: [
      /txpool is full/i,
      /(pending|basefee|queued) sub-?pool is full/i,
      /account limit exceeded/i,
      /in-flight transaction limit reached/i,
      /account has too many/i,
    ],
  },
  // A setting of the endpoint: what it takes for a transaction at most (geth: --rpc.txfeecap).
  { class: 'fee_cap', patterns: [/exceeds the configured cap/i, /fee cap exceeded/i] },
  {
    class: 'underpriced',
    patterns: [
      /underpriced/i,
      /fee ?too ?low/i,
      /below configured minimum gas price/i,
      /gas_price_too_low|gas price too low/i,
      /tip (cap )?(below|too low)/i,
    ],
  },
];

/** Reads an endpoint's rejection of a signed transaction. Anything but a rejection is `possibly_sent`. */
export const classifySendError = (error: Pick<RpcError, 'kind' | 'message'>): SendClass => {
  if (error.kind !== 'rejected') return 'possibly_sent';
  return (
    table.find(({ patterns }) => patterns.some((pattern) => pattern.test(error.message)))?.class ?? 'possibly_sent'
  );
};

/** What became of one transaction that was sent. */
export const classifySend = (outcome: RpcOutcome): SendClass =>
  outcome.ok ? 'sent' : classifySendError(outcome.error);

/**
 * One outcome of a transaction that several endpoints were sent: what most of those say that took or rejected it; taken
 * where as many took it. Where one took it, it may be in a block before another one is sent it, whose nonce is too low then.
 */
export const mergeSends = (outcomes: readonly RpcOutcome[]): RpcOutcome => {
  const isTaken = (sendClass: SendClass): boolean => sendClass === 'sent' || sendClass === 'known';
  const taken = outcomes.find(({ ok }) => ok) ?? outcomes.find((outcome) => isTaken(classifySend(outcome)));
  const answered = groupBy(
    outcomes.filter((outcome) => outcome.ok || outcome.error.kind === 'rejected'),
    (outcome) => {
      const sendClass = classifySend(outcome);
      // What one of them is set to take at most is not what the others take.
      return isTaken(sendClass) || (taken && ['nonce_too_low', 'fee_cap'].includes(sendClass)) ? 'sent' : sendClass;
    },
  );
  const [most] = [...answered].sort(
    ([a, one], [b, other]) => other.length - one.length || Number(b === 'sent') - Number(a === 'sent'),
  );
  return (most?.[0] === 'sent' ? taken : most?.[1][0]) ?? outcomes[0]!;
};
