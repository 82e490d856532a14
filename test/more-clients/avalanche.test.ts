import { startTestAvalanche } from '../support/chain.ts';
import { refusalsAreUnderstood } from '../evm-clients/refusal-words.ts';
import { paymentsWork } from '../evm-clients/scenarios.ts';

/*
 * The whole product on avalanchego's C-Chain, which has blocks only while there are transactions.
 */

describe('payments', () => {
  paymentsWork({ startChain: startTestAvalanche });
});

describe('refusals', () => {
  refusalsAreUnderstood(() => startTestAvalanche(31_337));
});
