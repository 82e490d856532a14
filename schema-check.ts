import { Ajv, type ErrorObject, type Format, type SchemaObject } from 'ajv';

type Schema = Record<string, unknown>;

const placeOf = (path: string): string => path.replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.');

const problemOf = ({ keyword, params, instancePath, parentSchema }: ErrorObject): string => {
  const { rule, type, properties = {} } = parentSchema as { rule: string; type?: string; properties?: Schema };
  const names = params as { missingProperty: string; additionalProperty: string };
  if (keyword === 'required') {
    const { rule: missing } = properties[names.missingProperty] as { rule: string };
    return `${placeOf(instancePath)}.${names.missingProperty} ${missing}`;
  }
  if (keyword === 'additionalProperties') {
    const known = Object.keys(properties).join(', ');
    return `${placeOf(instancePath)}.${names.additionalProperty} is not known; there are ${known}`;
  }
  // A text in a list is told as a problem of the list.
  return `${placeOf(type === 'string' ? instancePath.replace(/\/\d+$/, '') : instancePath)} ${rule}`;
};

/**
 * Checks what was read from a file against a JSON Schema and fills in its defaults.
 * @param schema each part of it says in `rule` what must be so, as the end of a sentence that begins with the place
 * @param formats what values of a `format` must be like
 * @returns a function that answers everything that is wrong with a value, one sentence each
 */
export const createSchemaCheck = (
  schema: SchemaObject,
  formats: Readonly<Record<string, Format>> = {},
): ((value: unknown, place: string) => string[]) => {
  const validate = new Ajv({
    allErrors: true,
    verbose: true,
    useDefaults: true,
    keywords: ['rule'],
    formats,
  }).compile(schema);
  return (value, place) => {
    validate(value);
    return [...new Set((validate.errors ?? []).map((error) => `${place}${problemOf(error)}`))];
  };
};
