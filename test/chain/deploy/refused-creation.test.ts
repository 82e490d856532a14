import { createDeployer } from '../../../chain/deploy/deployer.ts';
import { createRpc } from '../../../chain/rpc/rpc.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { startProxy, type Proxy, type WireAnswer } from '../support/proxy.ts';

/*
 * A call without a receiver shows whether a chain runs the cancun instructions. An endpoint that refuses such calls says nothing of it.
 */

let gateway: Gateway;
let proxy: Proxy;
beforeAll(async () => {
  gateway = await startGateway({ confirmations: 2 });
  proxy = await startProxy(gateway.chain.url);
});
afterAll(async () => {
  await proxy.close();
  await gateway.close();
});

/** The finding about the network of an endpoint that answers calls without a receiver so, and of others that do not. */
const lookThrough = async (answer: WireAnswer, others = 0, quorum = 1) => {
  proxy.rewrite = (request) =>
    request.method === 'eth_call' && (request.params[0] as { to?: string }).to === undefined ? answer : request;
  const { eip155, platform } = gateway.network;
  const { root, guardian, operator, upgrader } = gateway.keys;
  const urls = [proxy.url, ...Array.from({ length: others }, () => gateway.chain.url)];
  const places = { platform, root: root.address, guardian: guardian.address };
  const deployer = createDeployer({
    network: { ...places, name: 'net', eip155, confirmations: 2, quorum },
    rpc: createRpc({ urls, eip155 }),
    operators: [operator.address],
    upgraders: [upgrader.address],
  });
  return deployer.preflight();
};
const error = (code: number, message: string, data?: unknown): WireAnswer =>
  ({ error: { code, message, ...(data === undefined ? {} : { data }) } }) as WireAnswer;

const refusals: readonly WireAnswer[] = [
  error(-32_602, 'missing field `to`'),
  error(-32_602, 'invalid argument 0: json: missing required field "to"'),
  error(-32_000, 'eth_call: contract creation is not supported'),
  error(-32_601, 'the method eth_call does not exist/is not available'),
  error(-32_603, 'Internal error'),
];

it.each(refusals)('a sole endpoint that answers %j is told in its own words', async (answer) => {
  const { message } = (answer as { error: { message: string } }).error;
  await expect(lookThrough(answer)).rejects.toMatchObject({ refuses: true, message });
});

it.each(refusals)('another endpoint is asked where the first answers %j', async (answer) => {
  expect(await lookThrough(answer, 1)).toBeNull();
  expect(await lookThrough(answer, 2, 2)).toBeNull();
  await expect(lookThrough(answer, 1, 2)).rejects.toMatchObject({ refuses: true });
});

it.each([
  error(-32_000, 'invalid opcode: opcode 0x5c not defined'),
  error(-32_000, 'invalid opcode: PUSH0'),
  error(-32_000, 'VM Exception while processing transaction: invalid opcode'),
  error(-32_015, 'VM execution error', 'BadInstruction'),
  error(-32_015, 'VM execution error', 'Bad instruction 5f'),
  error(-32_003, 'EVM error: NotActivated'),
  error(-32_003, 'EVM error: OpcodeNotFound'),
  error(-32_000, 'INVALID_OPERATION'),
  error(3, 'execution reverted', '0x'),
])('a chain whose endpoints answer %j does not run the cancun instructions', async (answer) => {
  expect(await lookThrough(answer)).toMatchObject({ code: 'evm_too_old' });
});
