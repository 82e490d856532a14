/** A buyer's wallet, as EIP-1193 describes it. */
export interface Provider {
  request(call: { readonly method: string; readonly params?: unknown }): Promise<unknown>;
  on?(event: string, listener: (value: unknown) => void): unknown;
  removeListener?(event: string, listener: (value: unknown) => void): unknown;
}

/** Reasons why a wallet refuses a request. */
export type Fault =
  | 'rejected'
  | 'locked'
  | 'unsupported'
  | 'wallet_offline'
  | 'busy'
  | 'unknown_network'
  | 'no_answer'
  | 'unknown_batch'
  | 'wallet_failed';

/** Codes of EIP-1193, EIP-1474, EIP-3085 and EIP-5792. */
const faults: Readonly<Record<number, Fault>> = {
  4001: 'rejected',
  4100: 'locked',
  4200: 'unsupported',
  [-32601]: 'unsupported',
  [-32004]: 'unsupported',
  5700: 'unsupported',
  5710: 'unsupported',
  5750: 'rejected',
  5760: 'unsupported',
  4900: 'wallet_offline',
  4901: 'wallet_offline',
  4902: 'unknown_network',
  5730: 'unknown_batch',
  [-32002]: 'busy',
};

/** A wallet's refusal or silence. */
export class WalletError extends Error {
  readonly fault: Fault;
  /** ABI-encoded reason of a revert, 0x-prefixed hex, `0x` without one; null where nothing reverted. */
  readonly revert: string | null;

  constructor(fault: Fault, revert: string | null = null) {
    super(fault);
    this.fault = fault;
    this.revert = revert;
  }
}

/** How deep wallets wrap the errors of others. */
const MAX_DEPTH = 5;

/** The error and the errors that it wraps, outermost first. */
const layersOf = (error: unknown, depth = 0): Record<string, unknown>[] => {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return [];
  const layer = error as Record<string, unknown>;
  return [
    layer,
    ...[layer.data, layer.error, layer.cause, layer.originalError].flatMap((inner) => layersOf(inner, depth + 1)),
  ];
};

/** Revert data as clients write it: hex alone, or after a word (`Reverted 0x…`). */
const revertPattern = /^(?:\w+ )?(0x[0-9a-f]{8,})$/i;

/** The reason of a revert; `0x` where a layer only says that a contract reverted, or ran into an instruction that stands for that. */
const revertIn = (layers: readonly Record<string, unknown>[]): string | null => {
  const reasons = layers.flatMap(({ data }) => revertPattern.exec(String(data))?.[1] ?? []);
  const tells = layers.some(
    ({ code, message, data }) => code === 3 || /revert|invalid opcode/i.test(`${String(message)} ${String(data)}`),
  );
  return reasons[0]?.toLowerCase() ?? (tells ? '0x' : null);
};

/** The fault of an error that a wallet threw. Wallets wrap errors, and some say a rejection only in words. */
export const toWalletError = (error: unknown): WalletError => {
  if (error instanceof WalletError) return error;
  const layers = layersOf(error);
  const known = layers.map(({ code }) => faults[Number(code)]).filter((fault) => fault !== undefined);
  const isRejected = layers.some(
    ({ code, message }) => code === 'ACTION_REJECTED' || /user (rejected|denied|cancell?ed)/i.test(String(message)),
  );
  const fault = known.at(-1) ?? (isRejected ? 'rejected' : 'wallet_failed');
  return new WalletError(fault, revertIn(layers));
};

/**
 * Asks the wallet for something that its owner decides, however long that takes.
 * @throws WalletError
 */
export const ask = async (provider: Provider, method: string, params?: unknown): Promise<unknown> => {
  try {
    return await provider.request(params === undefined ? { method } : { method, params });
  } catch (error) {
    throw toWalletError(error);
  }
};

/** Milliseconds for a wallet to read something from its network. */
const READ_TIMEOUT_MS = 15_000;

/**
 * Reads something through the wallet, without its owner.
 * @throws WalletError, `no_answer` after 15 seconds
 */
export const read = (provider: Provider, method: string, params?: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new WalletError('no_answer')), READ_TIMEOUT_MS);
    ask(provider, method, params)
      .then(resolve, (error: WalletError) =>
        // Nothing that is read needs its owner: the wallet's endpoint is busy.
        reject(error.fault === 'busy' ? new WalletError('wallet_offline') : error),
      )
      .finally(() => clearTimeout(late));
  });
