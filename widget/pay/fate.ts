import { createReads } from '../wallet/reads.ts';
import type { Wallet } from '../wallet/wallets.ts';
import { batchOutcome } from '../wallet/ways.ts';
import type { Asked } from './memory.ts';

/**
 * The outcome of an earlier question to a wallet: it has sent the payment, it certainly has not, or nobody knows.
 * @param wallet that is connected now, which may be another one
 * @param networkId EIP-155 id of the payment's network
 */
export const fateOf = async (
  asked: Asked,
  { provider, id }: Wallet,
  networkId: number,
): Promise<'sent' | 'not_sent' | 'unknown'> => {
  if (asked.step === 'batch') {
    if (id !== asked.wallet) return 'unknown';
    const outcome = await batchOutcome(provider, asked.hash!).catch(() => null);
    if (outcome === 'failed') return 'not_sent';
    if (outcome !== 'unknown') return 'sent';
    return asked.answer === 'open' ? 'unknown' : 'not_sent';
  }
  if (asked.answer === 'sent') return 'sent';
  const reads = createReads(provider);
  const hasSent = async (): Promise<boolean> =>
    (await reads.chainId()) === networkId && (await reads.sentCount(asked.account)) > BigInt(asked.sentBefore);
  return (await hasSent().catch(() => false)) ? 'sent' : 'unknown';
};
