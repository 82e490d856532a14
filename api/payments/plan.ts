import { randomInt } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { toStoredAddress } from '../../chain/pure/address.ts';
import { termsHash } from '../../chain/pure/deal-encoding.ts';
import type { PaymentContext, PaymentReferences, PaymentWallet } from '../../db/payments/context.ts';
import type { MemberRecord, PaymentRecord } from '../../db/payments/read.ts';
import { ZERO_ADDRESS, type DealTerms } from '../../domain/deal.ts';
import { found, invalidRequest, notFound, notFoundAt, type FieldError } from '../../domain/errors.ts';
import { memberFieldsOf } from '../../domain/member.ts';
import { moneyProblemText, toUnits } from '../../domain/money.ts';
import type { MemberData, PaymentRequest } from '../generated/openapi-types.ts';
import { toDate } from '../request/formats.ts';
import { payeeProblem } from '../payouts/payouts.ts';
import type { Amount, RequestedAmounts } from './amounts.ts';

/** The references of a request, which are read before the payment is planned. */
export const referencesOf = (body: PaymentRequest, scopeId: string): PaymentReferences => ({
  scopeId,
  nodeId: body.node_id,
  chainId: body.chain_id ?? null,
  networkId: body.network_id,
  currencyId: body.currency_id,
  walletId: body.wallet_id ?? null,
  payee: body.payment_method === 'web3' ? toStoredAddress(body.payment_address) : null,
  useDefaultWallet: body.payment_method === 'web3',
  memberId: body.member_id ?? null,
  memberExternalId: body.member?.external_id ?? null,
});

/** A consistent payment, which the current state of wallet, network or payout lock may still refuse. */
export interface PlannedPayment {
  readonly record: PaymentRecord;
  /** True when the record's member is new. */
  readonly createsMember: boolean;
  /** The member of the request, as it would be if none of that external_id existed; null without one. */
  readonly askedMember: MemberRecord | null;
  readonly walletIsInactive: boolean;
  /** The name of its network if that is retired. */
  readonly retiredNetwork: string | null;
  /** The only allowed payee, in lower-case hex; null: any. */
  readonly lockedPayee: string | null;
}

/**
 * Plans the payment of a checked request.
 * @throws DomainError 404 for missing references, 400 for contradictions
 */
export const planPayment = (
  body: PaymentRequest,
  requested: RequestedAmounts,
  context: PaymentContext,
): PlannedPayment => {
  const target = targetOf(body, context);
  const web3 = body.payment_method === 'web3';
  const payee = web3 ? toStoredAddress(body.payment_address) : body.payment_address;
  const amounts = planAmounts(body, requested, (web3 ? target.token?.decimals : undefined) ?? target.currency.decimals);
  const errors = [...rulesBroken(body, target, payee), ...amounts.errors];
  if (errors.length > 0) throw invalidRequest(...errors);

  const deal = web3 ? planDeal(target, { payee, amount: amounts.paidPrice, expiresAt: expiryOf(body) }) : null;
  const askedMember = body.member == null ? null : newMember(body.member, target);
  return {
    record: toRecord(body, { target, payee, amounts, deal, member: target.member ?? askedMember }),
    createsMember: target.member === null && askedMember !== null,
    askedMember,
    walletIsInactive: target.wallet?.isActive === false,
    retiredNetwork: target.network.isRetired ? target.network.name : null,
    lockedPayee: web3 ? target.lockedPayee : null,
  };
};

/** The context with all references resolved. */
type Target = PaymentContext & {
  readonly [Part in 'nodeId' | 'network' | 'currency']: NonNullable<PaymentContext[Part]>;
};

const targetOf = (body: PaymentRequest, context: PaymentContext): Target => {
  const { wallet, member } = context;
  const nodeId = found(context.nodeId, 'node');
  if (!context.chainIsKnown) throw notFound('chain');
  const network = found(context.network, 'network');
  const currency = found(context.currency, 'currency');
  if (wallet === null && body.wallet_id != null) {
    throw notFoundAt('wallet', {
      path: '/body/wallet_id',
      message: 'must be a wallet of the node or of a node above it',
    });
  }
  if (wallet === null && body.payment_method === 'web3') {
    throw notFound('wallet', 'The request has no wallet_id, and the node has no default wallet for the network');
  }
  if (member === null && body.member_id != null) {
    throw notFoundAt('member', { path: '/body/member_id', message: 'must be a member of the node' });
  }
  return { ...context, nodeId, network, currency };
};

/** Contradictions between fields and references, apart from the amounts. */
const rulesBroken = (body: PaymentRequest, context: Target, payee: string): FieldError[] => {
  const { network, wallet, token } = context;
  const errors: FieldError[] = [];
  const web3 = body.payment_method === 'web3';
  if (body.chain_id != null && body.chain_id.toLowerCase() !== network.chainId) {
    errors.push({ path: '/body/chain_id', message: 'must be the chain of the network' });
  }
  if (wallet !== null && wallet.chainId !== network.chainId) {
    errors.push({ path: '/body/wallet_id', message: 'must be a wallet on the chain of the network' });
  }
  if (web3 && token === null)
    errors.push({ path: '/body/currency_id', message: 'must be a currency with a token on the network' });
  if (web3) {
    const isDiamond = context.payee.isDiamond || payee === wallet?.address;
    const message = payeeProblem(payee, network.platform, { ...context.payee, isDiamond });
    if (message !== null) errors.push({ path: '/body/payment_address', message });
  }
  return errors;
};

/** Amounts in base units, and their errors. */
interface Amounts {
  readonly decimals: number;
  readonly price: bigint;
  readonly paidPrice: bigint;
  readonly items: PaymentRecord['items'];
  readonly errors: readonly FieldError[];
}

/** @param decimals of the token if there is one, otherwise of the currency */
const planAmounts = (body: PaymentRequest, requested: RequestedAmounts, decimals: number): Amounts => {
  const errors: FieldError[] = [];
  const units = (field: string, amount: Amount, allowZero = false): bigint => {
    const result = toUnits(amount, decimals, allowZero);
    if (typeof result === 'bigint') return result;
    errors.push({ path: `/body/${field}`, message: moneyProblemText(result, decimals) });
    return 0n;
  };
  const price = units('price', requested.price);
  const paidPrice = units('paid_price', requested.paidPrice);
  const items = (body.items ?? []).map((item, index) => ({
    name: item.name,
    price_units: units(`items/${index}/price`, requested.items[index] ?? 'not_finite', true).toString(),
    external_id: item.external_id ?? null,
  }));
  return { decimals, price, paidPrice, items, errors };
};

/** A random deal id of 53 bits: no client can predict it, and every JSON number can hold it. */
const randomDealId = (): bigint => BigInt(randomInt(2 ** 26) * 2 ** 27 + randomInt(2 ** 27)) || randomDealId();

/** The deal of the payment on the wallet's diamond. */
interface Deal {
  readonly id: bigint;
  readonly wallet: PaymentWallet;
  /** Null: the native coin. */
  readonly token: string | null;
  readonly termsHash: string;
}

const planDeal = (
  { network, wallet, token }: Target,
  terms: Pick<DealTerms, 'payee' | 'amount' | 'expiresAt'>,
): Deal | null => {
  if (wallet === null) return null;
  const id = randomDealId();
  const address = token?.address ?? null;
  const hash = termsHash(network.eip155, wallet.address, {
    ...terms,
    dealId: id,
    token: address ?? ZERO_ADDRESS,
    payer: ZERO_ADDRESS,
  });
  return { id, wallet, token: address, termsHash: hash };
};

/** The chain counts whole seconds. */
const expiryOf = (body: PaymentRequest): bigint => BigInt(Math.floor(toDate(body.expires_at).getTime() / 1_000));

const newMember = (data: MemberData, { nodeId, now }: Target): MemberRecord => ({
  id: uuidv7(),
  node_id: nodeId,
  ...memberFieldsOf(data),
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
});

interface Parts {
  readonly target: Target;
  readonly payee: string;
  readonly amounts: Amounts;
  readonly deal: Deal | null;
  readonly member: MemberRecord | null;
}

const toRecord = (body: PaymentRequest, { target, payee, amounts, deal, member }: Parts): PaymentRecord => ({
  id: uuidv7(),
  node_id: target.nodeId,
  external_id: body.external_id,
  chain_id: target.network.chainId,
  network_id: target.network.id,
  eip155: String(target.network.eip155),
  wallet_id: target.wallet?.id ?? null,
  member_id: member?.id ?? null,
  currency_id: target.currency.id,
  currency_symbol: target.currency.symbol,
  decimals: amounts.decimals,
  price_units: amounts.price.toString(),
  paid_price_units: amounts.paidPrice.toString(),
  payment_method: body.payment_method,
  payment_group: body.payment_group,
  payment_address: payee,
  metadata: body.metadata ?? null,
  client_ip: body.client_ip ?? null,
  success_url: body.success_url ?? null,
  cancel_url: body.cancel_url ?? null,
  locale: body.locale ?? null,
  retry: body.retry ?? true,
  retry_count: body.retry_count ?? 3,
  expires_at: toDate(body.expires_at),
  expires_unix: expiryOf(body).toString(),
  status: 'pending',
  sequence: 1,
  ...dealFields(deal),
  deal_tx_hash: null,
  paid_tx_hash: null,
  paid_at: null,
  payer_address: null,
  terminal_at: null,
  created_at: target.now,
  updated_at: target.now,
  checkout_id: null,
  choice: null,
  option_index: null,
  is_blocked: false,
  items: amounts.items,
  member,
});

const dealFields = (deal: Deal | null) =>
  deal === null
    ? {
        status_detail: null,
        deal_mode: 'created' as const,
        deal_id: null,
        diamond_address: null,
        token_address: null,
        terms_hash: null,
      }
    : {
        status_detail: deal.wallet.diamondActive ? null : ('diamond_missing' as const),
        deal_mode: deal.wallet.dealMode,
        deal_id: deal.id.toString(),
        diamond_address: deal.wallet.address,
        token_address: deal.token,
        terms_hash: deal.termsHash,
      };
