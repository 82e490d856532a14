import { Client, Connection } from '@temporalio/client';

/** Where Temporal is. */
export interface TemporalAddress {
  /** `host:port` of the gRPC endpoint. */
  readonly address: string;
  readonly namespace: string;
}

/**
 * Asks whether the server can take commands.
 * @throws Error when it does not answer in time, or can not
 */
export const askTemporal = async (client: Client, deadlineMs: number): Promise<void> => {
  const { namespace } = client.options;
  await client.withDeadline(Date.now() + deadlineMs, () => client.workflowService.describeNamespace({ namespace }));
};

/**
 * A client that may be made while the server is down: nothing is sent before the first call. Left alone, a gRPC channel
 * waits up to two minutes between attempts to reconnect; here it is back within a second of the server.
 */
export const createTemporalClient = ({ address, namespace }: TemporalAddress): Client =>
  new Client({
    connection: Connection.lazy({
      address,
      channelArgs: {
        'grpc.initial_reconnect_backoff_ms': 100,
        'grpc.min_reconnect_backoff_ms': 100,
        'grpc.max_reconnect_backoff_ms': 500,
        'grpc.keepalive_permit_without_calls': 1,
        'grpc.keepalive_time_ms': 30_000,
        'grpc.keepalive_timeout_ms': 15_000,
      },
      // The dispatcher retries by itself; retries in here would only outlive its deadline.
      interceptors: [],
    }),
    namespace,
  });
