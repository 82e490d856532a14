import { isAddress } from '../../chain/pure/address.ts';
import { invalidFields, type DomainError, type FieldError } from '../../domain/errors.ts';
import { moneyProblemText, toUnits } from '../../domain/money.ts';
import { linkProblem, localeProblem } from '../../domain/pages/links.ts';
import type { WebhookHosts } from '../../domain/webhook.ts';
import type { PaymentRequest } from '../generated/openapi-types.ts';
import { toDate } from '../request/formats.ts';
import type { Amount, RequestedAmounts } from './amounts.ts';

/** Maximum decimals of a currency. */
const MAX_DECIMALS = 36;
const MAX_METADATA_BYTES = 8_192;
const MAX_AHEAD_MS = 366 * 24 * 3_600_000;

/** The faults of the fields that a buyer's page shows. */
const pageErrors = ({ success_url, cancel_url, locale }: PaymentRequest, hosts: WebhookHosts): FieldError[] => {
  const problems = {
    success_url: success_url == null ? null : linkProblem(success_url, hosts),
    cancel_url: cancel_url == null ? null : linkProblem(cancel_url, hosts),
    locale: locale == null ? null : localeProblem(locale),
  };
  return Object.entries(problems).flatMap(([field, message]) =>
    message === null ? [] : [{ path: `/body/${field}`, message }],
  );
};

/**
 * Checks the rules that need nothing but the request.
 * @param now milliseconds since the epoch
 * @param hosts to which the page may lead the buyer
 * @returns the refusal of a request whose only fault is an expired `expires_at`, because it may repeat an earlier
 * order; null when valid
 * @throws DomainError invalid_request with every field that breaks a rule
 */
export const checkPaymentRequest = (
  body: PaymentRequest,
  amounts: RequestedAmounts,
  now: number,
  hosts: WebhookHosts,
): DomainError | null => {
  const errors: FieldError[] = [];
  const expiresAt = toDate(body.expires_at).getTime();
  // The chain counts whole seconds, so the second of the expiry must still be ahead.
  const hasPassed = Math.floor(expiresAt / 1_000) <= Math.floor(now / 1_000);
  if (hasPassed) {
    errors.push({ path: '/body/expires_at', message: 'must be in the future' });
  } else if (expiresAt > now + MAX_AHEAD_MS) {
    errors.push({ path: '/body/expires_at', message: 'must be at most 366 days ahead' });
  }
  if (body.payment_method === 'web3') {
    if (!isAddress(body.payment_address)) {
      errors.push({ path: '/body/payment_address', message: 'must be an EVM address with a valid checksum' });
    }
  }
  if (body.member != null && body.member_id != null) {
    errors.push({ path: '/body/member_id', message: 'must not be given together with member' });
  }
  if (body.member?.node_id !== undefined && body.member.node_id.toLowerCase() !== body.node_id.toLowerCase()) {
    errors.push({ path: '/body/member/node_id', message: 'must be the node_id of the payment' });
  }
  errors.push(...pageErrors(body, hosts));
  const wrongAmounts = amountErrors(amounts);
  errors.push(...wrongAmounts);
  if (Buffer.byteLength(body.metadata ?? '') > MAX_METADATA_BYTES) {
    errors.push({ path: '/body/metadata', message: `must have at most ${MAX_METADATA_BYTES} bytes in UTF-8` });
  }
  if (errors.length === 0) return null;
  // Idempotency compares parsed bodies, which have lost such digits, so an invalid amount counts as different.
  const refusal = invalidFields(errors, { isUnlikeEarlier: wrongAmounts.length > 0 });
  if (hasPassed && errors.length === 1) return refusal;
  throw refusal;
};

/** Problems of amounts in any currency. Fraction digits and the maximum are checked once the currency is known. */
const amountErrors = ({ price, paidPrice, items }: RequestedAmounts): FieldError[] => {
  const check = (field: string, amount: Amount, allowZero = false): FieldError[] => {
    const problem = toUnits(amount, MAX_DECIMALS, allowZero);
    if (typeof problem === 'bigint' || problem === 'too_large' || problem === 'too_many_fraction_digits') return [];
    return [{ path: `/body/${field}`, message: moneyProblemText(problem, MAX_DECIMALS) }];
  };
  return [
    ...check('price', price),
    ...check('paid_price', paidPrice),
    ...items.flatMap((amount, index) => check(`items/${index}/price`, amount, true)),
  ];
};
