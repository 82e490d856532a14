import type { Client } from '@temporalio/client';
import type { Log } from '../domain/log.ts';
import { searchAttributes } from '../workflows/messages.ts';

/** `IndexedValueType` of Temporal's API (temporal/api/enums/v1/common.proto), by the SDK's names. */
const indexedValueTypes = { TEXT: 1, KEYWORD: 2, KEYWORD_LIST: 7 } as const;

/**
 * Registers what operators search workflows by. What is there stays; where this may not be done over the API, as in a
 * managed service, an operator does it.
 */
export const registerSearchAttributes = async (client: Client, log: Log): Promise<void> => {
  const { namespace } = client.options;
  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(searchAttributes).filter(({ name }) => !(name in customAttributes));
  if (missing.length === 0) return;
  try {
    await client.connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, indexedValueTypes[type]])),
    });
    log.info('Registered search attributes', { names: missing.map(({ name }) => name) });
  } catch (error) {
    log.error('Search attributes are missing and could not be registered', {
      names: missing.map(({ name }) => name),
      reason: (error as Error).message,
    });
  }
};
