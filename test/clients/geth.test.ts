import type { ChainRules } from '../../dev/stack/geth.ts';
import { startTestGeth } from '../support/chain.ts';
import { paymentsWork } from './scenarios.ts';

/*
 * The whole product on geth, which mines alone a block a second, by the rules of today and by those of Amsterdam.
 */

const rules: ChainRules[] = ['osaka', 'amsterdam'];

describe.each(rules)('geth by the rules of %s', (rule) => {
  paymentsWork({ startChain: (chainId) => startTestGeth(chainId, rule) });
});
