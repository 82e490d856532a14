import { randomInt } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { isAddress, toStoredAddress } from '../../chain/pure/address.ts';
import { termsHash } from '../../chain/pure/terms-hash.ts';
import type { NewPayment } from '../../db/payments/insert.ts';
import type { MemberRecord, PaymentRecord } from '../../db/payments/model.ts';
import type { PaymentContext } from '../../db/payments/context.ts';
import { ZERO_ADDRESS } from '../../domain/deal.ts';
import { DomainError, invalidRequest, type FieldError } from '../../domain/errors.ts';
import { moneyProblemText, toUnits } from '../../domain/money.ts';
import { toDate } from '../http/formats.ts';
import { memberFieldsOf } from '../members/members.ts';
import type { MemberData, PaymentRequest } from '../generated/openapi-types.ts';

/** Most decimals that a currency may have. */
const MAX_DECIMALS = 36;
const MAX_METADATA_BYTES = 8_192;
const MAX_AHEAD_MS = 366 * 24 * 3_600_000;

const refuse = (errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw invalidRequest(...errors);
};

/**
 * Judges what can be judged of the request alone.
 * @param now milliseconds since the epoch
 * @throws DomainError invalid_request with every field that breaks a rule
 */
export const checkPaymentRequest = (body: PaymentRequest, now: number): void => {
  const errors: FieldError[] = [];
  const expiresAt = toDate(body.expires_at).getTime();
  // The chain counts whole seconds, so the last one must not be over yet.
  if (Math.floor(expiresAt / 1_000) <= Math.floor(now / 1_000)) {
    errors.push({ path: '/body/expires_at', message: 'must be in the future' });
  } else if (expiresAt > now + MAX_AHEAD_MS) {
    errors.push({ path: '/body/expires_at', message: 'must be at most 366 days ahead' });
  }
  if (body.payment_method === 'web3') {
    if (!isAddress(body.payment_address)) {
      errors.push({ path: '/body/payment_address', message: 'must be an EVM address with a valid checksum' });
    } else if (toStoredAddress(body.payment_address) === ZERO_ADDRESS) {
      errors.push({ path: '/body/payment_address', message: 'must not be the zero address' });
    }
  }
  if (body.member != null && body.member_id != null) {
    errors.push({ path: '/body/member_id', message: 'must not be given together with member' });
  }
  checkAmount(errors, 'price', body.price);
  checkAmount(errors, 'paid_price', body.paid_price);
  for (const [index, item] of (body.items ?? []).entries())
    checkAmount(errors, `items/${index}/price`, item.price, true);
  if (Buffer.byteLength(body.metadata ?? '') > MAX_METADATA_BYTES) {
    errors.push({ path: '/body/metadata', message: `must be at most ${MAX_METADATA_BYTES} bytes in UTF-8` });
  }
  refuse(errors);
};

/** What is wrong with an amount in every currency. Digits and ceiling are judged once the currency is known. */
const checkAmount = (errors: FieldError[], field: string, value: number, allowZero = false): void => {
  const problem = toUnits(value, MAX_DECIMALS, allowZero);
  if (typeof problem === 'bigint' || problem === 'too_large' || problem === 'too_many_fraction_digits') return;
  errors.push({ path: `/body/${field}`, message: moneyProblemText(problem, MAX_DECIMALS) });
};

const notFound = (code: 'node' | 'network' | 'currency' | 'wallet' | 'member', message: string): DomainError =>
  new DomainError(`${code}_not_found`, message);

/** The context with everything that the payment refers to in place. */
const found = (body: PaymentRequest, context: PaymentContext) => {
  const web3 = body.payment_method === 'web3';
  const { node_id, network_id, chain_id, eip155, currency_id, currency_decimals, member } = context;
  if (node_id === null) throw notFound('node', 'There is no such node');
  if (network_id === null || chain_id === null || eip155 === null) {
    throw notFound('network', 'There is no such network');
  }
  if (currency_id === null || currency_decimals === null) throw notFound('currency', 'There is no such currency');
  const { wallet_id, wallet_address, wallet_chain_id, wallet_is_active } = context;
  const wallet =
    wallet_id === null || wallet_address === null
      ? null
      : { id: wallet_id, address: wallet_address, chainId: wallet_chain_id, isActive: wallet_is_active };
  if (wallet === null && body.wallet_id != null) throw notFound('wallet', 'There is no such wallet');
  if (wallet === null && web3) {
    throw notFound('wallet', 'The request names no wallet, and the node has no default wallet for the network');
  }
  if (member === null && body.member_id != null) throw notFound('member', 'There is no such member');
  return { node_id, network_id, chain_id, eip155: Number(eip155), currency_id, currency_decimals, wallet, member };
};

const newMember = (data: MemberData, nodeId: string, now: Date): MemberRecord => ({
  id: uuidv7(),
  node_id: nodeId,
  ...memberFieldsOf(data),
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
});

/** A random deal id of 53 bits, which no client can foresee and every JSON number can hold. */
const randomDealId = (): bigint => BigInt(randomInt(2 ** 26) * 2 ** 27 + randomInt(2 ** 27)) || randomDealId();

/** A payment that is right in itself; the state of things may still stand in its way. */
export interface PlannedPayment extends NewPayment {
  readonly walletIsInactive: boolean;
}

/**
 * The payment that a checked request asks for.
 * @throws DomainError 404 for what it refers to, 400 for what does not fit together
 */
export const planPayment = (body: PaymentRequest, context: PaymentContext): PlannedPayment => {
  const web3 = body.payment_method === 'web3';
  const { wallet, ...target } = found(body, context);
  const errors: FieldError[] = [];
  const reject = (field: string, message: string): void => void errors.push({ path: `/body/${field}`, message });

  if (body.chain_id != null && body.chain_id.toLowerCase() !== target.chain_id) {
    reject('chain_id', 'must be the chain of the network');
  }
  if (wallet !== null && wallet.chainId !== target.chain_id) {
    reject('wallet_id', 'must be a wallet on the chain of the network');
  }
  if (web3 && !context.on_network) reject('currency_id', 'must be a currency of the network');
  const payee = web3 ? toStoredAddress(body.payment_address) : body.payment_address;
  if (web3 && payee === wallet?.address) reject('payment_address', "must not be the wallet's diamond");
  // Digits follow the token where there is one; no amount can be judged before the currency is right.
  const decimals = web3 && context.token_decimals !== null ? context.token_decimals : target.currency_decimals;
  const units = (field: string, value: number, allowZero = false): bigint => {
    const result = toUnits(value, decimals, allowZero);
    if (typeof result === 'bigint') return result;
    reject(field, moneyProblemText(result, decimals));
    return 0n;
  };
  const priceUnits = units('price', body.price);
  const paidPriceUnits = units('paid_price', body.paid_price);
  const items = (body.items ?? []).map((item, index) => ({
    name: item.name,
    price_units: units(`items/${index}/price`, item.price, true).toString(),
    external_id: item.external_id ?? null,
  }));
  refuse(errors);

  const expiresAt = toDate(body.expires_at);
  const expiresUnix = Math.floor(expiresAt.getTime() / 1_000);
  const deal = web3 && wallet !== null ? { id: randomDealId(), diamond: wallet.address } : null;
  const token = deal === null ? null : context.token_address;
  const hash =
    deal === null
      ? null
      : termsHash(target.eip155, deal.diamond, {
          dealId: deal.id,
          token: token ?? ZERO_ADDRESS,
          payee,
          payer: ZERO_ADDRESS,
          amount: paidPriceUnits,
          expiresAt: BigInt(expiresUnix),
        });
  const inline = target.member === null ? (body.member ?? null) : null;
  const member = inline === null ? target.member : newMember(inline, target.node_id, context.now);
  const record: PaymentRecord = {
    id: uuidv7(),
    node_id: target.node_id,
    external_id: body.external_id,
    chain_id: target.chain_id,
    network_id: target.network_id,
    wallet_id: wallet?.id ?? null,
    member_id: member?.id ?? null,
    currency_id: target.currency_id,
    decimals,
    price_units: priceUnits.toString(),
    paid_price_units: paidPriceUnits.toString(),
    payment_method: body.payment_method,
    payment_group: body.payment_group,
    payment_address: payee,
    metadata: body.metadata ?? null,
    client_ip: body.client_ip ?? null,
    retry: body.retry ?? true,
    retry_count: body.retry_count ?? 3,
    expires_at: expiresAt,
    expires_unix: expiresUnix.toString(),
    status: 'pending',
    status_detail: deal !== null && !context.diamond_active ? 'diamond_missing' : null,
    sequence: 1,
    deal_id: deal?.id.toString() ?? null,
    diamond_address: deal?.diamond ?? null,
    token_address: token,
    terms_hash: hash,
    deal_tx_hash: null,
    paid_tx_hash: null,
    terminal_at: null,
    created_at: context.now,
    updated_at: context.now,
    items,
    member,
  };
  return { record, createsMember: inline !== null, walletIsInactive: wallet !== null && !wallet.isActive };
};
