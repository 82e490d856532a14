/** An amount in a text: a number, in hex or with separators, and its unit. An address is none. */
const amountPattern = /(?<![\w.])(0x[0-9a-f]{1,32}(?![0-9a-f])|\d[\d,_]*(?:\.\d+)?(?:e\d+)?) ?(gwei|ki?b|mi?b)?/gi;
const units: Readonly<Record<string, number>> = { gwei: 1e9, kb: 1e3, kib: 1024, mb: 1e6, mib: 1024 ** 2 };

/** Numbers in a message that are no amounts: places, dates, versions, codes, identifiers and durations. */
const noAmounts: readonly RegExp[] = [
  /<url>|\b[a-z][a-z0-9+.-]*:\/\/\S+/gi,
  /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi,
  /\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?/g,
  /\b\d\d:\d\d:\d\d(\.\d+)?/g,
  /\b\d+(\.\d+){2,}(-[\w.]+)?(:\d+)?|\[[0-9a-f:]*::?[0-9a-f:]*\](:\d+)?/gi,
  /\b(localhost|[a-z][\w-]*(\.[\w-]+)+):\d{2,5}\b/gi,
  /(?<![\w.])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}\b/gi,
  /(?<=^|[\s([{:=,"'])-\d+/g,
  /(\b(request|req|trace|span|session|correlation|error|ref(erence)?|ray|log|event|chain|user|project|app|client|peer|shard)([ _-]?(id|no|number))?|\b(id|code|status|http|nonce|slot|epoch|height|time(stamp)?|version|port|attempt|retry|index|line)|\bblock([ _-]?(number|height|no\.?))?|#)["']?\s*(is\b|[:=#(["'])*\s*(["'#]\s*)?(0x[0-9a-f]{1,32}|\d[\d_]*(\.\d+)?)\b/gi,
  /\b(trace|span|hash|txn?|transaction|address|account|sender|from)["']?\s*[:=#(]*\s*0x[0-9a-f]{1,32}\b(…|\.{2,3})?/gi,
  /\b(geth|bor|besu|reth|erigon|nethermind|nitro|anvil|hardhat)[ /]v?\d+(\.\d+)*/gi,
  /\b\d+(\.\d+)? ?(ms|s|m|h|secs?|seconds?|mins?|minutes?|hours?|days?|blocks?|requests?|retries|times|attempts?)\b/gi,
];

/** Blanks out what is no amount. */
const amountsOnly = (message: string): string =>
  noAmounts.reduce((text, pattern) => text.replace(pattern, (found) => ' '.repeat(found.length)), message);

interface NamedAmount {
  readonly amount: bigint;
  /** The words before it, back to the amount before. */
  readonly label: string;
}

/** The amounts in a message, in wei, gas or bytes. A unit that is named once, before them, counts for amounts too small to be in wei. */
export const amountsIn = (message: string): NamedAmount[] => {
  const isInGwei = /gwei/i.test(message);
  let end = 0;
  const only = amountsOnly(message);
  return [...only.matchAll(amountPattern)].flatMap((found) => {
    const [text, digits, unit] = found as unknown as [string, string, string | undefined];
    const label = only.slice(end, found.index);
    end = found.index + text.length;
    // The zero before an address.
    if (/^x/i.test(only.slice(end))) return [];
    const number = Math.min(Number(digits.replace(/[,_]/g, '')), Number.MAX_VALUE / 1e10);
    const scale = units[unit?.toLowerCase() ?? (isInGwei && number < 1e6 ? 'gwei' : '')] ?? 1;
    const isExact = scale === 1 && /^(0x[0-9a-f]+|[\d,_]+)$/i.test(digits);
    return [{ label, amount: isExact ? BigInt(digits.replace(/[,_]/g, '')) : BigInt(Math.ceil(number * scale)) }];
  });
};

/** The highest amount; null for none. */
export const highest = (amounts: readonly NamedAmount[]): bigint | null =>
  amounts.reduce<bigint | null>((most, { amount }) => (most === null || amount > most ? amount : most), null);

/** Words before the amount that a transaction needs, and those before the most that it may have. */
const needs = /min|need|require|want|at least|expect|cost|base ?fee|global|[<≥]/i;
const allows = /max|limit|cap\b|allow|most|up to|below|exceed|>/i;

/** The base fee comes next. */
const baseFeeLabel = /base ?fee[a-z :=]*$/i;

/** The fees that a rejection names, in wei; null for those that it does not name. */
export interface NamedFees {
  readonly tip: bigint | null;
  /** For the tip and the base fee together. */
  readonly price: bigint | null;
  /** The highest fee that the transaction must allow for. */
  readonly cap: bigint | null;
  readonly baseFee: bigint | null;
}

/**
 * The fees that a rejection of a transaction names as needed. Of several amounts the highest one counts that words such as "minimum"
 * precede, or the highest of all.
 * @param gasLimit of the transaction, because some chains name what all of its gas must cost
 */
export const namedFees = (message: string, gasLimit: bigint): NamedFees => {
  const none = { tip: null, price: null, cap: null, baseFee: null };
  const [ofBlock, others] = [true, false].map((isIt) =>
    amountsIn(message).filter(({ label }) => baseFeeLabel.test(label) === isIt),
  ) as [NamedAmount[], NamedAmount[]];
  const baseFee = highest(ofBlock);
  const most = highest(others.filter(({ label }) => needs.test(label))) ?? (baseFee === null ? highest(others) : null);
  if (most === null) return { ...none, baseFee };
  const percent = BigInt(/(\d{1,4}) ?%/.exec(message)?.[1] ?? 0);
  const named = (most * (100n + percent) + 99n) / 100n;
  if (/insufficient fee|global ?fee|required fee|fees? provided/i.test(message))
    return { ...none, price: (named + gasLimit - 1n) / gasLimit };
  if (/tip|priority/i.test(message)) return { ...none, baseFee, tip: named };
  return /fee ?cap|max ?fee/i.test(message) ? { ...none, baseFee, cap: named } : { ...none, baseFee, price: named };
};

/**
 * The most that a rejection of a transaction allows, such as gas or bytes: the highest amount below that of the transaction, of those that
 * words such as "limit" precede, or of all. Null when it names none.
 */
export const namedLimit = (message: string, own: bigint, least: bigint): bigint | null => {
  const lower = amountsIn(message).filter(({ amount }) => amount < own && amount >= least);
  return highest(lower.filter(({ label }) => allows.test(label))) ?? highest(lower);
};

/** The least that a rejection of a transaction demands beyond its own, such as gas or funds; null when it names none. */
export const namedNeed = (message: string, own: bigint): bigint | null => {
  const higher = amountsIn(message).filter(({ amount }) => amount > own);
  return highest(higher.filter(({ label }) => needs.test(label))) ?? highest(higher);
};
