import { readStatus } from '../../api/service/status.ts';
import { defineCommand, jsonOption, readOptions } from '../command/command.ts';
import { withReader } from '../command/database.ts';
import { agoText, jsonText, plain, spanText, table } from '../command/text.ts';
import { readOpenAlerts } from './alerts.ts';

type Status = Awaited<ReturnType<typeof readStatus>>;
type Figure = Pick<Status['database'], 'status' | 'value' | 'bound' | 'unit'>;

/** Most alerts in the text. */
const SHOWN_ALERTS = 5;

const figureText = (value: number | null, unit: Figure['unit']): string => {
  if (value === null) return '-';
  return unit === 'milliseconds' ? `${value} ms` : spanText(value);
};

const row = (name: string, figure: Figure, note: string): string[] => [
  name,
  figure.status,
  figureText(figure.value, figure.unit),
  figureText(figure.bound, figure.unit),
  note,
];

/** The figures of the whole installation, and the meaning of each value. */
const parts = [
  ['database', 'duration of a query'],
  ['temporal', 'since its newest response'],
  ['workers', 'since the newest sign of life'],
  ['commands', 'age of the oldest that waits for Temporal'],
  ['intents', 'age of the oldest that waits for a nonce'],
  ['offers', 'age of the oldest payment that waits for its offer'],
  ['webhooks', 'how late the first attempts are, where none fails'],
  ['webhook_retries', 'how late the retries are'],
] as const;

const linesOf = (status: Status): string[] => [
  `Carat is ${status.status} (${status.at})`,
  '',
  ...table(
    ['part', 'status', 'value', 'late beyond', ''],
    [
      ...parts.map(([name, note]) => row(name, status[name], note)),
      ...status.network_list.map((network) =>
        row(
          `network ${network.name}`,
          network,
          network.last_block === null ? 'no block read yet' : `block ${network.last_block}`,
        ),
      ),
      ...status.worker_list.map((worker) =>
        row(`worker ${worker.name}`, worker, `started ${agoText(worker.started_at)}`),
      ),
    ],
  ),
];

/** Shows the health of everything that Carat depends on, as `GET /api/v1/status` does, and the open alerts. */
export const status = defineCommand({
  config: ['databaseUrl', 'silenceSeconds'],
  run: async ({ args, config, print }) => {
    const { values } = readOptions(args, jsonOption);
    return withReader(config, async (knex) => {
      const found = await readStatus({ knex, silenceSeconds: config.silenceSeconds });
      const outcome = found.status === 'ok' ? undefined : 'bad';
      if (values.json) {
        print(jsonText(found));
        return outcome;
      }
      for (const line of linesOf(found)) print(line);
      const alerts = await readOpenAlerts(knex, SHOWN_ALERTS);
      print('');
      print(alerts.total === 0 ? 'No alert is open' : `Open alerts: ${alerts.total} (carat alerts)`);
      for (const { kind, message, created_at: at } of alerts.list)
        print(plain(`  ${kind}, ${agoText(at)}: ${message}`));
      if (outcome === 'bad') print('\ncarat doctor looks for the cause');
      return outcome;
    });
  },
});
