import type { FieldError } from '../../domain/errors.ts';

/** A broken rule of the specification, in the words of the validator. */
export interface BrokenRule {
  /** JSON pointer below the request. */
  readonly path: string;
  readonly message: string;
  /** Of a rule of a schema, such as `type.openapi.validation`. */
  readonly errorCode?: string;
}

/** Operations that list the valid ids of a field. */
const lists: Readonly<Record<string, string>> = {
  chain_id: 'GET /api/v1/chains',
  network_id: 'GET /api/v1/networks',
  currency_id: 'GET /api/v1/currencies',
};

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  email: 'must be an email address',
  ipv4: 'must be an IPv4 address',
  'date-time': 'must be an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z',
};

/** Patterns of request fields; one without an entry is quoted. */
const patterns: readonly (readonly [start: string, wording: string])[] = [
  ['^(0|', 'must be a decimal number such as 12.50'],
  ['^0x[0-9a-fA-F]{40}', 'must be an EVM address: 0x and 40 hex digits'],
  ['^0x[0-9a-fA-F]{64}', 'must be a transaction hash: 0x and 64 hex digits'],
  ['^#', 'must be a colour such as #1d4ed8'],
  ['^[A-Za-z0-9+/]', 'must be base64 with padding'],
  ['^[0-9a-f]{64}', 'must be 64 hex digits in lower case'],
  ['^[^:', 'must not contain colons or control characters'],
  ['^[^', 'must not contain control characters'],
  ['^[\\u0021', 'must be printable ASCII without spaces'],
];

const plural = (count: string, noun: string): string => `${count} ${noun}${count === '1' ? '' : 's'}`;
const listOf = (words: readonly string[]): string => words.join(', ').replace(/, (?=[^,]*$)/, ' or ');

/** Messages of the validator, reworded for clients; a message without an entry stays as it is. */
const wordings: readonly (readonly [pattern: RegExp, word: (...groups: string[]) => string])[] = [
  [/^must have required property /, () => 'is required'],
  [/^must NOT have additional properties$|^Unknown query parameter /, () => 'is unknown'],
  [/^must be ((?:string|number|integer|boolean|array|object|null)(?:,\w+)*)$/, (names) => `must be ${typesOf(names)}`],
  [/^must match format "([\w-]+)"$/, (name) => formats[name] ?? `must be of the format ${name}`],
  [/^must match pattern "(.*)"$/, (pattern) => ofPattern(pattern)],
  [/^must NOT have fewer than 1 characters$/, () => 'must not be empty'],
  [/^must NOT have fewer than (\d+) character/, (count) => `must have at least ${plural(count, 'character')}`],
  [/^must NOT have more than (\d+) character/, (count) => `must have at most ${plural(count, 'character')}`],
  [/^must NOT have fewer than (\d+) item/, (count) => `must have at least ${plural(count, 'item')}`],
  [/^must NOT have more than (\d+) item/, (count) => `must have at most ${plural(count, 'item')}`],
  [
    /^must NOT have duplicate items \(items ## (\d+) and (\d+)/,
    (one, other) => `must not repeat an item: ${other} and ${one} are equal`,
  ],
  [/^must be equal to one of the allowed values: (.*)$/, (values) => `must be ${listOf(values.split(', '))}`],
  [/^must be >= (\S+)$/, (bound) => `must be at least ${bound}`],
  [/^must be <= (\S+)$/, (bound) => `must be at most ${bound}`],
  [/^must be > (\S+)$/, (bound) => `must be greater than ${bound}`],
  [/^must be < (\S+)$/, (bound) => `must be less than ${bound}`],
];

const typesOf = (names: string): string => listOf(names.split(',').map((name) => types[name] ?? name));

const ofPattern = (pattern: string): string =>
  patterns.find(([start]) => pattern.startsWith(start))?.[1] ?? `must match the pattern ${pattern}`;

const word = (message: string): string => {
  for (const [pattern, wording] of wordings) {
    const match = pattern.exec(message);
    if (match) return wording(...match.slice(1));
  }
  return message;
};

const isOf = (prefix: string, { errorCode }: BrokenRule): boolean => errorCode?.startsWith(`${prefix}.`) === true;
const isOfForms = (rule: BrokenRule): boolean => isOf('anyOf', rule) || isOf('oneOf', rule);
const idLength = /must NOT have (?:fewer|more) than 36 characters/;

/** Of the rules that one value breaks, the first that is not about its type; else all types that the field accepts. */
const tell = (broken: readonly BrokenRule[]): string => {
  if (broken.some(({ message }) => idLength.test(message))) return 'must match format "uuid"';
  const ofOne = broken.filter((rule) => !isOfForms(rule));
  const rule = ofOne.find((own) => !isOf('type', own));
  if (rule !== undefined) return rule.message;
  const names = new Set(ofOne.flatMap(({ message }) => message.replace('must be ', '').split(',')));
  return names.size === 0 ? broken[0]!.message : `must be ${[...names].join(',')}`;
};

/** The broken rule, as a phrase that follows the field's name. */
export const wordRule = (broken: readonly BrokenRule[]): string => {
  const rule = word(tell(broken));
  const list = lists[broken[0]!.path.split('/').at(-1) ?? ''];
  if (list === undefined) return rule;
  // A number is most often an EIP-155 chain id, so the hint is worth more than the type.
  const isOfId = rule === formats.uuid || rule.startsWith('must be a string');
  return isOfId ? `${formats.uuid}; ${list} lists them` : rule;
};

interface Places {
  readonly body: unknown;
  readonly query: unknown;
  readonly params: unknown;
}

/**
 * The field of a request that refers to the missing resource; null if no field does.
 * @param code such as `currency_not_found`
 * @param path template of the operation's path
 */
export const findReference = (code: string, path: string, places: Places): FieldError | null => {
  const noun = /^(\w+)_not_found$/.exec(code)?.[1];
  if (noun === undefined) return null;
  const isNamed = (place: keyof Places, field: string): boolean =>
    typeof (places[place] as Readonly<Record<string, unknown>> | null | undefined)?.[field] === 'string';
  const field = `${noun}_id`;
  const list = lists[field];
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a';
  const message =
    list === undefined
      ? `is not the id of ${article} ${noun} in the caller's reach`
      : `is not the id of ${article} ${noun}; ${list} lists them`;
  const place = (['body', 'query', 'params'] as const).find((own) => isNamed(own, field));
  if (place !== undefined) return { path: `/${place}/${field}`, message };
  // The id is in the path, or in the body of a request to the collection itself.
  const [where, own] = path.endsWith(`/${noun}s`)
    ? (['body', true] as const)
    : (['params', path.includes(`/${noun}s/{id}`)] as const);
  return own && isNamed(where, 'id') ? { path: `/${where}/id`, message } : null;
};
