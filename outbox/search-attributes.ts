import type { ConnectionLike } from '@temporalio/client';
import type { Log } from '../domain/ports/log.ts';
import { searchAttributes } from '../workflows/messages.ts';

/** `IndexedValueType` of Temporal's API (temporal/api/enums/v1/common.proto), by the SDK's names. */
const indexedValueTypes = { TEXT: 1, KEYWORD: 2, KEYWORD_LIST: 7 } as const;

/** A namespace and its connection. */
export interface NamespaceAt {
  readonly connection: ConnectionLike;
  readonly namespace: string;
}

type SearchAttribute = (typeof searchAttributes)[keyof typeof searchAttributes];

/** The search attributes that the namespace lacks. */
export const missingSearchAttributes = async ({ connection, namespace }: NamespaceAt): Promise<SearchAttribute[]> => {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.values(searchAttributes).filter(({ name }) => !(name in customAttributes));
};

/** Adds search attributes to the namespace. */
export const addSearchAttributes = async (
  { connection, namespace }: NamespaceAt,
  attributes: readonly SearchAttribute[],
): Promise<void> => {
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(attributes.map(({ name, type }) => [name, indexedValueTypes[type]])),
  });
};

/**
 * Adds missing search attributes. Where the API forbids that, as in a managed service, an operator must add them.
 * @returns the names of those that are still missing
 */
export const registerSearchAttributes = async (at: NamespaceAt, log: Log): Promise<string[]> => {
  const missing = await missingSearchAttributes(at);
  if (missing.length === 0) return [];
  const names = missing.map(({ name }) => name);
  try {
    await addSearchAttributes(at, missing);
    log.info('Registered search attributes', { names });
    return [];
  } catch (error) {
    log.error('Search attributes are missing and could not be registered', {
      names,
      reason: (error as Error).message,
    });
    return names;
  }
};
