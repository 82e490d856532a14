import { createRpc, type Rpc } from '../../chain/rpc/rpc.ts';
import type { RpcRequest } from '../../chain/rpc/requests.ts';
import type { RpcError } from '../../chain/rpc/error.ts';
import { classifySend, type SendClass } from '../../chain/rpc/send-errors.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { devAccounts } from '../../tools/stack/accounts.ts';
import type { Chain } from '../../tools/stack/chain.ts';

/** An account with coins. */
export const signer = createKeySigner(devAccounts.root.privateKey);
const poor = createKeySigner(`0x${'77'.repeat(32)}`);

type Unsigned = Parameters<typeof signer.sign>[0];

/** The client that refuses, for further tests; set from `beforeAll` on. */
export interface Refusing {
  readonly rpc: () => Rpc;
  /** The error that answers a request. */
  readonly errorOf: (request: RpcRequest) => Promise<RpcError>;
  /** Sends a transaction that differs so from a usual one. */
  readonly send: (change: Partial<Unsigned>) => Promise<SendClass>;
}

/** The table of refusals has the errors of a client, for requests and for transactions. */
export const refusalsAreUnderstood = (start: () => Promise<Chain>): Refusing => {
  let chain: Chain;
  let rpc: Rpc;
  beforeAll(async () => {
    chain = await start();
    rpc = createRpc({ urls: [chain.url], eip155: 31_337 });
  });
  afterAll(() => chain?.stop());

  const errorOf = async (request: RpcRequest): Promise<RpcError> => {
    const [outcome] = (await rpc.batch([request])).outcomes;
    if (!outcome || outcome.ok) throw new Error(`${request.method} was answered`);
    return outcome.error;
  };

  it('names a missing method', async () => {
    expect((await errorOf({ method: 'eth_nothing' })).refusal).toBe('method');
  });

  it('names a missing block', async () => {
    const params = [{ to: signer.address, data: '0x' }, { blockHash: `0x${'12'.repeat(32)}` }];
    expect((await errorOf({ method: 'eth_call', params })).refusal).toBe('history');
  });

  const usual = { eip155: 31_337, nonce: 0, to: signer.address, data: '0x', value: 0n, gasLimit: 21_000n };
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
  const send = async (change: Partial<Unsigned>, from = signer): Promise<SendClass> => {
    const nonce = Number(await rpc.call('eth_getTransactionCount', [from.address, 'latest']));
    const { raw } = await from.sign({ ...usual, nonce, ...fees, ...change });
    const [outcome] = await rpc.send([raw]);
    return classifySend(outcome!);
  };

  it('says why it refuses a transaction', async () => {
    expect(await send({ gasLimit: 20_999n })).toBe('gas_too_low');
    expect(await send({ gasLimit: 100_000_000n, maxFeePerGas: 2n * 10n ** 9n })).toBe('exceeds_block_gas_limit');
    expect(await send({}, poor)).toBe('insufficient_funds');
    expect(await send({})).toBe('sent');
    // In the pool until the next second, or in a block by then.
    expect(['known', 'nonce_too_low']).toContain(await send({ nonce: 0 }));
    expect(['replacement_underpriced', 'nonce_too_low']).toContain(await send({ nonce: 0, value: 1n }));
  });

  return { rpc: () => rpc, errorOf, send };
};
