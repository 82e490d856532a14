import { randomUUID } from 'node:crypto';
import autocannon from 'autocannon';

/* The clients of the HTTP bench in a separate process: takes jobs from its parent and sends back results. */

/** A request template; each `#` becomes a fresh text. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or none. */
  readonly body?: string;
}

export interface LoadJob {
  readonly url: string;
  readonly connections: number;
  /** Number of requests. */
  readonly amount: number;
  readonly request: LoadRequest;
  /** Expected status. */
  readonly status: number;
}

/** Latencies in milliseconds. */
export interface LoadResult {
  readonly count: number;
  readonly ms: number;
  readonly p99: number;
  /** Description of a failure, if any. */
  readonly problem: string | null;
}

const fill = (text: string): string => (text.includes('#') ? text.replaceAll('#', randomUUID()) : text);

const run = async ({ url, connections, amount, request, status }: LoadJob): Promise<LoadResult> => {
  const { method, path, headers, body } = request;
  const statuses = new Map<number, number>();
  const started = performance.now();
  // Autocannon checks the clock once a second; a slot ends with its last answer.
  let ended = started;
  const instance = autocannon({
    url,
    connections,
    amount,
    requests: [
      {
        method,
        setupRequest: (template) => ({
          ...template,
          path: fill(path),
          headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])),
          ...(body === undefined ? {} : { body: fill(body) }),
        }),
        onResponse: (answered) => {
          statuses.set(answered, (statuses.get(answered) ?? 0) + 1);
          ended = performance.now();
        },
      },
    ],
  });
  const { latency, errors } = await instance;
  const count = statuses.get(status) ?? 0;
  const problem =
    errors === 0 && statuses.size === 1 && count > 0
      ? null
      : `${method} ${path}: ${errors} errors, answers ${JSON.stringify([...statuses])}`;
  return { count, ms: ended - started, p99: latency.p99, problem };
};

process.on('message', (job: LoadJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ count: 0, ms: 1, p99: 0, problem: String(error) }),
  );
});
