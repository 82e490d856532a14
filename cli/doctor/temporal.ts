import type { Config, temporalKeys } from '../../runtime/config.ts';
import {
  missingSearchAttributes,
  askTemporal,
  createTemporalClient,
  temporalAt,
} from '../../outbox/temporal-client.ts';
import { chainTaskQueue } from '../../workflows/messages.ts';
import { findingsOf, type Finding } from './finding.ts';

type TemporalConfig = Config<(typeof temporalKeys)[number]>;
type Client = ReturnType<typeof createTemporalClient>;

const { ok, warning, problem } = findingsOf('temporal');

/** Milliseconds for each request. */
const PATIENCE_MS = 4_000;
/** Seconds after its last poll for which a worker counts as running: a poll lasts up to a minute. */
const POLLED_SECONDS = 90;
/** Milliseconds within which a healthy Temporal answers a small question. */
const SLOW_MS = 500;
/** Running workflows whose tasks are looked at, and how many at once. */
const LOOKED_AT = 100;
const AT_ONCE = 10;
/** A workflow task that is tried for the third time has failed twice; a worker that dies costs one attempt. */
const FAILING_ATTEMPT = 3;
/** gRPC status of an unknown namespace. */
const NOT_FOUND = 5;

/** Values of `TaskQueueType` in Temporal's API. */
const queues = [
  ['workflows', 1, (queue: string): string => queue],
  ['lanes and watchers', 2, chainTaskQueue],
] as const;

const words = { TEXT: 'Text', KEYWORD: 'Keyword', KEYWORD_LIST: 'KeywordList' } as const;

const attributeFindings = async (client: Client, namespace: string): Promise<Finding[]> => {
  const { connection } = client;
  const missing = await client.withDeadline(Date.now() + PATIENCE_MS, () =>
    missingSearchAttributes({ connection, namespace }),
  );
  if (missing.length === 0) return [ok('the namespace has all search attributes')];
  const names = missing.map(({ name, type }) => `--name ${name} --type ${words[type]}`).join(' ');
  return [
    problem(
      `the namespace lacks the search attributes ${missing.map(({ name }) => name).join(', ')}: workflows cannot be started or found`,
      `restart a worker, which adds them, or: temporal operator search-attribute create --namespace ${namespace} ${names}`,
    ),
  ];
};

const pollerFindings = (
  client: Client,
  { temporalNamespace: namespace, taskQueue }: TemporalConfig,
): Promise<Finding[]> =>
  Promise.all(
    queues.map(async ([what, type, nameOf]) => {
      const name = nameOf(taskQueue);
      const { pollers } = await client.withDeadline(Date.now() + PATIENCE_MS, () =>
        client.workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType: type }),
      );
      const since = Date.now() / 1_000 - POLLED_SECONDS;
      const count = pollers.filter(({ lastAccessTime: at }) => Number(at?.seconds ?? 0) > since).length;
      return count > 0
        ? ok(`workers poll the queue ${name} of ${what}`)
        : problem(
            `no worker polls the queue ${name} of ${what}`,
            'start a worker, and give it the same CARAT_TASK_QUEUE and CARAT_TEMPORAL_NAMESPACE',
          );
    }),
  );

/** How long Temporal takes once the connection is open. */
const speedFindings = async (client: Client, address: string): Promise<Finding[]> => {
  const began = performance.now();
  await askTemporal(client, PATIENCE_MS);
  const tookMs = Math.round(performance.now() - began);
  return tookMs < SLOW_MS
    ? []
    : [
        warning(
          `${address} takes ${tookMs} ms for a small answer: each step of a payment takes as long`,
          'check the load of Temporal and its database, and the network between',
        ),
      ];
};

/** The newest running workflows of this queue. */
const runningWorkflows = async (
  client: Client,
  { temporalNamespace: namespace, taskQueue }: TemporalConfig,
): Promise<{ readonly workflowId: string; readonly runId: string }[]> => {
  const { executions } = await client.workflowService.listWorkflowExecutions({
    namespace,
    pageSize: LOOKED_AT,
    query: `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`,
  });
  return executions.flatMap(({ execution }) =>
    execution?.workflowId && execution.runId ? [{ workflowId: execution.workflowId, runId: execution.runId }] : [],
  );
};

/** Looks for workflows that cannot go on, because the code refuses them or fails. */
const workflowFindings = async (client: Client, config: TemporalConfig): Promise<Finding[]> => {
  const failing: string[] = [];
  const looked = await client.withDeadline(Date.now() + PATIENCE_MS, async () => {
    const running = await runningWorkflows(client, config);
    for (let at = 0; at < running.length; at += AT_ONCE) {
      const looks = running.slice(at, at + AT_ONCE).map(async (execution) => {
        const { pendingWorkflowTask: task } = await client.workflowService.describeWorkflowExecution({
          namespace: config.temporalNamespace,
          execution,
        });
        if (Number(task?.attempt ?? 0) >= FAILING_ATTEMPT) failing.push(execution.workflowId);
      });
      await Promise.all(looks);
    }
    return running.length;
  });
  const [first] = failing.toSorted();
  if (first === undefined) return [ok(`none of the ${looked} newest running workflows fails`)];
  return [
    problem(
      `${failing.length} of the ${looked} newest running workflows cannot go on, as their tasks fail again and again: ${first}`,
      'open it in the Temporal UI, which shows the error; go back to the version before (docs/operations/upgrade.md)',
    ),
  ];
};

const unusable = (error: unknown, { temporalAddress, temporalNamespace }: TemporalConfig): Finding =>
  (error as { code?: unknown }).code === NOT_FOUND
    ? problem(
        `there is no namespace ${temporalNamespace} at ${temporalAddress}`,
        `correct CARAT_TEMPORAL_NAMESPACE, or: temporal operator namespace create --namespace ${temporalNamespace} --retention 30d`,
      )
    : problem(
        `${temporalAddress} does not answer: ${(error as Error).message.split('\n', 1)[0]}`,
        'start Temporal, or correct CARAT_TEMPORAL_ADDRESS',
      );

/** Checks Temporal: address, namespace, search attributes, and workers at its queues. */
export const temporalFindings = async (config: TemporalConfig): Promise<Finding[]> => {
  const { temporalAddress: address, temporalNamespace: namespace } = config;
  let at: ReturnType<typeof temporalAt>;
  try {
    at = temporalAt(config);
  } catch (error) {
    return [problem((error as Error).message, 'correct the variable, or the file and its owner')];
  }
  const client = createTemporalClient(at);
  try {
    await askTemporal(client, PATIENCE_MS);
    return [
      ok(`${address} answers for the namespace ${namespace}`),
      ...(await speedFindings(client, address)),
      ...(await attributeFindings(client, namespace)),
      ...(await pollerFindings(client, config)),
      ...(await workflowFindings(client, config)),
    ];
  } catch (error) {
    return [unusable(error, config)];
  } finally {
    await client.connection.close();
  }
};
