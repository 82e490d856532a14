import { Transaction } from 'ethers';
import { eventually } from '../../support/eventually.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy, type WireAnswer, type WireRequest } from '../support/proxy.ts';
import { allAre, stopAfterEach } from '../support/running.ts';

/*
 * The only endpoint does not take a transaction, for a reason that no higher fee removes. It responds to reads, and blocks
 * come.
 */

let gateway: Gateway;
let proxy: Proxy;
const keep = stopAfterEach();

beforeEach(async () => {
  gateway = await startGateway({ confirmations: 2 });
  proxy = await startProxy(gateway.chain.url);
  await gateway.knex('alerts').delete();
  keep(gateway.startWatcher());
});
afterEach(async () => {
  await proxy.close();
  await gateway.close();
});

type Answer = (raw: string) => WireAnswer;

const error =
  (code: number, message: string): Answer =>
  () => ({ error: { code, message } });
const swallow: Answer = (raw) => ({ result: Transaction.from(raw).hash });
const noFunds = error(-32_000, 'insufficient funds for gas * price + value: address 0x have 1 want 2');
const noPool = error(-32_601, 'the method eth_getTransactionCount does not exist/is not available');

/** The proxy responds so to transactions while it should. */
const sendsGet =
  (answer: Answer, isSo: (raw: string) => boolean): Proxy['rewrite'] =>
  (request) => {
    const raw = request.params[0] as string;
    return request.method === 'eth_sendRawTransaction' && isSo(raw) ? answer(raw) : request;
  };

const lane = () => keep(gateway.startLane({ urls: [proxy.url], timing: { bump: 300 } }));
const signed = () => eventually(async () => (await gateway.knex('tx_slots').where({ state: 'signed' })).length === 1);
const attempts = () => gateway.knex('tx_attempts').orderBy('seq');
const blocks = async (count: number): Promise<void> => {
  const from = Number(await gateway.rpc.call('eth_blockNumber'));
  await eventually(async () => Number(await gateway.rpc.call('eth_blockNumber')) >= from + count);
};

it.each<[string, Answer, boolean]>([
  ['its gas limit is above the cap of the node', error(-32_000, 'exceeds block gas limit'), true],
  ['words that nobody knows', error(-32_000, 'the moon is full'), true],
  ['funds are insufficient', noFunds, true],
  ['funds are insufficient, and the endpoint does not know its pool', noFunds, false],
  ['the endpoint takes no transactions', error(-32_601, 'the method eth_sendRawTransaction does not exist'), true],
  ['its fee is above the cap of the node', error(-32_000, 'tx fee (1.2 ether) exceeds the configured cap (1)'), true],
  ['the endpoint accepts and drops it', swallow, true],
])('a transaction costs no more when it is taken at last (%s)', async (_, answer, knowsPool) => {
  let isOut = true;
  const sends = sendsGet(answer, () => isOut)!;
  proxy.rewrite = (request: WireRequest) =>
    !knowsPool && request.method === 'eth_getTransactionCount' && request.params[1] === 'pending'
      ? noPool('')
      : sends(request);
  lane();
  const payments = await gateway.pay(1);
  await signed();
  // Several times the interval of raises.
  await blocks(15);
  isOut = false;
  await allAre(gateway, payments, 'awaiting_payment');
  expect(await attempts()).toHaveLength(1);
});

it('a transaction that is dropped below the fees of the chain is raised to them once', async () => {
  let first: bigint | null = null;
  const market = 5n * 10n ** 9n;
  proxy.rewrite = sendsGet(swallow, (raw) => {
    const { maxPriorityFeePerGas: tip } = Transaction.from(raw);
    first ??= tip!;
    return tip! <= first;
  });
  lane();
  const payments = await gateway.pay(1);
  await signed();
  proxy.tamper = ({ method }, result) => (method === 'eth_maxPriorityFeePerGas' ? `0x${market.toString(16)}` : result);
  await allAre(gateway, payments, 'awaiting_payment');
  const tips = (await attempts()).map(({ max_priority_fee_per_gas: tip }) => BigInt(tip));
  expect(tips).toEqual([first, market]);
});

it('the alert about missing funds names what is needed now', async () => {
  proxy.rewrite = sendsGet(noFunds, () => true);
  lane();
  await gateway.pay(1);
  // What is missing beyond the balance, which pays for all that Carat sees.
  const need = async (): Promise<bigint | false> => {
    const [alert] = await gateway.knex('alerts').where({ kind: 'operator_underfunded' });
    return alert !== undefined && BigInt(alert.data.need_wei) - BigInt(alert.data.balance_wei);
  };
  const before = BigInt(await eventually(need));
  proxy.tamper = ({ method }, result) =>
    method === 'eth_getBlockByNumber' ? { ...(result as object), baseFeePerGas: '0x4a817c800' } : result;
  await eventually(async () => BigInt(await need()) > 2n * before);
});
