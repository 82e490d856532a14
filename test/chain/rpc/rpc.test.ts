import { setTimeout as delay } from 'node:timers/promises';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { createRpc } from '../../../chain/rpc/rpc.ts';
import { RpcError } from '../../../chain/rpc/error.ts';
import { resultOf, type RpcOutcome } from '../../../chain/rpc/requests.ts';
import { classifySend } from '../../../chain/rpc/send-errors.ts';
import type { Chain } from '../../../tools/stack/chain.ts';
import { startTestChain } from '../../support/chain.ts';
import { eventually } from '../../support/eventually.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { createKeySigner } from '../../../chain/signing/signer.ts';

let chain: Chain;
let first: Proxy;
let second: Proxy;
const signer = createKeySigner('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const chainId = { method: 'eth_chainId' };

beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

beforeEach(async () => {
  [first, second] = await Promise.all([startProxy(chain.url), startProxy(chain.url)]);
});
afterEach(() => Promise.all([first.close(), second.close()]));

const both = (timeoutMs = 30_000) =>
  createRpc({ urls: [`${first.url}/v3/secret-key`, second.url], eip155: chain.chainId, timeoutMs });

const failureOf = async (work: Promise<unknown>): Promise<RpcError> => {
  const error: unknown = await work.then(
    () => null,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(RpcError);
  return error as RpcError;
};

describe('reads', () => {
  it('come back in the order of the requests, from one endpoint', async () => {
    const rpc = both();
    const { endpoint, outcomes } = await rpc.batch([
      chainId,
      { method: 'eth_getBalance', params: [signer.address, 'latest'] },
      { method: 'no_such_method' },
    ]);
    expect(endpoint).toBe(0);
    expect(outcomes[0]).toEqual({ ok: true, result: '0x7a69' });
    expect(outcomes[1]?.ok && BigInt(outcomes[1].result as string) > 0n).toBe(true);
    expect(outcomes[2]).toMatchObject({ ok: false, error: { kind: 'rejected' } });
    expect(second.seen).toEqual([]);
  });

  it.each(['refuse', '500', '429', 'stall', 'swallow'] as const)(
    'go to the next endpoint when one fails: %s',
    async (mode) => {
      // A silent one is given up after that, and the other one needs some of it too.
      const rpc = both(mode === 'stall' ? 3_000 : undefined);
      first.mode = mode;
      expect((await rpc.batch([chainId])).endpoint).toBe(1);
      await eventually(() => !rpc.preferred().includes(0));
      // The one that failed is demoted for a while, even when it is well again.
      first.mode = 'pass';
      first.seen.length = 0;
      expect((await rpc.batch([chainId])).endpoint).toBe(1);
      expect(first.seen).toEqual([]);
    },
  );

  it('of a silent endpoint end in time, even in optimised code and during garbage collection', async () => {
    const program = path.join(import.meta.dirname, '../support/silent-endpoint.ts');
    const flags = ['--always-turbofan', '--expose-gc'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program]);
    expect(stdout).toBe('no response in time');
  });

  it('many at once keep their order while an endpoint is still being verified', async () => {
    const rpc = both();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => rpc.call('eth_getBlockByNumber', ['0x0', false])),
    );
    for (const answer of answers) expect(answer).toMatchObject({ number: '0x0' });
  });

  it('are split when they are too many for one body', async () => {
    const rpc = createRpc({ urls: [first.url], eip155: chain.chainId, maxBatch: 7 });
    const numbers = Array.from({ length: 20 }, (_, index) => index % 2);
    const { outcomes } = await rpc.batch(
      numbers.map((number) => ({ method: number ? 'eth_chainId' : 'net_version', params: [] })),
    );
    expect(outcomes.map((outcome) => outcome.ok && outcome.result)).toEqual(
      numbers.map((number) => (number ? '0x7a69' : '31337')),
    );
  });

  it('never come from another chain', async () => {
    const other = await startTestChain({ chainId: 4242 });
    try {
      first.target = other.url;
      const rpc = both();
      expect((await rpc.batch([chainId])).endpoint).toBe(1);
      second.target = other.url;
      second.mode = 'refuse';
      await failureOf(rpc.batch([chainId]));
      second.mode = 'pass';
      expect((await failureOf(rpc.batch([chainId]))).kind).toBe('wrong_chain');
    } finally {
      await other.stop();
    }
  });
});

it('a sole endpoint has all the time of an exchange, also where a quorum must agree', async () => {
  const rpc = createRpc({ urls: [first.url], eip155: chain.chainId });
  // Others are asked after three seconds.
  first.rewrite = (request) => delay(3_200, request);
  const agreed = rpc.agree([{ method: 'eth_blockNumber' }], 1, ([one]) => [one?.ok ? 'told' : undefined]);
  expect(await agreed).toEqual(['told']);
  first.rewrite = null;
});

describe('errors', () => {
  it.each(['refuse', '500', 'stall'] as const)('name no URL and no key: %s', async (mode) => {
    const rpc = createRpc({ urls: [`${first.url}/v3/secret-key`], eip155: chain.chainId, timeoutMs: 200 });
    first.mode = mode;
    const error = await failureOf(rpc.call('eth_blockNumber'));
    expect(error.transient).toBe(true);
    const shown = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    expect(shown).not.toMatch(/secret-key|127\.0\.0\.1:\d+\/v3/);
  });

  it('of the node lose everything that looks like a URL', () => {
    const error = new RpcError('rejected', 'upstream https://node.example/v3/secret-key failed');
    expect(error.message).toBe('upstream <url> failed');
  });

  it('of the node cost little time, however long they are', () => {
    const timeOf = (length: number): number => {
      const text = 'a-'.repeat(length);
      const times = Array.from({ length: 5 }, () => {
        const start = performance.now();
        new RpcError('rejected', text);
        return performance.now() - start;
      });
      return Math.min(...times);
    };
    // Twenty times as long: at most about twenty times the time, and four hundred times if each part were read again and again.
    expect(timeOf(400_000) / timeOf(20_000)).toBeLessThan(100);
  });

  it('carry revert data of every shape that nodes use', () => {
    const data = '0x08c379a0';
    expect(new RpcError('rejected', 'execution reverted', { code: 3, data }).revertData).toBe(data);
    expect(new RpcError('rejected', 'x', { code: -32000, data: { data } }).revertData).toBe(data);
    expect(new RpcError('rejected', 'x', { code: -32015, data: `Reverted ${data}` }).revertData).toBe(data);
    expect(new RpcError('rejected', 'execution reverted', { code: -32000 }).revertData).toBe('0x');
    expect(new RpcError('rejected', 'header not found', { code: -32000 }).revertData).toBeNull();
    expect(new RpcError('timeout', 'execution reverted').revertData).toBeNull();
  });
});

describe('quorum', () => {
  it('gives the response on which enough endpoints agree', async () => {
    const rpc = both();
    const pick = (outcomes: readonly RpcOutcome[]) => [resultOf(outcomes[0]) as string];
    expect(await rpc.agree([chainId], 2, pick)).toEqual(['0x7a69']);
    second.mode = 'refuse';
    expect(await rpc.agree([chainId], 2, pick)).toEqual([undefined]);
    expect(await rpc.agree([chainId], 1, pick)).toEqual(['0x7a69']);
  });

  it('gives nothing where they differ', async () => {
    const other = await startTestChain();
    try {
      second.target = other.url;
      const genesis = { method: 'eth_getBlockByNumber', params: ['0x0', false] };
      const hash = ([block]: readonly RpcOutcome[]) => [(resultOf(block) as { hash: string }).hash];
      const [, agreed] = await both().agree([genesis, chainId], 2, (outcomes) => [
        ...hash(outcomes),
        resultOf(outcomes[1]) as string,
      ]);
      expect(agreed).toBe('0x7a69');
      const [differing] = await both().agree([genesis], 2, (outcomes) => [
        `${hash(outcomes)[0]}${(resultOf(outcomes[0]) as { timestamp: string }).timestamp}`,
      ]);
      const [one] = await both().agree([genesis], 1, hash);
      expect(one).toMatch(/^0x[0-9a-f]{64}$/);
      expect(differing === undefined || differing.startsWith(one!)).toBe(true);
    } finally {
      await other.stop();
    }
  });
});

describe('sends', () => {
  const signed = async (count: number): Promise<string[]> => {
    const nonce = Number(
      await createRpc({ urls: [chain.url], eip155: null }).call('eth_getTransactionCount', [signer.address, 'pending']),
    );
    const all = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        signer.sign({
          eip155: chain.chainId,
          nonce: nonce + index,
          to: signer.address,
          data: '0x',
          value: 0n,
          gasLimit: 21_000n,
          maxFeePerGas: 10n ** 11n,
          maxPriorityFeePerGas: 1n,
        }),
      ),
    );
    return all.map(({ raw }) => raw);
  };

  it('are taken in order, and known the second time', async () => {
    const raws = await signed(5);
    const rpc = both();
    expect((await rpc.send(raws)).map(classifySend)).toEqual(['sent', 'sent', 'sent', 'sent', 'sent']);
    const again = (await rpc.send(raws)).map(classifySend);
    expect(again.every((one) => one === 'known' || one === 'nonce_too_low')).toBe(true);
  });

  it('whose response is lost go to the next endpoint, which knows them', async () => {
    const raws = await signed(2);
    const rpc = both();
    first.mode = 'swallow';
    const classes = (await rpc.send(raws)).map(classifySend);
    expect(first.seen).toContain('eth_sendRawTransaction');
    expect(classes.every((one) => one === 'known' || one === 'nonce_too_low')).toBe(true);
  });

  it('without a response are possibly sent', async () => {
    const raws = await signed(2);
    const rpc = both(200);
    first.mode = 'swallow';
    second.mode = 'stall';
    expect((await rpc.send(raws)).map(classifySend)).toEqual(['possibly_sent', 'possibly_sent']);
  });
});
