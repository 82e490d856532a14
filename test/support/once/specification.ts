import { createValidator } from '../../../api/http/validator.ts';
import { loadSpecification } from '../../../api/request/specification.ts';
import type { OpenApi } from '../../../tools/build/openapi.ts';

/** The specification, which every test file of a worker shares, with the schemas that the validator has compiled. */
export const specification = loadSpecification(new URL('../../../openapi.yaml', import.meta.url));
export const openApi = specification.document() as unknown as OpenApi;
export const validate = createValidator(specification);
