import crypto from 'node:crypto';
import { testStack } from './stack.ts';

/** The Temporal server of this run, and a task queue that no other test file uses. */
export function testTemporal(): { address: string; namespace: string; taskQueue: string } {
  return { ...testStack().temporal, taskQueue: `test-${crypto.randomBytes(6).toString('hex')}` };
}
