import fs from 'node:fs';
import path from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { root } from '../../tools/paths.ts';

/** Where the histories of every branch are kept. */
export const historiesDir = path.join(root, 'test', 'histories');

/**
 * Keeps the history of a workflow when the tests are run to record them (`CARAT_RECORD_HISTORIES=1`): they are replayed
 * ever after. In binary, because the SDK's packages do not share one copy of protobufjs, which their JSON form needs.
 */
export const saveHistory = async (name: string, handle: WorkflowHandle): Promise<void> => {
  if (process.env.CARAT_RECORD_HISTORIES !== '1') return;
  const file = path.join(historiesDir, `${name}.bin`);
  // Saved histories stay unchanged, because new code must replay them.
  if (fs.existsSync(file)) return;
  const history = await handle.fetchHistory();
  // Which process on which host ran it is no part of the branch.
  for (const event of history.events ?? []) {
    for (const attributes of Object.values(event) as unknown[]) {
      if (attributes === null || typeof attributes !== 'object') continue;
      if ('identity' in attributes) attributes.identity = '';
      if ('taskQueue' in attributes) {
        const queue = attributes.taskQueue as { name?: string; normalName?: string } | null;
        if (queue?.normalName) queue.name = 'sticky';
      }
    }
  }
  fs.mkdirSync(historiesDir, { recursive: true });
  fs.writeFileSync(file, proto.temporal.api.history.v1.History.encode(history).finish());
};
