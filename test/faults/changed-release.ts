/** The workflows of a careless release: `createPayment` does not fit those that run. */
export * from '../../workflows/index.ts';
export { createPayment } from '../support/changed-workflows.ts';
