import { AbiCoder, id } from 'ethers';
import { payErrors } from '../../chain/pure/pay-errors.ts';
import { toStop } from '../../widget/pay/phases.ts';
import { createReads } from '../../widget/wallet/reads.ts';
import texts from '../../widget/locales/en.json' with { type: 'json' };

/*
 * What a buyer reads when the estimate of a payment reverts with a reason of the token's own: neither the wallet nor the shop is blamed.
 */

const data = (token: string | null) => ({ contract: { errors: payErrors }, token_address: token }) as never;
const coder = AbiCoder.defaultAbiCoder();
const reasonOf = (text: string): string => `0x08c379a0${coder.encode(['string'], [text]).slice(2)}`;
const reverted = (revert?: string) => ({ code: 3, message: 'execution reverted', data: revert });
const customOf = (signature: string, words = 0): string => `${id(signature).slice(0, 10)}${'00'.repeat(32 * words)}`;

/** As the page chooses its sentence. */
const sentence = (error: unknown, of = data('0x01')): string => {
  const phase = toStop(error, of).phase as { trouble: string; error?: string };
  const key = phase.trouble === 'refused_by_contract' ? `error_${phase.error}` : `trouble_${phase.trouble}`;
  return (texts as Record<string, string>)[key] ?? texts.error_other;
};

it.each<[string, unknown]>([
  ['a listed account (USDC)', reverted(reasonOf('Blacklistable: account is blacklisted'))],
  ['a pause (USDC)', reverted(reasonOf('Pausable: paused'))],
  ['a pause (OpenZeppelin 5)', reverted(customOf('EnforcedPause()'))],
  ['a list (OpenZeppelin 5)', reverted(customOf('ERC20Blocked(address)', 1))],
  ['a role (OpenZeppelin 5)', reverted(customOf('AccessControlUnauthorizedAccount(address,bytes32)', 2))],
  ['a balance (OpenZeppelin 5)', reverted(customOf('ERC20InsufficientBalance(address,uint256,uint256)', 3))],
  ['an allowance that the node has not seen', reverted(reasonOf('ERC20: transfer amount exceeds allowance'))],
  ['an error that nobody knows', reverted('0xdeadbeef')],
  ['a panic', reverted(`0x4e487b71${coder.encode(['uint256'], [0x11]).slice(2)}`)],
  ['no reason', reverted()],
  ['an empty reason', reverted('0x')],
  ['an empty text', reverted(reasonOf(''))],
  ['a revert in words alone', { code: -32_000, message: 'execution reverted' }],
  [
    'a revert that a wallet wraps',
    { code: -32_603, message: 'Internal JSON-RPC error.', data: reverted(reasonOf('x')) },
  ],
  ['a revert of Nethermind', { code: -32_015, message: 'VM execution error', data: `Reverted ${reasonOf('paused')}` }],
  ['an assertion of an old compiler', { code: -32_000, message: 'invalid opcode: INVALID' }],
])('%s blames the token alone', (_, error) => {
  expect(sentence(error)).toBe(texts.error_TokenCallFailed);
});

it("the contract's own errors keep their names, in any case of the hex", () => {
  for (const { selector, name } of payErrors) {
    expect(toStop(reverted(`0x${selector.slice(2).toUpperCase()}`), data('0x01')).phase).toMatchObject({ error: name });
  }
});

it('an inexact transfer has a sentence that names the token, and every language has it', () => {
  const { selector } = payErrors.find(({ name }) => name === 'InexactTransfer')!;
  expect(sentence(reverted(`${selector}${'00'.repeat(96)}`))).toBe(texts.error_InexactTransfer);
  expect(texts.error_InexactTransfer).toMatch(/token/);
});

it('a payment in coins has no token to blame', () => {
  expect(sentence(reverted('0xdeadbeef'), data(null))).toBe(texts.error_other);
});

it.each<[string, unknown, string]>([
  ['a rejection', { code: 4001, message: 'User rejected; would revert' }, 'trouble_rejected'],
  [
    'a wallet without its network',
    { code: 4900, message: 'cannot tell whether it would revert' },
    'trouble_wallet_offline',
  ],
  ['an error without a revert', { code: -32_603, message: 'Internal JSON-RPC error.' }, 'trouble_wallet_failed'],
])("%s stays the wallet's", (_, error, key) => {
  expect(sentence(error)).toBe((texts as Record<string, string>)[key]);
});

describe('a token that is not what it was', () => {
  const answering = (answer: string) => createReads({ request: async () => answer });
  const [token, account] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`];
  const domain = `0x${'0a'.repeat(32)}`;

  it('without code blames the token', async () => {
    const error = await answering('0x')
      .tokens(token, account)
      .catch((thrown: unknown) => thrown);
    expect(sentence(error, null as never)).toBe(texts.error_TokenCallFailed);
  });

  it('has no next permit for another domain than the one that would be signed', async () => {
    expect(await answering(`0x${'0b'.repeat(32)}`).permitNonce(token, account, domain)).toBeNull();
    expect(await answering(domain).permitNonce(token, account, domain)).toBe(BigInt(domain));
  });
});
