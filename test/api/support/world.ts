import { randomUUID } from 'node:crypto';
import { loadSpecification, type Operation } from '../../../api/http/specification.ts';
import { payee, type Actor, type ApiUnderTest } from './api-under-test.ts';

/** One of each resource that belongs to a node, by the name that paths give it, such as `wallets`. */
export interface World {
  readonly actor: Actor;
  /** Stands in every text of the world that a client may choose. */
  readonly marker: string;
  readonly ids: Readonly<Record<string, string>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}
interface DocumentedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly example?: Record<string, unknown> }> };
}
interface Document {
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly components: { readonly parameters: Record<string, Parameter> };
}

const specification = loadSpecification(new URL('../../../openapi.yaml', import.meta.url));
const document = specification.document() as unknown as Document;

/** Every operation of the specification. */
export const { operations } = specification;

const documented = (operation: Operation): DocumentedOperation => document.paths[operation.path]![operation.method]!;

const queryOf = (operation: Operation): Parameter[] =>
  (documented(operation).parameters ?? [])
    .map((entry) =>
      entry.$ref === undefined ? entry : document.components.parameters[entry.$ref.split('/').at(-1) ?? '']!,
    )
    .filter((parameter) => parameter.in === 'query');

const exampleOf = (operation: Operation): Record<string, unknown> | null =>
  documented(operation).requestBody?.content['application/json']?.example ?? null;

/** The resource an operation is about: the first part of its path. */
const resourceOf = ({ path }: Operation): string => /^\/api\/v1\/(?:widget\/)?([\w-]+)/.exec(path)?.[1] ?? '';

/** Fields and parameters that refer to what belongs to a node, and the resource they name. */
const scoped: Readonly<Record<string, string>> = { node_id: 'nodes', wallet_id: 'wallets', member_id: 'members' };

/** A place of a request that refers to what belongs to a node. */
export interface Slot {
  readonly in: 'path' | 'query' | 'body';
  readonly name: string;
  readonly resource: string;
}

/** Every such place of an operation: its id in path or body, and whatever refers to nodes, wallets and members. */
export const slotsOf = (operation: Operation): Slot[] => {
  const resource = resourceOf(operation);
  const path: Slot[] = operation.path.includes('{id}') ? [{ in: 'path', name: 'id', resource }] : [];
  const query = queryOf(operation)
    .filter(({ name }) => name in scoped)
    .map(({ name }): Slot => ({ in: 'query', name, resource: scoped[name]! }));
  const body = Object.keys(exampleOf(operation) ?? {})
    .filter((name) => name in scoped || name === 'id')
    .map((name): Slot => ({ in: 'body', name, resource: scoped[name] ?? resource }));
  return [...path, ...query, ...body];
};

/**
 * A request of an operation as its example shows it, with ids that exist.
 * @param choose the world that each place of the request refers to
 */
export const requestOf = (
  operation: Operation,
  catalogue: ApiUnderTest['ids'],
  choose: (slot: Slot) => World,
): { method: string; path: string; json?: Record<string, unknown> } => {
  const slots = slotsOf(operation);
  const idOf = (slot: Slot): string => {
    const id = choose(slot).ids[slot.resource];
    if (id === undefined) throw new Error(`the world of this test has no ${slot.resource}; add one to createWorld`);
    return id;
  };
  const query = new URLSearchParams();
  for (const slot of slots) if (slot.in === 'query') query.set(slot.name, idOf(slot));
  const fromPath = slots.find((slot) => slot.in === 'path');
  const path = operation.path
    .replace('{id}', () => (fromPath === undefined ? randomUUID() : idOf(fromPath)))
    .replaceAll(/\{\w+\}/g, () => randomUUID());
  const example = exampleOf(operation);
  const replaced: Record<string, unknown> = {
    network_id: catalogue.networks.A,
    chain_id: catalogue.chains.Main,
    currency_id: catalogue.currencies.USD,
    external_id: randomUUID(),
    name: randomUUID(),
    host: `http://127.0.0.1:${1_024 + Math.floor(Math.random() * 60_000)}`,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    payment_address: payee,
  };
  for (const slot of slots) if (slot.in === 'body') replaced[slot.name] = idOf(slot);
  const json =
    example && Object.fromEntries(Object.entries(example).map(([key, value]) => [key, replaced[key] ?? value]));
  const search = query.size > 0 ? `?${query.toString()}` : '';
  return { method: operation.method.toUpperCase(), path: `${path}${search}`, ...(json && { json }) };
};

/** Makes one of each resource for a node: a wallet first, then whatever else the specification can create. */
export const createWorld = async (api: ApiUnderTest, node: string, integration?: Actor): Promise<World> => {
  const actor = integration ?? (await api.actor(node));
  const marker = `of-${node}-${randomUUID()}`;
  const ids: Record<string, string> = { nodes: actor.nodeId };
  const world: World = { actor, marker, ids };
  const create = async (resource: string, change: Record<string, unknown> = {}): Promise<void> => {
    const operation = operations.find(
      (candidate) => candidate.method === 'post' && candidate.path === `/api/v1/${resource}`,
    );
    if (operation === undefined) throw new Error(`${resource} can not be created`);
    const { method, path, json } = requestOf(operation, api.ids, () => world);
    const answer = await api.call(method, path, { token: actor.token, json: { ...json, ...change } });
    if (answer.status !== 201) throw new Error(`no ${resource} for ${node}: ${answer.text}`);
    ids[resource] = answer.body.id;
  };
  await create('wallets', { name: marker });
  await create('members', { name: marker, external_id: marker });
  await create('integrations', { name: marker, permissions: [] });
  await create('payments', { external_id: marker, metadata: marker });
  const others = operations
    .filter(
      ({ method, path, access }) => method === 'post' && access === 'integration' && /^\/api\/v1\/[\w-]+$/.test(path),
    )
    .map(resourceOf)
    .filter((resource) => !(resource in ids));
  for (const resource of others) await create(resource);
  return world;
};
