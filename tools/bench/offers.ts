import { setTimeout as delay } from 'node:timers/promises';
import { ethers } from 'ethers';
import type { Payment, WidgetPayment } from '../../api/generated/openapi-types.ts';
import { atRate } from './buyers.ts';
import { quantile } from './interleave.ts';
import { startProductStack } from './product-stack.ts';
import { activeWallet, apiClient, orderOf } from './shop.ts';

/*
 * npm run bench:offers [-- ROUNDS [SECONDS [RATE]]]
 *
 * Milliseconds from a POST to the widget's data that a buyer can pay by, of payments with an offered deal, at a constant rate, on a
 * chain whose blocks are 12 seconds apart. Method and figures: tools/bench/README.md.
 */

const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 30);
const rate = Number(process.argv[4] ?? 50);
const BLOCK_TIME = 12;
/** Milliseconds between two requests of a page that cannot be paid yet. */
const PAGE_MS = 10;

const stack = await startProductStack({
  blockTime: BLOCK_TIME,
  environment: { CARAT_RATE_LIMIT: '0', CARAT_IP_RATE_LIMIT: '0' },
});
try {
  const { call, token } = await apiClient(stack);
  console.log(`deploying the diamond, which takes some blocks of ${BLOCK_TIME} s`);
  const wallet = await activeWallet(call, await token(), stack.catalogue, 'offered');
  const payee = ethers.Wallet.createRandom().address;

  /** Creates a payment and reads its page until it can be paid. */
  const once = async (bearer: string): Promise<number> => {
    const started = performance.now();
    const { id, access_token } = await call<Payment>(
      'POST',
      '/api/v1/payments',
      bearer,
      orderOf(stack, wallet.id, payee),
    );
    for (;;) {
      const page = await call<WidgetPayment>('GET', `/api/v1/widget/payments/${id}`, access_token).catch(() => null);
      if (page?.payable) return performance.now() - started;
      await delay(PAGE_MS);
    }
  };

  const block = async (): Promise<number> =>
    Number((await stack.knex('watch_cursors').first<{ number: string }>('number')).number);
  for (let round = 0; round <= rounds; round += 1) {
    const bearer = await token();
    const from = await block();
    const times = await atRate(rate, rate * seconds, () => once(bearer));
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((q) => quantile(times, q).toFixed(0));
    console.log(
      `${round === 0 ? 'warm-up' : `round ${round}/${rounds}`}  ${times.length} payments at ${rate} a second, ${(await block()) - from} blocks: ` +
        `p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms, longest ${Math.max(...times).toFixed(0)} ms`,
    );
  }
} finally {
  await stack.stop();
}
