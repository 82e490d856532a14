/* Keys under which each intent exists once. Each counts a generation, so that an effect can be requested again. */

/** SQL of the key of a payment's create in one generation. */
export const createKey = (paymentId: string, generation: string): string =>
  `'payment:' || ${paymentId} || ':create:g' || ${generation}`;

/** SQL of the key of a payment's cancel. Cancels are numbered from 1. */
export const cancelKey = (paymentId: string, number: string): string =>
  `'payment:' || ${paymentId} || ':cancel:g' || ${number}`;

/** Prefix of the keys of one try of a deployment step. The call's name follows. */
export const stepPrefix = (step: { readonly id: string; readonly generation: number }): string =>
  `step:${step.id}:g${step.generation}:`;
