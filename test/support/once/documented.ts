import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { formats } from '../../../api/request/formats.ts';
import { openApi } from './specification.ts';

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text));

// `npm run check` has checked the document, and each worker compiles some of its schemas for a few values.
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  validateSchema: false,
  inlineRefs: false,
  code: { optimize: false },
  formats: {
    int32: { type: 'number', validate: (value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 31 },
    int64: { type: 'number', validate: Number.isInteger },
    double: { type: 'number', validate: Number.isFinite },
    uri: URL.canParse,
    email: formats.email,
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    'date-time': isTime,
  },
}).addSchema(openApi as object, 'openapi');

const compiled = new Map<string, ValidateFunction>();

/**
 * Checks a value against a schema of `openapi.yaml`.
 * @param place the keys that lead to the schema
 * @throws Error when the value contradicts it
 */
export const assertDocumented = (value: unknown, ...place: readonly string[]): void => {
  const pointer = place.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#/${pointer}` });
  compiled.set(pointer, validate);
  if (validate(value)) return;
  throw new Error(`openapi.yaml, ${place.join(' ')}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`);
};
