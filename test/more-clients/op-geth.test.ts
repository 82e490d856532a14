import { startTestGeth } from '../support/chain.ts';
import { paymentsWork } from '../evm-clients/scenarios.ts';

/*
 * The whole product on op-geth, the client of the OP stack, which mines alone a block a second under Osaka's rules.
 */

paymentsWork({ startChain: (chainId) => startTestGeth(chainId, 'osaka', { client: 'op-geth' }) });
