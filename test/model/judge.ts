import { ethers } from 'ethers';
import { contracts } from '../../chain/pure/contracts.ts';
import { isTerminal, transitions, type DealMode, type PaymentStatus, type Transition } from '../../domain/payment.ts';
import { heardProblems } from './heard.ts';
import type { Judged } from './world.ts';

interface PaymentRow {
  readonly id: string;
  readonly status: PaymentStatus;
  readonly status_detail: string | null;
  readonly sequence: number;
  readonly payment_method: string;
  readonly payment_address: string;
  readonly paid_price_units: string;
  readonly token_address: string | null;
  readonly deal_id: string;
  readonly diamond_address: string;
  readonly terms_hash: string;
  readonly expires_unix: string;
  readonly deal_mode: DealMode;
  readonly paid_tx_hash: string | null;
}

interface LogRow {
  readonly sequence: number;
  readonly event_type: string;
  readonly status: PaymentStatus;
  readonly data: { readonly block_number?: number | null; readonly block_hash?: string | null };
}

interface DealLog {
  readonly name: string;
  readonly block: number;
  readonly transaction: string;
}

const topic = (name: string): string => contracts.deal.interface.getEvent(name)!.topicHash;
const names = new Map(['DealCreated', 'DealPaid', 'DealCancelled'].map((name) => [topic(name), name]));

/** The present state of a deal on the chain, with our terms. */
const dealLogs = async ({ ask }: Judged, payment: PaymentRow, from: number): Promise<DealLog[]> => {
  const id = ethers.toBeHex(BigInt(payment.deal_id), 32);
  const filter = {
    address: payment.diamond_address,
    topics: [[...names.keys()], id],
    fromBlock: ethers.toQuantity(from),
  };
  const logs = (await ask('eth_getLogs', [filter])) as {
    topics: string[];
    blockNumber: string;
    transactionHash: string;
  }[];
  return logs.flatMap(({ topics, blockNumber, transactionHash }) => {
    const name = names.get(topics[0]!)!;
    if (name !== 'DealCancelled' && topics[2] !== payment.terms_hash) return [];
    return [{ name, block: Number(blockNumber), transaction: transactionHash }];
  });
};

/** Notes do not count: even beside liars, no event is announced that did not happen. */
const isLegal = (from: PaymentStatus | null, { event_type, status }: LogRow): boolean =>
  Object.values<Transition>(transitions).some(
    (row) => row.log === event_type && row.to === status && row.from.includes(from),
  );

/** Faults of a history: an unlisted step, a gap, an entry after the end, or another end. */
const historyProblems = (payment: PaymentRow, logs: readonly LogRow[]): string[] => {
  const steps = logs.map((log, index) => ({ log, from: logs[index - 1]?.status ?? null, number: index + 1 }));
  const problems = steps.flatMap(({ log, from, number }) => [
    ...(isLegal(from, log) ? [] : [`${from} became ${log.status} by ${log.event_type}`]),
    ...(log.sequence === number ? [] : [`entry ${number} has the sequence ${log.sequence}`]),
  ]);
  if (logs.filter(({ status }) => isTerminal(status)).length !== 1) problems.push('it did not end once');
  if (payment.sequence !== logs.length) problems.push(`${logs.length} entries, but sequence ${payment.sequence}`);
  if (logs.at(-1)?.status !== payment.status) problems.push('its status is not that of the last entry');
  return problems;
};

/** The statuses that the chain bears out. */
const rightStatuses = (mode: DealMode, logs: readonly DealLog[], judgedAt: number): readonly string[] => {
  const find = (name: string): DealLog | undefined => logs.find((log) => log.name === name);
  const cancelled = find('DealCancelled');
  if (find('DealPaid') !== undefined) return ['completed'];
  if (cancelled === undefined && mode === 'offered') return ['expired', 'canceled'];
  if (cancelled === undefined) return find('DealCreated') ? ['expired'] : ['expired', 'failed', 'canceled'];
  return cancelled.block <= judgedAt ? ['canceled'] : ['canceled', 'expired'];
};

const received = async (
  { ask }: Judged,
  { token_address: token, payment_address: payee }: PaymentRow,
): Promise<bigint> =>
  token === null
    ? BigInt((await ask('eth_getBalance', [payee, 'latest'])) as string)
    : BigInt(
        (await ask('eth_call', [
          { to: token, data: contracts.testToken.interface.encodeFunctionData('balanceOf', [payee]) },
          'latest',
        ])) as string,
      );

/** The block by which a payment has expired is on the chain, and its time is up there. */
const expiryProblems = async ({ ask }: Judged, payment: PaymentRow, { data }: LogRow): Promise<string[]> => {
  if (payment.status !== 'expired') return [];
  const at = ethers.toQuantity(Number(data.block_number));
  const block = (await ask('eth_getBlockByNumber', [at, false])) as { hash: string; timestamp: string } | null;
  const isSo = block?.hash === data.block_hash && Number(block?.timestamp) >= Number(payment.expires_unix);
  return isSo ? [] : [`it expired by block ${Number(at)} ${data.block_hash}, which does not say so`];
};

const chainProblems = async (world: Judged, payment: PaymentRow, logs: LogRow[], from: number): Promise<string[]> => {
  const found = await dealLogs(world, payment, from);
  const count = (name: string): number => found.filter((log) => log.name === name).length;
  const judgedAt = Number(logs.at(-1)?.data.block_number ?? 0);
  const right = rightStatuses(payment.deal_mode, found, judgedAt);
  const due = payment.status === 'completed' ? BigInt(payment.paid_price_units) : 0n;
  const got = await received(world, payment);
  const paid = found.find(({ name }) => name === 'DealPaid');
  return [
    ...(right.includes(payment.status) ? [] : [`it is ${payment.status}, the chain says ${right.join(' or ')}`]),
    ...(count('DealCreated') > (payment.deal_mode === 'offered' ? 0 : 1) ? ['its deal was created too often'] : []),
    ...(count('DealPaid') > 1 ? ['it was paid twice'] : []),
    ...(await expiryProblems(world, payment, logs.at(-1)!)),
    ...(got === due ? [] : [`its payee got ${got} instead of ${due}`]),
    ...(paid && payment.paid_tx_hash !== null && paid.transaction !== payment.paid_tx_hash
      ? [`it was paid in ${paid.transaction}, not in ${payment.paid_tx_hash}`]
      : []),
  ];
};

/** All faults of these payments, which have ended. */
export const problemsOf = async (world: Judged, ids: readonly string[], fromBlock: number): Promise<string[]> => {
  const { knex } = world.product;
  const payments = await knex('payments').whereIn('id', ids).orderBy('id').select<PaymentRow[]>('*');
  const problems: string[] = payments.length === ids.length ? [] : ['a payment is missing'];
  for (const payment of payments) {
    const logs = await knex('payment_logs')
      .where({ payment_id: payment.id })
      .orderBy('sequence')
      .select<LogRow[]>('sequence', 'event_type', 'status', 'data');
    const own = [
      ...historyProblems(payment, logs),
      ...(payment.payment_method === 'web3' ? await heardProblems(world, payment, logs) : []),
      ...(payment.payment_method === 'web3' ? await chainProblems(world, payment, logs, fromBlock) : []),
    ];
    const story = logs.map(({ event_type, status }) => `${event_type} ${status}`).join(', ');
    problems.push(...own.map((problem) => `${payment.id}: ${problem} (${story})`));
  }
  return [...problems, ...(await sumProblems(world))];
};

/** The completed amount of each token equals the amount that the chain's diamonds have passed on since the beginning. */
const sumProblems = async ({ ask, product, wallets }: Judged): Promise<string[]> => {
  const filter = {
    address: Object.values(wallets).map(({ address }) => address),
    topics: [topic('DealPaid')],
    fromBlock: '0x0',
  };
  const paid = new Map<string, bigint>();
  for (const log of (await ask('eth_getLogs', [filter])) as { topics: string[]; data: string }[]) {
    const { args } = contracts.deal.interface.parseLog(log)!;
    const token = String(args.token).toLowerCase();
    paid.set(token, (paid.get(token) ?? 0n) + BigInt(args.amount as bigint));
  }
  const rows = await product
    .knex('payments')
    .where({ status: 'completed', payment_method: 'web3' })
    .groupBy('token_address')
    .select<{ token: string | null; sum: string }[]>('token_address as token')
    .sum('paid_price_units as sum');
  const completed = new Map(rows.map(({ token, sum }) => [token ?? ethers.ZeroAddress, BigInt(sum)]));
  return [...new Set([...paid.keys(), ...completed.keys()])].flatMap((token) =>
    paid.get(token) === completed.get(token)
      ? []
      : [`${completed.get(token) ?? 0n} completed of ${token}, ${paid.get(token) ?? 0n} paid on the chain`],
  );
};
