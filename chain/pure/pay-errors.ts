import { contracts } from './contracts.ts';

/** An error of the contract, as a buyer's page can show it. */
export interface PayError {
  /** First four bytes of the revert data, 0x-prefixed hex. */
  readonly selector: string;
  readonly name: string;
  /** A sentence for the buyer. */
  readonly message: string;
}

/** The sentences, by the names of the errors with which a payment can revert. */
const sentences: Readonly<Record<string, string>> = {
  DealNotOpen: 'This order was already paid or canceled, or it cannot be paid yet.',
  TermsMismatch: 'The terms of this order do not match; nothing was paid.',
  DealExpired: 'The time to pay this order is over.',
  NotPayer: 'Only one account may pay this order, and it is another one.',
  WrongToken: 'This order is paid in another currency.',
  InvalidPayee: 'The order names no usable recipient.',
  InvalidAmount: 'The order names no usable amount.',
  WrongValue: 'The transaction carries another amount than the order asks for.',
  InexactTransfer: 'The token did not deliver the exact amount; nothing was paid.',
  NativeTransferFailed: 'The recipient did not accept the coins; nothing was paid.',
  TokenCallFailed: 'The token refused the transfer: check your balance and the approved amount.',
  Reentrant: 'The token or the recipient interfered with the payment; nothing was paid.',
  Paused: 'Payments are paused on this network. Try again later.',
  NotSigner: 'The offer of this order is no longer valid. Reload the page.',
  OfferExpired: 'The offer of this order is over. Reload the page.',
  FunctionNotFound: 'The shop’s contract does not know this kind of payment.',
  NativeRefused: 'Coins can only be paid by the call of an order.',
};

/** All errors with which the call of a payment can revert. */
export const payErrors: readonly PayError[] = Object.entries(sentences).map(([name, message]) => {
  const fragment = [contracts.offer, contracts.deal, contracts.diamond]
    .map((contract) => contract.interface.getError(name))
    .find((found) => found !== null);
  if (!fragment) throw new Error(`no contract has the error ${name}`);
  return { selector: fragment.selector, name, message };
});
