import type { WidgetPayment as Payment, WidgetPaymentState } from '../../api/generated/openapi-types.ts';

export type { WidgetPaymentState };
export interface WidgetPermit {
  readonly typed_data: { readonly message: Readonly<Record<string, string>> } & Readonly<Record<string, unknown>>;
  readonly data: string;
}
export type WidgetPayment = Payment & { readonly permit: WidgetPermit | null };
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
