import type { createContextReader, PaymentContext } from '../../db/payments/context.ts';
import type { CheckoutRecord } from '../../db/checkouts/read.ts';
import type { MemberRecord } from '../../db/payments/read.ts';
import { checksum } from '../../chain/pure/address.ts';
import { ZERO_ADDRESS } from '../../domain/deal.ts';
import { choiceExternalId } from '../../domain/checkouts/checkout.ts';
import { DomainError, invalidFields, invalidRequest, type FieldError } from '../../domain/errors.ts';
import { readDigits, toDecimalText } from '../../domain/money.ts';
import type { WebhookHosts } from '../../domain/webhook.ts';
import type { CheckoutRequest, PaymentRequest } from '../generated/openapi-types.ts';
import type { RequestedAmounts } from '../payments/amounts.ts';
import { checkPaymentRequest } from '../payments/check.ts';
import { planPayment, referencesOf, type PlannedPayment } from '../payments/plan.ts';

type ReadContext = ReturnType<typeof createContextReader>;

/** The payment that an option of a request would make. */
const bodyOf = (
  { options, on_chain_cancel: _cancel, ...checkout }: CheckoutRequest,
  index: number,
  payee: string,
): PaymentRequest => {
  const option = options[index]!;
  const price = option.price ?? option.paid_price;
  return { ...checkout, ...option, price, payment_method: 'web3', payment_address: payee };
};

/** The fields that belong to an option, in the paths of errors. */
const ofOption = /^\/body\/(network_id|currency_id|wallet_id|price|paid_price|chain_id)(?=\/|$)/;

const atOption =
  (index: number) =>
  (error: FieldError): FieldError => ({ ...error, path: error.path.replace(ofOption, `/body/options/${index}/$1`) });

/** The references of an option, by the codes of their refusals. A wallet is missing where there is no default. */
const referencesByCode: Readonly<Record<string, string>> = {
  network_not_found: '/network_id',
  currency_not_found: '/currency_id',
  wallet_not_found: '',
};

/** The same refusal with the paths of the checkout. */
const refusalAt = (checkout: CheckoutRequest, index: number, error: DomainError): DomainError => {
  const isGiven = ({ path }: FieldError): boolean => path !== '/body/price' || checkout.options[index]!.price != null;
  const errors = error.errors.filter(isGiven).map(atOption(index));
  if (error.code === 'invalid_request') return invalidFields(errors, { isUnlikeEarlier: error.isUnlikeEarlier });
  const field = referencesByCode[error.code];
  if (errors.length === 0 && field !== undefined)
    errors.push({ path: `/body/options/${index}${field}`, message: 'must exist in reach' });
  const { without } = error;
  const hidden = without && { ...without, refusal: refusalAt(checkout, index, without.refusal) };
  return new DomainError(error.code, error.message, { errors, extra: error.extra, without: hidden });
};

/** Runs a check of each option, and gathers the fields that break rules. */
const ofEach = <Result>(checkout: CheckoutRequest, check: (index: number) => Result): Result[] => {
  const broken = new Map<string, FieldError>();
  let isUnlikeEarlier = false;
  const results = checkout.options.flatMap((_, index): Result[] => {
    try {
      return [check(index)];
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const refusal = refusalAt(checkout, index, error);
      if (refusal.code !== 'invalid_request') throw refusal;
      isUnlikeEarlier ||= refusal.isUnlikeEarlier;
      // The fields of the checkout break the same rules for each option.
      for (const one of refusal.errors) broken.set(`${one.path} ${one.message}`, one);
      return [];
    }
  });
  if (broken.size > 0) throw invalidFields([...broken.values()], { isUnlikeEarlier });
  return results;
};

/**
 * Checks the rules that need nothing but the request.
 * @param hosts to which the page may lead the buyer
 * @returns the refusal of a request whose only fault is an expiry that has passed; null when valid
 */
export const checkCheckoutRequest = (
  checkout: CheckoutRequest,
  amounts: readonly RequestedAmounts[],
  { now, hosts }: { readonly now: number; readonly hosts: WebhookHosts },
): DomainError | null => {
  // A payee that the lock gives is checked with the lock.
  const payee = checkout.payment_address ?? checksum(ZERO_ADDRESS);
  return (
    ofEach(checkout, (index) => checkPaymentRequest(bodyOf(checkout, index, payee), amounts[index]!, now, hosts)).find(
      (refusal) => refusal !== null,
    ) ?? null
  );
};

/** Two options that the buyer cannot tell apart are a mistake: choosing one after the other costs a cancel. */
const refuseTwins = (planned: readonly PlannedPayment[]): void => {
  const seen = new Map<string, number>();
  const errors = planned.flatMap(({ record }, index): FieldError[] => {
    const key = [record.wallet_id, record.network_id, record.currency_id, record.paid_price_units].join();
    const twin = seen.get(key);
    seen.set(key, index);
    return twin === undefined ? [] : [{ path: `/body/options/${index}`, message: `must differ from option ${twin}` }];
  });
  if (errors.length > 0) throw invalidRequest(...errors);
};

/** Plans the payment of each option, as the creation of the checkout checks them. */
export const planCheckout = async (
  checkout: CheckoutRequest,
  amounts: readonly RequestedAmounts[],
  { scopeId, readContext }: { readonly scopeId: string; readonly readContext: ReadContext },
): Promise<PlannedPayment[]> => {
  const given = checkout.payment_address ?? null;
  const contexts: PaymentContext[] = [];
  // One after another: limits on connections count requests.
  for (const [index] of checkout.options.entries())
    contexts.push(await readContext(referencesOf(bodyOf(checkout, index, given ?? checksum(ZERO_ADDRESS)), scopeId)));
  const planned = ofEach(checkout, (index) => {
    const context = contexts[index]!;
    const payee = given ?? (context.lockedPayee === null ? null : checksum(context.lockedPayee));
    if (payee === null && context.nodeId !== null && context.network !== null) {
      throw invalidRequest({
        path: '/body/payment_address',
        message: 'is required, because no payout lock decides for every option',
      });
    }
    return planPayment(bodyOf(checkout, index, payee ?? checksum(ZERO_ADDRESS)), amounts[index]!, context);
  });
  refuseTwins(planned);
  return planned;
};

const toAmount = (units: string, decimals: number) => readDigits(toDecimalText(BigInt(units), decimals));

/**
 * Plans the payment of a stored checkout's option anew, as the present rows want it. A member that is deleted meanwhile is left out.
 * @throws DomainError where the option cannot be paid any more
 */
export const planChoice = async (
  checkout: CheckoutRecord,
  index: number,
  readContext: ReadContext,
): Promise<{ readonly planned: PlannedPayment; readonly externalIdOf: (choice: number) => string }> => {
  const option = checkout.options[index]!;
  const amounts: RequestedAmounts = {
    price: toAmount(option.price_units, option.decimals),
    paidPrice: toAmount(option.paid_price_units, option.decimals),
    items: checkout.items.map(({ price }) => readDigits(price)),
  };
  const body = (payee: string, member: MemberRecord | null): PaymentRequest => ({
    external_id: checkout.external_id,
    node_id: checkout.node_id,
    network_id: option.network_id,
    currency_id: option.currency_id,
    wallet_id: option.wallet_id,
    price: 1,
    paid_price: 1,
    payment_method: 'web3',
    payment_group: checkout.payment_group,
    payment_address: checksum(payee),
    items: checkout.items.map(({ name, external_id }) => ({ name, price: 1, external_id })),
    metadata: checkout.metadata,
    member_id: member?.id ?? null,
    expires_at: checkout.expires_at.toISOString(),
    success_url: checkout.success_url,
    cancel_url: checkout.cancel_url,
    locale: checkout.locale,
  });
  const asked = checkout.payment_address ?? option.payment_address;
  const context = await readContext(referencesOf(body(asked, checkout.member), checkout.node_id));
  const payee = checkout.payment_address ?? context.lockedPayee ?? option.payment_address;
  return {
    planned: planPayment(body(payee, context.member), amounts, context),
    externalIdOf: (choice) => choiceExternalId(checkout, choice),
  };
};
