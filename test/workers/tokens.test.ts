import { AbiCoder, id } from 'ethers';
import { domainSeparator } from '../../chain/pure/permit.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { createKeySigner } from '../../chain/signing/signer.ts';
import { closeWhatIsOver } from '../../db/alerts/over.ts';
import { connect } from '../../db/connection.ts';
import { findWidgetPayment } from '../../db/widget/rows.ts';
import { devAccounts } from '../../tools/stack/accounts.ts';
import type { Chain } from '../../tools/stack/chain.ts';
import { deployTestToken } from '../../tools/stack/tokens.ts';
import { createPayeeLook } from '../../workers/payees.ts';
import { lookAtTokens, watchTokens } from '../../workers/tokens.ts';
import { startProxy, type Proxy, type WireAnswer, type WireRequest } from '../chain/support/proxy.ts';
import { startTestChain } from '../support/chain.ts';
import { createTestDatabase } from '../support/database.ts';
import { createPaymentRow, createWorld, hex, type World } from '../support/fixtures.ts';

/*
 * Tokens that are not as the catalogue says any more, and tokens that refuse a payee.
 */

let knex: ReturnType<typeof connect>;
let chain: Chain;
let proxy: Proxy;
let world: World;
let token: string;
const lines: string[] = [];
const note = (message: string): void => void lines.push(message);
const log = { debug: note, info: note, warn: note, error: note };
const name = 'Dollar';

beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 4 });
  chain = await startTestChain();
  proxy = await startProxy(chain.url);
  const rpc = createRpc({ urls: [chain.url], eip155: chain.chainId });
  const signer = createKeySigner(devAccounts.buyer.privateKey);
  token = await deployTestToken(rpc, signer, chain.chainId, { name, symbol: 'USD', decimals: 6 });
  world = await createWorld(knex, { rpcUrls: [proxy.url], eip155: chain.chainId, tokenAddress: token });
  await knex('currency_tokens').update({ permit_name: name, permit_version: '1' });
});
beforeEach(() => Object.assign(proxy, { rewrite: null, tamper: null, mode: 'pass' }));
afterAll(async () => {
  await proxy.close();
  await chain.stop();
  await knex.destroy();
});

const open = (kind: string) =>
  knex('alerts').where({ kind, closed_at: null }).orderBy('id').select('message', 'cause', 'node_id', 'network_id');

const selectorOf = (signature: string): string => id(signature).slice(0, 10);
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
const revert = (data = '0x'): WireAnswer => ({ error: { code: 3, message: 'execution reverted', data } }) as WireAnswer;

/** Answers the calls of a function in the token's place. */
const answer =
  (signature: string, own: WireAnswer | ((data: string) => WireAnswer | null)) =>
  (request: WireRequest): WireRequest | WireAnswer => {
    const [call] = request.params as [{ to?: string; data?: string }];
    if (request.method !== 'eth_call' || call.to !== token || !call.data?.startsWith(selectorOf(signature)))
      return request;
    return (typeof own === 'function' ? own(call.data) : own) ?? request;
  };

describe('a token that changes', () => {
  const permitOf = async () => {
    const { id: payment } = await createPaymentRow(knex, world);
    return (await findWidgetPayment(knex, payment))!.permit_name;
  };

  it.each<[string, RegExp, (request: WireRequest) => WireRequest | WireAnswer]>([
    ['its decimals', /has 18 decimals, not 6/, answer('decimals()', { result: word(18) })],
    ['its domain', /permits of another domain/, answer('DOMAIN_SEPARATOR()', { result: `0x${'12'.repeat(32)}` })],
    ['its permits, which are gone', /has no permits/, answer('nonces(address)', revert())],
    ['the kind of its permits', /of another kind/, answer('PERMIT_TYPEHASH()', { result: `0x${'34'.repeat(32)}` })],
    [
      'its permits, which it refuses from now on',
      /refuses a permit that is signed as the catalogue says: ERC2612InvalidSigner/,
      answer(
        'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
        revert(selectorOf('ERC2612InvalidSigner(address,address)')),
      ),
    ],
    [
      'its pause, in which it refuses permits',
      /refuses a permit .*: Error\(Pausable: paused\)/,
      answer(
        'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
        revert(`0x08c379a0${AbiCoder.defaultAbiCoder().encode(['string'], ['Pausable: paused']).slice(2)}`),
      ),
    ],
    [
      'its code, which is gone',
      /no contract at/,
      (request) => (request.method === 'eth_getCode' ? { result: '0x' } : request),
    ],
  ])(
    '%s has one alert until it is as before, and buyers sign none of its permits meanwhile',
    async (_, words, rewrite) => {
      await lookAtTokens({ knex, log });
      expect(await open('token_changed')).toEqual([]);
      expect(await permitOf()).toBe(name);

      proxy.rewrite = rewrite;
      await lookAtTokens({ knex, log });
      await lookAtTokens({ knex, log });
      const found = { cause: token, node_id: null, network_id: world.networkId, message: expect.stringMatching(words) };
      expect(await open('token_changed')).toEqual([found]);
      expect(await permitOf()).toBeNull();
      await closeWhatIsOver(knex);
      expect(await open('token_changed')).toHaveLength(1);

      proxy.rewrite = null;
      await lookAtTokens({ knex, log });
      expect(await open('token_changed')).toEqual([]);
      expect(await permitOf()).toBe(name);
    },
  );

  it('names its new domain where it tells it (EIP-5267)', async () => {
    const live = { name: 'Dollar "2"', version: '2' };
    const types = ['bytes1', 'string', 'string', 'uint256', 'address', 'bytes32', 'uint256[]'];
    const values = ['0x0f', live.name, live.version, chain.chainId, token, `0x${'00'.repeat(32)}`, []];
    const told = answer('eip712Domain()', { result: AbiCoder.defaultAbiCoder().encode(types, values) });
    const separator = domainSeparator({ ...live, address: token, eip155: chain.chainId });
    proxy.rewrite = (request) => {
      const own = told(request);
      return own === request ? answer('DOMAIN_SEPARATOR()', { result: separator })(request) : own;
    };
    await lookAtTokens({ knex, log });
    expect(await open('token_changed')).toMatchObject([
      { message: expect.stringContaining(`: it says name ${JSON.stringify(live.name)} and version "2"`) },
    ]);
  });

  it('keeps its alert while no endpoint responds, and loses it with its row of the catalogue', async () => {
    proxy.mode = 'refuse';
    await expect(lookAtTokens({ knex, log })).rejects.toThrow();
    expect(await open('token_changed')).toHaveLength(1);
    const rows = await knex('currency_tokens').select();
    await knex('currency_tokens').delete();
    await closeWhatIsOver(knex);
    expect(await open('token_changed')).toEqual([]);
    await knex('currency_tokens').insert(rows);
  });

  it('is looked at when the worker starts, when the catalogue changes, and a day later', async () => {
    const waits: number[] = [];
    const stopping = new AbortController();
    proxy.seen.length = 0;
    const looks = () => proxy.seen.filter((method) => method === 'eth_getCode').length;
    const seen: number[] = [];
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms);
      seen.push(looks());
      proxy.mode = waits.length === 2 ? 'refuse' : 'pass';
      if (waits.length === 3) stopping.abort();
    };
    await watchTokens({ knex, log }, { wait }, stopping.signal);
    expect(seen.map((count, index) => count > (seen[index - 1] ?? 0))).toEqual([true, true, false]);
    // A pass that could not read a network is repeated sooner.
    expect(waits).toEqual([86_400_000, 86_400_000, 600_000]);
  });
});

describe('a payee on the list of a token', () => {
  const listing = (payee: string, signature: string) =>
    answer(signature, (data) => ({ result: word(data.toLowerCase().endsWith(payee.slice(2)) ? 1 : 0) }));

  it.each([
    'isBlacklisted(address)',
    'isBlackListed(address)',
    '_isBlacklisted(address)',
    'blacklisted(address)',
    'getBlackListStatus(address)',
    'isBlocklisted(address)',
    'isBlocked(address)',
    'isFrozen(address)',
    'frozen(address)',
    'isBanned(address)',
  ])('that %s tells is an alert of the node at its first payment, and ends with it', async (signature) => {
    const payee = hex(20);
    proxy.rewrite = listing(payee, signature);
    const look = createPayeeLook({ knex, log });
    await createPaymentRow(knex, world);
    const payment = await createPaymentRow(knex, world, { payee });
    await look();
    await look();
    const found = { cause: `${token}/${payee}`, node_id: world.nodeId, network_id: world.networkId };
    expect(await open('payee_refused')).toEqual([
      { ...found, message: expect.stringContaining(`refuses the payee ${payee}`) },
    ]);

    await closeWhatIsOver(knex);
    expect(await open('payee_refused')).toHaveLength(1);
    await knex('payments').where({ id: payment.id }).update({ status: 'canceled', terminal_at: new Date() });
    await closeWhatIsOver(knex);
    expect(await open('payee_refused')).toEqual([]);
  });

  it('that only a transfer shows is one, too, and ends once the token accepts it', async () => {
    const payee = hex(20);
    await createPaymentRow(knex, world, { payee });
    proxy.rewrite = answer('transfer(address,uint256)', (data) =>
      data.toLowerCase().includes(payee.slice(2)) ? revert(selectorOf('AddressFrozen()')) : null,
    );
    await createPayeeLook({ knex, log })();
    expect(await open('payee_refused')).toHaveLength(1);
    proxy.rewrite = null;
    await createPayeeLook({ knex, log })();
    expect(await open('payee_refused')).toEqual([]);
  });

  it.each<[string, Proxy['rewrite']]>([
    ['answers every call with true', (request) => (request.method === 'eth_call' ? { result: word(1) } : request)],
    ['refuses every transfer', answer('transfer(address,uint256)', revert())],
    ['knows no list', null],
  ])('is none where the token %s', async (_, rewrite) => {
    proxy.rewrite = rewrite;
    await createPaymentRow(knex, world);
    await createPayeeLook({ knex, log })();
    expect(await open('payee_refused')).toEqual([]);
  });

  it('is asked about once a day, however many payments name it', async () => {
    const payee = hex(20);
    const look = createPayeeLook({ knex, log });
    await createPaymentRow(knex, world, { payee });
    await look();
    proxy.seen.length = 0;
    await createPaymentRow(knex, world, { payee });
    await look();
    expect(proxy.seen).toEqual([]);
  });

  it('is asked about again after a pass in which no endpoint responded', async () => {
    const look = createPayeeLook({ knex, log });
    await createPaymentRow(knex, world);
    proxy.mode = 'refuse';
    await expect(look()).rejects.toThrow();
    proxy.mode = 'pass';
    proxy.seen.length = 0;
    await look();
    expect(proxy.seen).toContain('eth_call');
  });
});
