import type { Handlers } from '../http/handler.ts';
import type { PaymentCommandDeps } from '../payments/cancel.ts';
import { createCheckoutCancellation } from './cancel.ts';
import { createCheckoutCreation, type CheckoutCreationDeps } from './create.ts';
import { createCheckoutReads } from './read.ts';
import { createCheckoutWidget } from './widget.ts';

/** All operations on checkouts, for merchants and for buyers' pages. */
export const createCheckoutHandlers = (deps: CheckoutCreationDeps & PaymentCommandDeps) =>
  ({
    ...createCheckoutCreation(deps),
    ...createCheckoutReads(deps),
    ...createCheckoutCancellation(deps),
    ...createCheckoutWidget(deps),
  }) satisfies Partial<Handlers>;
