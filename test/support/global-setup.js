export { setUpStack as default } from './stack.ts';
