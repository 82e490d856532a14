/** JSON that is written without changes: numbers that JavaScript does not have, escapes, broken text. */
export interface RawJson {
  readonly raw: string;
}
/** An object by its members in order, so that names may come twice and `__proto__` is a name like any other. */
export interface JsonMembers {
  members: [name: string, value: JsonValue][];
}
export type JsonValue = null | boolean | number | string | RawJson | JsonMembers | JsonValue[];

/** The text of a value. */
export const writeJson = (value: JsonValue): string => {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if ('raw' in value) return value.raw;
  return `{${value.members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join(',')}}`;
};

/** A plain value in the form that can be written with oddities. */
export const toJsonValue = (value: unknown): JsonValue => {
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  return { members: Object.entries(value).map(([name, member]) => [name, toJsonValue(member)]) };
};
