import { accessOf, readDocument } from '../../api/request/specification.ts';

/** The part of JSON Schema that `openapi.yaml` uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  'x-enum-varnames'?: string[];
  const?: unknown;
  description?: string;
  oneOf?: Schema[];
  anyOf?: Schema[];
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  exclusiveMaximum?: number;
  maxItems?: number;
  uniqueItems?: boolean;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  example?: unknown;
  schema: Schema;
}

export type Content = Record<string, { schema: Schema; example?: unknown }>;

export interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, { $ref?: string; schema?: Schema }>;
  content?: Content;
  'x-codes'?: string[];
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  'x-permission'?: string | string[];
  'x-rate-limit'?: string;
  'x-turns'?: string;
  'x-errors'?: string;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Content; required?: boolean; 'x-py-typing'?: string };
  responses: Record<string, Response>;
}

export interface OpenApi {
  security: Record<string, unknown>[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Response>;
    headers: Record<string, { schema: Schema }>;
    securitySchemes: Record<
      string,
      { flows?: { clientCredentials: { tokenUrl: string; scopes: Record<string, string> } } }
    >;
  };
}

/** An operation with its route and its references resolved. */
export interface ResolvedOperation extends Operation {
  /** Upper-case. */
  method: string;
  path: string;
  access: 'integration' | 'widget' | 'public';
  parameters: Parameter[];
}

/** The part of a reference after its last slash. */
export const lastPart = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** Reads `openapi.yaml`. */
export const readOpenApi = (): OpenApi => readDocument(new URL('../../openapi.yaml', import.meta.url)) as OpenApi;

/** All operations in the order of the document. */
export const operationsOf = ({ paths, components, security }: OpenApi): ResolvedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): ResolvedOperation => {
      const resolve = <Part extends { $ref?: string }>(part: Part, known: Record<string, Part>): Part => {
        if (part.$ref === undefined) return part;
        const found = known[lastPart(part.$ref)];
        if (found === undefined) throw new Error(`openapi.yaml: ${part.$ref} does not exist`);
        return found;
      };
      return {
        ...operation,
        method: method.toUpperCase(),
        path,
        access: accessOf(operation.security ?? security),
        parameters: (operation.parameters ?? []).map((parameter) => resolve(parameter, components.parameters)),
        responses: Object.fromEntries(
          Object.entries(operation.responses).map(([status, response]) => [
            status,
            resolve(response, components.responses),
          ]),
        ),
      };
    }),
  );
