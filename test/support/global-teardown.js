import { register } from 'tsx/esm/api';

register();
const { tearDownStack } = await import('./stack.ts');

export default tearDownStack;
