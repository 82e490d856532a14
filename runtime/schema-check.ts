import { Ajv, type ErrorObject, type Format, type SchemaObject } from 'ajv';

type Schema = Record<string, unknown>;

const fieldPath = (path: string): string => path.replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.');

const problemOf = ({ keyword, params, instancePath, parentSchema }: ErrorObject): string => {
  const { rule, type, properties = {} } = parentSchema as { rule: string; type?: string; properties?: Schema };
  const names = params as { missingProperty: string; additionalProperty: string };
  if (keyword === 'required') {
    const { rule: missing } = properties[names.missingProperty] as { rule: string };
    return `${fieldPath(instancePath)}.${names.missingProperty} ${missing}`;
  }
  if (keyword === 'additionalProperties') {
    const known = Object.keys(properties).join(', ');
    return `${fieldPath(instancePath)}.${names.additionalProperty} is unknown; known: ${known}`;
  }
  // A problem of a text in a list is reported for the list.
  return `${fieldPath(type === 'string' ? instancePath.replace(/\/\d+$/, '') : instancePath)} ${rule}`;
};

/**
 * Creates a check of a file's content against a JSON Schema. The check fills in defaults.
 * @param schema each part has a `rule`, a phrase that follows the place in a problem
 * @param formats checks of the values of each `format`
 * @returns a function that returns all problems of a value, one sentence each
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
