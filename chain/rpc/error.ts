import type { NetworkTrouble } from '../../domain/payment.ts';
import { safeText } from '../../domain/tools/safe-text.ts';
import { readRefusalOf, type ReadRefusal } from './refusals.ts';

/**
 * Why a JSON-RPC request has no result. With `rejected` the endpoint refuses this request, with `denied` every request,
 * because it does not know the key or demands payment. With all others it is unknown whether it accepted the request.
 * `malformed` is no JSON-RPC, and `nonsense` no result of this method. A `lie` is a well-formed result that contradicts the request.
 */
export type RpcErrorKind =
  | 'rejected'
  | 'denied'
  | 'timeout'
  | 'unreachable'
  | 'overloaded'
  | 'malformed'
  | 'nonsense'
  | 'lie'
  | 'inconsistent'
  | 'wrong_chain'
  | 'aborted';

interface RpcErrorDetails {
  readonly method?: string;
  /** JSON-RPC error code of a rejection. */
  readonly code?: number;
  /** The `data` of the JSON-RPC error, such as revert data. */
  readonly data?: unknown;
}

const MAX_TEXT = 300;

/** Revert data as clients write it: hex alone, or after a word (`Reverted 0x…`). Other texts are explanations. */
const revertText = /^(?:\w+ )?(0x[0-9a-f]*)$/i;

/** The words of clients for an instruction of a contract that fails. */
const failingInstruction =
  /(invalid|bad|undefined|unknown) ?(op ?code|instruction|jump|fe ?opcode)|opcode \S+ not defined|op ?code ?not ?found|stack ?(under|over)flow|stack limit reached|write ?protection|static ?(mode|call|state) ?(violation|change)|state ?change ?during ?static|return ?data ?out ?of ?bounds|out ?of ?offset|gas uint64 overflow|max(imum)? call depth|\be?vm (execution )?(error|exception)/i;
const outOfGas = /out ?of ?gas/i;

/** A JSON-RPC request without a result. The message never contains a URL or parameters. */
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

  /** True when another endpoint, or the same one later, may grant the request. */
  get transient(): boolean {
    return this.kind !== 'rejected' && this.kind !== 'aborted';
  }

  /** The waiting reason of work that this error holds up: an endpoint that refuses is reachable. */
  get waiting(): NetworkTrouble {
    return this.refuses ? 'endpoint_refuses' : 'network_unreachable';
  }

  /** True when the endpoint refuses the request; a revert comes from a contract and is no refusal. */
  get refuses(): boolean {
    return this.kind === 'denied' || (this.kind === 'rejected' && this.revertData === null);
  }

  /** The kind of request that the endpoint refuses; null when it refuses nothing, or its words are unknown. */
  get refusal(): ReadRefusal | null {
    if (this.kind === 'denied') return 'access';
    return this.refuses ? readRefusalOf(this.code, this.message) : null;
  }

  /** True when a request for logs is rejected as too large and must be split. */
  get isTooMuch(): boolean {
    return this.refusal === 'logs';
  }

  /** True when a contract ran out of gas within a call. An estimate that says so may have had too little gas for a start. */
  get ranOut(): boolean {
    return this.revertData === '0x' && outOfGas.test(this.words);
  }

  /**
   * Revert data of a rejected `eth_call` or `eth_estimateGas`, 0x-prefixed hex, or null when it was no revert. A contract that fails without
   * such data has reverted as well.
   */
  get revertData(): string | null {
    if (this.kind !== 'rejected') return null;
    const found = this.explanation;
    const hex = found === null ? undefined : revertText.exec(found)?.[1];
    return hex ?? (this.code === 3 || /revert/i.test(this.words) || this.isOfInstruction ? '0x' : null);
  }

  private get explanation(): string | null {
    const { data } = this;
    const found = typeof data === 'string' ? data : (data as { data?: unknown } | null)?.data;
    return typeof found === 'string' ? found : null;
  }

  private get words(): string {
    return `${this.message} ${this.explanation ?? ''}`;
  }

  private get isOfInstruction(): boolean {
    const isOfCall = this.method === null || this.method === 'eth_call' || this.method === 'eth_estimateGas';
    const isEstimate = this.method === 'eth_estimateGas' && outOfGas.test(this.words);
    return isOfCall && !isEstimate && failingInstruction.test(this.words);
  }
}
