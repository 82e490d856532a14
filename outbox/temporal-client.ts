import { Client, Connection } from '@temporalio/client';

/** The address of Temporal. */
export interface TemporalAddress {
  /** `host:port` of the gRPC endpoint. */
  readonly address: string;
  readonly namespace: string;
}

/**
 * Pings the server.
 * @throws Error when it does not respond in time, or cannot take commands
 */
export const askTemporal = async (client: Client, deadlineMs: number): Promise<void> => {
  const { namespace } = client.options;
  await client.withDeadline(Date.now() + deadlineMs, () => client.workflowService.describeNamespace({ namespace }));
};

/**
 * Creates a client, even while the server is down: it connects at the first call. By default a gRPC channel waits up to two
 * minutes between attempts to reconnect; this one reconnects within a second after the server is back.
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
      // The dispatcher retries; retries in the client would only outlive its deadline.
      interceptors: [],
    }),
    namespace,
  });
