import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { isPermission, type Permission } from '../../domain/access.ts';
import type { Operations } from './operations.ts';

export type OperationId = keyof Operations;

/**
 * Kinds of work. Each node has a number of turns for each kind.
 * - `single`: a few statements on one connection.
 * - `batched`: one statement serves many requests.
 * - `list`: reads and renders up to 100 of the rows that `single` reads one of.
 * - `file`: reads a whole list of any length, as fast as the client takes it; requested by `Accept`.
 * - `bulk`: changes thousands of rows.
 * - `slow`: waits for something other than the database.
 */
const turnKinds = ['single', 'batched', 'list', 'file', 'bulk', 'slow'] as const;
export type TurnKind = (typeof turnKinds)[number];

/** The properties of an operation that the middlewares need before validation. */
export interface Operation {
  readonly id: OperationId;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Path template, such as `/api/v1/payments/{id}`. */
  readonly path: string;
  readonly access: 'integration' | 'widget' | 'public';
  /** The resource that the token of a widget's operation opens. */
  readonly opens: 'payment' | 'checkout';
  /** The permissions that it needs, all of them; none for any valid token. */
  readonly permissions: readonly Permission[];
  /** True when pages of any origin may call it. */
  readonly cors: boolean;
  /** Media types of its body; empty without a body. */
  readonly consumes: readonly string[];
  /** False when the body may be missing. */
  readonly needsBody: boolean;
  /** Media types of its answer 200; empty without one. */
  readonly produces: readonly string[];
  /** Its rate is limited by caller or by address; null for no limit. */
  readonly limitedBy: 'caller' | 'address' | null;
  readonly turns: TurnKind;
  /** Form of its errors: RFC 9457, or RFC 6749 section 5.2. */
  readonly errors: 'problem' | 'oauth';
}

type Json = Record<string, unknown>;

export interface Specification {
  /** A copy of the document, which the caller may change. */
  document(): Json;
  readonly operations: readonly Operation[];
}

/** The kind of token that an operation needs, by its security in the document. */
export const accessOf = (security: readonly Json[]): Operation['access'] => {
  if (security.some((option) => 'integrationToken' in option)) return 'integration';
  return security.some((option) => 'widgetToken' in option || 'checkoutToken' in option) ? 'widget' : 'public';
};

/**
 * The names of an operation's `x-permission`: one, a list of all that it needs, or none.
 * @throws Error for a name that does not exist
 */
export const permissionsOf = (id: string, named: unknown): Permission[] =>
  (named === undefined ? [] : [named].flat()).map((name: unknown) => {
    if (typeof name === 'string' && isPermission(name)) return name;
    throw new Error(`openapi.yaml: ${id} names the permission ${String(name)}, which does not exist`);
  });

/** The same for readers, such as `` `webhooks.read` and `payments.read` ``; empty for any valid token. */
export const permissionText = (id: string, named: unknown): string =>
  permissionsOf(id, named)
    .map((name) => `\`${name}\``)
    .join(' and ');

const limitedByOf = (id: string, access: Operation['access'], text: unknown): Operation['limitedBy'] => {
  if (access === 'integration' && text === undefined) return 'caller';
  if (access !== 'integration' && (text === undefined || text === 'address')) return text ?? null;
  throw new Error(`openapi.yaml: ${id} cannot be limited by ${String(text)}`);
};

const turnsOf = (id: string, text: unknown = 'single'): TurnKind => {
  const kind = turnKinds.find((known) => known === text);
  if (kind !== undefined) return kind;
  throw new Error(`openapi.yaml: ${id} has turns of the kind ${String(text)}, which does not exist`);
};

/** Reads `openapi.yaml` as written, with its anchors and merge keys resolved. */
export const readDocument = (file: URL | string): unknown =>
  load(readFileSync(file, 'utf8'), { schema: CORE_SCHEMA.withTags(mergeTag), maxAliases: -1 });

/**
 * Reads the operations of `openapi.yaml`.
 * @throws Error when an operation names something that does not exist
 */
export const loadSpecification = (file: URL | string): Specification => {
  const text = JSON.stringify(readDocument(file));
  const { paths, security } = JSON.parse(text) as { paths: Record<string, Record<string, Json>>; security: Json[] };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const id = operation.operationId as OperationId;
      const body = operation.requestBody as { content: Json; required?: boolean } | undefined;
      const good = (operation.responses as Record<string, { content?: Json }>)['200'];
      const needed = (operation.security as Json[] | undefined) ?? security;
      const access = accessOf(needed);
      return {
        id,
        method: method as Operation['method'],
        path,
        access,
        opens: needed.some((option) => 'checkoutToken' in option) ? 'checkout' : 'payment',
        permissions: permissionsOf(id, operation['x-permission']),
        cors: operation['x-cors'] === 'any-origin',
        consumes: Object.keys(body?.content ?? {}),
        needsBody: body?.required === true,
        produces: Object.keys(good?.content ?? {}),
        limitedBy: limitedByOf(id, access, operation['x-rate-limit']),
        turns: turnsOf(id, operation['x-turns']),
        errors: operation['x-errors'] === 'oauth' ? 'oauth' : 'problem',
      };
    }),
  );
  return { document: () => JSON.parse(text) as Json, operations };
};

/** Makes the middlewares of one kind for an operation; none when it needs nothing of the kind. */
export type Guard = (operation: Operation) => readonly RequestHandler[];
