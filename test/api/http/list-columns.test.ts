import { lastPart, type ResolvedOperation } from '../../../tools/build/openapi.ts';
import { startApi } from '../support/api-under-test.ts';
import { integrationOperations, targetOf } from '../support/slots.ts';
import { createTenant } from '../support/tenant.ts';
import { validRequests } from '../support/valid-requests.ts';
import { openApi } from '../../support/once/specification.ts';

/*
 * A list reads nothing long that it does not show: a column may hold twenty answers of a receiver, or a secret.
 */

const api = await startApi();
const tenant = await createTenant(api, 'shop');
const { schemas } = openApi.components;

/** The types of PostgreSQL without a bound: bytea, json and jsonb. */
const unbounded = new Set([17, 114, 3802]);
/** Read as one value and shown as several: type, payment and sequence of the event. */
const underOtherNames: Readonly<Record<string, readonly string[]>> = { listDeliveries: ['event'] };

const propertiesOf = (ref = ''): NonNullable<(typeof schemas)[string]['properties']> =>
  schemas[lastPart(ref)]?.properties ?? {};
const shownBy = ({ responses }: ResolvedOperation): string[] => {
  const list = responses['200']?.content?.['application/json']?.schema.$ref;
  return Object.keys(propertiesOf(propertiesOf(list).items?.items?.$ref));
};
const lists = integrationOperations.filter((operation) => operation['x-turns'] === 'list');

interface Answered {
  readonly sql: string;
  readonly response?: { readonly fields?: readonly { readonly name: string; readonly dataTypeID: number }[] };
}

it.each(lists.map((operation) => [operation.operationId, operation] as const))('%s', async (id, operation) => {
  const read = new Map<string, number>();
  const note = (_: unknown, { response, sql }: Answered): void => {
    if (!sql.includes('cursor_at')) return;
    for (const { name, dataTypeID } of response?.fields ?? []) read.set(name, dataTypeID);
  };
  const request = (await validRequests[id as keyof typeof validRequests]?.(api, tenant)) ?? {};
  const [method, path] = targetOf(operation, request);
  api.knex.on('query-response', note);
  const { status } = await api.call(method, path, { token: tenant.actor.token });
  api.knex.off('query-response', note);
  const shown = shownBy(operation);
  const hidden = [...read].filter(([name, type]) => !shown.includes(name) && unbounded.has(type));
  expect([status, read.has('cursor_at'), shown.includes('id')]).toEqual([200, true, true]);
  expect(hidden.map(([name]) => name)).toEqual(underOtherNames[id] ?? []);
});
