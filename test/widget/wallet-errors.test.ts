import { mock } from 'node:test';
import { read, toWalletError, type Provider } from '../../widget/wallet/provider.ts';

const reason = `0x4f39efbc${'00'.repeat(32)}`;

it.each([
  ['a rejection (EIP-1193)', { code: 4001 }, 'rejected'],
  [
    'a rejection in words only',
    { code: -32603, message: 'MetaMask Tx Signature: User denied transaction' },
    'rejected',
  ],
  ['a rejection of ethers', { code: 'ACTION_REJECTED' }, 'rejected'],
  ['a locked wallet', { code: 4100 }, 'locked'],
  ['an unknown method', { code: 4200 }, 'unsupported'],
  ['an unknown method of JSON-RPC', { code: -32601 }, 'unsupported'],
  ['a lost wallet', { code: 4900 }, 'wallet_offline'],
  ['a lost network', { code: 4901 }, 'wallet_offline'],
  ['an unknown network', { code: 4902 }, 'unknown_network'],
  ['an unknown network, wrapped', { code: -32603, data: { originalError: { code: 4902 } } }, 'unknown_network'],
  ['an earlier request', { code: -32002 }, 'busy'],
  ['a capability that lacks (EIP-5792)', { code: 5700 }, 'unsupported'],
  ['an unknown batch (EIP-5792)', { code: 5730 }, 'unknown_batch'],
  ['an internal error', { code: -32603, message: 'Internal JSON-RPC error.' }, 'wallet_failed'],
  ['a text', 'nope', 'wallet_failed'],
  ['nothing', undefined, 'wallet_failed'],
])('%s', (_, error, fault) => {
  expect(toWalletError(error).fault).toBe(fault);
});

it.each([
  ['at the top', { code: 3, data: reason }],
  ['in the data', { code: -32603, data: { code: 3, data: reason } }],
  ['in the original error', { code: -32603, data: { originalError: { data: reason } } }],
  ['in an inner error', { error: { data: reason } }],
])('the reason of a revert is found %s', (_, error) => {
  expect(toWalletError(error).revert).toBe(reason);
});

it('an error that contains itself is read to an end', () => {
  const error: Record<string, unknown> = { code: 4001 };
  error.cause = error;
  expect(toWalletError(error).fault).toBe('rejected');
});

it('a read without an answer ends', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const mute: Provider = { request: () => new Promise(() => {}) };
  const answer = expect(read(mute, 'eth_chainId')).rejects.toMatchObject({ fault: 'no_answer' });
  mock.timers.tick(15_000);
  await answer;
  mock.timers.reset();
});
