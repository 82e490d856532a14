import { isAddress } from '../../chain/pure/address.ts';
import { nonceRequest } from '../../chain/rpc/calls.ts';
import { askEach, lowestBalance, type EndpointResponse } from '../../chain/rpc/each.ts';
import type { RpcOutcome } from '../../chain/rpc/requests.ts';
import { nativeSymbol } from '../../db/catalogue/reads.ts';
import {
  COUNTED_INTENTS,
  findLanes,
  readLaneLooks,
  readOpenSlots,
  usualCost,
  type LaneLook,
  type SlotLook,
} from '../../db/lane/looks.ts';
import type { WaitingDetail } from '../../domain/payment.ts';
import { defineCommand, jsonOption, UsageError, readOptions, readWords, type CommandCall } from '../command/command.ts';
import { withReader, type Database } from '../command/database.ts';
import { networkNamed } from '../command/networks.ts';
import { agoText, coinsText, columns, countText, jsonText, spanText, table } from '../command/text.ts';
import { remedyFor } from './waits.ts';

/** Milliseconds for all endpoints together. */
const PATIENCE_MS = 4_000;

const stateText = ({ status, is_dismissed: isDismissed, is_held: isHeld }: LaneLook): string =>
  [status, ...(isDismissed ? ['dismissed'] : []), ...(isHeld ? [] : ['key not held'])].join(', ');

const counted = (count: number): string => (count >= COUNTED_INTENTS ? `${COUNTED_INTENTS} or more` : String(count));

const since = (age: number | null): string => (age === null ? '-' : spanText(Math.floor(age)));

/** The waiting reasons of a lane, the most frequent first. */
const reasonsOf = ({ waiting }: LaneLook): [reason: WaitingDetail, count: number][] =>
  (Object.entries(waiting) as [WaitingDetail, number][]).toSorted(([, a], [, b]) => b - a);

const reasonsText = (lane: LaneLook): string =>
  reasonsOf(lane)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');

/** Lists the lanes: the keys that send transactions, with their queues. */
export const laneList = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const { values } = readOptions(args, jsonOption);
    await withReader(config, async (knex) => {
      const lanes = await readLaneLooks(knex);
      if (values.json) return print(jsonText({ lanes }));
      if (lanes.length === 0) return print('There is no lane: the catalogue has no network with keys');
      const rows = lanes.map((lane) => [
        lane.network,
        lane.role,
        lane.address,
        stateText(lane),
        counted(lane.queued),
        since(lane.queued_age),
        `${counted(lane.in_flight)} of ${lane.max_inflight}`,
        since(lane.head_age),
        reasonsText(lane),
      ]);
      const headings = ['network', 'role', 'address', 'state', 'queued', 'for', 'in flight', 'for', 'waits for'];
      for (const line of table(headings, rows)) print(line);
    });
  },
});

const numberOf = (outcome: RpcOutcome | undefined): number | null => (outcome?.ok ? Number(outcome.result) : null);

/** The report of one endpoint about a lane's account. */
const reportOf = ({ endpoint, outcomes, error }: EndpointResponse) => ({
  endpoint,
  error: error?.message ?? null,
  block: numberOf(outcomes?.[0]),
  nonce: numberOf(outcomes?.[1]),
  pending_nonce: numberOf(outcomes?.[2]),
  balance_wei: outcomes?.[3]?.ok ? BigInt(outcomes[3].result as string) : null,
});

type Report = ReturnType<typeof reportOf>;

/** Everything about one lane, from the database and from each endpoint of its network. */
const readLane = async (knex: Database, lane: LaneLook, rpcUrls: readonly string[]) => {
  const slots = await readOpenSlots(knex, lane.id);
  const cost = await usualCost(knex, lane.id);
  const symbol = await nativeSymbol(knex, lane.network_id);
  const readAt = Date.now();
  const responses = await askEach(
    rpcUrls,
    [
      { method: 'eth_blockNumber' },
      nonceRequest(lane.address, 'latest'),
      nonceRequest(lane.address, 'pending'),
      { method: 'eth_getBalance', params: [lane.address, 'latest'] },
    ],
    PATIENCE_MS,
  );
  const endpoints = responses.map(reportOf);
  const balance = lowestBalance(responses.map(({ outcomes }) => outcomes?.[3]));
  return {
    ...lane,
    symbol,
    balance_wei: balance,
    usual_cost_wei: cost,
    transactions_left: balance === null || cost === null || cost === 0n ? null : balance / cost,
    endpoints,
    read_at: new Date(readAt).toISOString(),
    slots,
  };
};

type Lane = Awaited<ReturnType<typeof readLane>>;

const fundsText = ({ balance_wei: balance, usual_cost_wei: cost, transactions_left: left, symbol }: Lane): string => {
  if (balance === null) return 'unknown: no endpoint responds';
  const enough =
    left === null || cost === null ? '' : `, enough for ${left} transactions of ${coinsText(cost, symbol)}`;
  return `${coinsText(balance, symbol)}${enough}`;
};

const endpointText = ({ error, nonce, pending_nonce: pending, block }: Report): string =>
  error === null
    ? `block ${block ?? '?'}, next nonce ${nonce ?? '?'}${pending === null || pending === nonce ? '' : `, with its pool ${pending}`}`
    : `does not respond: ${error}`;

/** What endpoints have shown that they demand of transactions. */
const limitsText = ({ limits: { tip, data, gas }, symbol }: Lane): string =>
  [
    ...(tip === undefined ? [] : [`a tip of ${coinsText(BigInt(tip), symbol)} for each unit of gas at least`]),
    ...(data === undefined ? [] : [`${data} bytes of call data at most`]),
    ...(gas === undefined ? [] : [`${gas} gas at most`]),
  ].join(', ');

const slotRow = (slot: SlotLook, now: number): string[] => [
  String(slot.nonce),
  slot.state,
  agoText(slot.created_at, now),
  Object.entries(slot.purposes)
    .map(([purpose, count]) => `${count} ${purpose}`)
    .join(', '),
  String(slot.attempts),
  slot.last_sent_at === null ? 'never' : agoText(slot.last_sent_at, now),
  slot.tx_hash ?? '-',
  slot.last_error ?? '',
];

const remediesOf = (lane: Lane): string[] => {
  const paused = lane.status === 'paused' ? (['lane_paused'] as const) : [];
  const keyless = lane.is_held ? [] : (['key_missing'] as const);
  const reasons = new Set<WaitingDetail>([...paused, ...keyless, ...reasonsOf(lane).map(([reason]) => reason)]);
  return [...reasons].flatMap((reason) => {
    const remedy = remedyFor(reason, lane);
    return remedy === null ? [] : [`${reason}: ${remedy}`];
  });
};

const linesOf = (lane: Lane): string[] => {
  const reasons = reasonsText(lane);
  const detail = lane.status_detail === null ? '' : `: ${lane.status_detail}`;
  const facts = [
    ['state', `${stateText(lane)}${detail}`],
    [
      'queue',
      lane.queued === 0
        ? 'empty'
        : `${counted(lane.queued)}, the oldest for ${since(lane.queued_age)}${reasons === '' ? '' : `; ${reasons}`}`,
    ],
    [
      'in flight',
      lane.head_nonce === null
        ? `0 of ${lane.max_inflight}`
        : `${lane.in_flight} of ${lane.max_inflight}, nonce ${lane.head_nonce} for ${since(lane.head_age)}`,
    ],
    ['mined', `${countText(lane.mined, 'transaction')} without the network's confirmations`],
    ['next nonce', String(lane.next_nonce)],
    ['balance', fundsText(lane)],
    ...(Object.keys(lane.limits).length === 0 ? [] : [['limits', limitsText(lane)]]),
    ...lane.endpoints.map((report) => [`endpoint ${report.endpoint}`, endpointText(report)]),
  ];
  const headings = ['nonce', 'state', 'since', 'content', 'attempts', 'sent', 'transaction', 'refusal'];
  const now = Date.parse(lane.read_at);
  const slots = lane.slots.map((slot) => slotRow(slot, now));
  return [
    `${lane.role} ${lane.address} on ${lane.network}`,
    ...columns(facts, '  '),
    ...(lane.slots.length === 0 ? [] : ['', ...table(headings, slots)]),
    ...remediesOf(lane).map((text) => `\nTo do: ${text}`),
  ];
};

const showLanes = async (
  { config, print }: CommandCall<'databaseUrl'>,
  { name, named, isJson }: { readonly name: string; readonly named: string; readonly isJson: boolean },
): Promise<void> =>
  withReader(config, async (knex) => {
    const network = await networkNamed(knex, name);
    const found = await findLanes(knex, { networkId: network.id, named });
    if (found.length === 0) throw new Error(`${name} has no lane of ${named}: carat lane list shows the lanes`);
    // A network at rest has endpoints that may be gone; they are not asked.
    const urls = network.isAtRest ? [] : network.rpcUrls;
    const lanes: Lane[] = [];
    for (const lane of found) lanes.push(await readLane(knex, lane, urls));
    if (isJson) return print(jsonText({ lanes }));
    for (const lane of lanes) for (const line of linesOf(lane)) print(line);
  });

const roles = ['operator', 'upgrader'];

/** Shows the lanes of a network by role, or one by its address: queue, transactions in flight, balance and nonces on the chain. */
export const laneShow = defineCommand({
  config: ['databaseUrl'],
  run: async (call) => {
    const { values, positionals } = readWords(call.args, jsonOption);
    const [name, named, ...rest] = positionals;
    if (name === undefined || named === undefined || rest.length > 0 || !(isAddress(named) || roles.includes(named))) {
      throw new UsageError('a network, and the address or role (operator, upgrader) of a lane are needed');
    }
    await showLanes(call, { name, named, isJson: values.json });
  },
});
