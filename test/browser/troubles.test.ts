import { ethers } from 'ethers';
import { payPage, sentences } from './support/pay-page.ts';
import { batchCode } from './support/tokens.ts';
import {
  approve,
  claim,
  createBatchWallet,
  createTestWallet,
  fail,
  hold,
  ignore,
  loseAnswer,
  reject,
  type TestWallet,
} from './support/wallet.ts';
import { openWorld, type Order, type World } from './support/world.ts';

/* Wallets that refuse, fail, are slow, or lie; buyers without means; reloads. Nothing is ever sent twice. */

let world: World;

beforeAll(async () => {
  world = await openWorld();
});

afterEach(() => world.leave());

afterAll(() => world?.close());

/** The payee has what is due, once, and the wallet has sent what it answered and no more. */
const expectPaidOnce = async ({ payment }: Order, currency: 'ETH' | 'USDC' | 'DAI' | 'USDT'): Promise<void> => {
  await world.shops.created.reached(payment, 'completed');
  const { decimals } = world.currencies[currency];
  const amount = currency === 'ETH' ? '0.125' : '12.5';
  expect(await world.balance(payment.payment_address, currency)).toBe(ethers.parseUnits(amount, decimals));
};

/** Requests to send that were answered. */
const answered = (wallet: TestWallet): number =>
  wallet.sends().filter(({ outcome }) => outcome?.answer !== undefined).length;

const ethWallet = async (coins = '10'): Promise<TestWallet> =>
  createTestWallet({ ...(await world.purse('ETH', '0', coins)), chains: [world.chain] });

describe('after a rejection at each step the buyer resumes:', () => {
  it('connect, switch, approve, pay', async () => {
    const order = await world.order({ currency: 'USDC' });
    const chains = [{ eip155: 1, rpc: world.chain.rpc }, world.chain];
    const wallet = createTestWallet({ ...(await world.purse('USDC')), chains });
    wallet.next('eth_requestAccounts', reject);
    wallet.next('wallet_switchEthereumChain', reject);
    wallet.next('eth_sendTransaction', reject, approve, reject);
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.press('Test Wallet');
    await page.says(sentences.rejected);
    await page.press('Try again');
    await page.says(sentences.ready);
    await page.pay();
    for (let rejected = 0; rejected < 3; rejected += 1) {
      await page.says(sentences.rejected);
      await page.press('Try again');
    }
    await page.paid();
    await expectPaidOnce(order, 'USDC');
    expect(answered(wallet)).toBe(2);
    expect(wallet.sends()).toHaveLength(4);
  });

  it('permit, pay', async () => {
    const order = await world.order({ currency: 'DAI', mode: 'offered' });
    const wallet = createTestWallet({ ...(await world.purse('DAI')), chains: [world.chain] });
    wallet.next('eth_signTypedData_v4', reject);
    wallet.next('eth_sendTransaction', reject);
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    for (let rejected = 0; rejected < 2; rejected += 1) {
      await page.says(sentences.rejected);
      await page.press('Try again');
    }
    await page.paid();
    await expectPaidOnce(order, 'DAI');
    expect(answered(wallet)).toBe(1);
  });

  it('removal of the old allowance, approval, pay', async () => {
    const order = await world.order({ currency: 'USDT' });
    const purse = await world.purse('USDT');
    await world.allow(purse, order, 'USDT', 1n);
    const wallet = createTestWallet({ ...purse, chains: [world.chain] });
    wallet.next('eth_sendTransaction', reject, approve, reject, approve, reject);
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    for (let rejected = 0; rejected < 3; rejected += 1) {
      await page.says(sentences.rejected);
      await page.press('Try again');
    }
    await page.paid();
    await expectPaidOnce(order, 'USDT');
    expect(answered(wallet)).toBe(3);
  });

  it('batch', async () => {
    const order = await world.order({ currency: 'USDC', mode: 'offered' });
    const purse = await world.purse('USDC');
    const wallet = await createBatchWallet({ ...purse, chains: [world.chain], atomic: 'supported' }, batchCode());
    wallet.next('wallet_sendCalls', reject);
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.says(sentences.rejected);
    await page.press('Try again');
    await page.paid();
    await expectPaidOnce(order, 'USDC');
    expect(answered(wallet)).toBe(1);
  });

  it('a new network', async () => {
    const order = await world.order({ currency: 'ETH' });
    const chains = [{ eip155: 1, rpc: world.chain.rpc }];
    const wallet = createTestWallet({ ...(await world.purse()), chains });
    wallet.next('wallet_addEthereumChain', reject);
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.says(sentences.rejected);
    await page.press('Try again');
    await page.paid();
    await expectPaidOnce(order, 'ETH');
  });
});

describe('a wallet that fails to connect', () => {
  it.each([
    ['is locked (4100)', fail(4100), 'Your wallet is locked'],
    ['cannot (4200)', fail(4200), 'Your wallet cannot do this.'],
    ['is disconnected (4900)', fail(4900), 'Your wallet has no connection to the network.'],
    ['is disconnected from the network (4901)', fail(4901), 'Your wallet has no connection to the network.'],
    ['waits for another answer (-32002)', fail(-32_002), 'Your wallet still waits for an answer'],
    ['has an error (-32603)', fail(-32_603), 'Your wallet reports an error. Nothing was paid.'],
    ['shows no account', claim([]), 'Your wallet shows no account.'],
    ['answers nonsense', claim({ accounts: 'x' }), 'Your wallet shows no account.'],
  ])('%s', async (_, behaviour, sentence) => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet();
    wallet.next('eth_requestAccounts', behaviour);
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.press('Test Wallet');
    await page.says(sentence);
    await page.press('Try again');
    await page.says(sentences.ready);
    await page.pay();
    await page.paid();
    await expectPaidOnce(order, 'ETH');
    expect(answered(wallet)).toBe(1);
  });
});

describe('a wallet that fails to send', () => {
  it.each([
    ['is locked (4100)', fail(4100), 'Your wallet is locked'],
    ['is disconnected (4900)', fail(4900), 'Your wallet has no connection to the network.'],
    ['waits for another answer (-32002)', fail(-32_002), 'Your wallet still waits for an answer'],
    ['has an error (-32603)', fail(-32_603), 'Your wallet reports an error. Nothing was paid.'],
    [
      'wraps a rejection in an error (-32603)',
      fail(-32_603, 'Internal error', { originalError: { code: 4001, message: 'x' } }),
      sentences.rejected,
    ],
  ])('%s', async (_, behaviour, sentence) => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet();
    wallet.next('eth_sendTransaction', behaviour);
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.says(sentence);
    await page.press('Try again');
    await page.paid();
    await expectPaidOnce(order, 'ETH');
    expect(answered(wallet)).toBe(1);
  });

  it('after sending (-32603)', async () => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet();
    wallet.next('eth_sendTransaction', async (honest, request) => {
      await honest();
      return fail(-32_603)(honest, request);
    });
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaidOnce(order, 'ETH');
    expect(wallet.sends()).toHaveLength(1);
  });
});

it('the endpoint of the wallet is down, and comes back', async () => {
  const order = await world.order({ currency: 'USDC' });
  const wallet = createTestWallet({ ...(await world.purse('USDC')), chains: [world.chain] });
  const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
  await page.connect();
  wallet.account.learn({ ...world.chain, rpc: 'http://127.0.0.1:9' });
  await page.pay();
  await page.says('Your wallet reports an error. Nothing was paid.');
  wallet.account.learn(world.chain);
  await page.press('Try again');
  await page.paid();
  await expectPaidOnce(order, 'USDC');
});

describe('a buyer without means', () => {
  it('has too few tokens, gets some, and pays', async () => {
    const order = await world.order({ currency: 'USDC', mode: 'offered' });
    const purse = await world.purse('USDC', '8');
    const wallet = createTestWallet({ ...purse, chains: [world.chain] });
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.says('You have 8.00 USDC, 12.50 USDC is due.');
    expect(wallet.sends()).toHaveLength(0);
    const revealed = world.product
      .knex('offer_ends')
      .where({ payment_id: order.payment.id })
      .where('revealed_until', '>', 0);
    expect(await revealed).toEqual([]);
    await world.give(wallet.address, 'USDC', '4.5');
    await page.press('Try again');
    await page.paid();
    await expectPaidOnce(order, 'USDC');
  });

  it('has too few coins', async () => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet('0.1');
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.says('You have 0.10 ETH, 0.125 ETH is due.');
    expect(wallet.sends()).toHaveLength(0);
  });

  it.each(['ETH', 'USDC'] as const)('has %s, and too little for the fee', async (currency) => {
    const order = await world.order({ currency });
    const coins = currency === 'ETH' ? '0.125000000000000001' : '0.000000000000000001';
    const wallet = createTestWallet({ ...(await world.purse(currency, '100', coins)), chains: [world.chain] });
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.says(/With the network's fee you need [\d.,]+ ETH, and you have [\d.,]+ ETH\./);
    expect(wallet.sends()).toHaveLength(0);
    await world.send('anvil_setBalance', [wallet.address, ethers.toBeHex(ethers.parseEther('1'))]);
    await page.press('Try again');
    await page.paid();
    await expectPaidOnce(order, currency);
  });
});

it('a wallet that never responds leaves the way to another one', async () => {
  const order = await world.order({ currency: 'ETH' });
  const [mute, other] = await Promise.all(
    ['Mute', 'Other'].map(async (name) =>
      createTestWallet({ name, ...(await world.purse('ETH', '0', '10')), chains: [world.chain] }),
    ),
  );
  const held = hold();
  mute!.next('eth_sendTransaction', held.behaviour);
  const visited = await world.visit(order.url, { wallets: [mute!, other!], clock: true });
  const page = payPage(visited);
  await page.connect('Mute');
  await page.pay();
  await held.asked;
  await visited.clock.fastForward(25_000);
  await page.button('Use another wallet').click();
  await page.press('Other');
  await page.says('Your wallet was asked for this payment before, and may still show the request.');
  await page.button('Pay again').click();
  await page.pay();
  await page.paid();
  await expectPaidOnce(order, 'ETH');
  expect(answered(mute!)).toBe(0);
});

describe('a reload', () => {
  it('while the wallet asks for the account', async () => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet();
    const held = hold();
    wallet.next('eth_requestAccounts', held.behaviour);
    const visited = await world.visit(order.url, { wallets: [wallet] });
    const page = payPage(visited);
    await page.press('Test Wallet');
    await held.asked;
    await visited.reload();
    held.release();
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaidOnce(order, 'ETH');
    expect(wallet.sends()).toHaveLength(1);
  });

  it('while the wallet asks for the approval, which is then mined', async () => {
    const order = await world.order({ currency: 'USDC' });
    const wallet = createTestWallet({ ...(await world.purse('USDC')), chains: [world.chain] });
    const held = hold();
    wallet.next('eth_sendTransaction', held.behaviour);
    const visited = await world.visit(order.url, { wallets: [wallet] });
    const page = payPage(visited);
    await page.connect();
    await page.pay();
    await held.asked;
    await visited.reload();
    held.release();
    await page.says(sentences.ready);
    await world.allowed(wallet.address, order, 'USDC');
    await page.pay();
    await page.paid();
    await expectPaidOnce(order, 'USDC');
    expect(answered(wallet)).toBe(2);
  });

  it('while the approval waits for its block', async () => {
    const order = await world.order({ currency: 'USDC' });
    const wallet = createTestWallet({ ...(await world.purse('USDC')), chains: [world.chain] });
    const visited = await world.visit(order.url, { wallets: [wallet] });
    const page = payPage(visited);
    await page.connect();
    await world.whileHalted(async () => {
      await page.pay();
      await page.says('The network confirms the allowance.');
      await visited.reload();
      await page.says(sentences.ready);
    });
    await world.allowed(wallet.address, order, 'USDC');
    await page.pay();
    await page.paid();
    await expectPaidOnce(order, 'USDC');
    expect(answered(wallet)).toBe(2);
  });

  it('while the wallet asks for the payment, which is then mined: the wallet is not asked again', async () => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet();
    const held = hold();
    wallet.next('eth_sendTransaction', held.behaviour);
    const visited = await world.visit(order.url, { wallets: [wallet] });
    const page = payPage(visited);
    await page.connect();
    await page.pay();
    await held.asked;
    await visited.reload();
    await page.says('Your wallet was asked for this payment before, and may still show the request.');
    held.release();
    await page.paid();
    await expectPaidOnce(order, 'ETH');
    expect(wallet.sends()).toHaveLength(1);
  });

  it('after the payment was sent, before the wallet has responded', async () => {
    const order = await world.order({ currency: 'ETH', mode: 'offered' });
    const wallet = await ethWallet();
    wallet.next('eth_sendTransaction', loseAnswer);
    const visited = await world.visit(order.url, { wallets: [wallet] });
    const page = payPage(visited);
    await page.connect();
    await world.whileHalted(async () => {
      await page.pay();
      await world.pending(wallet.address);
      await visited.reload();
      await page.says(sentences.sent);
      expect(await page.button(/^Pay/).count()).toBe(0);
    });
    await page.paid();
    await expectPaidOnce(order, 'ETH');
    expect(wallet.sends()).toHaveLength(1);
  });

  it('after the payment was sent, before its block', async () => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet();
    const visited = await world.visit(order.url, { wallets: [wallet] });
    const page = payPage(visited);
    await page.connect();
    await world.whileHalted(async () => {
      await page.pay();
      await page.says(sentences.sent);
      await visited.reload();
      await page.says(sentences.sent);
      expect(await page.button(/^Pay/).count()).toBe(0);
    });
    await page.paid();
    await expectPaidOnce(order, 'ETH');
    expect(wallet.sends()).toHaveLength(1);
  });

  it('while the wallet asks for the permit, which is then signed in vain', async () => {
    const order = await world.order({ currency: 'DAI', mode: 'offered' });
    const wallet = createTestWallet({ ...(await world.purse('DAI')), chains: [world.chain] });
    const held = hold();
    wallet.next('eth_signTypedData_v4', held.behaviour);
    const visited = await world.visit(order.url, { wallets: [wallet] });
    const page = payPage(visited);
    await page.connect();
    await page.pay();
    await held.asked;
    await visited.reload();
    held.release();
    await page.connect();
    expect(wallet.sends()).toHaveLength(0);
    await page.pay();
    await page.paid();
    await expectPaidOnce(order, 'DAI');
    expect(wallet.sends()).toHaveLength(1);
  });

  it('after the permit was signed, while the wallet asks for the payment, which is then mined', async () => {
    const order = await world.order({ currency: 'DAI' });
    const wallet = createTestWallet({ ...(await world.purse('DAI')), chains: [world.chain] });
    const held = hold();
    wallet.next('eth_sendTransaction', held.behaviour);
    const visited = await world.visit(order.url, { wallets: [wallet] });
    const page = payPage(visited);
    await page.connect();
    await page.pay();
    await held.asked;
    await visited.reload();
    await page.says('Your wallet was asked for this payment before, and may still show the request.');
    held.release();
    await page.paid();
    await expectPaidOnce(order, 'DAI');
    expect(wallet.sends()).toHaveLength(1);
  });

  it.each(['asks for', 'has sent'])('while the wallet %s a batch', async (step) => {
    const order = await world.order({ currency: 'USDT', mode: 'offered' });
    const purse = await world.purse('USDT');
    const wallet = await createBatchWallet({ ...purse, chains: [world.chain], atomic: 'supported' }, batchCode());
    const held = hold();
    if (step === 'asks for') wallet.next('wallet_sendCalls', held.behaviour);
    const visited = await world.visit(order.url, { wallets: [wallet] });
    const page = payPage(visited);
    await page.connect();
    await world.whileHalted(async () => {
      await page.pay();
      if (step === 'asks for') {
        await held.asked;
        await visited.reload();
        await page.says('Your wallet was asked for this payment before, and may still show the request.');
        held.release();
      } else {
        await page.says(sentences.sent);
        await visited.reload();
        await page.says(sentences.sent);
      }
      expect(await page.button(/^Pay \d/).count()).toBe(0);
    });
    await page.paid();
    await expectPaidOnce(order, 'USDT');
    expect(wallet.sends()).toHaveLength(1);
  });

  it('after the end', async () => {
    const order = await world.order({ currency: 'ETH' });
    const visited = await world.visit(order.url);
    await world.shops.created.pay('alpha', order.payment);
    const page = payPage(visited);
    await page.paid();
    await visited.reload();
    await page.paid();
    await expectPaidOnce(order, 'ETH');
  });
});

describe('a wallet that lies', () => {
  it('returns a hash and sends nothing: the page shows no payment, and lets the buyer pay again', async () => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet();
    wallet.next('eth_sendTransaction', claim(ethers.id('never')));
    const visited = await world.visit(order.url, { wallets: [wallet], clock: true });
    const page = payPage(visited);
    await page.connect();
    await page.pay();
    await page.says(sentences.sent);
    await world.send('anvil_mine', [50]);
    expect((await world.shops.created.merchant.payment(order.payment.id)).status).toBe('awaiting_payment');
    await visited.clock.fastForward(130_000);
    await page.says('The network has not seen the payment yet.');
    await page.press('Pay again');
    await page.pay();
    await page.paid();
    await expectPaidOnce(order, 'ETH');
  });

  it('returns the hash of a real transaction that is another one', async () => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet();
    wallet.next('eth_sendTransaction', async (_, { params }) =>
      wallet.account.handle(
        { method: 'eth_sendTransaction', params: [{ ...(params[0] as object), to: wallet.address, data: '0x' }] },
        new URL(order.url).origin,
      ),
    );
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.says(sentences.sent);
    await world.send('anvil_mine', [50]);
    expect((await world.shops.created.merchant.payment(order.payment.id)).status).toBe('awaiting_payment');
    await page.says(sentences.sent);
  });

  it('claims a switch that it has not made', async () => {
    const order = await world.order({ currency: 'ETH' });
    const chains = [{ eip155: 1, rpc: world.chain.rpc }, world.chain];
    const wallet = createTestWallet({ ...(await world.purse()), chains });
    wallet.next('wallet_switchEthereumChain', claim(null));
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.says('Your wallet is on another network.');
    expect(wallet.sends()).toHaveLength(0);
  });

  it('calls another network by the number of this one', async () => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet();
    wallet.always('eth_getCode', claim('0x'));
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    await page.pay();
    await page.says('The network that your wallet calls alpha is another one.');
    expect(wallet.sends()).toHaveLength(0);
  });

  it('changes its account before the payment', async () => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet();
    const page = payPage(await world.visit(order.url, { wallets: [wallet] }));
    await page.connect();
    wallet.always('eth_accounts', claim([ethers.Wallet.createRandom().address]));
    await page.pay();
    await page.says('Your wallet is locked or does not share this account any more.');
    expect(wallet.sends()).toHaveLength(0);
  });

  it('never responds: the page says where to look, and another wallet pays', async () => {
    const order = await world.order({ currency: 'ETH' });
    const [mute, other] = [createTestWallet({ name: 'Mute', chains: [world.chain] }), await ethWallet()];
    mute.always('eth_requestAccounts', ignore);
    const visited = await world.visit(order.url, { wallets: [mute, other], clock: true });
    const page = payPage(visited);
    await page.press('Mute');
    await page.says('Allow your wallet to show this page your account.');
    await visited.clock.fastForward(25_000);
    await visited.getByText('No answer yet? Open your wallet').waitFor();
    await page.press('Use another wallet');
    await page.connect();
    await page.pay();
    await page.paid();
    await expectPaidOnce(order, 'ETH');
  });

  it('never responds to reads: the page gives up', async () => {
    const order = await world.order({ currency: 'ETH' });
    const wallet = await ethWallet();
    wallet.always('eth_chainId', ignore);
    const visited = await world.visit(order.url, { wallets: [wallet], clock: true });
    const page = payPage(visited);
    await page.connect();
    await page.pay();
    await page.says('Looking at your account.');
    await visited.clock.fastForward(20_000);
    await page.says('Your wallet did not answer.');
    expect(wallet.sends()).toHaveLength(0);
  });
});

it('a second tab of the same order does not ask the wallet as well', async () => {
  const order = await world.order({ currency: 'ETH' });
  const wallet = await ethWallet();
  const held = hold();
  wallet.next('eth_sendTransaction', held.behaviour);
  const visited = await world.visit(order.url, { wallets: [wallet] });
  const first = payPage(visited);
  await first.connect();
  await first.pay();
  await held.asked;
  const tab = await visited.context().newPage();
  await tab.goto(order.url);
  const second = payPage(tab);
  // The wallet that was asked is known, so the second tab goes on with it, and asks nothing while the first question is open.
  await second.says('Your wallet was asked for this payment before, and may still show the request.');
  held.release();
  await Promise.all([first.paid(), second.paid()]);
  await expectPaidOnce(order, 'ETH');
  expect(wallet.sends()).toHaveLength(1);
});
