/**
 * Writes `docs/payment-states.md`, the table of all transitions of a payment, from `domain/payment.ts` and the guards of
 * `db/payments/guards.ts`. With `--check` nothing is written, and a file that would change fails.
 */
import { guards } from '../db/payments/guards.ts';
import { notes, transitions, type Transition, type Writer } from '../domain/payment.ts';
import { writeGenerated } from './write-generated.ts';

const writers: Record<Writer, string> = {
  api: 'API',
  watcher: 'watcher',
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

const script = 'scripts/generate-payment-docs.ts';
await writeGenerated(
  'docs/payment-states.md',
  `<!-- Written by ${script} from domain/payment.ts and db/payments/guards.ts. Do not edit. -->

# The states of a payment

Each row is one transition. The database writes no other: a payment leaves only a status of the first column, and only where the
guard holds. A payment that was seen is \`processing\`, and no expiry leaves \`processing\`: a seen payment cannot expire. Where the
word of a deal fits several rows, the watcher writes them one after another, in the order of the story: a payment that skipped a
step takes each step.

| from | to | what happened | guard | written by | block | \`status_detail\` | log | webhook |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

\`block\` says whether the log entry names the block of the event: a confirmed block has the confirmations of its network, a seen
block need not have them. An empty \`status_detail\` is cleared. A created payment waits for \`diamond_missing\` where its wallet has no
active diamond. The lane writes no status: the watcher judges what the lane sent.

## Guards

"The word" is what the diamond keeps of the deal, as the quorum reads it at the judged block, the newest block with its confirmations.

| guard | condition |
| --- | --- |
${guardRows.join('\n')}

## Entries without a change of status

The watcher writes them. They have a sequence, like transitions.

| what happened | log | webhook |
| --- | --- | --- |
${noteRows.join('\n')}
`,
  script,
);
