import type { NetworkTrouble } from '../../domain/payment.ts';
import { safeText } from '../../domain/tools/safe-text.ts';
import { refusalOf, type Refusal } from './refusals.ts';

/**
 * Why a JSON-RPC request has no result. `rejected` is the endpoint's own answer to it, `denied` its answer to everything: it does not
 * know the key, or wants to be paid. With all others it is unknown whether it took the request.
 */
export type RpcErrorKind =
  | 'rejected'
  | 'denied'
  | 'timeout'
  | 'unreachable'
  | 'overloaded'
  | 'malformed'
  | 'inconsistent'
  | 'wrong_chain'
  | 'aborted';

interface RpcErrorDetails {
  /** Which method was rejected. */
  readonly method?: string;
  /** JSON-RPC error code of a rejection. */
  readonly code?: number;
  /** Revert data or what else was sent along. */
  readonly data?: unknown;
}

const MAX_TEXT = 300;

/** Revert data as clients put it: hex alone, or behind a word (`Reverted 0x…`). Other texts are explanations. */
const revertText = /^(?:\w+ )?(0x[0-9a-f]*)$/i;

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
    return this.refuses ? 'endpoint_refuses' : 'network_unreachable';
  }

  /** True when the endpoint has answered that it does not do it; a revert is what a contract says. */
  get refuses(): boolean {
    return this.kind === 'denied' || (this.kind === 'rejected' && this.revertData === null);
  }

  /** What the endpoint refuses; null where it refuses nothing, or what it says is not understood. */
  get refusal(): Refusal | null {
    if (this.kind === 'denied') return 'access';
    return this.refuses ? refusalOf(this.code, this.message) : null;
  }

  /** True for a rejection of a question about logs that has to be asked in smaller parts. */
  get isTooMuch(): boolean {
    return this.refusal === 'logs';
  }

  /** Revert data of a rejected `eth_call` or `eth_estimateGas`, 0x-prefixed hex, or null when it was no revert. */
  get revertData(): string | null {
    if (this.kind !== 'rejected') return null;
    const { data } = this;
    const found = typeof data === 'string' ? data : (data as { data?: unknown } | null)?.data;
    const hex = typeof found === 'string' ? revertText.exec(found)?.[1] : undefined;
    const says = typeof found === 'string' ? `${this.message} ${found}` : this.message;
    return hex ?? (this.code === 3 || /revert/i.test(says) ? '0x' : null);
  }
}
