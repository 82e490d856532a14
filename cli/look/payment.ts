import { listAlerts } from '../../db/alerts/reads.ts';
import { deliveriesOfPayment } from '../../db/operator/deliveries.ts';
import {
  findPaymentsNamed,
  intentsOfPayment,
  MOST_FOUND,
  type IntentLook,
  type PaymentLook,
} from '../../db/operator/payments.ts';
import { listPaymentLogs, type PaymentLogModel } from '../../db/payments/read.ts';
import { showAlert } from '../../domain/alerts/alert.ts';
import { toDecimalText } from '../../domain/money.ts';
import { defineCommand, jsonOption, UsageError, readWords, type CommandCall } from '../command/command.ts';
import { withReader, type Database } from '../command/database.ts';
import { agoText, columns, jsonText, plain, table, timeText } from '../command/text.ts';
import { readPage } from './alerts.ts';
import { deliveryHeadings, deliveryRow } from './deliveries.ts';
import { workflowsText, waitOf, type TemporalUi } from './waits.ts';

/** Most entries of a timeline, and most alerts. */
const MOST = 200;

const amountText = ({ paid_price_units: units, decimals, currency_symbol: symbol }: PaymentLook): string =>
  `${toDecimalText(BigInt(units), decimals)} ${symbol}`;

const statusText = ({ status, status_detail: detail }: PaymentLook): string =>
  detail === null ? status : `${status} (${detail})`;

/** One payment with everything that is known about it. */
const readPayment = async (knex: Knex, payment: PaymentLook) => {
  const intents = await intentsOfPayment(knex, payment.id);
  const request = { page: 1, perPage: MOST };
  const logs = await readPage(await listPaymentLogs(knex, payment.root_id, payment.id, request));
  const deliveries = await deliveriesOfPayment(knex, payment.id);
  const alerts = await readPage(
    await listAlerts(knex, { scopeId: null, state: 'open', paymentId: payment.id }, request),
  );
  return { payment, intents, logs, deliveries, alerts: alerts.list.map(showAlert), wait: waitOf(payment, intents) };
};

type Knex = Database;
type Found = Awaited<ReturnType<typeof readPayment>>;

/** The answer for programs. Personal data, such as metadata and the client's address, stay out. */
const toJson = ({ payment, intents, logs, deliveries, alerts, wait }: Found, ui: TemporalUi): object => ({
  id: payment.id,
  external_id: payment.external_id,
  checkout_id: payment.checkout_id,
  node_id: payment.node_id,
  wallet_id: payment.wallet_id,
  network: payment.network,
  method: payment.payment_method,
  status: payment.status,
  status_detail: payment.status_detail,
  waits_for: wait.what,
  to_do: wait.todo,
  amount: toDecimalText(BigInt(payment.paid_price_units), payment.decimals),
  amount_units: payment.paid_price_units,
  symbol: payment.currency_symbol,
  payment_address: payment.payment_address,
  deal_mode: payment.deal_mode,
  deal_id: payment.deal_id,
  diamond_address: payment.diamond_address,
  deal_transaction_hash: payment.deal_tx_hash,
  paid_transaction_hash: payment.paid_tx_hash,
  offers: payment.offered,
  created_at: payment.created_at,
  expires_at: payment.expires_at,
  timeline: logs.list.map(({ sequence, event_type: type, message, actor_type: actor, data, created_at: at }) => ({
    sequence,
    event_type: type,
    message,
    actor_type: actor,
    data,
    created_at: at,
  })),
  intents,
  deliveries,
  alerts,
  workflows: workflowsText(ui, `PaymentIds = "${payment.id}"`),
});

const shownData = ['reason', 'status_detail', 'transaction_hash', 'nonce', 'block_number'] as const;

/** The telling part of an entry's data, such as its reason, transaction and block. */
const dataText = (data: Record<string, unknown>): string =>
  shownData.flatMap((name) => (data[name] == null ? [] : [`${name} ${String(data[name])}`])).join(', ');

const entryRow = (entry: PaymentLogModel): string[] => [
  entry.created_at.toISOString().slice(0, 19).replace('T', ' '),
  agoText(entry.created_at),
  entry.event_type,
  [entry.message, dataText(entry.data)].filter(Boolean).join('; '),
];

const intentRow = (intent: IntentLook): string[] => [
  intent.purpose,
  [intent.state, intent.outcome ?? intent.waiting].filter(Boolean).join(', '),
  agoText(intent.created_at),
  intent.lane,
  intent.nonce === null ? '-' : String(intent.nonce),
  intent.slot_state ?? '-',
  String(intent.attempts),
  intent.block_number === null ? '-' : String(intent.block_number),
  intent.tx_hash ?? '-',
  intent.last_error ?? '',
];

const transactionText = (hash: string, { explorer_url: explorer }: PaymentLook): string =>
  explorer === null ? hash : `${explorer.replace(/\/+$/, '')}/tx/${hash}`;

const endText = (end: number | null): string => (end === null ? 'never' : timeText(new Date(end * 1_000)));

const factsOf = ({ payment, wait }: Found, ui: TemporalUi): string[][] => [
  ['status', statusText(payment)],
  ['waits for', wait.what ?? 'nothing: it has ended'],
  ['amount', `${amountText(payment)} to ${payment.payment_address}`],
  [
    'place',
    `${payment.network}, ${payment.payment_method}; node ${payment.node}${payment.wallet === null ? '' : `; wallet ${payment.wallet} (${payment.wallet_id})`}`,
  ],
  ['created', timeText(payment.created_at)],
  ['expires', timeText(payment.expires_at)],
  ...(payment.checkout_id === null ? [] : [['order', `${payment.checkout_id}, choice ${payment.choice}`]]),
  ...(payment.deal_id === null
    ? []
    : [['deal', `${payment.deal_id} on ${payment.diamond_address}, ${payment.deal_mode}`]]),
  ...(payment.offered === null
    ? []
    : [
        [
          'offers',
          `signed until ${endText(payment.offered.signed)}; shown to the buyer until ${endText(payment.offered.revealed)}`,
        ],
      ]),
  ...(payment.deal_tx_hash === null ? [] : [['created in', transactionText(payment.deal_tx_hash, payment)]]),
  ...(payment.paid_tx_hash === null
    ? []
    : [['paid in', `${transactionText(payment.paid_tx_hash, payment)}, block ${payment.paid_block_number}`]]),
  ['workflows', workflowsText(ui, `PaymentIds = "${payment.id}"`)],
];

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];

const tableOf = (headings: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  rows.length === 0 ? [] : table(headings, rows);

const linesOf = (found: Found, ui: TemporalUi): string[] => {
  const { payment, logs, intents, deliveries, alerts, wait } = found;
  const omitted = logs.total - logs.list.length;
  return [
    `${payment.external_id} (payment ${payment.id})`,
    ...columns(factsOf(found, ui), '  '),
    ...section(
      omitted === 0 ? 'Timeline' : `Timeline, without the first ${omitted} entries`,
      columns(logs.list.toReversed().map(entryRow)),
    ),
    ...section(
      'Transactions of Carat',
      tableOf(
        ['purpose', 'state', 'wanted', 'lane', 'nonce', 'slot', 'attempts', 'block', 'transaction', 'refusal'],
        intents.map(intentRow),
      ),
    ),
    ...section('Deliveries', tableOf(deliveryHeadings, deliveries.map(deliveryRow))),
    ...section(
      'Open alerts',
      alerts.map(({ kind, message, created_at: at }) => `${kind}, ${agoText(at)}: ${message}`),
    ),
    ...(wait.todo === null ? [] : ['', `To do: ${wait.todo}`]),
  ];
};

const listLines = (found: readonly PaymentLook[]): string[] => [
  ...table(
    ['payment', 'external id', 'status', 'amount', 'network', 'node', 'created'],
    found
      .slice(0, MOST_FOUND)
      .map((payment) => [
        payment.id,
        payment.external_id,
        statusText(payment),
        amountText(payment),
        payment.network,
        payment.node,
        agoText(payment.created_at),
      ]),
  ),
  `${found.length > MOST_FOUND ? `The newest ${MOST_FOUND} payments` : `${found.length} payments`} have this name: show one by its id`,
];

const show = async (
  { config, print }: CommandCall<'databaseUrl' | 'temporalUi' | 'temporalNamespace'>,
  name: string,
  isJson: boolean,
): Promise<void> =>
  withReader(config, async (knex) => {
    const found = await findPaymentsNamed(knex, name);
    if (found.length === 0) throw new Error(`no payment has the id, order or transaction ${plain(name)}`);
    if (isJson) {
      const payments: object[] = [];
      for (const payment of found.slice(0, MOST_FOUND)) {
        payments.push(toJson(await readPayment(knex, payment), config));
      }
      return print(jsonText({ payments, has_more: found.length > MOST_FOUND }));
    }
    const [payment, ...others] = found;
    const lines = others.length > 0 ? listLines(found) : linesOf(await readPayment(knex, payment!), config);
    for (const line of lines) print(plain(line));
  });

/** Shows a payment by its id, its order or a transaction: its timeline, transactions and deliveries, and what it waits for. */
export const paymentShow = defineCommand({
  config: ['databaseUrl', 'temporalUi', 'temporalNamespace'],
  run: async (call) => {
    const { values, positionals } = readWords(call.args, jsonOption);
    const [name, ...rest] = positionals;
    if (name === undefined || name === '' || rest.length > 0) {
      throw new UsageError('the id, order or transaction of one payment is needed');
    }
    await show(call, name, values.json);
  },
});
