import { startTestBsc } from '../support/chain.ts';
import { paymentsWork } from '../evm-clients/scenarios.ts';

/*
 * The whole product on bsc, the client of BNB Smart Chain, with one validator, blocks each 450 ms, and a base fee of zero.
 */

paymentsWork({ startChain: startTestBsc });
