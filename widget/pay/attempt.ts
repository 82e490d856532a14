import type { Asked } from './memory.ts';
import { asking, stop, Stop, toStop, type Phase } from './phases.ts';
import { assertPlace, isSame, LATE_MS, reachNetwork, type Attempt } from './network.ts';
import { ask, toWalletError } from '../wallet/provider.ts';
import { createReads, quantity, type Call } from '../wallet/reads.ts';
import type { WidgetPayment } from '../service/types.ts';
import { askBatch, canBatch, signPermit } from '../wallet/ways.ts';
import type { Wallet } from '../wallet/wallets.ts';

/** Gas of a payment that cannot be estimated yet, because its approval is still to come. */
const PAY_GAS = 120_000n;

const isHash = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value);

const payCall = ({ account }: Attempt, data: WidgetPayment): Call => ({
  from: account,
  to: data.diamond_address,
  data: data.contract.data,
  value: data.contract.value,
});

const tokenCall = ({ account }: Attempt, data: WidgetPayment, call: string): Call => ({
  from: account,
  to: data.token_address!,
  data: call,
  value: '0',
});

/** True where the account has sent something since the wallet was asked, or the wallet cannot tell. */
const isSentSince = async ({ provider }: Wallet, { account, sentBefore }: Asked): Promise<boolean> => {
  try {
    return (await createReads(provider).sentCount(account)) > BigInt(sentBefore);
  } catch {
    return true;
  }
};

/** The data that pays. It must be of the payment that the page shows. */
const load = async ({ service, state }: Attempt): Promise<WidgetPayment> => {
  const data = await service.payment();
  const shown = state();
  const isShown =
    data.amount === shown.amount &&
    data.decimals === shown.decimals &&
    data.currency === shown.currency &&
    data.network_id === shown.network_id &&
    isSame(data.payment_address, shown.payment_address) &&
    isSame(data.diamond_address, shown.diamond_address) &&
    isSame(data.token_address, shown.token_address);
  if (!isShown) throw stop('terms_changed');
  // Either the state of the payment says why, or no signer has signed its offer in time.
  if (!data.payable) throw state().payable ? stop('no_offer') : new Stop({ name: 'ready' });
  return data;
};

/** @throws Stop when the account has too little */
const checkFunds = async ({ wallet, account }: Attempt, data: WidgetPayment, gas: bigint): Promise<void> => {
  const reads = createReads(wallet.provider);
  const { token_address: token } = data;
  const [value, due] = [BigInt(data.contract.value), BigInt(data.amount)];
  const coins = await reads.coins(account);
  if (coins < value) throw stop('few_coins', { has: coins, needs: value });
  if (token !== null) {
    const tokens = await reads.tokens(token, account);
    if (tokens < due) throw stop('few_tokens', { has: tokens, needs: due });
  }
  // Others may pay the fees of a contract wallet.
  if (gas === 0n || (await reads.hasCode(account))) return;
  const needs = value + gas * (await reads.gasPrice());
  if (coins < needs) throw stop('few_fees', { has: coins, needs });
};

const newId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
};

/** Faults after which a wallet has certainly not sent the transaction. */
const refusals: ReadonlySet<string> = new Set(['rejected', 'locked', 'unsupported', 'busy']);

/**
 * Asks the wallet to send a transaction. The page remembers the question first, so that it asks none twice.
 * @returns hash of the transaction; null where the wallet answers with something else, as contract wallets do
 */
const send = async (attempt: Attempt, phase: Phase, step: Asked['step'], call: Call): Promise<string | null> => {
  const { wallet, account, memory, enter } = attempt;
  const { from, to, data, value } = call;
  const reads = createReads(wallet.provider);
  const [count, isContract] = [await reads.sentCount(account), await reads.hasCode(account)];
  await assertPlace(attempt, to);
  const note = { id: newId(), step, wallet: wallet.id, account, sentBefore: count.toString(), hash: null };
  const asked: Asked = { ...note, answer: 'open' };
  enter(phase);
  memory.save(asked);
  try {
    const chainId = quantity(attempt.state().network_id);
    const transaction = { from, to, data, value: quantity(BigInt(value)), chainId };
    const answer = await ask(wallet.provider, 'eth_sendTransaction', [transaction]);
    const hash = isHash(answer) ? answer : null;
    memory.update({ ...asked, answer: 'sent', hash });
    return hash;
  } catch (error) {
    const { fault } = toWalletError(error);
    if (refusals.has(fault)) memory.clear(asked);
    else {
      // After any other error the transaction may be on its way.
      memory.update({ ...asked, answer: 'unsure' });
      if (isContract || (await isSentSince(wallet, asked))) throw stop('maybe_sent');
      memory.clear(asked);
    }
    throw error;
  }
};

/** Waits for the allowance itself, because contract wallets answer with hashes that no network knows. */
const awaitAllowance = async (
  attempt: Attempt,
  data: WidgetPayment,
  isEnough: (allowance: bigint) => boolean,
  hash: string | null,
): Promise<void> => {
  const { wallet, account, memory, enter, nextLook } = attempt;
  const reads = createReads(wallet.provider);
  enter({ name: 'approving' });
  const { spender } = data.approval!;
  const isThere = async (): Promise<boolean> => isEnough(await reads.allowance(data.token_address!, account, spender));
  const since = Date.now();
  let minedLooks = 0;
  // A read that fails says nothing of the allowance.
  while (!(await isThere().catch(() => false))) {
    const outcome = hash === null ? null : await reads.outcome(hash).catch(() => null);
    if (outcome === 'mined') minedLooks += 1;
    if (outcome === 'failed' || minedLooks > 2) {
      memory.clear();
      throw stop(outcome === 'failed' ? 'approval_failed' : 'approval_small');
    }
    if (Date.now() - since > LATE_MS) throw stop('approval_late');
    await nextLook();
  }
  memory.clear();
};

/** Asks for an approval, unless the wallet was asked for it before and has sent it. */
const sendApproval = async (attempt: Attempt, phase: Phase, call: Call): Promise<string | null> => {
  const { wallet, account, memory } = attempt;
  const asked = memory.load();
  if (asked?.step === 'approve' && isSame(asked.account, account)) {
    const outcome =
      asked.hash === null
        ? null
        : await createReads(wallet.provider)
            .outcome(asked.hash)
            .catch(() => null);
    const isUnderWay = asked.hash === null ? await isSentSince(wallet, asked) : outcome === null;
    if (isUnderWay) return asked.hash;
  }
  return send(attempt, phase, 'approve', call);
};

/** Simulates the payment, then asks the wallet to send it. */
const sendPayment = async (
  attempt: Attempt,
  data: WidgetPayment,
  [step, steps]: readonly [number, number],
  call = payCall(attempt, data),
): Promise<string | null> => {
  await checkFunds(attempt, data, 0n);
  const gas = await createReads(attempt.wallet.provider)
    .gas(call)
    .catch((error: unknown) => {
      throw toStop(error, data);
    });
  await checkFunds(attempt, data, gas);
  return send(attempt, asking('pay', step, steps), 'pay', call);
};

/** Approves exactly the amount, then pays. A token that demands it (USDT) has its allowance set to zero first. */
const approveAndPay = async (attempt: Attempt, data: WidgetPayment, allowance: bigint): Promise<string | null> => {
  const { data: full, reset_data: reset } = data.approval!;
  const approveCall = tokenCall(attempt, data, full);
  const refusal = await createReads(attempt.wallet.provider)
    .gas(approveCall)
    .then(() => null, toWalletError);
  if (allowance === 0n && refusal?.revert != null) throw refusal;
  const steps = allowance > 0n && refusal !== null ? 3 : 2;
  if (steps === 3) {
    const hash = await sendApproval(attempt, asking('reset', 1, steps), tokenCall(attempt, data, reset));
    await awaitAllowance(attempt, data, (left) => left === 0n, hash);
  }
  const hash = await sendApproval(attempt, asking('approve', steps - 1, steps), approveCall);
  await awaitAllowance(attempt, data, (left) => left >= BigInt(data.amount), hash);
  // Meanwhile an offer may have ended.
  return sendPayment(attempt, await load(attempt), [steps, steps]);
};

/** Approves and pays as one. */
const payAtOnce = async (attempt: Attempt, data: WidgetPayment, allowance: bigint): Promise<null> => {
  const { wallet, account, memory, enter, failedWays } = attempt;
  const { data: full, reset_data: reset } = data.approval!;
  const approvals = allowance === 0n ? [full] : [reset, full];
  const calls = [...approvals.map((call) => tokenCall(attempt, data, call)), payCall(attempt, data)];
  await assertPlace(attempt, data.diamond_address);
  const id = newId();
  const asked: Asked = { id, step: 'batch', wallet: wallet.id, account, sentBefore: '0', answer: 'open', hash: id };
  enter(asking('batch', 1, 1));
  memory.save(asked);
  try {
    const given = await askBatch({ provider: wallet.provider, account, networkId: data.network_id, calls, id });
    memory.update({ ...asked, answer: 'sent', hash: given });
    return null;
  } catch (error) {
    const { fault } = toWalletError(error);
    if (fault !== 'rejected') failedWays.add('batch');
    if (!refusals.has(fault)) {
      memory.update({ ...asked, answer: 'unsure' });
      throw stop('maybe_sent');
    }
    memory.clear(asked);
    throw error;
  }
};

/** The call that pays with a permit over the amount; null where the wallet or the token turns out to lack permits. */
const signedCall = async (attempt: Attempt, data: WidgetPayment): Promise<Call | null> => {
  const { wallet, account, enter } = attempt;
  const reads = createReads(wallet.provider);
  const nonce = await reads.permitNonce(data.token_address!, account, data.permit!.domain_separator).catch(() => null);
  if (nonce === null) return null;
  await assertPlace(attempt, data.token_address!);
  enter(asking('permit', 1, 2));
  try {
    const call = await signPermit(wallet.provider, data.permit!, account, nonce);
    const signed = { ...payCall(attempt, data), data: call };
    await reads.gas(signed);
    return signed;
  } catch (error) {
    // Some wallets cannot sign it, and a token may accept other permits by now. Nothing is sent yet.
    const { phase } = toStop(error, data);
    const isToken = phase.name === 'trouble' && phase.error === 'TokenCallFailed';
    if (isToken || ['unsupported', 'wallet_failed'].includes(toWalletError(error).fault)) return null;
    throw error;
  }
};

/** Reasons of tokens that no other way to pay ends. Some tokens refuse plain transfers alone, for other reasons. */
const blocks = /paus|block|black|den[iy]|fr[eo]+z|sanction|banned/i;

/** The words of a revert, among other characters. */
const wordsOf = (error: unknown): string =>
  toWalletError(error).revert?.replace(/../g, (byte) => String.fromCharCode(parseInt(byte, 16))) ?? '';

/** The ways to pay with a token, from the fewest questions to the most. */
const payToken = async (attempt: Attempt, data: WidgetPayment): Promise<string | null> => {
  const { wallet, account, failedWays } = attempt;
  const reads = createReads(wallet.provider);
  const allowance = await reads.allowance(data.token_address!, account, data.approval!.spender);
  if (allowance >= BigInt(data.amount)) return sendPayment(attempt, data, [1, 1]);
  if (!failedWays.has('batch') && (await canBatch(wallet.provider, account, data.network_id))) {
    try {
      return await payAtOnce(attempt, data, allowance);
    } catch (error) {
      if (error instanceof Stop || toWalletError(error).fault !== 'unsupported') throw error;
    }
  }
  await checkFunds(attempt, data, PAY_GAS);
  // Before any question: a token that is paused, or whose issuer has blocked the account or the recipient, does not move.
  await reads.tryTransfer(data.token_address!, account, data.payment_address, data.amount).catch((error: unknown) => {
    if (blocks.test(wordsOf(error))) throw toStop(error, data);
  });
  // Tokens check the signature of an account that has code in other ways.
  if (data.permit !== null && !failedWays.has('permit') && !(await reads.hasCode(account))) {
    const call = await signedCall(attempt, data);
    if (call !== null) return sendPayment(attempt, data, [2, 2], call);
    failedWays.add('permit');
  }
  return approveAndPay(attempt, data, allowance);
};

/**
 * Asks the wallet for all that the payment needs, one question after another.
 * @returns hash of the payment; null where the wallet gave none
 * @throws Stop in the phase in which the attempt ends
 */
export const attemptPayment = async (attempt: Attempt): Promise<string | null> => {
  let data: WidgetPayment | null = null;
  try {
    await reachNetwork(attempt);
    const { token_address: token, amount } = attempt.state();
    if (token !== null) {
      // Before the offer is revealed.
      const tokens = await createReads(attempt.wallet.provider).tokens(token, attempt.account);
      if (tokens < BigInt(amount)) throw stop('few_tokens', { has: tokens, needs: BigInt(amount) });
    }
    data = await load(attempt);
    return data.token_address === null ? await sendPayment(attempt, data, [1, 1]) : await payToken(attempt, data);
  } catch (error) {
    throw toStop(error, data);
  }
};
