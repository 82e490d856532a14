// Jest loads this file before its own TypeScript transform is there.
import { register } from 'tsx/esm/api';

register();
const { setUpStack } = await import('./stack.ts');

export default setUpStack;
