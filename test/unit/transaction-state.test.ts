import { statesOf, type Known, type PendingState } from '../../chain/lane/state.ts';
import { createTurn } from '../../chain/lane/turn.ts';
import type { Rejection } from '../../chain/lane/memory.ts';
import type { Attempt, Slot } from '../../domain/ports/lane.ts';

/* The state of one transaction by what endpoints respond and the lane remembers: no services, and no clock. */

const now = 1_000_000;
const gwei = 10n ** 9n;

/** Sent five seconds ago. */
const attempt = (own: Partial<Attempt> = {}): Attempt => ({
  seq: 1,
  txHash: '0xa',
  raw: '0x',
  maxFeePerGas: 10n * gwei,
  maxPriorityFeePerGas: 2n * gwei,
  sends: 1,
  signedAt: now - 5_000,
  lastSentAt: now - 5_000,
  lastError: null,
  ...own,
});

const slotOf = ({ last = {}, ...own }: Partial<Slot> & { last?: Partial<Attempt> } = {}): Slot => ({
  id: 'slot',
  nonce: 7,
  to: '0x',
  data: '0x',
  value: 0n,
  gasLimit: 100_000n,
  state: 'signed',
  attempts: [attempt(last)],
  nudgedAt: null,
  ...own,
});

/** The oldest transaction has waited for 30 seconds and as many blocks. */
const oldest = { id: 'slot:1', at: now - 30_000, block: 70 };
const unnamed = { tip: null, price: null, cap: null, baseFee: null };
const rejectedAs = (as: Rejection['as'], lacks: Rejection['lacks'] = null) => ({
  rejected: new Map([
    ['slot', { as, since: 0, lacks, seq: 1, tries: 1, words: '', fees: unnamed, gas: null, limit: null }],
  ]),
});

interface Case {
  readonly slot?: Parameters<typeof slotOf>[0];
  readonly view?: Partial<Known['view']>;
  readonly memory?: Partial<Known['memory']>;
}

/** A block every second. Unless a case says otherwise, the transaction is the oldest one, and the pool has it. */
const known = ({ view, memory }: Case = {}): Known => ({
  view: {
    tip: 100,
    baseFee: 5n * gwei,
    priorityFee: gwei,
    nonce: 7,
    pendingNonce: 8,
    blockGasLimit: 30_000_000n,
    ...view,
  },
  memory: { rejected: new Map(), shown: new Map(), oldest: null, unseen: null, unmined: null, ...memory },
  timing: { missing: 2_000, rebroadcast: 10_000, bump: 6_000, bumpBlocks: 3, unreachable: 20_000 },
  blockTimeMs: 1_000,
  now,
});

const states = (own: Case = {}) => statesOf([slotOf(own.slot)], known(own));
const nameOf = (own: Case = {}) => states(own).transactions[0]!.state.is;

const long = { ...oldest, at: now - 60_000, block: 40 };
const at = (time: number) => new Map([['slot', time]]);
const dear = { last: { maxFeePerGas: 12n * gwei, maxPriorityFeePerGas: 2n * gwei } };
const missing = { pendingNonce: 7 };
const noPool = { pendingNonce: null };

it.each<[PendingState['is'] | 'unsigned' | 'used', string, Case]>([
  ['unsigned', 'it has no bytes', { slot: { state: 'assigned', attempts: [] } }],
  ['used', 'a later nonce is next', { view: { nonce: 8 } }],
  ['used', 'a nudge changes nothing then', { slot: { nudgedAt: now }, view: { nonce: 8 } }],
  ['nudged', 'a nudge, after a block', { slot: { nudgedAt: now } }],
  [
    'nudged',
    'a nudge counts before a rejection',
    { slot: { nudgedAt: now }, memory: rejectedAs('underpriced', 'fee') },
  ],
  ['unmined', 'no block takes it', { memory: { oldest, unmined: { id: 'slot', at: now - 20_000, block: 90 } } }],
  ['overdue', 'for nine blocks', { memory: { oldest, unmined: { id: 'slot', at: now - 20_000, block: 91 } } }],
  [
    'unmined',
    'a suggested tip that rises meanwhile',
    { view: { priorityFee: 3n * gwei }, memory: { oldest, unmined: { id: 'slot', at: now - 20_000, block: 90 } } },
  ],
  ['pending', 'a nudge within one block time', { slot: { nudgedAt: now, last: { signedAt: now - 500 } } }],
  ['overdue', 'the pool has it', { memory: { oldest } }],
  ['overdue', 'no endpoint knows its pool', { view: noPool, memory: { oldest } }],
  ['overdue', 'rejected for room', { view: missing, memory: { oldest, ...rejectedAs('pool_full') } }],
  ['pending', 'not the oldest', { slot: { nonce: 8 }, view: { pendingNonce: 9 }, memory: { oldest } }],
  ['pending', 'another attempt was', { memory: { oldest: { ...oldest, id: 'slot:0' } } }],
  ['pending', 'too short', { memory: { oldest: { ...oldest, at: now - 5_999 } } }],
  ['pending', 'too few blocks', { memory: { oldest: { ...oldest, block: 98 } } }],
  ['pending', 'sent within two block times', { slot: { last: { lastSentAt: now - 1_999 } }, memory: { oldest } }],
  ['missing', 'accepted, and the pool lacks it', { view: missing, memory: { oldest } }],
  ['overdue', 'the pool has it, and is not counted', { view: missing, memory: { oldest, shown: at(now - 19_999) } }],
  ['missing', 'the pool had it long ago', { view: missing, memory: { oldest, shown: at(now - 20_001) } }],
  ['overdue', 'the pool lacks it for ten times as long', { view: missing, memory: { oldest: long } }],
  ['missing', 'too few blocks for that', { view: missing, memory: { oldest: { ...long, block: 71 } } }],
  ['missing', 'at twice the fees', { slot: dear, view: missing, memory: { oldest: long } }],
  ['pending', 'not overdue, and not counted', { view: missing, memory: { shown: at(now) } }],
  ['underpriced', 'rejected for its fee', { memory: rejectedAs('underpriced', 'fee') }],
  ['wrong_gas', 'rejected for its gas', { memory: rejectedAs('gas_too_low', 'gas') }],
  ['pending', 'that was tried', { memory: rejectedAs('underpriced') }],
  ['below_base_fee', 'the base fee is higher', { view: { baseFee: 11n * gwei } }],
  ['outbid', 'dropped below the tip', { view: { ...missing, priorityFee: 3n * gwei }, memory: { oldest } }],
  ['missing', 'that is not due', { view: { ...missing, priorityFee: 3n * gwei } }],
  ['kept_out', 'no funds', { view: missing, memory: { oldest, ...rejectedAs('insufficient_funds') } }],
  ['kept_out', 'no funds, unknown pool', { view: noPool, memory: { oldest, ...rejectedAs('insufficient_funds') } }],
  ['kept_out', 'unknown words, and the pool lacks it', { view: missing, memory: rejectedAs('possibly_sent') }],
  ['pending', 'unknown words, unknown pool', { view: noPool, memory: rejectedAs('possibly_sent') }],
  ['overdue', 'the pool has it after all', { memory: { oldest, ...rejectedAs('insufficient_funds') } }],
  ['missing', 'the pool lacks it', { view: missing }],
  ['pending', 'the pool has it', {}],
  ['pending', 'no endpoint knows its pool', { view: noPool }],
])('a transaction is %s: %s', (name, _, own) => {
  expect(nameOf(own)).toBe(name);
});

it.each<[boolean, string, Case]>([
  [true, 'it was never sent', { slot: { last: { lastSentAt: null } } }],
  [true, 'the pool has lacked it for a while', { view: missing }],
  [false, 'the pool lacks it, and it was just sent', { slot: { last: { lastSentAt: now - 1_999 } }, view: missing }],
  [false, 'the pool has lacked it again and again', { slot: { last: { sends: 3 } }, view: missing }],
  [true, 'that is long ago', { slot: { last: { sends: 3, lastSentAt: now - 8_000 } }, view: missing }],
  [true, 'at most as long as for a pool', { slot: { last: { sends: 99, lastSentAt: now - 10_000 } }, view: missing }],
  [false, 'the pool has it, and is not counted', { view: missing, memory: { shown: at(now - 5_000) } }],
  [false, 'the pool has it', {}],
  [true, 'the pool may lie', { slot: { last: { lastSentAt: now - 10_000 } } }],
  [true, 'it was nudged since', { slot: { nudgedAt: now - 1, last: { signedAt: now - 500 } } }],
  [false, 'it was nudged before', { slot: { nudgedAt: now - 5_001, last: { signedAt: now - 500 } } }],
  [true, 'while it is to be replaced', { view: { ...missing, baseFee: 11n * gwei } }],
])('its bytes are sent again: %s (%s)', (isDue, _, own) => {
  expect(states(own).transactions[0]!.state).toMatchObject({ isDue });
});

it.each<[string, Case, Known['memory']['oldest'], boolean]>([
  ['begins with the first sight', {}, { id: 'slot:1', at: now, block: 100 }, false],
  [
    'begins again with another attempt',
    { slot: { last: { seq: 2 } }, memory: { oldest } },
    { id: 'slot:2', at: now, block: 100 },
    false,
  ],
  ['goes on, from the lowest tip', { memory: { oldest: { ...oldest, block: 999 } } }, { ...oldest, block: 100 }, true],
  ['goes on', { memory: { oldest } }, oldest, false],
  [
    'goes on for what is kept out, which is not overdue',
    { view: missing, memory: { oldest, ...rejectedAs('refused') } },
    oldest,
    false,
  ],
  ['goes on for what was never sent', { slot: { last: { lastSentAt: null } }, memory: { oldest } }, oldest, false],
])('the count of the oldest one %s', (_, own, expected, standsStill) => {
  expect(states(own)).toMatchObject({ oldest: expected, standsStill });
});

it.each<[string, Case, boolean, boolean]>([
  ['the pool has it', {}, false, false],
  ['the pool lacks it', { view: missing }, true, false],
  ['no endpoint knows its pool', { view: noPool }, true, false],
  ['it was never sent', { slot: { last: { lastSentAt: null } }, view: missing }, false, false],
  ['an endpoint rejected it', { slot: { last: { lastError: 'pool_full' } }, view: missing }, false, false],
  ['its fee is too low', { view: { ...missing, baseFee: 11n * gwei } }, false, false],
  ['for long enough', { view: missing, memory: { unseen: { id: 'slot', at: 0, block: 1 } } }, true, true],
  ['too short', { view: missing, memory: { unseen: { id: 'slot', at: now - 1, block: 1 } } }, true, false],
  ['too few blocks', { view: missing, memory: { unseen: { id: 'slot', at: 0, block: 98 } } }, true, false],
  ['another one was', { view: missing, memory: { unseen: { id: 'other', at: 0, block: 1 } } }, true, false],
])('the oldest one may be dropped: %s', (_, own, isUnseen, isDropped) => {
  const { unseen, dropped } = states(own);
  expect({ isUnseen: unseen !== null, isDropped: dropped !== null }).toEqual({ isUnseen, isDropped });
});

it('the next tick begins one endpoint further, however many steps ask for another one', () => {
  const turn = createTurn();
  expect(turn.now).toBe(0);
  turn.askAnother();
  turn.askAnother();
  // A second plan of the same tick is asked of another endpoint.
  expect(turn.now).toBe(2);
  turn.endTick();
  expect(turn.now).toBe(1);
  turn.endTick();
  expect(turn.now).toBe(1);
});
