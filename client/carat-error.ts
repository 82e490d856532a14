/** One field or parameter that broke a rule. */
export interface CaratFieldError {
  /** JSON pointer into the request, such as `/body/paid_price`. */
  readonly path: string;
  readonly message: string;
}

export interface CaratErrorDetails {
  readonly status: number;
  readonly code: string;
  readonly errors?: readonly CaratFieldError[];
  readonly requestId?: string | null;
  readonly body?: unknown;
  readonly cause?: unknown;
}

/**
 * Thrown by every method of the client for a refusal of the API (docs/errors.md lists them), an unexpected answer, or
 * none.
 */
export class CaratError extends Error {
  override readonly name = 'CaratError';
  /** Status of the answer; 0 when none arrived. */
  readonly status: number;
  /**
   * A stable code for programs: a code of the API; `no_answer` when no attempt got an answer, so that the outcome is
   * unknown; or `unexpected_answer` for an answer of something else, such as a proxy.
   */
  readonly code: string;
  /** Every field or parameter that broke a rule. */
  readonly errors: readonly CaratFieldError[];
  /** Identifies the request in the service's log. */
  readonly requestId: string | null;
  /** The whole answer, parsed if it was JSON; it holds `existing_id`, for example. */
  readonly body: unknown;

  constructor(message: string, { status, code, errors = [], requestId = null, body, cause }: CaratErrorDetails) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.requestId = requestId;
    this.body = body;
  }
}

interface Refusal {
  readonly code?: unknown;
  readonly detail?: unknown;
  readonly error_description?: unknown;
  readonly errors?: unknown;
  readonly request_id?: unknown;
}

/** Converts an unsuccessful answer, in problem+json or in the form of RFC 6749 section 5.2. */
export const toCaratError = (status: number, headers: Headers, body: unknown): CaratError => {
  const { code, detail, error_description, errors, request_id } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as Refusal;
  const text = [detail, error_description].find((value) => typeof value === 'string');
  return new CaratError(typeof text === 'string' ? text : `The answer has the status ${status}`, {
    status,
    code: typeof code === 'string' ? code : 'unexpected_answer',
    errors: Array.isArray(errors) ? (errors as CaratFieldError[]) : [],
    requestId: typeof request_id === 'string' ? request_id : headers.get('x-request-id'),
    body,
  });
};
