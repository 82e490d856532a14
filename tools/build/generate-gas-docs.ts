/**
 * Writes `docs/contracts/gas.md` from `contracts/gas.json` and the ceilings of `test/contracts/gas.t.sol`, which checks that
 * file, and from `contracts/gas-geth.json`, which `test/evm-clients/gas.test.ts` checks. With `--check` it writes nothing and
 * fails if the file would change.
 */
import { readFileSync } from 'node:fs';
import gas from '../../contracts/gas.json' with { type: 'json' };
import rules from '../../contracts/gas-geth.json' with { type: 'json' };
import commerce from '../../test/contracts/fixtures/commerce-payments-gas.json' with { type: 'json' };
import { writeGenerated } from './write-generated.ts';

type Figure = keyof typeof gas;

/** EIP-7825. */
const MAX_TRANSACTION = 2 ** 24;

const test = readFileSync(new URL('../../test/contracts/gas.t.sol', import.meta.url), 'utf8');

const ceilingOf = (name: string): number => {
  const found = new RegExp(`uint256 internal constant ${name} = ([\\d_]+);`).exec(test)?.[1];
  if (found === undefined) throw new Error(`gas.t.sol has no ceiling ${name}`);
  return Number(found.replaceAll('_', ''));
};

const text = (figure: number): string => Math.round(figure).toLocaleString('en-US');
const of = (figure: Figure): string => text(gas[figure]);
const per = (figure: Figure, count: number): string => text(gas[figure] / count);
const most = (name: string): string => text(ceilingOf(name));

const batchRow = (what: string, name: string, ceiling: string): string => {
  const sizes = [1, 10, 50, 100].map((size) => of(`${name}_${size}` as Figure));
  return `| ${what} | ${sizes.join(' | ')} | ${per(`${name}_50` as Figure, 50)} | ${ceiling} |`;
};

/** The most deals that one transaction of the batcher can create on one diamond. */
const room = (): string => {
  const each = (gas.batcherCreateDeals_100 - gas.batcherCreateDeals_50) / 50;
  return text(Math.floor((MAX_TRANSACTION - gas.batcherCreateDeals_100) / each) + 100);
};

type Transaction = keyof typeof rules.osaka;

const changes: readonly (readonly [what: string, of: Transaction, count?: number])[] = [
  ['`Registry`, once for each network', 'deploy_registry'],
  ['`Batcher`', 'deploy_batcher'],
  ['`DiamondCutFacet`', 'deploy_DiamondCutFacet'],
  ['`DiamondLoupeFacet`', 'deploy_DiamondLoupeFacet'],
  ['`DealFacet`', 'deploy_DealFacet'],
  ['`OfferFacet`', 'deploy_OfferFacet'],
  ['`createDiamond`, once for each wallet', 'createDiamond'],
  ['an update from the first release', 'update'],
  ['a deal alone, through the batcher', 'batcherCreateDeals_1'],
  ['a deal in a batch of 50', 'batcherCreateDeals_50', 50],
  ['a cancel in a batch of 50', 'batcherCancelDeals_50', 50],
  ['`payToken`', 'payToken'],
  ['`payToken`, the payee has none of it', 'payToken_empty'],
  ['`payTokenWithPermit`, the first one of a buyer', 'payTokenWithPermit'],
  ['`payTokenWithPermit`, the payee has none of it', 'payTokenWithPermit_empty'],
  ['`payNative`', 'payNative'],
  ['`payNative`, the chain does not know the payee', 'payNative_empty'],
  ['`payOfferedToken`', 'payOfferedToken'],
  ['`payOfferedToken`, the payee has none of it', 'payOfferedToken_empty'],
  ['`payOfferedNative`', 'payOfferedNative'],
  ['`payOfferedNative`, the chain does not know the payee', 'payOfferedNative_empty'],
  ['*beside it:* a plain `transfer` of the same token', 'transfer'],
  ['*beside it:* a plain `transfer`, the payee has none of it', 'transfer_empty'],
  ['*beside it:* a plain transfer of coins', 'transferNative'],
  ['*beside it:* the same, the chain does not know the payee', 'transferNative_empty'],
];

const changeRow = ([what, name, count = 1]: (typeof changes)[number]): string => {
  const [today, then] = [rules.osaka[name] / count, rules.amsterdam[name] / count];
  return `| ${what} | ${text(today)} | ${text(then)} | ${(then / today).toFixed(1)} |`;
};

type Rules = keyof typeof rules;
const shareOf = (of: Rules): number => rules[of].batcherCreateDeals_50 / 50;
/** The additional gas that a buyer pays for an offered deal. */
const extra = (of: Rules): number => rules[of].payOfferedToken - rules[of].payToken;
/** The additional gas that operator and buyer pay together for a created deal. */
const saved = (of: Rules): string => text(shareOf(of) - extra(of));

const modes: readonly (readonly [what: string, of: (rule: Rules) => number])[] = [
  ['created: the operator, in a batch of 50', shareOf],
  ['created: the buyer', (of) => rules[of].payToken],
  ['created: both', (of) => shareOf(of) + rules[of].payToken],
  ['offered: the operator', () => 0],
  ['offered: the buyer, and both', (of) => rules[of].payOfferedToken],
];
const modeRow = ([what, of]: (typeof modes)[number]): string =>
  `| ${what} | ${text(of('osaka'))} | ${text(of('amsterdam'))} |`;

const script = 'tools/build/generate-gas-docs.ts';
await writeGenerated(
  'docs/contracts/gas.md',
  `<!-- Written by ${script} from contracts/gas.json and test/contracts/gas.t.sol. Do not edit. -->

# Gas

Figures are for whole transactions, as in a receipt. Every test run measures each in \`test/contracts/gas.t.sol\` and
requires it to be within 2 % of \`contracts/gas.json\` and below its ceiling.

## Deals

| deals in one transaction | 1 | 10 | 50 | 100 | each of 50 | at most |
| --- | --- | --- | --- | --- | --- | --- |
${[
  batchRow('`createDeals` of a diamond', 'createDeals', most('MAX_CREATE')),
  batchRow('the same through the batcher', 'batcherCreateDeals', ''),
  batchRow('`cancelDeals` of a diamond', 'cancelDeals', most('MAX_CANCEL')),
  batchRow('the same through the batcher', 'batcherCancelDeals', ''),
].join('\n')}

| through the batcher | gas | each deal | at most |
| --- | --- | --- | --- |
| 50 diamonds, 1 deal each | ${of('batcherFiftyDiamonds_1')} | ${per('batcherFiftyDiamonds_1', 50)} | ${most('MAX_CREATE_MANY_DIAMONDS')} |
| 10 diamonds, 1 deal each | ${of('batcherTenDiamonds_1')} | ${per('batcherTenDiamonds_1', 10)} | |
| 10 diamonds, 10 deals each | ${of('batcherTenDiamonds_10')} | ${per('batcherTenDiamonds_10', 100)} | |
| 10 diamonds, 30 deals each | ${of('batcherTenDiamonds_30')} | ${per('batcherTenDiamonds_30', 300)} | |

A transaction of ${text(MAX_TRANSACTION)} gas (EIP-7825) has room for about ${room()} new deals.

## Payments

| payment | the payee has the token | at most | the payee has none of it | at most |
| --- | --- | --- | --- | --- |
| \`payToken\` | ${of('payToken')} | ${most('MAX_PAY_TOKEN')} | ${of('payToken_empty')} | ${most('MAX_PAY_TOKEN_EMPTY')} |
| \`payTokenWithPermit\` | ${of('payTokenWithPermit')} | ${most('MAX_PAY_WITH_PERMIT')} | ${of('payTokenWithPermit_empty')} | ${most('MAX_PAY_WITH_PERMIT')} |
| \`payToken\` with the deal's share of a batch of 50 | ${text(gas.payToken + gas.createDeals_50 / 50)} | | ${text(gas.payToken_empty + gas.createDeals_50 / 50)} | |
| \`payOfferedToken\`, the dearest of 1,000 signatures | ${of('payOfferedToken')} | ${most('MAX_PAY_OFFERED_TOKEN')} | ${of('payOfferedToken_empty')} | |
| \`payOfferedTokenWithPermit\` | ${of('payOfferedTokenWithPermit')} | ${most('MAX_PAY_OFFERED_WITH_PERMIT')} | | |
| *beside it:* a plain \`transfer\` of the same token | ${of('transfer')} | | ${of('transfer_empty')} | |
| *beside it:* \`charge\` of commerce-payments by a signature (ERC-3009) | ${text(commerce.charge)} | | ${text(commerce.charge_empty)} | |
| *beside it:* \`charge\` of commerce-payments, after a \`preApprove\` of ${text(commerce.preApprove)} | ${text(commerce.chargeApproved)} | | ${text(commerce.chargeApproved_empty)} | |
| \`payNative\` | ${of('payNative')} | ${most('MAX_PAY_NATIVE')} | ${of('payNative_empty')} | ${most('MAX_PAY_NATIVE_EMPTY')} |
| \`payOfferedNative\`, the dearest of 1,000 signatures | ${of('payOfferedNative')} | ${most('MAX_PAY_OFFERED_NATIVE')} | ${of('payOfferedNative_empty')} | |
| *beside it:* a plain transfer of coins | ${of('transferNative')} | | | |

Allowances are unlimited here, so tokens do not write them. An allowance of exactly the amount makes a payment about 1,700 gas
cheaper, though its gas limit must be 3,100 higher; one that leaves a remainder makes it 3,100 dearer. The permit is the
buyer's first of that token. For native coins, "has none of it" is an account that the chain does not know yet. An operator
sends \`charge\` of commerce-payments, which corresponds to creating and paying a deal here. It was measured once and not with
every run, because no package registry has commerce-payments:

- ${commerce.origin}
- ${commerce.method}

## Diamonds and networks

| once for each wallet | gas | at most |
| --- | --- | --- |
| \`createDiamond\` | ${of('createDiamond')} | ${most('MAX_DIAMOND')} |
| *beside it:* the diamond that hardhat-deploy 0.14.1 deploys, with the same facets | ${of('otherDiamond')} | |
| \`diamondCutChecked\` that adds two selectors | ${of('diamondCutChecked_add_2')} | |

| once for each network | gas |
| --- | --- |
${['Registry', 'Batcher', 'DiamondCutFacet', 'DiamondLoupeFacet', 'DealFacet', 'OfferFacet']
  .map((name) => `| \`${name}\` | ${of(`deploy_${name}` as Figure)} |`)
  .join('\n')}

## Under Amsterdam's rules

Amsterdam (EIP-8037, EIP-8038) charges 97,920 gas for a new slot, 1,530 for a byte of code and 183,600 for a new account.
\`test/evm-clients/gas.test.ts\` sends these transactions to geth under today's rules and under Amsterdam's, and requires them to
be within 2 % of \`contracts/gas-geth.json\`.

| transaction | today | under Amsterdam's rules | times |
| --- | --- | --- | --- |
${changes.map(changeRow).join('\n')}

## Created or offered

A deal that is offered costs the operator nothing, whether it is paid or not; the buyer pays for its slot. A deal that is
created costs the operator its share of a batch, also where the order is abandoned; the buyer pays less.

| gas of a token payment | today | under Amsterdam's rules |
| --- | --- | --- |
${modes.map(modeRow).join('\n')}

In all, an offered order costs less gas: a paid one ${saved('osaka')} less today and ${saved('amsterdam')} less under Amsterdam's rules,
an abandoned one nothing instead of the operator's share. The buyer of an offered deal pays ${text(extra('osaka'))} more today and
${text(extra('amsterdam'))} more under Amsterdam's rules. Creation suits shops whose buyers compare gas prices. Offers suit shops
whose operator key should hold no coins, or many of whose orders are abandoned.
`,
  script,
);
