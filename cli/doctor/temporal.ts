import type { Config, temporalKeys } from '../../config.ts';
import { missingSearchAttributes } from '../../outbox/search-attributes.ts';
import { askTemporal, createTemporalClient, temporalAt } from '../../outbox/temporal-client.ts';
import { chainTaskQueue } from '../../workflows/messages.ts';
import { findingsOf, type Finding } from './finding.ts';

type TemporalConfig = Config<(typeof temporalKeys)[number]>;
type Client = ReturnType<typeof createTemporalClient>;

const { ok, problem } = findingsOf('temporal');

/** Milliseconds for each request. */
const PATIENCE_MS = 4_000;
/** Seconds after its last poll for which a worker counts as running: a poll lasts up to a minute. */
const POLLED_SECONDS = 90;
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
      ...(await attributeFindings(client, namespace)),
      ...(await pollerFindings(client, config)),
    ];
  } catch (error) {
    return [unusable(error, config)];
  } finally {
    await client.connection.close();
  }
};
