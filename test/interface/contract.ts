/**
 * Checks that are the same for every operation of the interface contract. Each registers tests whose titles begin with the
 * tag of a clause, `§` and the section, the operation or table, and a colon; test/README.md lists all tags.
 */
import { randomUUID } from 'node:crypto';
import type { Answer } from '../api/support/api-under-test.ts';

export const anyUuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
/** RFC 3339 in UTC with milliseconds, the one form in which timestamps are answered. */
export const anyTimestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const anyAddress = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/);

/** Text of so many characters. */
export const text = (length: number): string => 'x'.repeat(length);

/** Long parts as long as a domain may have them, so that 255 characters are an address that can exist. */
const domain = `@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(58)}.com`;
/** An email of so many characters, 192 at least. */
export const email = (length: number): string => 'e'.repeat(length - domain.length) + domain;

/** Fewest and most characters of a member's texts, without `email`, which is no text of any characters. */
export const memberLengths = {
  external_id: [1, 255],
  name: [1, 255],
  surname: [0, 255],
  phone: [0, 50],
  identity_number: [0, 50],
  tax_office: [0, 255],
  tax_number: [0, 50],
  district: [0, 255],
  city: [0, 255],
  country: [0, 10],
  contact_name: [0, 255],
  locale: [0, 10],
} as const;

const notText = [7, true, [], {}, ['text']];
const notWords = [...notText, '', 'x', ' '];
const notTimes = [...notWords, 'tomorrow', '2030-01-01', '2030-13-01T00:00:00Z', '2030-02-30T00:00:00Z', '1893456000'];

/** For every type of the contract, values that are not of it. */
const strangers = {
  text: notText,
  UUID: [
    ...notWords,
    '0b9d3a52-6a0e-8f43-9a57',
    `{${randomUUID()}}`,
    `${randomUUID()}0`,
    randomUUID().replaceAll('-', ''),
  ],
  datetime: notTimes,
  email: [...notText, 'x', ' ', 'ada', 'ada@', '@example.com', 'ada example@example.com'],
  IPv4: [...notWords, '::1', '1.2.3', '1.2.3.256', '1.2.3.4.5', 'localhost'],
  bool: ['true', '', 0, 1, [], {}],
  number: ['12,5', 'x', '', true, [], {}],
  int: ['1', '', 1.5, true, [], {}],
  array: ['x', '', 1, true, {}],
  object: ['x', '', 1, true, []],
} as const;

export type FieldType = keyof typeof strangers;

/** An operation with a body. */
export interface Write {
  /** Section and name of the operation. */
  readonly tag: string;
  /** Status of an accepted request. */
  readonly accepted: number;
  /** Sends a request that is accepted, with these fields of its body changed; undefined leaves a field out. */
  readonly send: (change: Record<string, unknown>) => Promise<Answer>;
}

/** Status, and the names of the fields or parameters that are refused. */
export const outcomeOf = ({ status, body }: Answer): [number, string[]] => [
  status,
  status === 400
    ? body.errors.map((error: { path: string }) => error.path.replace(/^\/(?:body|query|params)\//, ''))
    : [],
];

/** Asserts 400 that names this field, for each answer. */
export const expectRefused = (field: string, answers: readonly (readonly [value: unknown, answer: Answer])[]): void => {
  expect(answers.map(([value, answer]) => [JSON.stringify(value), ...outcomeOf(answer)])).toEqual(
    answers.map(([value]) => [JSON.stringify(value), 400, expect.arrayContaining([field])]),
  );
};

const sendEach = async (
  { send }: Write,
  field: string,
  values: readonly unknown[],
): Promise<[value: unknown, answer: Answer][]> => {
  const answers: [unknown, Answer][] = [];
  for (const value of values) answers.push([value, await send({ [field]: value })]);
  return answers;
};

/** Asserts that each value is taken, and answered as it was sent where the answer has the field. */
const expectTaken = ({ accepted }: Write, field: string, answers: readonly (readonly [unknown, Answer])[]): void => {
  expect(
    answers.map(([value, { status, body }]) => [
      JSON.stringify(value),
      status,
      body !== null && field in body ? body[field] : value,
    ]),
  ).toEqual(answers.map(([value]) => [JSON.stringify(value), accepted, value]));
};

/** Presence and type of fields: `'UUID!'` is a required UUID, `'UUID'` an optional one. */
export const checkFields = (write: Write, fields: Readonly<Record<string, FieldType | `${FieldType}!`>>): void => {
  const { tag } = write;
  for (const [field, kind] of Object.entries(fields)) {
    const type = kind.replace('!', '') as FieldType;
    if (kind.endsWith('!')) {
      it(`${tag}: ${field} is required (absent or null: 400 that names it)`, async () => {
        expectRefused(field, await sendEach(write, field, [undefined, null]));
      });
    } else {
      it(`${tag}: ${field} is optional (taken without it)`, async () => {
        const { status } = await write.send({ [field]: undefined });
        expect(status).toBe(write.accepted);
      });
    }
    it(`${tag}: ${field} is ${type} (anything else: 400 that names it)`, async () => {
      expectRefused(field, await sendEach(write, field, strangers[type]));
    });
  }
};

const characters = (count: number): string => `${count} ${count === 1 ? 'character' : 'characters'}`;

/** Bounds in characters, from the first to the second; `make` gives the field text of a length. */
export const checkLengths = (
  write: Write,
  lengths: Readonly<Record<string, readonly [least: number, most: number]>>,
  make: (length: number) => string = text,
): void => {
  for (const [field, [least, most]] of Object.entries(lengths)) {
    if (least > 0) {
      it(`${write.tag}: ${field} has at least ${characters(least)} (${least} taken, ${least - 1}: 400)`, async () => {
        expectTaken(write, field, await sendEach(write, field, [make(least)]));
        expectRefused(field, await sendEach(write, field, [make(least - 1)]));
      });
    }
    it(`${write.tag}: ${field} has at most ${characters(most)} (${most} taken, ${most + 1}: 400)`, async () => {
      expectTaken(write, field, await sendEach(write, field, [make(most)]));
      expectRefused(field, await sendEach(write, field, [make(most + 1)]));
    });
  }
};

/** Fields that are one of a few words. */
export const checkChoices = (write: Write, choices: Readonly<Record<string, readonly string[]>>): void => {
  for (const [field, words] of Object.entries(choices)) {
    it(`${write.tag}: ${field} is one of ${words.join(', ')} (each is taken, anything else: 400)`, async () => {
      expectTaken(write, field, await sendEach(write, field, words));
      const strange = [...notText, '', 'other', words[0]!.toUpperCase(), ` ${words[0]}`, words.join()];
      expectRefused(field, await sendEach(write, field, strange));
    });
  }
};

/** A list of the contract. */
export interface List {
  readonly tag: string;
  /** Asks for the list with a valid query, changed; undefined leaves a parameter out. */
  readonly get: (change: Record<string, string | undefined>) => Promise<Answer>;
  /** Parameters that are UUIDs; `node_id!` is required. */
  readonly ids: readonly string[];
}

/** A path with a query. Undefined values are omitted. */
export const withQuery = (path: string, query: Record<string, string | undefined>): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
};

/** Parameters of a list: those that name things, and page and per_page with their defaults and bounds. */
export const checkList = ({ tag, get, ids }: List): void => {
  const getEach = async (name: string, values: readonly string[]): Promise<[string, Answer][]> => {
    const answers: [string, Answer][] = [];
    for (const value of values) answers.push([value, await get({ [name]: value })]);
    return answers;
  };
  for (const id of ids) {
    const name = id.replace('!', '');
    if (id.endsWith('!')) {
      it(`${tag}: ${name} is required (without it 400 that names it)`, async () => {
        expectRefused(name, [[undefined, await get({ [name]: undefined })]]);
      });
    } else {
      it(`${tag}: ${name} is optional (200 without it)`, async () => {
        const { status } = await get({ [name]: undefined });
        expect(status).toBe(200);
      });
    }
    it(`${tag}: ${name} is a UUID (anything else: 400 that names it)`, async () => {
      expectRefused(name, await getEach(name, ['', 'x', '1', `{${randomUUID()}}`, randomUUID().slice(1)]));
    });
  }
  it(`${tag}: answers items, page 1, per_page 10 and total when neither is given`, async () => {
    const { status, body } = await get({});
    expect(status).toBe(200);
    expect(body).toMatchObject({ items: expect.any(Array), page: 1, per_page: 10, total: expect.any(Number) });
    expect(body.items.length).toBeLessThanOrEqual(10);
  });
  it(`${tag}: page is an int from 1 (anything else: 400 that names it)`, async () => {
    expectRefused('page', await getEach('page', ['0', '-1', '1.5', 'x', '', 'null']));
    const { status, body } = await get({ page: '2' });
    expect([status, body.page]).toEqual([200, 2]);
  });
  it(`${tag}: per_page is an int from 1 to 100 (1 and 100 are taken, 0 and 101: 400)`, async () => {
    expectRefused('per_page', await getEach('per_page', ['0', '-1', '101', '1000', '1.5', 'x', '', 'null']));
    const taken = await getEach('per_page', ['1', '100']);
    expect(taken.map(([, { status, body }]) => [status, body.per_page])).toEqual([
      [200, 1],
      [200, 100],
    ]);
  });
  it(`${tag}: an unknown parameter is 400`, async () => {
    expectRefused('surprise', [['x', await get({ surprise: 'x' })]]);
  });
};
