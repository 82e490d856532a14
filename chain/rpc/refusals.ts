import { likeGeth, line, reader, type Line } from './words/line.ts';

/** A kind of request that an endpoint refuses by an error to a read. */
export type ReadRefusal =
  /** Requests for now: it is rate-limiting. */
  | 'pause'
  /** Every request: the key is unknown, revoked or not paid for. */
  | 'access'
  /** A batch of this length, or its response. */
  | 'batch'
  /** This method. */
  | 'method'
  /** A block or a state that it does not keep or does not have yet. */
  | 'history'
  /** A call with so little gas. */
  | 'gas_too_low'
  /** More gas than it runs a call with. */
  | 'gas_cap'
  /** A call with so much data. */
  | 'data_cap'
  /** Logs of so many blocks, or this number of logs. */
  | 'logs';

/** Why an endpoint rejects a signed transaction. */
export type SendRefusal =
  | 'known'
  | 'nonce_too_low'
  | 'nonce_too_high'
  | 'replacement_underpriced'
  | 'fee_below_base_fee'
  | 'underpriced'
  | 'insufficient_funds'
  | 'exceeds_block_gas_limit'
  | 'too_much_data'
  | 'gas_too_low'
  | 'pool_full'
  | 'fee_cap';

/** The words for a transaction or a call with too many bytes, by its data or as a whole. */
const tooMuchData = new RegExp(
  [
    /oversized data|(call ?data|\bdata|input|init ?code|payload|transaction|\btxn?|rlp|encoding) (is )?too (large|big|long|much)/,
    /(call ?data|\btransaction data|input|init ?code|payload) ?(of|size|length|limit|exceed|above|over).*(max|limit|allow|greater|exceed|larger|above|cap)/,
    /(transaction|\btxn?|rlp|\bdata)('?s)? ?(encoded |data )?(size|length) .*(max|limit|too|allow|exceed|above|cap)/,
    /(max|maximum|allowed) ?(transaction|\btxn?|call ?data|data|init ?code) ?(size|length|bytes)/,
    /(tx|transaction|calldata|init_?code)_?size_?(limit|exceeded|too)|\bda (limit|size)|too (much|many bytes of) (call ?)?data/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/**
 * Errors of clients to reads; the first line that matches counts. docs/operations/endpoints.md lists the clients that
 * were run and those whose code was read.
 */
export const refusalLines: readonly Line<ReadRefusal>[] = [
  { means: 'pause', by: ['others'], code: 429 },
  line('pause', ['nethermind'], 'Too many requests', -32_005),
  line(
    'pause',
    ['others'],
    /(?<!\b(fee|price|gas|tip) )\brate\b|ratelimit|\b(requests?|queries) per|per (second|minute)|capacity exceeded|too many (requests?|connections)|throughput|\brps\b|\b(usage|quota)\b.*(limit|exceed|reached)|exceeded.*\b(plan|quota)\b|\b(hourly|daily|weekly|monthly) (\w+ ){0,2}(limit|quota|allowance|cap)\b|\bout of (compute )?(credits|units)/,
  ),
  line('batch', [...likeGeth], 'batch too large', -32_600),
  line('batch', [...likeGeth], 'response too large', -32_003),
  line('batch', ['erigon'], 'batch limit {} exceeded', -32_600),
  line('batch', ['besu'], 'Number of requests exceeds max batch size', -32_005),
  line('batch', ['nethermind'], 'Batch size limit exceeded', -32_005),
  line('batch', ['nethermind'], 'MaxBatchResponseBodySize of {} exceeded', -32_005),
  line('batch', ['reth'], 'The batch request was too large', -32_010),
  line('batch', ['reth'], 'The batch response was too large', -32_011),
  line('batch', ['reth'], 'Batched requests are not supported by this server', -32_005),
  line('batch', ['others'], /\bbatch|response is too large/),
  line('pause', ['others'], /request (limit|count)/),
  line('access', ['besu'], /^unauthorized$/, -40_100),
  line(
    'access',
    ['others'],
    /^must be authenticated|(invalid|unknown|missing|disabled|expired|revoked|inactive) (api|access) ?(key|token)/,
  ),
  line(
    'access',
    ['others'],
    /\b(api|access) ?(key|token) (is |was |has )?(been )?(invalid|unknown|missing|disabled|expired|revoked|inactive|not)/,
  ),
  line(
    'access',
    ['others'],
    /project id (is )?(required|settings|invalid|unknown)|invalid project id|you must authenticate|^unauthorized[.!]?$|\b(app|account|project|endpoint) (is |was )?(inactive|disabled|suspended)|\btoken is (invalid|unknown|expired)/,
  ),
  { means: 'method', by: [...likeGeth, 'erigon', 'reth', 'anvil', 'nethermind', 'besu'], code: -32_601 },
  { means: 'method', by: ['besu'], code: -32_604 },
  line('method', [...likeGeth, 'erigon'], 'the method {} does not exist/is not available', -32_601),
  line('method', ['hardhat'], 'Method {} is not supported', -32_004),
  line('method', ['nethermind'], "The method '{}' is found but the namespace '{}' is disabled", -32_600),
  line('method', ['nethermind'], "The method '{}' is found in namespace '{}' but is disabled", -32_600),
  line('method', ['nethermind'], "The method '{}' must be authenticated", -32_600),
  line(
    'method',
    ['others'],
    /method.*\bnot (be )?(available|supported|allowed|found|enabled|exist|permitted|whitelisted)|unsupported method/,
  ),
  { means: 'history', by: ['geth', 'reth', 'nethermind', 'besu'], code: 4444 },
  line('history', ['geth', 'reth', 'nethermind', 'besu'], 'pruned history unavailable', 4444),
  line('history', [...likeGeth], 'missing trie node {}', -32_000),
  line('history', ['geth'], 'historical state {} is not available', -32_000),
  line('history', [...likeGeth], 'state {} is not available', -32_000),
  line('history', [...likeGeth], 'header not found', -32_000),
  line('history', [...likeGeth], 'header for hash not found', -32_000),
  line('history', [...likeGeth], 'hash is not currently canonical', -32_000),
  line('history', [...likeGeth], 'unknown block', -32_000),
  line('history', ['geth'], 'block range extends beyond current head block', -32_602),
  line('history', [...likeGeth], 'block body not found', -32_000),
  line('history', ['nitro'], 'failed to recreate state', -32_000),
  line('history', ['nitro'], 'state recreation l2 gas depth limit exceeded', -32_000),
  line('history', ['nitro'], 'requested block ahead of current block', -32_000),
  line('history', ['erigon'], 'old data not available due to pruning', -32_000),
  line('history', ['erigon'], 'block not found: {}', -32_000),
  line('history', ['erigon'], 'block {} not found', -32_000),
  line('history', ['reth'], 'block not found: {}', -32_001),
  line('history', ['reth'], 'header range not found: start block: {}, end block: {}', -32_001),
  line('history', ['reth'], 'state at block #{} is pruned', -32_603),
  line('history', ['reth'], 'state at block #{} is not available', -32_603),
  line('history', ['reth'], 'block #{} is not available, history has expired', -32_603),
  line('history', ['reth'], 'no state found for block {}', -32_603),
  line('history', ['reth'], 'block range extends beyond current head block: requested {}, head {}', -32_602),
  line('history', ['reth'], 'request beyond head block: requested {}, head {}', -32_602),
  line('history', ['nethermind'], 'No state available for block {}', -32_002),
  line('history', ['nethermind'], '{} could not be found', -32_001),
  line('history', ['hardhat'], 'Received invalid block tag {}', -32_000),
  line('history', ['anvil'], 'Resource not found', -32_001),
  line('history', ['besu'], 'World state unavailable', -32_000),
  line('history', ['besu'], 'Block not found', -32_000),
  line('history', ['besu'], 'Unknown block', -39_001),
  line(
    'history',
    ['others'],
    /archive|pruned|missing trie|(state|block|history|header) .*\b(not (be )?(found|available)|unavailable)|historical/,
  ),
  line('data_cap', ['others'], tooMuchData),
  line('gas_cap', [...likeGeth, 'reth'], 'gas required exceeds allowance ({})', -32_000),
  line('gas_too_low', ['reth'], 'out of gas: gas required exceeds: {}', -32_003),
  line('gas_cap', ['reth'], 'intrinsic gas too high', -32_000),
  line('gas_cap', ['reth'], 'gas limit too high', -32_003),
  line('gas_cap', ['hardhat'], 'gas limit {} greater than the cap', -32_003),
  line('gas_cap', ['others'], /\bgas\b(?!.*\b(price|fee|funds)\b).*(too (high|large|much)|\bcap\b|allowance)/),
  line('gas_too_low', ['others'], /\bgas\b(?!.*\b(price|fee|funds)\b)/),
  line('logs', ['geth'], 'exceed maximum block range {}', -32_602),
  line('logs', ['reth'], 'query exceeds max block range {}', -32_602),
  line('logs', ['reth'], 'query exceeds max results {}, retry with the range {}-{}', -32_602),
  line('logs', ['erigon'], 'query returns too many logs, narrow your filter: {}', -32_000),
  line('logs', ['nethermind'], 'Too many logs requested. Max logs per response is {}', -32_005),
  line('logs', ['besu'], 'Requested range exceeds maximum RPC range limit', -32_005),
  // Logs without an address; its receipts have them.
  line('logs', ['others'], 'Please specify an address in your request', -32_701),
  line(
    'logs',
    ['others'],
    /(more than|at most|up to a?|limited to|max(imum)?( of)?) ?[\d,]+|too (many|large|wide|big)/,
  ),
  line('logs', ['others'], /range|response size|exceeds?|limit/),
  // Any other error with this code is a rate limit.
  { means: 'pause', by: ['others'], code: -32_005 },
];

/** Errors of clients to signed transactions; the first line that matches counts. */
export const sendLines: readonly Line<SendRefusal>[] = [
  line('known', [...likeGeth, 'reth', 'nethermind', 'erigon'], 'already known', -32_000),
  line('known', ['anvil'], 'transaction already imported', -32_003),
  line('known', ['hardhat', 'besu'], /(?<!un)known transaction/, -32_000),
  line('known', ['erigon'], 'existing txn with same hash', -32_000),
  line(
    'known',
    ['others'],
    /already[ _]?(known|imported|exists)|existing tx with same hash|same hash was already imported|^(?!.*(nonce|replac)).*\balready (exist|been submitted|submitted|in (the |a )?(tx|mem|transaction)? ?(pool|queue|cache))|\bdup(licate)? (tx|txn|transaction)\b/,
  ),
  line(
    'replacement_underpriced',
    [...likeGeth, 'reth', 'anvil', 'hardhat', 'nethermind', 'erigon', 'besu'],
    'replacement transaction underpriced',
    -32_000,
  ),
  line('replacement_underpriced', ['erigon'], 'could not replace existing tx', -32_000),
  line(
    'replacement_underpriced',
    ['others'],
    /replacementnotallowed|replacement_underpriced|(fees?|price) (is |are )?too low to replace|replacement .*(underpriced|too low)|(insufficient|not enough|least|higher) .*to replace|(fee|price|replacement) bump|\bbump (the )?(fee|gas)/,
  ),
  line('fee_below_base_fee', [...likeGeth, 'reth', 'anvil'], 'max fee per gas less than block base fee', -32_000),
  line('fee_below_base_fee', ['others'], 'is too low for the next block, which has a baseFeePerGas of {}', -32_000),
  line('fee_below_base_fee', ['besu'], 'Gas price below current base fee', -32_009),
  line(
    'fee_below_base_fee',
    ['others'],
    /less than (the )?(current )?(block )?base ?fee|below (the )?(current )?(block )?base ?fee|effective ?priority ?fee ?per ?gas too low/,
  ),
  line(
    'nonce_too_low',
    [...likeGeth, 'reth', 'anvil', 'hardhat', 'nethermind', 'erigon', 'besu'],
    'nonce too low',
    -32_000,
  ),
  line(
    'nonce_too_low',
    ['others'],
    /nonce is too low|nonce_too_low|oldnonce|stale[ _]nonce|nonce already was used|nonce \d+ (too low|below sender account nonce)|nonce has already been used/,
  ),
  line('nonce_too_high', [...likeGeth, 'reth', 'anvil', 'hardhat', 'nethermind', 'besu'], 'nonce too high', -32_000),
  line('nonce_too_high', ['geth', 'reth'], 'gapped-nonce tx from delegated accounts', -32_000),
  line('nonce_too_high', ['geth'], 'future transaction tries to replace pending', -32_000),
  line('nonce_too_high', ['nethermind'], 'nonce too far in future', -32_000),
  line('nonce_too_high', ['nethermind'], 'delegation nonce gap', -32_000),
  line('nonce_too_high', ['besu'], 'Transaction nonce is too distant from current sender nonce', -32_000),
  line('nonce_too_high', ['besu'], 'An invalid transaction with a lower nonce exists', -32_000),
  line(
    'nonce_too_high',
    ['others'],
    /nonce is too high|nonce_too_high|noncegap|noncetoofarinfuture|gapped[- ]nonce|nonce gap|exceeds next nonce|nonce \d+ too high/,
  ),
  line(
    'insufficient_funds',
    [...likeGeth, 'reth', 'anvil', 'nethermind'],
    'insufficient funds for gas * price + value',
    -32_000,
  ),
  line('insufficient_funds', ['erigon'], 'insufficient funds', -32_000),
  line('insufficient_funds', ['hardhat'], "Sender doesn't have enough funds to send tx", -32_000),
  line('insufficient_funds', ['besu'], 'Upfront cost exceeds account balance', -32_004),
  line(
    'insufficient_funds',
    ['others'],
    /insufficient_?(funds| balance| max ?fee ?per ?gas)|(doesn'?t have|not) enough funds|overdraws|lack of funds/,
  ),
  line('too_much_data', [...likeGeth, 'reth', 'erigon'], 'oversized data', -32_000),
  line('too_much_data', [...likeGeth, 'reth', 'besu'], 'max initcode size exceeded', -32_000),
  line('exceeds_block_gas_limit', [...likeGeth, 'reth', 'hardhat', 'besu'], 'exceeds block gas limit', -32_000),
  line('exceeds_block_gas_limit', ['geth'], 'transaction gas limit too high (cap: {}, tx: {})', -32_000),
  line(
    'exceeds_block_gas_limit',
    ['op-geth'],
    'exceeds maximum per-transaction gas limit: transaction gas {}, limit {}',
    -32_000,
  ),
  line('exceeds_block_gas_limit', ['anvil'], 'intrinsic gas too high', -32_000),
  line('exceeds_block_gas_limit', ['reth'], 'exceeds max transaction gas limit', -32_003),
  line('exceeds_block_gas_limit', ['erigon'], 'gas limit is too high', -32_000),
  line('exceeds_block_gas_limit', ['hardhat'], 'exceeds transaction gas cap of {}', -32_000),
  line('exceeds_block_gas_limit', ['nethermind'], 'gas limit reached', -32_000),
  line('exceeds_block_gas_limit', ['nethermind'], 'TxGasLimitCapExceeded: Gas limit {} exceeded cap of {}', -32_000),
  line('exceeds_block_gas_limit', ['besu'], 'Transaction gas limit cap exceeded', -32_005),
  line('gas_too_low', [...likeGeth, 'reth', 'anvil', 'nethermind'], 'intrinsic gas too low', -32_000),
  line('gas_too_low', ['geth'], 'insufficient gas for floor data gas cost: {}', -32_000),
  line('gas_too_low', ['erigon'], 'IntrinsicGas', -32_000),
  line('gas_too_low', ['hardhat'], 'Transaction requires at least {} gas but got {}', -32_000),
  line('gas_too_low', ['besu'], 'Intrinsic gas exceeds gas limit', -32_003),
  line('gas_too_low', ['others'], /gas ?limit ?(is )?too ?low/),
  line(
    'exceeds_block_gas_limit',
    ['others'],
    /gas ?limit ?(is )?(exceeded|too high|too large|too big|above|over)|exceeds (the )?(max|maximum) (transaction |tx |block )?gas|(exceeds|above|over|greater than|larger than) (the )?(max |maximum |current )?(block|transaction|tx)'?s? gas|(?<!per )\bgas (limit )?(?!price|fee).*\b(exceeds|above|greater than|more than|higher than)\b.*(block|transaction|tx|max|cap|limit|allowed)|too much gas|(block|max|maximum) gas (limit )?(exceeded|reached)/,
  ),
  line('too_much_data', ['others'], tooMuchData),
  line('pool_full', ['geth', 'op-geth', 'reth'], 'txpool is full', -32_000),
  line('pool_full', ['geth'], 'account limit exceeded', -32_000),
  line('pool_full', ['geth', 'reth'], 'in-flight transaction limit reached for delegated accounts', -32_000),
  line('pool_full', ['erigon'], '{} sub-pool is full', -32_000),
  line('pool_full', ['erigon'], 'spammer', -32_000),
  line('pool_full', ['nethermind'], 'delegation authority has pending transaction', -32_000),
  line(
    'pool_full',
    ['others'],
    /account has too many|\b(tx|mem|transaction)?_?\s?pool (is )?(full|overflow)|(account|sender)(?!.*\b(hourly|daily|weekly|monthly|plan|quota)\b).*(slots?|limit|too many) ?(is |was )?(reached|exceeded|full)?|too many (pending|queued|in-?flight|transactions|txn?s)|poolfull|toomany(transactions|pending)/,
  ),
  // A setting of the endpoint: the highest fee that it accepts for a transaction (geth: --rpc.txfeecap).
  line('fee_cap', ['geth', 'op-geth', 'erigon', 'reth'], 'tx fee ({}) exceeds the configured cap ({})', -32_000),
  line('fee_cap', ['besu'], 'Transaction fee cap exceeded', -32_000),
  line('underpriced', ['op-geth', 'reth', 'nethermind', 'erigon'], 'underpriced', -32_000),
  line('underpriced', ['geth'], 'transaction gas price below minimum: gas tip cap {}, minimum needed {}', -32_000),
  line('underpriced', ['erigon'], 'fee too low', -32_000),
  line('underpriced', ['reth'], 'transaction priority fee below minimum required priority fee {}', -32_003),
  line('underpriced', ['besu'], 'Gas price below configured minimum gas price', -32_009),
  line(
    'underpriced',
    ['others'],
    /fee ?too ?low|gas_price_too_low|gas price (is )?(too low|below minimum)|tip (cap )?(below|too low)|insufficient fee|(tip|priority|fee|price)[^.]*(below|less than|lower than|under|too low|<)|minimum (gas ?)?(tip|price|fee|priority)|min(imum)? global fee/,
  ),
];

/** The kind of request that an endpoint refuses by an error to a read; null when the error is not understood. */
export const readRefusalOf = reader(refusalLines);

/** The meaning of an error to a signed transaction; null when the error is not understood. */
export const sendRefusalOf = reader(sendLines);
