import { accessOf, permissionText } from '../request/specification.ts';

type Json = Record<string, unknown>;

interface ErrorResponse {
  readonly $ref?: string;
  readonly 'x-codes'?: readonly string[];
}

interface Operation extends Json {
  readonly responses: Readonly<Record<string, ErrorResponse>>;
  readonly callbacks?: Readonly<Record<string, Readonly<Record<string, Paths[string]>>>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface Document extends Json {
  readonly security: readonly Json[];
  readonly paths: Paths;
  readonly webhooks: Paths;
  readonly components: { readonly responses: Readonly<Record<string, ErrorResponse>> };
}

const permissionOf = (operation: Operation, access: ReturnType<typeof accessOf>): string => {
  if (access === 'widget') return "none; the payment's `access_token`";
  if (access === 'public') return 'none; no token';
  return permissionText(String(operation.operationId), operation['x-permission']) || 'none; any valid token';
};

/** A list of the statuses with their codes. Each links to its explanation, the `type` of the problem. */
const errorsOf = ({ responses }: Operation, known: Document['components']['responses']): string =>
  Object.entries(responses)
    .flatMap(([status, { $ref, ...own }]) => {
      const { 'x-codes': codes = [] } = $ref === undefined ? own : (known[$ref.split('/').at(-1) ?? ''] ?? {});
      return codes.length === 0
        ? []
        : [`- ${status} ${codes.map((code) => `[\`${code}\`](/docs#${code})`).join(', ')}`];
    })
    .join('\n');

/** Carat sends events, so the tokens of its clients do not apply to them. */
const withoutTokens = (paths: Paths): Paths =>
  Object.fromEntries(
    Object.entries(paths).map(([name, methods]) => [
      name,
      Object.fromEntries(Object.entries(methods).map(([method, event]) => [method, { ...event, security: [] }])),
    ]),
  );

/**
 * The document as the api serves it: with its own URL, and with permission and error codes in the description of each
 * operation, because readers and client generators ignore `x-permission` and `x-codes`. Schemas stay the same.
 */
export const servedDocument = (specification: Json, publicUrl: string): Json => {
  const { security, paths, webhooks, components, ...rest } = specification as Document;
  const described = (operation: Operation): Operation => {
    const access = accessOf((operation.security as Json[] | undefined) ?? security);
    const errors = errorsOf(operation, components.responses);
    const { description, callbacks } = operation;
    const parts = [
      ...(description === undefined ? [] : [String(description).trim()]),
      `**Permission:** ${permissionOf(operation, access)}`,
      ...(errors === '' ? [] : [`**Errors**\n\n${errors}`]),
    ];
    const sent =
      callbacks &&
      Object.fromEntries(Object.entries(callbacks).map(([name, callback]) => [name, withoutTokens(callback)]));
    return { ...operation, description: parts.join('\n\n'), ...(sent && { callbacks: sent }) };
  };
  return {
    ...rest,
    servers: [{ url: publicUrl }],
    security,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, described(operation)])),
      ]),
    ),
    webhooks: withoutTokens(webhooks),
    components,
  };
};
