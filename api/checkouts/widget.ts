import type { Knex } from 'knex';
import { choose } from '../../db/checkouts/choose.ts';
import { type CheckoutModel, findAnyCheckout, readPlaces } from '../../db/checkouts/read.ts';
import { createContextReader } from '../../db/payments/context.ts';
import { refuseDuplicate } from '../../db/payments/writer.ts';
import type { NewPayment } from '../../db/payments/insert.ts';
import { MAX_CHOICES } from '../../domain/checkouts/checkout.ts';
import { DomainError, found, invalidRequest } from '../../domain/errors.ts';
import type { Dispatch } from '../../domain/ports/dispatch.ts';
import { startGroup } from '../../domain/ports/outbox.ts';
import { toMerchant } from '../branding/branding.ts';
import { invalidToken } from '../errors/errors.ts';
import type { WidgetCheckout } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import type { PlannedPayment } from '../payments/plan.ts';
import type { PaymentResponseDeps } from '../payments/response.ts';
import { refusalOf, untilUnchanged } from '../payments/sale.ts';
import { planChoice } from './plan.ts';

/** Milliseconds after the end of a checkout for which its token is valid, so that the buyer's page can show the outcome. */
const TOKEN_LIFE_AFTER_END_MS = 24 * 3_600_000;

interface WidgetDeps extends PaymentResponseDeps {
  readonly knex: Knex;
  readonly dispatch: Dispatch;
}

/** The refusal of an option whose payment could not be created any more. The merchant's reasons are not the buyer's. */
const unavailable = () =>
  new DomainError('option_unavailable', 'This option takes no payments any more; choose another one');

/** The payment of a choice, as it is stored. */
const toChosen = (
  { record }: PlannedPayment,
  chosen: {
    readonly checkoutId: string;
    readonly option: number;
    readonly choice: number;
    readonly isBlocked: boolean;
  },
  { externalId, requestId }: { readonly externalId: string; readonly requestId: string },
): NewPayment => ({
  record: {
    ...record,
    external_id: externalId,
    checkout_id: chosen.checkoutId,
    choice: chosen.choice,
    option_index: chosen.option,
    is_blocked: chosen.isBlocked,
    status_detail: chosen.isBlocked ? 'former_choice_open' : record.status_detail,
  },
  createsMember: false,
  audit: { actorId: null, actorNodeId: record.node_id, requestId, address: null, idempotency: null },
  answer: {},
  audited: { payment: {}, member: null },
});

/** The data that the page of a checkout shows, and the choice of the buyer. */
export const createCheckoutWidget = (deps: WidgetDeps): Pick<Handlers, 'getWidgetCheckout' | 'chooseOption'> => {
  const { knex, dispatch, widgetTokens, publicUrl } = deps;
  const readContext = createContextReader(knex);

  const read = async (id: string): Promise<CheckoutModel> => {
    const checkout = found(await findAnyCheckout(knex, id), 'checkout');
    if (checkout.terminal_at !== null && checkout.terminal_at.getTime() + TOKEN_LIFE_AFTER_END_MS <= Date.now()) {
      throw invalidToken('The access token has expired');
    }
    return checkout;
  };

  const show = async (checkout: CheckoutModel): Promise<WidgetCheckout> => {
    const { merchant, networks, former_open_until: openUntil, now } = await readPlaces(knex, checkout.id);
    const { payment } = checkout;
    return {
      id: checkout.id,
      external_id: checkout.external_id,
      status: checkout.status,
      merchant: toMerchant(merchant, publicUrl),
      options: checkout.options.map((option, index) => ({
        index,
        network_id: Number(option.eip155),
        network: { name: networks.find(({ id }) => id === option.network_id)!.name },
        currency: option.currency_symbol,
        amount: option.paid_price_units,
        decimals: option.decimals,
      })),
      items: checkout.items.map(({ name, price }) => ({ name, price })),
      option: payment?.option_index ?? null,
      payment: payment && {
        id: payment.id,
        access_token: widgetTokens.issue(payment.id),
        status: payment.status,
        status_detail: payment.status_detail,
      },
      former_open_until: openUntil?.toISOString() ?? null,
      choices_left: Math.max(MAX_CHOICES - checkout.choices, 0),
      success_url: checkout.success_url,
      cancel_url: checkout.cancel_url,
      locale: checkout.locale,
      expires_at: checkout.expires_at.toISOString(),
      server_time: now.toISOString(),
    };
  };

  const plan = async (checkout: CheckoutModel, option: number) => {
    try {
      const planned = await planChoice(checkout, option, readContext);
      return refusalOf(planned.planned) === null ? planned : null;
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  };

  /** @returns true when the choice made a payment */
  const chooseOnce = async (checkout: CheckoutModel, option: number, requestId: string) => {
    const checkoutId = checkout.id;
    const planned = await plan(checkout, option);
    const result = await choose(knex, {
      checkoutId,
      option,
      make: (choice, isBlocked) => {
        if (planned === null) throw unavailable();
        const externalId = planned.externalIdOf(choice);
        return toChosen(planned.planned, { checkoutId, option, choice, isBlocked }, { externalId, requestId });
      },
    });
    if (result === 'changed' && planned !== null) {
      const external_id = planned.externalIdOf(checkout.choices + 1);
      // Only a merchant who guesses it can have taken the external_id.
      await refuseDuplicate(knex, { ...planned.planned.record, external_id }).catch((error: unknown) => {
        throw error instanceof DomainError ? unavailable() : error;
      });
    }
    return result;
  };

  return {
    getWidgetCheckout: async ({ params }) => ({ status: 200, body: await show(await read(params.id)) }),
    chooseOption: async ({ params, body, requestId }) => {
      const { checkout, result } = await untilUnchanged('option', async () => {
        const checkout = await read(params.id);
        if (body.option >= checkout.options.length) {
          throw invalidRequest({ path: '/body/option', message: `must be less than ${checkout.options.length}` });
        }
        const result = await chooseOnce(checkout, body.option, requestId);
        return result === 'changed' ? null : { checkout, result };
      });
      if (result === 'made') {
        dispatch.now(startGroup(checkout.options[body.option]!.network_id, 'web3'));
        dispatch.now();
      }
      return { status: result === 'made' ? 201 : 200, body: await show(await read(params.id)) };
    },
  };
};
