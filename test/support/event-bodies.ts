import { Ajv2020 } from 'ajv/dist/2020.js';
import { readOpenApi, type Operation } from '../../scripts/openapi.ts';

/** An event as a receiver sees it. */
export interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly api_version: string;
  readonly timestamp: string;
  readonly sequence: number | null;
  readonly data: { readonly payment?: Record<string, unknown> | null; readonly alert?: Record<string, unknown> };
}

const document = readOpenApi() as unknown as { webhooks: Record<string, { post: Operation }> };

/** The description of each event in `openapi.yaml`, by type. */
export const eventOperations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(document.webhooks).map(([type, { post }]) => [type, post]),
);

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text));
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: {
    int32: true,
    int64: true,
    uri: true,
    email: true,
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    'date-time': isTime,
  },
}).addSchema(document, 'openapi');

/**
 * Reads a body that was sent to a webhook.
 * @throws Error when it contradicts its type in `openapi.yaml`
 */
export const readEvent = (body: string): EventBody => {
  const event = JSON.parse(body) as EventBody;
  if (!eventOperations.has(event.type)) throw new Error(`openapi.yaml has no event ${event.type}`);
  const place = event.type.replaceAll('~', '~0').replaceAll('/', '~1');
  const schema = `openapi#/webhooks/${place}/post/requestBody/content/application~1json/schema`;
  if (!ajv.validate({ $ref: schema }, event)) {
    throw new Error(`a body is not as openapi.yaml says: ${ajv.errorsText()}: ${body}`);
  }
  return event;
};
