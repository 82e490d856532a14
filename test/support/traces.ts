import fs from 'node:fs';
import path from 'node:path';
import proto from '@temporalio/proto';
import type { Knex } from 'knex';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import type { Product } from './product.ts';
import { testStack } from './stack.ts';

/** A secret in every form in which it could be found. */
export interface Secret {
  readonly name: string;
  readonly text: string;
  /** The decoded bytes, where the text is an encoding itself. */
  readonly bytes?: Uint8Array;
}

/**
 * The part of a base64 text that is independent of the surrounding bytes, for the three ways in which bytes can fall
 * into groups of three.
 */
const base64Cores = (bytes: Uint8Array): string[] =>
  [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const head = [0, 2, 3][shift]!;
    const tail = (shift + bytes.length) % 3 === 0 ? 0 : 1;
    return text.slice(head, text.length - tail);
  });

const formsOfBytes = (bytes: Uint8Array): string[] => {
  const base64 = base64Cores(bytes);
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = Buffer.from(bytes).toString('hex');
  return [...base64, ...base64url, hex, hex.toUpperCase(), Buffer.from(bytes).toString('latin1')];
};

/** In clear, in JSON, in a URL, in base64 and base64url wherever it begins, in hex. */
export const formsOf = ({ text, bytes }: Secret): string[] => {
  const clear = [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
  const spelled = clear.map((form) => Buffer.from(form).toString('latin1'));
  const encoded = clear.flatMap((form) => formsOfBytes(Buffer.from(form)));
  return [...new Set([...clear, ...spelled, ...encoded, ...(bytes === undefined ? [] : formsOfBytes(bytes))])];
};

/** A place to look through, as text; bytes as latin1. */
export interface Place {
  readonly name: string;
  readonly text: string;
}

/** Which secrets are where: `secret in place`. */
export const findSecrets = (secrets: readonly Secret[], places: readonly Place[]): string[] => {
  const wanted = secrets.map((secret) => ({ name: secret.name, forms: formsOf(secret) }));
  return places.flatMap((place) =>
    wanted
      .filter(({ forms }) => forms.some((form) => place.text.includes(form)))
      .map(({ name }) => `${name} in ${place.name}`),
  );
};

/** All rows of all tables as text, bytes in hex. */
export const tablesOf = async (knex: Knex): Promise<Place[]> => {
  const tables = await knex('information_schema.tables')
    .whereNotIn('table_schema', ['pg_catalog', 'information_schema'])
    .select<{ table_schema: string; table_name: string }[]>('table_schema', 'table_name');
  return Promise.all(
    tables.map(async ({ table_schema: schema, table_name: name }) => {
      const { rows } = await knex.raw<{ rows: { row: string }[] }>('SELECT t::text AS row FROM ??.?? t', [
        schema,
        name,
      ]);
      return { name: `table ${name}`, text: rows.map(({ row }) => row).join('\n') };
    }),
  );
};

/** The files of a folder. */
export const logsIn = (folder: string): Place[] =>
  fs.readdirSync(folder).map((file) => ({
    name: `log ${file}`,
    text: fs.readFileSync(path.join(folder, file), 'latin1'),
  }));
/** Logs of the services of the run. The chains of other tests log there as well, and Hardhat's node prints its keys. */
export const serviceLogs = (): Place[] =>
  logsIn(path.join(testStack().dir, 'logs')).filter(({ name }) => !name.startsWith('log chain-'));

/** All workflows of the product with everything that is kept of them. */
export const historiesOf = async (product: Product): Promise<Place[]> => {
  const client = createTemporalClient(product.dev.temporal);
  const places: Place[] = [];
  try {
    for await (const info of client.workflow.list({ query: `TaskQueue = '${product.taskQueue}'` })) {
      const history = await client.workflow.getHandle(info.workflowId, info.runId).fetchHistory();
      const bytes = Buffer.from(proto.temporal.api.history.v1.History.encode(history).finish());
      places.push({
        name: `history of ${info.type}`,
        text: `${info.workflowId}\n${JSON.stringify([info.memo, info.searchAttributes])}\n${bytes.toString('latin1')}`,
      });
    }
  } finally {
    await client.connection.close();
  }
  return places;
};
