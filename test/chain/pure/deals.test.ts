import { AbiCoder, Interface, TypedDataEncoder, hexlify, randomBytes, type InterfaceAbi } from 'ethers';
import { ZERO_ADDRESS, type DealTerms } from '../../../domain/deal.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import {
  type DealKey,
  decodeBatchFailures,
  decodeDealWords,
  diamondsOf,
  encodeCancelDeals,
  encodeCreateDeals,
  encodeDealWords,
  termsHash,
} from '../../../chain/pure/deal-encoding.ts';
import {
  dealTopics,
  decodeDealEvent,
  decodeDealWord,
  isTombstone,
  matchesTerms,
} from '../../../chain/pure/deal-state.ts';
import { payCall } from '../../../chain/pure/pay-call.ts';
import { decodeRevert, waitingDetailOf } from '../../../chain/pure/revert-reason.ts';

const randomAddress = (): string => hexlify(randomBytes(20));
const randomHash = (): string => hexlify(randomBytes(32));
const randomTerms = (): DealTerms => ({
  dealId: BigInt(hexlify(randomBytes(6))) + 1n,
  token: randomAddress(),
  payee: randomAddress(),
  payer: ZERO_ADDRESS,
  amount: BigInt(hexlify(randomBytes(16))),
  expiresAt: BigInt(hexlify(randomBytes(4))),
});

describe('terms hash', () => {
  it("equals ethers' typed data hash", () => {
    const types = {
      Deal: [
        { name: 'dealId', type: 'uint256' },
        { name: 'token', type: 'address' },
        { name: 'payee', type: 'address' },
        { name: 'payer', type: 'address' },
        { name: 'amount', type: 'uint256' },
        { name: 'expiresAt', type: 'uint256' },
      ],
    };
    for (let round = 0; round < 100; round += 1) {
      const diamond = randomAddress();
      const terms = randomTerms();
      const domain = { name: 'Carat', version: '1', chainId: 31_337 + round, verifyingContract: diamond };
      expect(termsHash(31_337 + round, diamond, terms)).toBe(TypedDataEncoder.hash(domain, types, { ...terms }));
    }
  });
});

describe('batches', () => {
  const deals: DealKey[] = [1, 2, 1, 3, 2].map((diamond, index) => ({
    diamond: `0x${String(diamond).repeat(40)}`,
    dealId: BigInt(index + 1),
    termsHash: randomHash(),
  }));
  const batches = diamondsOf(deals).map((diamond) => {
    const own = deals.filter((deal) => deal.diamond === diamond);
    return [diamond, own.map((deal) => [deal.dealId, deal.termsHash] as const)] as const;
  });

  it('are encoded byte for byte as ethers does', () => {
    const gasOf = (diamond: string): bigint => BigInt(diamond) % 10_000_019n;
    const gas = batches.map(([diamond]) => gasOf(diamond));
    const ids = batches.map(([, own]) => own.map(([dealId]) => dealId));
    const { interface: batcher } = contracts.batcher;
    const creates = batches.map(([diamond, own], index) => [diamond, gas[index], own]);
    expect(encodeCreateDeals(deals, gasOf)).toBe(batcher.encodeFunctionData('createDeals', [creates]));
    const cancels = batches.map(([diamond], index) => [diamond, gas[index], ids[index]]);
    expect(encodeCancelDeals(deals, gasOf)).toBe(batcher.encodeFunctionData('cancelDeals', [cancels]));
    expect(encodeCreateDeals([], gasOf)).toBe(batcher.encodeFunctionData('createDeals', [[]]));
    const { interface: first } = contracts.firstBatcher;
    expect(encodeCreateDeals(deals)).toBe(first.encodeFunctionData('createDeals', [batches]));
    const gasless = batches.map(([diamond], index) => [diamond, ids[index]]);
    expect(encodeCancelDeals(deals)).toBe(first.encodeFunctionData('cancelDeals', [gasless]));
    expect(encodeCreateDeals([])).toBe(first.encodeFunctionData('createDeals', [[]]));
    for (const any of [batcher, first]) {
      expect(encodeDealWords(deals)).toBe(any.encodeFunctionData('dealWords', [diamondsOf(deals), ids]));
      expect(encodeDealWords([])).toBe(any.encodeFunctionData('dealWords', [[], []]));
    }
  });

  it('report a part that ran out of gas, with any batcher', () => {
    const { interface: batcher } = contracts.batcher;
    const diamond = '0x1111111111111111111111111111111111111111';
    const reason = decodeRevert(batcher.encodeErrorResult('OutOfGas', [diamond]));
    expect(reason).toEqual({ name: 'OutOfGas', text: `OutOfGas(${diamond})` });
    expect(waitingDetailOf(reason)).toBeNull();
    const topic = (own: Interface) => own.getEvent('BatchFailed')?.topicHash;
    expect(topic(contracts.firstBatcher.interface)).toBe(topic(batcher));
  });

  it('give each deal its word in the requested order, and none where a diamond does not answer', () => {
    const words = deals.map(() => randomHash());
    const [a1, , a2, c] = words;
    const output = AbiCoder.defaultAbiCoder().encode(['bytes32[][]'], [[[a1, a2], [], [c]]]);
    expect(decodeDealWords(deals, output)).toEqual([a1, undefined, a2, c, undefined]);
    expect(() => decodeDealWords(deals, '0x')).toThrow();
  });

  it('report the diamond that failed, and its reason', () => {
    const reason = contracts.deal.interface.encodeErrorResult('Paused', []);
    const output = AbiCoder.defaultAbiCoder().encode(['bytes[]'], [['0x', reason, '0x']]);
    expect([...decodeBatchFailures(deals, output)]).toEqual([[`0x${'2'.repeat(40)}`, reason]]);
    const none = AbiCoder.defaultAbiCoder().encode(['bytes[]'], [['0x', '0x', '0x']]);
    expect([...decodeBatchFailures(deals, none)]).toEqual([]);
  });
});

describe('words', () => {
  const hash = randomHash();

  it('are read with status and terms', () => {
    const word = decodeDealWord(`${hash.slice(0, 64)}01`);
    expect(word.status).toBe('open');
    expect(matchesTerms(word, hash)).toBe(true);
    expect(matchesTerms(word, randomHash())).toBe(false);
    expect(isTombstone(word)).toBe(false);
    expect(isTombstone(decodeDealWord(`${hash.slice(0, 64)}03`))).toBe(false);
    expect(isTombstone(decodeDealWord(`0x${'0'.repeat(63)}3`))).toBe(true);
    expect(decodeDealWord(`0x${'0'.repeat(64)}`).status).toBe('none');
    expect(() => decodeDealWord(`0x${'0'.repeat(62)}07`)).toThrow(RangeError);
  });
});

describe('events', () => {
  const where = {
    address: '0xAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAa',
    blockNumber: '0x10',
    blockHash: randomHash(),
    transactionHash: randomHash(),
    logIndex: '0x2',
  };
  const emit = (name: string, values: readonly unknown[]) => ({
    ...where,
    ...(contracts.deal.interface.encodeEventLog(name, values) as { topics: string[]; data: string }),
  });
  const hash = randomHash();
  const buyer = randomAddress();
  const token = randomAddress();
  const payee = randomAddress();

  it('of all four kinds become domain events', () => {
    const base = { diamond: where.address.toLowerCase(), dealId: 7n, blockNumber: 16, logIndex: 2 };
    const nobody = { payer: null, token: null, payee: null, amount: null };
    expect(decodeDealEvent(emit('DealCreated', [7n, hash]))).toMatchObject({
      ...base,
      ...nobody,
      kind: 'created',
      termsHash: hash,
    });
    expect(decodeDealEvent(emit('DealPaid', [7n, hash, buyer, token, payee, 55n]))).toMatchObject({
      ...base,
      kind: 'paid',
      termsHash: hash,
      payer: buyer,
      token,
      payee,
      amount: 55n,
    });
    expect(decodeDealEvent(emit('DealCancelled', [7n, randomHash()]))).toMatchObject({
      ...base,
      ...nobody,
      kind: 'cancelled',
      termsHash: null,
    });
    expect(decodeDealEvent(emit('DealConflict', [7n, randomHash(), hash]))).toMatchObject({
      ...base,
      ...nobody,
      kind: 'conflict',
      termsHash: hash,
    });
    expect(new Set(dealTopics).size).toBe(4);
  });

  it('of other shapes are ignored', () => {
    const created = emit('DealCreated', [7n, hash]);
    expect(decodeDealEvent({ ...created, topics: created.topics.slice(0, 2) })).toBeNull();
    expect(decodeDealEvent({ ...created, data: `0x${'00'.repeat(32)}` })).toBeNull();
    expect(decodeDealEvent({ ...created, topics: [randomHash(), ...created.topics.slice(1)] })).toBeNull();
    expect(decodeDealEvent({ ...created, topics: [] })).toBeNull();
  });
});

describe("the buyer's call", () => {
  it('goes into ethers unchanged, for a token and for the native coin', () => {
    const terms = randomTerms();
    for (const [token, name, value] of [
      [terms.token, 'payToken', '0'],
      [ZERO_ADDRESS, 'payNative', terms.amount.toString()],
    ] as const) {
      const call = payCall({ ...terms, token });
      expect(call).toMatchObject({ function_name: name, value });
      const deal = call.arguments[0] as readonly string[];
      expect(deal.every((argument) => typeof argument === 'string')).toBe(true);
      const abi = new Interface(call.abi as InterfaceAbi);
      const data = abi.encodeFunctionData(call.function_name, JSON.parse(JSON.stringify(call.arguments)) as unknown[]);
      const [read] = contracts.deal.interface.decodeFunctionData(name, data) as unknown as [bigint[]];
      expect([...read].map(String)).toEqual(call.arguments[0]);
    }
  });
});

describe('revert reasons', () => {
  const deal = contracts.deal.interface;

  it('are named, and waiting states are distinguished', () => {
    const paused = decodeRevert(deal.encodeErrorResult('Paused', []));
    expect(paused.name).toBe('Paused');
    expect(waitingDetailOf(paused)).toBe('network_paused');
    const revoked = decodeRevert(deal.encodeErrorResult('NotOperator', [randomAddress()]));
    expect(waitingDetailOf(revoked)).toBe('operator_revoked');
    expect(waitingDetailOf(decodeRevert(deal.encodeErrorResult('InvalidAmount', [0n])))).toBeNull();
  });

  it('of a call by a revoked upgrader are waited for like those of a revoked operator', () => {
    const revoked = decodeRevert(contracts.cut.interface.encodeErrorResult('NotUpgrader', [randomAddress()]));
    expect(waitingDetailOf(revoked)).toBe('operator_revoked');
  });

  it('are named when cut short, foreign or missing', () => {
    const long = deal.encodeErrorResult('TermsMismatch', [1n, randomHash(), randomHash()]);
    expect(decodeRevert(long.slice(0, 130)).name).toBe('TermsMismatch');
    const text = new Interface(['error Error(string)']).encodeErrorResult('Error', ['no']);
    expect(decodeRevert(text)).toEqual({ name: 'Error', text: 'Error(no)' });
    expect(decodeRevert('0xdeadbeef').name).toBe('unknown');
    expect(decodeRevert('0x').name).toBe('unknown');
    expect(decodeRevert(null).name).toBe('unknown');
  });
});
