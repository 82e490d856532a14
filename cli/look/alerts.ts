import { listAlerts, type AlertFilter } from '../../db/alerts/reads.ts';
import { watchedNetworks } from '../../db/watcher/networks.ts';
import type { Page } from '../../db/query/page.ts';
import { alertKinds, showAlert, type AlertKind, type ShownAlert } from '../../domain/alerts/alert.ts';
import { defineCommand, jsonOption, UsageError, readOptions } from '../command/command.ts';
import { withReader, type Database } from '../command/database.ts';
import { agoText, jsonText, plain } from '../command/text.ts';

/** A list with the number of all entries. */
interface Listed<Item> {
  readonly list: readonly Item[];
  readonly total: number;
}

/** Reads a page as a whole. */
export const readPage = async <Item>(page: Page<Item>): Promise<Listed<Item>> => {
  const list: Item[] = [];
  for (let part = await page.parts.next(0); !part.done; part = await page.parts.next(0)) list.push(...part.value);
  return { list, total: (await page.end()).total };
};

const readAlerts = async (
  knex: Database,
  filter: Omit<AlertFilter, 'scopeId'>,
  limit: number,
): Promise<Listed<ShownAlert>> => {
  const { list, total } = await readPage(
    await listAlerts(knex, { ...filter, scopeId: null }, { page: 1, perPage: limit }),
  );
  return { list: list.map(showAlert), total };
};

/** Reads the newest open alerts of the installation. */
export const readOpenAlerts = (knex: Database, limit: number): Promise<Listed<ShownAlert>> =>
  readAlerts(knex, { state: 'open' }, limit);

const MOST = 1_000;

/**
 * The number of a `--limit`.
 * @throws UsageError
 */
export const readLimit = (text: string): number => {
  const limit = Number(text);
  if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= MOST) return limit;
  throw new UsageError(`--limit takes a number from 1 to ${MOST}`);
};

const isKind = (text: string): text is AlertKind => (alertKinds as readonly string[]).includes(text);

const stateOf = (text: string): { state?: 'open' | 'closed' } => {
  if (text === 'open' || text === 'closed') return { state: text };
  if (text === 'all') return {};
  throw new UsageError('--state is open, closed or all');
};

const linesOf = (alert: ShownAlert, networks: ReadonlyMap<string, string>): string[] => {
  const place = alert.network_id === null ? '' : `, ${networks.get(alert.network_id) ?? alert.network_id}`;
  const end =
    alert.closed_at === null
      ? ''
      : `, closed ${agoText(alert.closed_at)} by ${alert.closed_by === 'carat' ? 'Carat' : 'a person'}`;
  return [
    `${alert.kind}${place}, ${agoText(alert.created_at)}${end}`,
    `  ${alert.message}`,
    ...(alert.payment_id === null ? [] : [`  carat payment show ${alert.payment_id}`]),
    `  ${alert.is_condition ? 'condition' : 'incident'} ${alert.id}`,
  ];
};

/** Lists the alerts of the installation, newest first; by default the open ones. */
export const alerts = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const { values } = readOptions(args, {
      ...jsonOption,
      state: { type: 'string', default: 'open' },
      kind: { type: 'string' },
      limit: { type: 'string', default: '50' },
    });
    const { kind } = values;
    if (kind !== undefined && !isKind(kind)) throw new UsageError(`--kind is one of ${alertKinds.join(', ')}`);
    const filter = { ...stateOf(values.state), kind };
    const limit = readLimit(values.limit);
    await withReader(config, async (knex) => {
      const { list, total } = await readAlerts(knex, filter, limit);
      if (values.json) return print(jsonText({ total, alerts: list }));
      if (total === 0) return print(values.state === 'open' ? 'No alert is open' : 'There is no such alert');
      const networks = new Map((await watchedNetworks(knex)).map(({ id, name }) => [id, name]));
      for (const alert of list) for (const line of linesOf(alert, networks)) print(plain(line));
      if (list.length < total) print(`${list.length} of ${total}, newest first; --limit shows more`);
      print('What each kind means and what to do about it: docs/operations/alerts.md');
    });
  },
});
