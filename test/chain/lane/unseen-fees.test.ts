import { AbiCoder, Interface, Transaction } from 'ethers';
import { eventually } from '../../support/eventually.ts';
import { refusal } from '../support/data-chains.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { allAre, allWait, stopAfterEach } from '../support/running.ts';

/* Chains that take fees beside the gas: an operator's fee, or one for data that no known contract tells. */

let gateway: Gateway;
let proxy: Proxy;
const keep = stopAfterEach();
const COIN = 10n ** 18n;
const ORACLE = '0x420000000000000000000000000000000000000f';
const oracle = new Interface(['function getL1Fee(bytes)', 'function getOperatorFee(uint256)']);
const hex = (amount: bigint): string => `0x${amount.toString(16)}`;
const word = (amount: bigint): string => AbiCoder.defaultAbiCoder().encode(['uint256'], [amount]);

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 2 });
  proxy = await startProxy(gateway.chain.url);
  await gateway.knex('alerts').delete();
  await gateway.rpc.call('anvil_setBalance', [gateway.keys.operator.address, hex(COIN)]);
  keep(gateway.startWatcher());
});
afterEach(async () => {
  await proxy.close();
  await gateway.close();
});

const lane = () =>
  keep(gateway.startLane({ urls: [proxy.url], lowFunds: 20, timing: { unreachable: 1_000, bump: 1_000 } }));
const told = (kind: string) => gateway.knex('alerts').where({ kind });

/**
 * A pool of the OP stack that takes what the account cannot pay the operator's fee for, and never mines it.
 * @param fee of the operator, for any transaction
 * @param isTold true when the oracle tells it
 */
const startOperator = (fee: bigint, isTold: boolean): { readonly held: Map<string, number> } => {
  const held = new Map<string, number>();
  proxy.rewrite = (request) => {
    const { method, params } = request;
    const [first] = params as [string & { to?: string; data: string }];
    if (method === 'eth_call' && first.to === ORACLE) {
      if (first.data.startsWith(oracle.getFunction('getL1Fee')!.selector)) return { result: word(1_000n) };
      return isTold ? { result: word(fee) } : request;
    }
    if (method === 'eth_getTransactionByHash' && held.has(first))
      return { result: { hash: first, blockHash: null, blockNumber: null } };
    if (method !== 'eth_sendRawTransaction') return request;
    const { hash, nonce } = Transaction.from(first);
    held.set(hash!, nonce);
    return { result: hash };
  };
  proxy.tamper = ({ method, params }, result) =>
    method === 'eth_getTransactionCount' && params[1] === 'pending'
      ? hex(BigInt(Math.max(Number(result), ...[...held.values()].map((nonce) => nonce + 1))))
      : result;
  return { held };
};

it('an operator fee that its oracle tells is counted, and nothing is sent without it', async () => {
  const { held } = startOperator(2n * COIN, true);
  const payments = await gateway.pay(1);
  lane();
  await allWait(gateway, payments, 'operator_underfunded');
  const [alert] = await told('operator_underfunded');
  expect(BigInt(alert.data.need_wei) >= 2n * COIN).toBe(true);
  expect(held.size).toBe(0);
});

it('a transaction that the pool takes and no block includes is told within ten blocks, with the likely cause', async () => {
  const { held } = startOperator(2n * COIN, false);
  lane();
  await gateway.pay(1);
  await eventually(() => held.size > 0);
  const [alert] = await eventually(async () => {
    const alerts = await told('endpoint_refuses');
    return alerts.length > 0 && alerts;
  });
  expect(alert).toMatchObject({ cause: 'kept', closed_at: null });
  expect(alert.message).toContain('may lack funds');
});

it.each<[string, (balance: bigint) => string, bigint]>([
  ['without a number', () => 'insufficient funds for l1fee + gas * price + value', COIN],
  ['with the need', (balance) => `insufficient funds for l1fee: have ${balance} want ${3n * balance}`, 3n * COIN - 1n],
])(
  'the need of an alert is above the balance where an endpoint rejects for a fee for data (%s)',
  async (_, words, more) => {
    proxy.rewrite = (request) => (request.method === 'eth_sendRawTransaction' ? refusal(words(COIN)) : request);
    lane();
    const payments = await gateway.pay(1);
    await allWait(gateway, payments, 'operator_underfunded');
    const [alert] = await told('operator_underfunded');
    expect(BigInt(alert.data.need_wei) > more).toBe(true);
    expect(alert.message).toContain('l1fee');
    proxy.rewrite = null;
    await allAre(gateway, payments, 'awaiting_payment');
  },
);

it.each([
  ['a word as large as a hash', `0x${'f'.repeat(64)}`],
  ['two words', `0x${'0'.repeat(63)}1${'f'.repeat(64)}`],
  ['a few bytes', '0xffff'],
])('another contract at the address of the oracle that returns %s tells no fee', async (_, result) => {
  proxy.rewrite = (request) =>
    request.method === 'eth_call' && (request.params[0] as { to?: string }).to === ORACLE ? { result } : request;
  lane();
  await allAre(gateway, await gateway.pay(1), 'awaiting_payment');
  expect(await told('operator_underfunded')).toEqual([]);
});
