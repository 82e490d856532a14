/**
 * Writes `docs/payment-states.md`, the table of all transitions of a payment, from `domain/payment.ts` and the guards of
 * `db/payments/guards.ts`. With `--check` nothing is written, and a file that would change fails.
 */
import { guards } from '../../db/payments/guards.ts';
import { notes, transitions, type Transition, type Writer } from '../../domain/payment.ts';
import { checkoutGuards } from '../../db/choices/guards.ts';
import { checkoutTransitions, type CheckoutTransition } from '../../domain/checkouts/checkout.ts';
import { writeGenerated } from './write-generated.ts';

const writers: Record<Writer, string> = {
  api: 'API',
  checkout: 'order',
  watcher: 'watcher',
  signer: 'signer',
  workflow: 'workflow',
  recovery: 'recovery of the workers',
};

const code = (text: string): string => `\`${text}\``;

const blocks: Record<Transition['block'], string> = { none: '', seen: 'seen', confirmed: 'confirmed' };

const detailOf = ({ from, detail }: Transition): string => {
  if (detail === 'keep') return from.includes(null) ? 'as created' : 'unchanged';
  return detail === 'clear' ? '' : code(detail);
};

const cells = (row: Transition): string[] => [
  row.from.map((status) => (status === null ? 'new' : code(status))).join(', '),
  code(row.to),
  row.trigger,
  row.guard === null ? '' : `[${row.guard}](#${row.guard})`,
  row.writer.map((writer) => writers[writer]).join(', '),
  blocks[row.block],
  detailOf(row),
  code(row.log),
  row.webhook === null ? '' : code(row.webhook),
];

const line = (texts: readonly string[]): string =>
  `|${texts.map((text) => (text === '' ? ' ' : ` ${text} `)).join('|')}|`;

const rows = Object.values<Transition>(transitions).map((row) => line(cells(row)));
const guardRows = Object.entries(guards).map(([name, { means }]) => line([`<a id="${name}"></a>${code(name)}`, means]));
const noteRows = Object.entries(notes).map(([name, { trigger, webhook }]) =>
  line([trigger, code(name), code(webhook)]),
);

const orderCells = ({ from, to, trigger, guard, webhook }: CheckoutTransition): string[] => [
  from.map((status) => (status === null ? 'new' : code(status))).join(', '),
  code(to),
  trigger,
  guard === null ? '' : `[${guard}](#order_${guard})`,
  webhook === null ? '' : code(webhook),
];
const orderRows = Object.values<CheckoutTransition>(checkoutTransitions).map((row) => line(orderCells(row)));
const orderGuardRows = Object.entries(checkoutGuards).map(([name, { means }]) =>
  line([`<a id="order_${name}"></a>${code(name)}`, means]),
);

const script = 'tools/build/generate-payment-docs.ts';
await writeGenerated(
  'docs/payment-states.md',
  `<!-- Written by ${script} from domain/payment.ts, domain/checkouts/checkout.ts and the guards of db/. Do not edit. -->

# The states of a payment

Each row is one transition. The database writes no other: it moves a payment only from a status of the first column, and only if the
guard holds. A payment is \`processing\` once the watcher has seen it on the chain, and no expiry leaves \`processing\`: a payment that
waits for its confirmations cannot expire. If the word of a deal fits several rows, the watcher writes them one after another, in
the order of a payment's life, so the log lacks no step.

| from | to | what happened | guard | written by | block | \`status_detail\` | log | webhook |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

\`block\` says whether the log entry names the block of the event: a confirmed block has the confirmations of its network, a seen
block need not have them. An empty cell clears \`status_detail\`. A new payment has the detail \`diamond_missing\` if its wallet has no
active diamond. The lane writes no status: the watcher judges what the lane sent.

## Guards

"The word" is the word that the diamond stores for the deal, as the quorum reports it at the judged block: the newest block that has
its confirmations.

| guard | condition |
| --- | --- |
${guardRows.join('\n')}

## Entries without a change of status

The watcher writes these entries. They have a sequence, as transitions have.

| what happened | log | webhook |
| --- | --- | --- |
${noteRows.join('\n')}

## The states of an order

An order whose buyer chooses how to pay (\`/api/v1/checkouts\`) follows its payments. The transaction that ends a payment writes
what follows for its order; the clock of the database expires orders without an open payment. Where several rows fit, the first is
written.

| from | to | what happened | guard | webhook |
| --- | --- | --- | --- | --- |
${orderRows.join('\n')}

| guard | condition |
| --- | --- |
${orderGuardRows.join('\n')}

The payment of a choice is \`pending\` with \`former_choice_open\` while another payment of the order is open: nothing creates or offers
its deal. When all others have ended unpaid, the same transaction lets it go on. Of several choices that wait, only the newest does;
the others are \`canceled\` at once.
`,
  script,
);
