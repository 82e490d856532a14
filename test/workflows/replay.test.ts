import fs from 'node:fs';
import path from 'node:path';
import { DefaultLogger, Worker, bundleWorkflowCode, type ReplayResult } from '@temporalio/worker';
import proto from '@temporalio/proto';
import { root } from '../../tools/paths.ts';
import { historiesDir } from '../support/histories.ts';
import { quietSdk, testBundle } from '../support/workflow-worker.ts';

quietSdk();

const files = fs.readdirSync(historiesDir).filter((file) => file.endsWith('.bin'));

const read = (file: string) => ({
  workflowId: file,
  history: proto.temporal.api.history.v1.History.decode(fs.readFileSync(path.join(historiesDir, file))),
});

const replay = async (
  options: Parameters<typeof Worker.runReplayHistories>[0],
  names: readonly string[],
): Promise<ReplayResult[]> => {
  const results: ReplayResult[] = [];
  for await (const result of Worker.runReplayHistories(options, names.map(read))) results.push(result);
  return results;
};

it('every recorded history replays to its end', async () => {
  const results = await replay({ workflowBundle: { codePath: await testBundle() } }, files);
  expect(results.map(({ workflowId, error }) => ({ workflowId, problem: error?.message }))).toEqual(
    files.map((file) => ({ workflowId: file, problem: undefined })),
  );
});

it('every branch has a history', () => {
  const branches = (workflow: string): number => files.filter((file) => file.startsWith(workflow)).length;
  expect(branches('create-payment-')).toBeGreaterThanOrEqual(11);
  expect(branches('cancel-payment-')).toBeGreaterThanOrEqual(7);
  expect(branches('retry-send-')).toBeGreaterThanOrEqual(4);
  expect(branches('diamond-')).toBeGreaterThanOrEqual(7);
  expect(branches('inspect-')).toBeGreaterThanOrEqual(2);
  expect(branches('lane-')).toBeGreaterThanOrEqual(1);
  expect(branches('watch-network-')).toBeGreaterThanOrEqual(1);
  expect(branches('retry-webhooks-')).toBeGreaterThanOrEqual(2);
  expect(branches('send-webhooks-')).toBeGreaterThanOrEqual(1);
});

it('a change that running workflows cannot follow fails', async () => {
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: path.join(root, 'test', 'support', 'changed-workflows.ts'),
    logger: new DefaultLogger('ERROR', () => {}),
  });
  const [result] = await replay({ workflowBundle }, ['create-payment-completed.bin']);
  expect(result!.error?.name).toBe('DeterminismViolationError');
});
