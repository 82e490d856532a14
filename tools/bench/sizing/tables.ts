import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Knex } from 'knex';

/** A proxy before an RPC endpoint. */
export interface CountingProxy {
  readonly url: string;
  /** HTTP requests so far, and JSON-RPC calls in them by method. */
  counts(): { readonly requests: number; readonly calls: Readonly<Record<string, number>> };
  stop(): void;
}

/** Starts a proxy that passes requests on as they came, and counts them. */
export const startCountingProxy = async (target: string): Promise<CountingProxy> => {
  let requests = 0;
  const calls = new Map<string, number>();
  const server = http.createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      requests += 1;
      for (const { method } of [JSON.parse(body.toString()) as { method: string } | { method: string }[]].flat())
        calls.set(method, (calls.get(method) ?? 0) + 1);
      const answer = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new Uint8Array(body),
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: () => ({ requests, calls: Object.fromEntries(calls) }),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** How long the rows of tables whose rows go are kept by default; others keep theirs for ever. */
const kept: Readonly<Record<string, string>> = {
  offers: 'an hour',
  idempotency_keys: 'a day',
  outbox: '7 days',
  offer_ends: '30 days',
  webhook_events: '60 days',
  webhook_deliveries: '60 days',
  payment_waits: '365 days',
  tx_slot_logs: '365 days',
};

/** Bytes and rows of a table, with what belongs to it. */
export interface Table {
  readonly name: string;
  readonly rows: number;
  readonly table: number;
  readonly indexes: number;
}

export const tables = async (knex: Knex): Promise<Map<string, Table>> => {
  const names = (await knex('pg_stat_user_tables').pluck('relname').orderBy('relname')) as string[];
  const read = async (name: string): Promise<Table> => {
    const [row] = (
      await knex.raw(
        `SELECT count(*)::int AS rows, pg_table_size(:name::regclass)::int8 AS bytes, pg_indexes_size(:name::regclass)::int8 AS indexes
         FROM :table:`,
        { name: `"${name}"`, table: name },
      )
    ).rows as { rows: number; bytes: string; indexes: string }[];
    return { name, rows: row!.rows, table: Number(row!.bytes), indexes: Number(row!.indexes) };
  };
  const all: Table[] = [];
  for (const name of names) all.push(await read(name));
  return new Map(all.map((table) => [table.name, table]));
};

/** Values that are not zero, divided, with their names. */
export const list = (values: Readonly<Record<string, number>>, per: number, digits = 2): string =>
  Object.entries(values)
    .filter(([, value]) => value > 0)
    .map(([name, value]) => `${name} ${(value / per).toFixed(digits)}`)
    .join(', ');

/**
 * Prints how tables have grown, in bytes for each of `payments` payments.
 * @param what how they were measured
 */
export const showTables = (
  before: ReadonlyMap<string, Table>,
  after: ReadonlyMap<string, Table>,
  { payments, what }: { readonly payments: number; readonly what: string },
): void => {
  const grown = [...after.values()].map(({ name, ...now }) => {
    const then = before.get(name)!;
    return { name, rows: now.rows - then.rows, table: now.table - then.table, indexes: now.indexes - then.indexes };
  });
  const bytes = new Map<string, number>();
  for (const { name, table, indexes } of grown) {
    const time = kept[name] ?? 'for ever';
    bytes.set(time, (bytes.get(time) ?? 0) + table + indexes);
  }
  console.log(
    `  bytes in PostgreSQL, ${what}, by the time for which they are kept: ${list(Object.fromEntries(bytes), payments, 0)}`,
  );
  for (const { name, rows, table, indexes } of grown.toSorted((a, b) => b.table + b.indexes - a.table - a.indexes)) {
    if (table + indexes < 20 * payments) continue;
    console.log(
      `    ${name}: ${(rows / payments).toFixed(2)} rows, ${(table / payments).toFixed(0)} + ${(indexes / payments).toFixed(0)} bytes`,
    );
  }
};
