import {
  lastPart,
  operationsOf,
  type OpenApi,
  type ResolvedOperation,
  type Schema,
} from '../../../tools/build/openapi.ts';
import { openApi as document } from '../../support/once/specification.ts';

/** A request that an operation accepts; missing parts are not sent. */
export interface ApiRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A place in the requests of an operation that holds the id of something. */
export interface Slot {
  readonly operation: ResolvedOperation;
  /** Such as `/path/id`, `/query/node_id` or `/body/member/id`. */
  readonly pointer: string;
  /** The named resource: `wallet` for a `wallet_id`, the path's resource for an `id`. */
  readonly kind: string;
}

/** Ids without a form: those of the merchant's own systems, and of callers from outside. */
const freeText = ['external_id', 'actor_id'];

const resolve = (document: OpenApi, schema: Schema): Schema => {
  if (schema.$ref === undefined) return schema;
  const target = document.components.schemas[lastPart(schema.$ref)];
  if (target === undefined) throw new Error(`openapi.yaml: there is no ${schema.$ref}`);
  return resolve(document, target);
};

/** Every object below a schema, itself too, with its pointer. */
const objectsIn = (document: OpenApi, given: Schema, pointer: string): { pointer: string; schema: Schema }[] => {
  const schema = resolve(document, given);
  const options = (schema.oneOf ?? []).flatMap((option) => objectsIn(document, option, pointer));
  const items = schema.items === undefined ? [] : objectsIn(document, schema.items, `${pointer}/0`);
  const fields = Object.entries(schema.properties ?? {});
  const nested = fields.flatMap(([name, field]) => objectsIn(document, field, `${pointer}/${name}`));
  return [...(fields.length === 0 ? [] : [{ pointer, schema }]), ...options, ...items, ...nested];
};

const kindOf = (name: string, path: string): string => {
  if (name !== 'id') return name.replace(/_id$/, '');
  const collection = path.includes('{id}') ? /([a-z-]+)\/\{id\}/.exec(path)?.[1] : /([a-z-]+)$/.exec(path)?.[1];
  return collection?.replace(/s$/, '') ?? '';
};

/** The operations that an integration's token opens. */
export const integrationOperations = operationsOf(document).filter(({ access }) => access === 'integration');

/** Objects in the body of an operation: the body itself and nested ones. */
export const bodyObjects = ({ requestBody }: ResolvedOperation): { pointer: string; schema: Schema }[] =>
  Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => objectsIn(document, schema, '/body'));

/** Every slot of an operation; throws for an id that is neither a UUID nor known to be free text. */
export const slotsOf = (operation: ResolvedOperation): Slot[] => {
  const places = [
    ...operation.parameters
      .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
      .map(({ name, schema, in: where }) => ({
        pointer: `/${where}/${name}`,
        name,
        schema: resolve(document, schema),
      })),
    ...bodyObjects(operation).flatMap(({ pointer, schema }) =>
      Object.entries(schema.properties ?? {}).map(([name, field]) => {
        const resolved = resolve(document, field);
        const isList = resolved.items !== undefined;
        return {
          pointer: isList ? `${pointer}/${name}/0` : `${pointer}/${name}`,
          name: isList ? name.replace(/s$/, '') : name,
          schema: isList ? resolve(document, resolved.items!) : resolved,
        };
      }),
    ),
  ];
  return places.flatMap(({ pointer, name, schema }): Slot[] => {
    if (schema.format === 'uuid') return [{ operation, pointer, kind: kindOf(name, operation.path) }];
    if (/(^|_)id$/.test(name) && !freeText.includes(name)) {
      throw new Error(`${operation.operationId} ${pointer} holds an id, but is no UUID`);
    }
    return [];
  });
};

/** The request with another value at the pointer, whose place must be there. */
export const withValue = (request: ApiRequest, pointer: string, value: unknown): ApiRequest => {
  const copy = structuredClone(request) as Record<string, unknown>;
  const steps = pointer.split('/').slice(1);
  const name = steps.pop()!;
  let parent: unknown = copy;
  for (const step of steps) parent = (parent as Record<string, unknown> | undefined)?.[step];
  if (typeof parent !== 'object' || parent === null) throw new Error(`the request has no place for ${pointer}`);
  (parent as Record<string, unknown>)[name] = value;
  return copy;
};

/** The value at the pointer. */
export const valueAt = (request: ApiRequest, pointer: string): unknown => {
  let value: unknown = request;
  for (const step of pointer.split('/').slice(1)) value = (value as Record<string, unknown> | undefined)?.[step];
  return value;
};

/** Method and target of an operation, filled in. */
export const targetOf = ({ method, path }: ResolvedOperation, request: ApiRequest): [method: string, path: string] => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = request.path?.[name];
    if (value === undefined) throw new Error(`the request has no ${name} for ${path}`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams(request.query).toString();
  return [method, query === '' ? filled : `${filled}?${query}`];
};
