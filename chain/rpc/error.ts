import type { NetworkTrouble } from '../../domain/payment.ts';
import { safeText } from '../../domain/tools/safe-text.ts';

/**
 * Why a JSON-RPC request has no result. `rejected` is the endpoint's own answer; with all others it is unknown whether it
 * took the request.
 */
export type RpcErrorKind =
  'rejected' | 'timeout' | 'unreachable' | 'overloaded' | 'malformed' | 'inconsistent' | 'wrong_chain' | 'aborted';

interface RpcErrorDetails {
  /** Which method was rejected. */
  readonly method?: string;
  /** JSON-RPC error code of a rejection. */
  readonly code?: number;
  /** Revert data or what else was sent along. */
  readonly data?: unknown;
}

const MAX_TEXT = 300;

/** "Slow down", as providers say it in an ordinary JSON-RPC error. */
const overload = /\brate\b|ratelimit|too many requests|request (limit|count)|requests? per|capacity exceeded/i;
/** What a provider does not give at once: so many logs, or logs of so many blocks. */
const tooMuch =
  /(more than|at most|up to a?|limited to|max(imum)?( of)?) ?[\d,]+|too (many|large|wide|big)|range|response size|exceeds?|limit/i;

/** True for an error by which the endpoint asks for a pause. */
export const isOverload = (code: number | null, message: string): boolean =>
  code === 429 || overload.test(message) || (code === -32_005 && !tooMuch.test(message));

/** A JSON-RPC request that has no result. Its message never holds a URL or parameters. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly kind: RpcErrorKind;
  readonly method: string | null;
  readonly code: number | null;
  readonly data: unknown;

  constructor(kind: RpcErrorKind, message: string, details: RpcErrorDetails = {}) {
    super(safeText(message, MAX_TEXT));
    this.kind = kind;
    this.method = details.method ?? null;
    this.code = details.code ?? null;
    this.data = details.data ?? null;
  }

  /** True when another endpoint, or the same one later, may answer. */
  get transient(): boolean {
    return this.kind !== 'rejected' && this.kind !== 'aborted';
  }

  /** How those that wait for what failed by this say so: an endpoint that answers and refuses is there. */
  get waiting(): NetworkTrouble {
    return this.kind === 'rejected' && this.revertData === null ? 'endpoint_refuses' : 'network_unreachable';
  }

  /** True for a rejection of a question about logs that has to be asked in smaller parts, whatever its code. */
  get isTooMuch(): boolean {
    return this.kind === 'rejected' && (this.code === -32_005 || tooMuch.test(this.message));
  }

  /** Revert data of a rejected `eth_call` or `eth_estimateGas`, 0x-prefixed hex, or null when it was no revert. */
  get revertData(): string | null {
    if (this.kind !== 'rejected') return null;
    const { data } = this;
    const found = typeof data === 'string' ? data : (data as { data?: unknown } | null)?.data;
    if (typeof found === 'string') return /0x[0-9a-fA-F]*/.exec(found)?.[0] ?? '0x';
    return this.code === 3 || /revert/i.test(this.message) ? '0x' : null;
  }
}
