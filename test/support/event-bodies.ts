import type { Operation } from '../../tools/build/openapi.ts';
import { assertDocumented } from './once/documented.ts';
import { openApi } from './once/specification.ts';

/** An event as a receiver sees it. */
export interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly api_version: string;
  readonly timestamp: string;
  readonly sequence: number | null;
  readonly data: { readonly payment?: Record<string, unknown> | null; readonly alert?: Record<string, unknown> };
}

const document = openApi as unknown as { webhooks: Record<string, { post: Operation }> };

/** The description of each event in `openapi.yaml`, by type. */
export const eventOperations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(document.webhooks).map(([type, { post }]) => [type, post]),
);

/**
 * Reads a body that was sent to a webhook.
 * @throws Error when it contradicts its type in `openapi.yaml`
 */
export const readEvent = (body: string): EventBody => {
  const event = JSON.parse(body) as EventBody;
  if (!eventOperations.has(event.type)) throw new Error(`openapi.yaml has no event ${event.type}`);
  assertDocumented(event, 'webhooks', event.type, 'post', 'requestBody', 'content', 'application/json', 'schema');
  return event;
};
