/** Refusals by Carat's rules, each with a stable code for clients. */
import type { Permission } from './access.ts';

/** The codes of all refusals that do not depend on HTTP. */
export type ErrorCode =
  | 'invalid_request'
  | 'immutable_field'
  | 'payment_too_large'
  | 'checkout_too_large'
  | 'member_too_large'
  | 'node_not_found'
  | 'chain_not_found'
  | 'network_not_found'
  | 'currency_not_found'
  | 'wallet_not_found'
  | 'member_not_found'
  | 'payment_not_found'
  | 'checkout_not_found'
  | 'integration_not_found'
  | 'default_not_found'
  | 'webhook_not_found'
  | 'delivery_not_found'
  | 'alert_not_found'
  | 'logo_not_found'
  | 'permission_denied'
  | 'node_access_denied'
  | 'integration_exists'
  | 'too_many_integrations'
  | 'payee_not_allowed'
  | 'payout_locked_above'
  | 'payment_exists'
  | 'payment_exists_with_other_terms'
  | 'checkout_exists'
  | 'checkout_exists_with_other_terms'
  | 'member_exists'
  | 'default_exists'
  | 'webhook_exists'
  | 'too_many_webhooks'
  | 'webhook_inactive'
  | 'wallet_inactive'
  | 'wallet_deployed'
  | 'wallet_in_use'
  | 'wallet_address_taken'
  | 'network_not_prepared'
  | 'network_retired'
  | 'diamond_not_active'
  | 'deal_mode_unavailable'
  | 'payment_not_payable'
  | 'payment_not_settleable'
  | 'payment_not_cancelable'
  | 'payment_not_retryable'
  | 'checkout_not_cancelable'
  | 'checkout_not_open'
  | 'choice_being_paid'
  | 'too_many_choices'
  | 'option_unavailable'
  | 'too_many_deployments'
  | 'too_many_undelivered'
  | 'too_many_open_payments';

/** A field that breaks a rule. */
export interface FieldError {
  /** JSON pointer into the request, such as `/body/paid_price` or `/query/page`. */
  readonly path: string;
  /** The rule, as a phrase after the field's name: "must be greater than 0". */
  readonly message: string;
}

export interface DomainErrorDetails {
  readonly errors?: readonly FieldError[];
  /** Further members of the answer, such as `existing_id`. Never secrets. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** True when no earlier request can have been the same, although the parsed requests are equal. */
  readonly isUnlikeEarlier?: boolean;
  /** The refusal that callers get instead who lack the permission to read what this one names. */
  readonly without?: { readonly permission: Permission; readonly refusal: DomainError };
}

/** A refusal. The message is one sentence for developers of clients. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];
  readonly extra: Readonly<Record<string, unknown>>;
  readonly isUnlikeEarlier: boolean;
  readonly without: DomainErrorDetails['without'];

  constructor(code: ErrorCode, message: string, details: DomainErrorDetails = {}) {
    super(message);
    this.code = code;
    this.errors = details.errors ?? [];
    this.extra = details.extra ?? {};
    this.isUnlikeEarlier = details.isUnlikeEarlier ?? false;
    this.without = details.without;
  }

  /** The refusal as a caller with these permissions may see it. */
  shownTo(permissions: readonly Permission[]): DomainError {
    const { without } = this;
    return without === undefined || permissions.includes(without.permission) ? this : without.refusal;
  }
}

/** Joins the fields and their rules to one sentence. */
export const describeFields = (errors: readonly FieldError[]): string =>
  errors.map((error) => `${error.path} ${error.message}`).join('; ');

/** The refusal of a request whose fields break rules. The message names them. */
export const invalidRequest = (...errors: readonly FieldError[]): DomainError => invalidFields(errors);

/** Like `invalidRequest`, with further details. */
export const invalidFields = (errors: readonly FieldError[], details: DomainErrorDetails = {}): DomainError =>
  new DomainError('invalid_request', describeFields(errors), { ...details, errors });

/** The resources that have a `…_not_found` code. */
type ResourceName = ErrorCode extends infer Code ? (Code extends `${infer Name}_not_found` ? Name : never) : never;

/** The refusal of a resource that does not exist or is out of the caller's reach; clients cannot tell which. */
export const notFound = (what: ResourceName, message = `The ${what} does not exist`): DomainError =>
  new DomainError(`${what}_not_found`, message);

/** The same for a reference that does not fit the rest of the request: the field and its rule. */
export const notFoundAt = (what: ResourceName, reference: FieldError): DomainError =>
  new DomainError(`${what}_not_found`, describeFields([reference]), { errors: [reference] });

/** The refusal of a resource that belongs to a node out of the caller's reach. */
export const outOfReach = (what: string): DomainError =>
  new DomainError('node_access_denied', `The node of the ${what} is out of the caller's reach`);

/** The refusal of anything new on a retired network. */
export const networkRetired = (name: string): DomainError =>
  new DomainError('network_retired', `The network ${name} is retired and takes nothing new`);

/**
 * Returns the value of a lookup.
 * @param reference the field and its rule, if the rule is more than that the resource exists in the caller's reach
 * @throws DomainError `…_not_found` when it is null
 */
export const found = <Value>(value: Value | null, what: ResourceName, reference?: FieldError): Value => {
  if (value !== null) return value;
  throw reference === undefined ? notFound(what) : notFoundAt(what, reference);
};
