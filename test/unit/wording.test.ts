import fs from 'node:fs';
import { findReference, wordRule } from '../../api/errors/wording.ts';

const rule = (message: string, kind = 'other', path = '/body/name') => ({
  path,
  message,
  errorCode: `${kind}.openapi.validation`,
});

it.each([
  ["must have required property 'name'", 'is required'],
  ['must NOT have additional properties', 'is unknown'],
  ["Unknown query parameter 'limit'", 'is unknown'],
  ['must be string', 'must be a string'],
  ['must be string,null', 'must be a string or null'],
  ['must be integer', 'must be an integer'],
  ['must match format "date-time"', 'must be an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z'],
  ['must match format "ipv4"', 'must be an IPv4 address'],
  ['must NOT have fewer than 1 characters', 'must not be empty'],
  ['must NOT have more than 255 characters', 'must have at most 255 characters'],
  ['must NOT have fewer than 1 items', 'must have at least 1 item'],
  ['must NOT have more than 20 items', 'must have at most 20 items'],
  ['must be equal to one of the allowed values: basic, token', 'must be basic or token'],
  ['must be >= 1', 'must be at least 1'],
  ['must be <= 100', 'must be at most 100'],
  ['must be > 0', 'must be greater than 0'],
  ['must not contain NUL characters or unpaired surrogates', 'must not contain NUL characters or unpaired surrogates'],
])('"%s" is worded as "%s"', (message, said) => {
  expect(wordRule([rule(message)])).toBe(said);
});

it('an id that is too short or too long is no UUID, and the message names the list of such ids, if there is one', () => {
  const short = (path: string) => [
    rule('must NOT have fewer than 36 characters', 'minLength', path),
    rule('must match format "uuid"', 'format', path),
  ];
  expect(wordRule(short('/body/wallet_id'))).toBe('must be a UUID');
  expect(wordRule(short('/body/currency_id'))).toBe('must be a UUID; GET /api/v1/currencies lists them');
  const listed = 'must be a UUID; GET /api/v1/chains lists them';
  expect(wordRule([rule('must be string,null', 'type', '/body/chain_id')])).toBe(listed);
});

it('a value of several forms is refused by all their types, or by the rule of the form with its type', () => {
  const types = [rule('must be number', 'type'), rule('must be string', 'type'), rule('must match a schema', 'anyOf')];
  expect(wordRule(types)).toBe('must be a number or a string');
  expect(wordRule([...types, rule('must be > 0', 'exclusiveMinimum')])).toBe('must be greater than 0');
});

it('every pattern that a request may break is explained in words', () => {
  const document = fs.readFileSync('openapi.yaml', 'utf8');
  const patterns = [...document.matchAll(/pattern: '?(\S.*?)'?$/gm)].map(([, pattern = '']) => pattern);
  const ofAnswers = [
    '^whsec_',
    '^0x[0-9a-f]{8}$',
    '^0x[0-9a-f]{64}$',
    '^0x([0-9a-f]{2})+$',
    '^#[0-9a-f]{6}$',
    '^[0-9]{1,78}$',
  ];
  const ofRequests = [...new Set(patterns)].filter((pattern) => !ofAnswers.some((own) => pattern.startsWith(own)));
  expect(ofRequests.length).toBeGreaterThan(4);
  for (const pattern of ofRequests)
    expect(wordRule([rule(`must match pattern "${pattern}"`)])).not.toContain('the pattern');
});

describe('a missing reference', () => {
  const places = { body: { currency_id: 'a', wallet_id: 'b' }, query: { node_id: 'c' }, params: { id: 'd' } };
  const find = (code: string, path = '/api/v1/payments/{id}') => findReference(code, path, places);

  it('is named by its field, wherever the field is', () => {
    expect([find('currency_not_found'), find('wallet_not_found'), find('node_not_found')]).toEqual([
      { path: '/body/currency_id', message: 'is not the id of a currency; GET /api/v1/currencies lists them' },
      { path: '/body/wallet_id', message: "is not the id of a wallet in the caller's reach" },
      { path: '/query/node_id', message: "is not the id of a node in the caller's reach" },
    ]);
    const inPath = { body: undefined, query: {}, params: { node_id: 'a', chain_id: 'b' } };
    const places = ['node_not_found', 'chain_not_found'].map(
      (code) => findReference(code, '/api/v1/nodes/{node_id}/payouts/{chain_id}', inPath)?.path,
    );
    expect(places).toEqual(['/params/node_id', '/params/chain_id']);
  });

  it('is named by the id of the path only where that id is of its kind', () => {
    expect(find('payment_not_found')).toEqual({
      path: '/params/id',
      message: "is not the id of a payment in the caller's reach",
    });
    const inBody = { ...places, body: { id: 'e' } };
    expect(findReference('webhook_not_found', '/api/v1/webhooks', inBody)?.path).toBe('/body/id');
    expect(find('member_not_found')).toBeNull();
    expect(find('route_not_found')).toBeNull();
    expect(find('payment_exists')).toBeNull();
  });
});
