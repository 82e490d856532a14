import { operatorEvents } from '../../domain/alerts/alert.ts';
import { optionalEvents, standingEvents } from '../../domain/webhook.ts';
import { eventOperations, readEvent } from '../support/event-bodies.ts';
import { openApi } from '../support/once/specification.ts';

const exampleOf = (type: string) =>
  eventOperations.get(type)!.requestBody!.content['application/json']!.example as Record<string, unknown>;
const types = [...eventOperations.keys()];
const ofMerchants = [...standingEvents, ...optionalEvents];
const ofPayments = ofMerchants.filter((type) => type.startsWith('payment.'));
const ofOrders = ofMerchants.filter((type) => type.startsWith('checkout.'));

it('openapi.yaml has every event', () => {
  expect(new Set(types)).toEqual(new Set([...ofMerchants, 'webhook.test', ...operatorEvents]));
  const { EventType, WebhookEvent } = openApi.components.schemas;
  expect(new Set(EventType!.enum)).toEqual(new Set([...ofMerchants, 'webhook.test']));
  expect(WebhookEvent!.enum).toEqual([...optionalEvents]);
});

describe.each(types)('%s', (type) => {
  it('has an example that fits its schema', () => {
    expect(readEvent(JSON.stringify(exampleOf(type))).type).toBe(type);
  });

  it('has a schema that refuses missing, unknown and other fields', () => {
    const example = exampleOf(type);
    for (const name of Object.keys(example)) {
      const { [name]: _, ...rest } = example;
      expect(() => readEvent(JSON.stringify({ ...rest, type: name === 'type' ? undefined : type }))).toThrow('openapi');
    }
    expect(() => readEvent(JSON.stringify({ ...example, more: 1 }))).toThrow('additional');
    expect(() => readEvent(JSON.stringify({ ...example, timestamp: '2099-03-01 12:00' }))).toThrow('date-time');
    expect(() => readEvent(JSON.stringify({ ...example, api_version: 'v2' }))).toThrow('allowed values');
  });
});

describe.each(ofPayments)('the payment of %s', (type) => {
  it('holds no secret and no personal data', () => {
    const { data } = exampleOf(type) as { data: { payment: Record<string, unknown> } };
    for (const name of ['access_token', 'client_ip', 'member']) {
      const told = { ...exampleOf(type), data: { payment: { ...data.payment, [name]: null } } };
      expect(() => readEvent(JSON.stringify(told))).toThrow('additional');
    }
  });
});

describe.each(ofOrders)('the order of %s', (type) => {
  it('holds no secret and no personal data', () => {
    const { data } = exampleOf(type) as { data: { checkout: Record<string, unknown> } };
    for (const name of ['access_token', 'checkout_url', 'member']) {
      const told = { ...exampleOf(type), data: { checkout: { ...data.checkout, [name]: null } } };
      expect(() => readEvent(JSON.stringify(told))).toThrow('additional');
    }
  });
});
