import type { Knex } from 'knex';
import { v7 as uuidv7 } from 'uuid';
import { toStoredAddress } from '../../chain/pure/address.ts';
import { auditedTransaction, recordChange } from '../../db/audit/audited-transaction.ts';
import { refuseTwin, insertCheckout, requireCheckouts } from '../../db/checkouts/insert.ts';
import type { CheckoutRecord } from '../../db/checkouts/read.ts';
import { createContextReader } from '../../db/payments/context.ts';
import { isUniqueViolation } from '../../db/query/errors.ts';
import { changed, type AuditContext } from '../../domain/audit.ts';
import { choiceExternalId, MAX_CHOICES } from '../../domain/checkouts/checkout.ts';
import type { DomainError } from '../../domain/errors.ts';
import { toMember } from '../../domain/member.ts';
import { toDecimalText } from '../../domain/money.ts';
import type { WebhookHosts } from '../../domain/webhook.ts';
import { ApiError } from '../errors/errors.ts';
import type { Checkout, CheckoutRequest } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import { tooLarge } from '../limits/sizes.ts';
import { readOptionAmounts, type RequestedAmounts } from '../payments/amounts.ts';
import type { PlannedPayment } from '../payments/plan.ts';
import { createPaymentResponse } from '../payments/response.ts';
import { createSales, memberExcess, refusalOf } from '../payments/sale.ts';
import { checkCheckoutRequest, planCheckout } from './plan.ts';
import { auditedCheckout, createCheckoutResponse, type CheckoutResponseDeps } from './response.ts';

export interface CheckoutCreationDeps extends CheckoutResponseDeps {
  readonly knex: Knex;
  /** Maximum number of open payments of a node. */
  readonly maxOpenPayments: number;
  /** `loopback` lets the page lead the buyer to this machine without TLS. */
  readonly webhookHosts: WebhookHosts;
}

/** A valid request, which may be new or repeat an order. */
interface CheckedCheckout {
  readonly body: CheckoutRequest;
  readonly amounts: readonly RequestedAmounts[];
  /** The refusal of a new checkout whose expiry has passed; null when it is ahead. */
  readonly hasPassed: DomainError | null;
}

/** The checkout of planned payments. Its items have the same prices in each option. */
const toRecord = (body: CheckoutRequest, planned: readonly PlannedPayment[]): CheckoutRecord => {
  const { record } = planned[0]!;
  return {
    id: uuidv7(),
    node_id: record.node_id,
    external_id: body.external_id,
    payment_group: body.payment_group,
    payment_address: body.payment_address == null ? null : toStoredAddress(body.payment_address),
    metadata: record.metadata,
    member_id: record.member_id,
    success_url: record.success_url,
    cancel_url: record.cancel_url,
    locale: record.locale,
    on_chain_cancel: body.on_chain_cancel ?? false,
    items: record.items.map(({ name, price_units: units, external_id }) => ({
      name,
      price: toDecimalText(BigInt(units), record.decimals),
      external_id,
    })),
    expires_at: record.expires_at,
    expires_unix: record.expires_unix,
    status: 'open',
    choices: 0,
    cancel_requested_at: null,
    terminal_at: null,
    created_at: record.created_at,
    updated_at: record.created_at,
    options: planned.map(({ record: option }) => ({
      chain_id: option.chain_id,
      network_id: option.network_id,
      eip155: option.eip155,
      // A web3 payment has one.
      wallet_id: option.wallet_id!,
      currency_id: option.currency_id,
      currency_symbol: option.currency_symbol,
      decimals: option.decimals,
      price_units: option.price_units,
      paid_price_units: option.paid_price_units,
      payment_address: option.payment_address,
    })),
    payments: [],
    payment: null,
    member: record.member,
  };
};

/** Plans a checked checkout, and stores it with its options. */
const createUseCase = (deps: CheckoutCreationDeps) => {
  const { knex } = deps;
  const toCheckout = createCheckoutResponse(deps);
  const toPayment = createPaymentResponse(deps);
  const readContext = createContextReader(knex);
  const sell = createSales(deps);

  /** The refusal of a checkout by its size, that of its member, or any of its options. */
  const obstacleTo = (planned: readonly PlannedPayment[], checkout: Checkout): DomainError | null => {
    const { member: _member, payment: _none, ...sized } = checkout;
    const excess = tooLarge('checkout', sized) ?? memberExcess(planned[0]!);
    if (excess !== null) return excess;
    for (const option of planned) {
      const external_id = choiceExternalId(checkout, MAX_CHOICES);
      const { member: _buyer, ...payment } = toPayment({ ...option.record, external_id, checkout_id: checkout.id });
      const obstacle =
        tooLarge('payment', {
          ...payment,
          // A choice makes a new one.
          deal_id: Number.MAX_SAFE_INTEGER,
          status_detail: 'former_choice_open',
        }) ?? refusalOf(option, 'The wallet of an option');
      if (obstacle !== null) return obstacle;
    }
    return null;
  };

  /** @returns false when rows that it was checked against have changed, or the external_id is taken */
  const store = async (record: CheckoutRecord, createsMember: boolean, checkout: Checkout, audit: AuditContext) => {
    try {
      await auditedTransaction(knex, audit, async (trx) => {
        if (!(await requireCheckouts(trx)))
          throw new ApiError(
            'unavailable',
            'A process of an older version of this service still runs; try again later',
            {
              headers: { 'Retry-After': '60' },
            },
          );
        if (!(await insertCheckout(trx, { record, createsMember }))) throw new Taken();
        if (createsMember) await recordChange(trx, audit, changed('member.created', null, toMember(record.member!)));
        const answer = { status: 201 as const, body: checkout };
        return { answer, change: changed('checkout.created', null, auditedCheckout(checkout)) };
      });
      return true;
    } catch (error) {
      if (error instanceof Taken || isUniqueViolation(error, 'members_external_id')) return false;
      throw error;
    }
  };

  return async (
    { body, amounts, hasPassed }: CheckedCheckout,
    scopeId: string,
    audit: AuditContext,
  ): Promise<Checkout> => {
    const { checkout } = await sell({
      what: 'order',
      hasPassed,
      plan: async () => {
        const planned = await planCheckout(body, amounts, { scopeId, readContext });
        const record = toRecord(body, planned);
        return { planned, record, checkout: toCheckout(record) };
      },
      obstacleTo: ({ planned, checkout: answer }) => obstacleTo(planned, answer),
      refuseRepeated: ({ record }) => refuseTwin(knex, record),
      store: async ({ planned, record, checkout: answer }) => {
        const isStored = await store(record, planned[0]!.createsMember, answer, audit);
        if (!isStored) await refuseTwin(knex, record);
        return isStored;
      },
    });
    return checkout;
  };
};

/** The external_id is taken: rolls the transaction back. */
class Taken extends Error {}

/** `POST /api/v1/checkouts`. */
export const createCheckoutCreation = (deps: CheckoutCreationDeps): Pick<Handlers, 'createCheckout'> => {
  const create = createUseCase(deps);
  return {
    createCheckout: async ({ body, bytes, caller, audit }) => {
      const amounts = readOptionAmounts(body, bytes);
      const hasPassed = checkCheckoutRequest(body, amounts, { now: Date.now(), hosts: deps.webhookHosts });
      return { status: 201, body: await create({ body, amounts, hasPassed }, caller.nodeId, audit) };
    },
  };
};
