import type { ChainRules } from '../../tools/stack/geth.ts';
import { startTestGeth } from '../support/chain.ts';
import { paymentsWork } from './scenarios.ts';

/*
 * The whole product on geth, which mines alone a block a second, under today's rules and Amsterdam's.
 */

const rules: ChainRules[] = ['osaka', 'amsterdam'];

describe.each(rules)('geth under the rules of %s', (rule) => {
  paymentsWork({ startChain: (chainId) => startTestGeth(chainId, rule) });
});
