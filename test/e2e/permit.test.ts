import { ethers } from 'ethers';
import type { WidgetPayment } from '../../api/generated/openapi-types.ts';
import { eventually } from '../support/eventually.ts';
import { expectExactlyOnce } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';

/*
 * A buyer pays by a permit, with nothing but the widget's data and a wallet that signs: no approval before, in both deal modes.
 */

let product: Product;
let shop: Shop;
let provider: ethers.JsonRpcProvider;
let buyer: ethers.Wallet;

beforeAll(async () => {
  product = await createProduct();
  await Promise.all([product.startApi(), product.startWorker()]);
  shop = await openShop(product);
  await shop.deployed('alpha');
  const { rpc, eip155 } = product.dev.networks.alpha!;
  provider = new ethers.JsonRpcProvider(rpc, eip155, { staticNetwork: true, cacheTimeout: -1 });
  buyer = new ethers.Wallet(product.dev.buyer.private_key, provider);
});

afterAll(async () => {
  provider?.destroy();
  shop?.close();
  await product?.stop();
});

const create = (symbol: string) => shop.create('alpha', { currency_id: product.dev.currencies[symbol]!.id });
const word = (value: ethers.BigNumberish): string => ethers.toBeHex(value, 32).slice(2);

/** Does with the data what a page does, and answers the hash of the transaction. */
const payByPermit = async ({ permit, token_address: token, diamond_address: to }: WidgetPayment): Promise<string> => {
  const { typed_data: typed, data } = permit!;
  const nonces = new ethers.Interface(['function nonces(address) view returns (uint256)']);
  const nonce = await provider.call({ to: token, data: nonces.encodeFunctionData('nonces', [buyer.address]) });
  const message = { ...typed.message, owner: buyer.address, nonce: BigInt(nonce).toString() };
  // What eth_signTypedData_v4 signs. Ethers derives the type of the domain itself.
  const signed = await buyer.signTypedData(typed.domain, { Permit: typed.types.Permit }, message);
  expect(ethers.TypedDataEncoder.getPayload(typed.domain, { Permit: typed.types.Permit }, message)).toMatchObject({
    types: typed.types,
    primaryType: typed.primaryType,
  });
  const { v, r, s } = ethers.Signature.from(signed);
  const sent = await buyer.sendTransaction({ to, data: data + word(v) + word(r) + word(s) });
  return sent.hash;
};

const allowance = async (data: WidgetPayment): Promise<bigint> => {
  const erc20 = new ethers.Interface(['function allowance(address, address) view returns (uint256)']);
  const call = erc20.encodeFunctionData('allowance', [buyer.address, data.diamond_address]);
  return BigInt(await provider.call({ to: data.token_address, data: call }));
};

const payable = async (payment: Awaited<ReturnType<typeof create>>): Promise<WidgetPayment> => {
  await shop.reached(payment, 'awaiting_payment');
  return eventually(async () => {
    const data = await shop.merchant.widget(payment);
    return data.payable && data;
  });
};

it.each(['created', 'offered'] as const)('a deal that is %s is paid by a permit alone', async (mode) => {
  if (mode === 'offered') await shop.merchant.offerDeals(shop.wallet.id, product.dev.networks.alpha!.id);
  const payment = await create('USDC');
  const data = await payable(payment);
  expect(await allowance(data)).toBe(0n);
  const end = mode === 'offered' ? data.offer_valid_until! : payment.expires_at;
  expect(data.permit).toMatchObject({
    function_name: mode === 'offered' ? 'payOfferedTokenWithPermit' : 'payTokenWithPermit',
    typed_data: {
      message: {
        spender: data.diamond_address,
        value: data.amount,
        deadline: String(Math.floor(Date.parse(end) / 1_000)),
      },
    },
  });
  const hash = await payByPermit(data);
  expect(await shop.reached(payment, 'completed')).toMatchObject({ transaction_hash: hash });
  expect(await allowance(data)).toBe(0n);
  await expectExactlyOnce(product);
});

it('the native coin, and a token without listed permits, have none', async () => {
  for (const symbol of ['DAI', 'ETH']) expect((await payable(await create(symbol))).permit).toBeNull();
});
