import type { WidgetPayment, WidgetPaymentState, TokenPermitOrNull } from '../../api/generated/openapi-types.ts';

export type { WidgetPayment, WidgetPaymentState };
export type WidgetPermit = NonNullable<TokenPermitOrNull>;
export interface WidgetCheckout {
  readonly status: 'open' | 'chosen' | 'completed' | 'expired' | 'canceled';
  readonly merchant: WidgetPaymentState['merchant'];
  readonly items: WidgetPaymentState['items'];
  readonly options: readonly Pick<WidgetPaymentState, 'amount' | 'decimals' | 'currency' | 'network'>[];
  readonly payment: { readonly id: string; readonly access_token: string } | null;
  readonly choices_left: number;
  readonly former_open_until: string | null;
  readonly success_url: string | null;
  readonly cancel_url: string | null;
  readonly locale: string | null;
}
