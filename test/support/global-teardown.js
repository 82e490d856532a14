export { tearDownStack as default } from './stack.ts';
