import type {
  TokenPermitOrNull,
  WidgetCheckout,
  WidgetPayment,
  WidgetPaymentState,
} from '../../api/generated/openapi-types.ts';

export type { WidgetCheckout, WidgetPayment, WidgetPaymentState };
export type WidgetPermit = NonNullable<TokenPermitOrNull>;
