import type { Handlers } from '../http/handler.ts';
import { createCancellation, type PaymentCommandDeps } from './cancel.ts';
import { createPaymentCreation, type PaymentCreationDeps } from './create.ts';
import { createPaymentReads } from './read.ts';
import { createRetry } from './retry.ts';
import { createSettlement } from './settle.ts';

/** All operations on payments for merchants. */
export const createPaymentHandlers = (deps: PaymentCreationDeps & PaymentCommandDeps) =>
  ({
    ...createPaymentCreation(deps),
    ...createPaymentReads(deps),
    ...createSettlement(deps),
    ...createCancellation(deps),
    ...createRetry(deps),
  }) satisfies Partial<Handlers>;
