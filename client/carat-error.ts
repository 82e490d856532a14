/** One field or parameter that broke a rule. */
export interface CaratFieldError {
  /** JSON pointer below the request, such as `/body/paid_price`. */
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
 * What every method of the client throws when there is no good answer: a refusal of the API (docs/errors.md lists them),
 * or no answer at all.
 */
export class CaratError extends Error {
  override readonly name = 'CaratError';
  /** Of the answer; 0 when none arrived. */
  readonly status: number;
  /**
   * Stable, for programs: a code of the API; `no_answer` when none arrived however often it was asked for, so that it is
   * not known whether the request was carried out; `unexpected_answer` for one that is not the API's, such as a proxy's.
   */
  readonly code: string;
  /** Every field or parameter that broke a rule. */
  readonly errors: readonly CaratFieldError[];
  /** Finds the request in the service's log. */
  readonly requestId: string | null;
  /** The whole answer, as an object where it was JSON: `existing_id` is in here. */
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

/** The error of an answer that is none of success: problem+json, or the form of RFC 6749 section 5.2. */
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
